import type { BenchOptions } from './options.ts'
import { type Row, showSpread, spreadOf } from './report.ts'
import type { Bounds } from './scenario.ts'
import type { MeasuredServer } from './servers.ts'

/** Measurements of one server, one array item per round. */
interface Figures {
  readonly cpu: number[]
  readonly rps: number[]
  readonly rate: number[]
}

/** Server that ours is measured against, and the limits that the comparison must meet. */
export interface Baseline {
  readonly label: string
  readonly bounds: Bounds | undefined
  readonly start: () => Promise<MeasuredServer>
}

/** Settings that the rows of one comparison share. */
interface ServerComparison {
  readonly name: string
  /** Requests per second of the CPU measurement. */
  readonly rate: number
  readonly start: () => Promise<MeasuredServer>
  readonly baselines: readonly Baseline[]
}

/**
 * Measures our server against each baseline. Returns two rows per baseline: CPU at a fixed rate,
 * and requests per second.
 */
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

/** Seconds at full speed before the measurement, so that V8 has compiled the hot code. */
const warmUp = 4

/** Measures the servers alternately, so that a slow period of the machine affects all of them. */
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

/** Returns our figure divided by the baseline's, for each round. */
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
