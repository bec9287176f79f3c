import { duel, type Rival } from './duel.ts'
import type { BenchOptions } from './options.ts'
import type { Row } from './report.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { startBare, startUnderstudy } from './servers.ts'

/** What a machine's noise makes of two equal servers. */
const noise = 1.05

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

/** The rows over HTTP that were chosen, one scenario after the other. */
export async function* httpRows(options: BenchOptions): AsyncGenerator<Row> {
  for (const scenario of scenarios) {
    if (!options.only.test(scenario.name)) continue
    const { name, rate } = scenario
    const start = () => startUnderstudy('.', scenario)
    yield* await duel({ name, rate, start, rivals: rivalsOf(scenario, options) }, options)
  }
}
