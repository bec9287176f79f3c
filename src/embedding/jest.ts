import { traceConditionOf } from '../trace-setting.ts'
import { matchers, type WorldMatchers } from './matchers.ts'
import { runInWorld, TestFileServer, type TestSettings, type WorldContext } from './test-world.ts'

export type { TraceCondition } from '../trace-setting.ts'
export type { Dump, Verify } from './conclude-test.ts'
export { matchers, type WorldMatchers } from './matchers.ts'
export type { ServedWorld, TestSettings, WorldContext as Given } from './test-world.ts'

declare global {
  namespace jest {
    interface Matchers<R> extends WorldMatchers<R> {}
  }
}

/** Declaration of a test in Jest; `timeout` is in milliseconds. */
type DeclareTest = (name: string, run: () => Promise<void>, timeout?: number) => void

/** Globals that Jest defines for test files. */
interface JestGlobals {
  readonly test: DeclareTest & { readonly only: DeclareTest; readonly skip: DeclareTest }
  readonly expect: { extend(matchers: object): void; getState?(): JestState }
  afterAll(end: () => Promise<void>): void
  readonly afterEach?: (end: () => Promise<void>) => void
}

/** State of the running test, as `expect.getState` returns it. */
interface JestState {
  /** Title of the test, preceded by the titles of its groups. */
  readonly currentTestName?: string
  readonly testPath?: string
}

type DeclareInWorld = (
  name: string,
  testBody: (given: WorldContext) => unknown,
  /** Timeout in milliseconds. */
  timeout?: number,
) => void

/** Jest's `test` with a server for each file and a world for each test. */
export interface WorldTest extends DeclareInWorld {
  readonly only: DeclareInWorld
  readonly skip: DeclareInWorld
  /**
   * Returns a `test` with these settings. If the settings contain server options, the returned
   * `test` has a server of its own.
   */
  extend(settings: TestSettings): WorldTest
}

/**
 * Jest's `test` with a server for each file and a world for each test.
 *
 * @example
 * ```ts
 * import { test } from 'infra-understudy/jest'
 *
 * test('reads its password', async ({ world, env }) => {
 *   world.secrets.put('secret/app', { password: 'p' })
 *   await start(env)
 *   expect(world).toHaveReceived({ path: '/v1/secret/data/app' })
 * })
 * ```
 */
export const test: WorldTest = worldTest(jestGlobals(), {}, undefined)

function worldTest(
  jest: JestGlobals,
  settings: TestSettings,
  inheritedServer?: TestFileServer,
): WorldTest {
  const server = inheritedServer ?? new TestFileServer(settings.understudyOptions)
  if (inheritedServer === undefined) jest.afterAll(() => server.close())
  traceConditionOf(settings.trace)
  const pendingEnds: (() => Promise<void>)[] = []
  jest.afterEach?.(async () => {
    for (const end of pendingEnds.splice(0)) await end()
  })
  const afterTest =
    jest.afterEach === undefined
      ? undefined
      : (end: () => Promise<void>) => void pendingEnds.push(end)
  const withWorld =
    (declare: DeclareTest): DeclareInWorld =>
    (name, testBody, timeout) => {
      let attempts = 0
      const runAttempt = () => {
        const { currentTestName: title = name, testPath: file = '' } =
          jest.expect.getState?.() ?? {}
        const context = { name, title, file, retry: attempts, afterTest }
        attempts += 1
        return runInWorld(server, settings, context, testBody)
      }
      declare(name, runAttempt, timeout)
    }
  return Object.assign(withWorld(jest.test), {
    only: withWorld(jest.test.only),
    skip: withWorld(jest.test.skip),
    extend: (more: TestSettings) => {
      const reusedServer = more.understudyOptions === undefined ? server : undefined
      return worldTest(jest, { ...settings, ...more }, reusedServer)
    },
  })
}

function jestGlobals(): JestGlobals {
  const scope = globalThis as Partial<JestGlobals>
  const { test, expect, afterAll, afterEach } = scope
  if (test === undefined || expect === undefined || afterAll === undefined) {
    throw new Error('infra-understudy/jest works only in tests that Jest runs with `injectGlobals`')
  }
  expect.extend(matchers)
  return afterEach === undefined
    ? { test, expect, afterAll }
    : { test, expect, afterAll, afterEach }
}
