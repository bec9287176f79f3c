import { type Baseline, compareServers } from './compare-servers.ts'
import type { BenchOptions } from './options.ts'
import type { Row } from './report.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { startBare, startUnderstudy } from './servers.ts'

/** What a machine's noise makes of two equal servers. */
const noiseFactor = 1.05

/** The bare route, which is the floor of every row, and the other checkout if there is one. */
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
  const ownBaselines =
    scenario.unjournaled === undefined ? [bareFastify] : [bareFastify, withoutJournal]
  if (against === undefined || scenario.against === undefined) return ownBaselines
  const cpuBound = scenario.against === 1 ? noiseFactor : scenario.against
  const otherCheckout: Baseline = {
    label: 'the other checkout',
    bounds: { cpu: cpuBound, rps: 1 / cpuBound },
    start: () => startUnderstudy(against, scenario),
  }
  return [...ownBaselines, otherCheckout]
}

/** The rows over HTTP that were chosen, one scenario after the other. */
export async function* httpRows(options: BenchOptions): AsyncGenerator<Row> {
  for (const scenario of scenarios) {
    if (!options.only.test(scenario.name)) continue
    const { name, rate } = scenario
    const start = () => startUnderstudy('.', scenario)
    yield* await compareServers(
      { name, rate, start, baselines: baselinesOf(scenario, options) },
      options,
    )
  }
}
