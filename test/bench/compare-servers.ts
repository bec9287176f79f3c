import type { BenchOptions } from './options.ts'
import { type Row, showSpread, spreadOf } from './report.ts'
import type { Bounds } from './scenario.ts'
import type { MeasuredServer } from './servers.ts'

/** One figure of a server for each round. */
interface Figures {
  readonly cpu: number[]
  readonly rps: number[]
  readonly rate: number[]
}

/** Who is measured beside us, and what may be lost against him. */
export interface Baseline {
  readonly label: string
  readonly bounds: Bounds | undefined
  readonly start: () => Promise<MeasuredServer>
}

/** What the servers of some rows have in common. */
interface ServerComparison {
  readonly name: string
  /** Requests per second of the measurement by CPU. */
  readonly rate: number
  readonly start: () => Promise<MeasuredServer>
  readonly baselines: readonly Baseline[]
}

/** Two rows for each rival: by CPU at a fixed rate, and by requests per second. */
export async function compareServers(
  { name, rate, start, baselines }: ServerComparison,
  options: BenchOptions,
): Promise<readonly Row[]> {
  const servers: MeasuredServer[] = []
  try {
    for (const next of [start, ...baselines.map((baseline) => baseline.start)])
      servers.push(await next())
    const [ours, ...others] = await measure(servers, rate, options)
    return baselines.flatMap((baseline, at) => {
      const theirs = others[at]
      return ours && theirs ? comparisonRows(name, baseline, ours, theirs) : []
    })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Seconds at full speed before anything is measured: Node compiles what runs often while it runs. */
const warmUp = 4

/** Turn and turn about, so that a slow spell of the machine falls on all. */
async function measure(
  servers: readonly MeasuredServer[],
  rate: number,
  { seconds, rounds }: BenchOptions,
): Promise<readonly Figures[]> {
  const measured = servers.map((server) => ({
    contender: server,
    figures: { cpu: [], rps: [], rate: [] } as Figures,
  }))
  const burstSeconds = seconds / 2
  for (const { contender: server } of measured) {
    await server.prepare()
    await server.maxThroughput(warmUp)
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contender: server, figures } of measured) {
      await server.prepare()
      figures.rps.push(await server.maxThroughput(burstSeconds))
      await server.prepare()
      const atFixedRate = await server.atFixedRate(rate, seconds)
      figures.cpu.push(atFixedRate.cpu)
      figures.rate.push(atFixedRate.rate)
    }
  }
  return measured.map(({ figures }) => figures)
}

/** Ours over theirs, round by round. */
function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN))
}

function comparisonRows(
  name: string,
  baseline: Baseline,
  ours: Figures,
  theirs: Figures,
): readonly Row[] {
  const { label, bounds } = baseline
  const cpu = spreadOf(ratios(ours.cpu, theirs.cpu))
  const rps = spreadOf(ratios(ours.rps, theirs.rps))
  const heldRate = Math.round(spreadOf([...ours.rate, ...theirs.rate]).low)
  const perSecond = (figures: readonly number[]) => `${spreadOf(figures).median.toFixed(0)}/s`
  return [
    {
      what: `${name}: CPU of a request at ${heldRate}/s, against ${label}`,
      ours: showSpread(spreadOf(ours.cpu), 1, ' µs'),
      against: showSpread(spreadOf(theirs.cpu), 1, ' µs'),
      ratio: showSpread(cpu, 2),
      bound: bounds === undefined ? '-' : `at most ${bounds.cpu.toFixed(2)}`,
      holds: bounds === undefined || cpu.median <= bounds.cpu,
    },
    {
      what: `${name}: requests per second, against ${label}`,
      ours: perSecond(ours.rps),
      against: perSecond(theirs.rps),
      ratio: showSpread(rps, 2),
      bound: bounds === undefined ? '-' : `at least ${bounds.rps.toFixed(2)}`,
      holds: bounds === undefined || rps.median >= bounds.rps,
    },
  ]
}
