import { type Baseline, compareServers } from './compare-servers.ts'
import type { BenchOptions } from './options.ts'
import type { Row } from './report.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { startBare, startUnderstudy } from './servers.ts'

/** Factor by which two equal servers may differ because of noise on the machine. */
const noiseFactor = 1.05

/** Returns the baselines of a row: the bare route, and the other checkout if one is given. */
function baselinesOf(scenario: Scenario, { against }: BenchOptions): readonly Baseline[] {
  const bareFastify: Baseline = {
    label: 'a bare route sending the same bytes',
    bounds: scenario.bare,
    start: () => startBare('.', scenario),
  }
  const withoutJournal: Baseline = {
    label: 'the same without a journal',
    bounds: scenario.unjournaled,
    start: () => startUnderstudy('.', scenario, ['--options', '{"control":{"journalSize":0}}']),
  }
  const withoutArgs: Baseline = {
    label: `the same without ${scenario.args?.[0]}`,
    bounds: scenario.withoutArgs,
    start: () => startUnderstudy('.', scenario),
  }
  const ourBaselines = [
    bareFastify,
    ...(scenario.unjournaled === undefined ? [] : [withoutJournal]),
    ...(scenario.withoutArgs === undefined ? [] : [withoutArgs]),
  ]
  if (against === undefined || scenario.against === undefined) return ourBaselines
  const cpuBound = scenario.against === 1 ? noiseFactor : scenario.against
  const otherCheckout: Baseline = {
    label: 'the other checkout',
    bounds: { cpu: cpuBound, rps: 1 / cpuBound },
    start: () => startUnderstudy(against, scenario),
  }
  return [...ourBaselines, otherCheckout]
}

/** Yields the selected rows that are measured over HTTP, one scenario after another. */
export async function* httpRows(options: BenchOptions): AsyncGenerator<Row> {
  for (const scenario of scenarios) {
    if (!options.only.test(scenario.name)) continue
    const { name, rate, args } = scenario
    const start = () => startUnderstudy('.', scenario, args)
    yield* await compareServers(
      { name, rate, start, baselines: baselinesOf(scenario, options) },
      options,
    )
  }
}
