import type { BenchOptions } from './options.ts'
import { type Row, showSpread, spreadOf } from './report.ts'
import type { Bounds } from './scenario.ts'
import type { Contender } from './servers.ts'

/** One figure of a server for each round. */
interface Figures {
  readonly cpu: number[]
  readonly rps: number[]
  readonly rate: number[]
}

/** Who is measured beside us, and what may be lost against him. */
export interface Rival {
  readonly who: string
  readonly bounds: Bounds | undefined
  readonly start: () => Promise<Contender>
}

/** What the servers of some rows have in common. */
interface Duel {
  readonly name: string
  /** Requests per second of the measurement by CPU. */
  readonly rate: number
  readonly start: () => Promise<Contender>
  readonly rivals: readonly Rival[]
}

/** Two rows for each rival: by CPU at a fixed rate, and by requests per second. */
export async function duel(
  { name, rate, start, rivals }: Duel,
  options: BenchOptions,
): Promise<readonly Row[]> {
  const contenders: Contender[] = []
  try {
    for (const next of [start, ...rivals.map((rival) => rival.start)]) contenders.push(await next())
    const [ours, ...others] = await figuresOf(contenders, rate, options)
    return rivals.flatMap((rival, at) => {
      const theirs = others[at]
      return ours && theirs ? rowsOf(name, rival, ours, theirs) : []
    })
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
  }
}

/** Seconds at full speed before anything is measured: Node compiles what runs often while it runs. */
const warmUp = 4

/** Turn and turn about, so that a slow spell of the machine falls on all. */
async function figuresOf(
  contenders: readonly Contender[],
  rate: number,
  { seconds, rounds }: BenchOptions,
): Promise<readonly Figures[]> {
  const measured = contenders.map((contender) => ({
    contender,
    figures: { cpu: [], rps: [], rate: [] } as Figures,
  }))
  const shot = seconds / 2
  for (const { contender } of measured) {
    await contender.prepare()
    await contender.fastest(warmUp)
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contender, figures } of measured) {
      await contender.prepare()
      figures.rps.push(await contender.fastest(shot))
      await contender.prepare()
      const paced = await contender.paced(rate, seconds)
      figures.cpu.push(paced.cpu)
      figures.rate.push(paced.rate)
    }
  }
  return measured.map(({ figures }) => figures)
}

/** Ours over theirs, round by round. */
function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN))
}

function rowsOf(name: string, rival: Rival, ours: Figures, theirs: Figures): readonly Row[] {
  const { who, bounds } = rival
  const cpu = spreadOf(ratios(ours.cpu, theirs.cpu))
  const rps = spreadOf(ratios(ours.rps, theirs.rps))
  const pace = Math.round(spreadOf([...ours.rate, ...theirs.rate]).low)
  const perSecond = (figures: readonly number[]) => `${spreadOf(figures).median.toFixed(0)}/s`
  return [
    {
      what: `${name}: CPU of a request at ${pace}/s, against ${who}`,
      ours: showSpread(spreadOf(ours.cpu), 1, ' µs'),
      against: showSpread(spreadOf(theirs.cpu), 1, ' µs'),
      ratio: showSpread(cpu, 2),
      bound: bounds === undefined ? '-' : `at most ${bounds.cpu.toFixed(2)}`,
      holds: bounds === undefined || cpu.median <= bounds.cpu,
    },
    {
      what: `${name}: requests per second, against ${who}`,
      ours: perSecond(ours.rps),
      against: perSecond(theirs.rps),
      ratio: showSpread(rps, 2),
      bound: bounds === undefined ? '-' : `at least ${bounds.rps.toFixed(2)}`,
      holds: bounds === undefined || rps.median >= bounds.rps,
    },
  ]
}
