import type { DialectName } from '../../kernel/shape/dialect.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { testRunLog } from './log.ts'
import type { TestRun } from './test-runs.ts'

/** Returns the log of a test run up to the current time, in a dialect (behaviour/platform#log). */
export function currentLog(world: World, run: TestRun, dialect: DialectName): string {
  const isVendor = dialect === 'vendor'
  return testRunLog(run, world.clock.now(), {
    product: isVendor ? 'terraform' : 'infra',
    placeholder: isVendor ? 'main.tftest.hcl' : 'main.test.hcl',
    version: optionsOf(world).toolVersion,
  })
}
