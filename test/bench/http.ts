import type { BenchOptions } from './options.ts'
import { type Row, showSpread, spreadOf } from './report.ts'
import type { Bounds, Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { type Contender, startBare, startUnderstudy } from './servers.ts'

/** What a machine's noise makes of two equal servers. */
const noise = 1.05

/** One figure of a server for each round. */
interface Figures {
  readonly cpu: number[]
  readonly rps: number[]
  readonly rate: number[]
}

/** Who is measured beside us, and what may be lost against him. */
interface Rival {
  readonly who: string
  readonly bounds: Bounds | undefined
  readonly start: () => Promise<Contender>
}

/** The bare route, which is the floor of every row, and the other checkout if there is one. */
function rivalsOf(scenario: Scenario, { against }: BenchOptions): readonly Rival[] {
  const bare: Rival = {
    who: 'a bare route sending the same bytes',
    bounds: scenario.bare,
    start: () => startBare('.', scenario),
  }
  const silent: Rival = {
    who: 'the same without a journal',
    bounds: scenario.unjournaled,
    start: () => startUnderstudy('.', scenario, ['--options', '{"control":{"journalSize":0}}']),
  }
  const own = scenario.unjournaled === undefined ? [bare] : [bare, silent]
  if (against === undefined || scenario.against === undefined) return own
  const share = scenario.against === 1 ? noise : scenario.against
  const other: Rival = {
    who: 'the other checkout',
    bounds: { cpu: share, rps: 1 / share },
    start: () => startUnderstudy(against, scenario),
  }
  return [...own, other]
}

/** Turn and turn about, so that a slow spell of the machine falls on all. */
async function figuresOf(
  contenders: readonly Contender[],
  { rate }: Scenario,
  { seconds, rounds }: BenchOptions,
): Promise<readonly Figures[]> {
  const measured = contenders.map((contender) => ({
    contender,
    figures: { cpu: [], rps: [], rate: [] } as Figures,
  }))
  const shot = seconds / 2
  for (const { contender } of measured) {
    await contender.prepare()
    await contender.fastest(1.5)
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

function rowsOf(scenario: Scenario, rival: Rival, ours: Figures, theirs: Figures): readonly Row[] {
  const { who, bounds } = rival
  const cpu = spreadOf(ratios(ours.cpu, theirs.cpu))
  const rps = spreadOf(ratios(ours.rps, theirs.rps))
  const pace = Math.round(spreadOf([...ours.rate, ...theirs.rate]).low)
  const perSecond = (figures: readonly number[]) => `${spreadOf(figures).median.toFixed(0)}/s`
  return [
    {
      what: `${scenario.name}: CPU of a request at ${pace}/s, against ${who}`,
      ours: showSpread(spreadOf(ours.cpu), 1, ' µs'),
      against: showSpread(spreadOf(theirs.cpu), 1, ' µs'),
      ratio: showSpread(cpu, 2),
      bound: bounds === undefined ? '-' : `at most ${bounds.cpu.toFixed(2)}`,
      holds: bounds === undefined || cpu.median <= bounds.cpu,
    },
    {
      what: `${scenario.name}: requests per second, against ${who}`,
      ours: perSecond(ours.rps),
      against: perSecond(theirs.rps),
      ratio: showSpread(rps, 2),
      bound: bounds === undefined ? '-' : `at least ${bounds.rps.toFixed(2)}`,
      holds: bounds === undefined || rps.median >= bounds.rps,
    },
  ]
}

/** Two rows for one scenario and each rival: by CPU at a fixed rate, and by requests per second. */
async function compare(scenario: Scenario, options: BenchOptions): Promise<readonly Row[]> {
  const contenders: Contender[] = []
  try {
    contenders.push(await startUnderstudy('.', scenario))
    const rivals = rivalsOf(scenario, options)
    for (const rival of rivals) contenders.push(await rival.start())
    const [ours, ...others] = await figuresOf(contenders, scenario, options)
    return rivals.flatMap((rival, at) => {
      const theirs = others[at]
      return ours && theirs ? rowsOf(scenario, rival, ours, theirs) : []
    })
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()))
  }
}

/** The rows over HTTP that were chosen, one scenario after the other. */
export async function* httpRows(options: BenchOptions): AsyncGenerator<Row> {
  for (const scenario of scenarios) {
    if (options.only.test(scenario.name)) yield* await compare(scenario, options)
  }
}
