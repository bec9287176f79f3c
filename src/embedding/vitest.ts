import { test as base, expect } from 'vitest'
import type { Environment } from '../../routes/control/worlds/environment.ts'
import { type TraceCondition, traceConditionOf } from '../trace-setting.ts'
import { concludeTest, type Dump, type Verify } from './conclude-test.ts'
import { matchers, type WorldMatchers } from './matchers.ts'
import { type TestNames, type TestResult, TestTrace } from './test-trace.ts'
import { endWorld, requireServed, type ServedWorld, writeError } from './test-world.ts'
import { createUnderstudy, type Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

export type { TraceCondition } from '../trace-setting.ts'
export type { Dump, Verify } from './conclude-test.ts'
export { matchers, type WorldMatchers } from './matchers.ts'
export type { ServedWorld } from './test-world.ts'

declare module 'vitest' {
  interface Matchers<T> extends WorldMatchers {}
}

expect.extend(matchers)

// Throws for an invalid UNDERSTUDY_TRACE before any test starts.
traceConditionOf(undefined)

/** Fixtures of tests with `infra-understudy/vitest`. */
interface UnderstudyFixtures {
  /** Options of the server; `test.extend` overrides them. The dialect is `vendor` by default. */
  readonly understudyOptions: UnderstudyOptions
  /**
   * Reactions of tests to failed requests, as in `test.extend({ verify: { unmatched: 'fail' } })`.
   */
  readonly verify: Verify
  /**
   * Condition on which a test writes its refused and unmatched requests with their reasons, and the
   * changes of its world, to standard error. Default: `on-failure`.
   */
  readonly dump: Dump
  /**
   * Condition on which a test writes a trace into the folder `understudy-traces`. The variable
   * `UNDERSTUDY_TRACE` wins. Default: `never`.
   */
  readonly trace: TraceCondition
  /** Listening server of the worker. */
  readonly understudy: Understudy
  /** Fresh world for each test, deleted after the test. */
  readonly world: ServedWorld
  /** Variables with which clients find `world` (behaviour/program#commands). */
  readonly env: Environment
}

/**
 * Vitest's `test` with a server for each worker and a world for each test.
 *
 * @example
 * ```ts
 * import { test } from 'infra-understudy/vitest'
 *
 * test('starts without secrets', async ({ world, expect }) => {
 *   const headers = { 'X-Vault-Token': 'root' }
 *   const reply = await fetch(`${world.url}/v1/secret/metadata?list=true`, { headers })
 *   expect(reply.status).toBe(404)
 * })
 * ```
 */
export const test = base.extend<UnderstudyFixtures>({
  understudyOptions: [{}, { scope: 'worker' }],
  verify: {},
  dump: 'on-failure',
  trace: 'never',
  understudy: [
    async ({ understudyOptions }, use) => {
      const understudy = await createUnderstudy({ dialect: 'vendor', ...understudyOptions })
      await understudy.listen()
      await use(understudy)
      await understudy.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ understudy, understudyOptions, verify, dump, trace: setting, task }, use) => {
    const condition = traceConditionOf(setting)
    const trace = new TestTrace(understudy, condition, testNamesOf(task), understudyOptions)
    const world = requireServed(await understudy.openWorld())
    trace.begin(world)
    await use(world)
    const hasFailed = task.result?.state === 'fail'
    let result: TestResult = hasFailed
      ? { result: 'failed', error: task.result?.errors?.at(-1) }
      : { result: 'passed' }
    try {
      concludeTest(world, { name: task.name, verify, dump, write: writeError }, hasFailed)
    } catch (error) {
      if (!hasFailed) result = { result: 'failed', error }
      throw error
    } finally {
      await trace.end(world, result, writeError)
      endWorld(understudy, world)
      trace.forget(world)
    }
  },
  env: async ({ world }, use) => {
    await use(world.env())
  },
})

/** Members of a Vitest task that identify a test. */
interface NamedTask {
  readonly name: string
  readonly suite?: NamedTask | undefined
  readonly file: { readonly filepath: string }
  readonly result?: { readonly retryCount?: number | undefined } | undefined
}

function testNamesOf(task: NamedTask): TestNames {
  const names: string[] = []
  for (let each: NamedTask | undefined = task; each !== undefined; each = each.suite) {
    names.unshift(each.name)
  }
  return {
    file: task.file.filepath,
    title: names.join(' > '),
    retry: task.result?.retryCount ?? 0,
  }
}
