import { traceConditionOf } from '../trace-setting.ts'
import { matchers, type WorldMatchers } from './matchers.ts'
import { FileServer, runInWorld, type TestSettings, type WorldContext } from './test-world.ts'

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
   * Returns a `test` with other settings, and, if server options are given, with a server of its
   * own.
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
export const test: WorldTest = worldTest(globals(), {}, undefined)

function worldTest(jest: JestGlobals, settings: TestSettings, shared?: FileServer): WorldTest {
  const server = shared ?? new FileServer(settings.understudyOptions)
  if (shared === undefined) jest.afterAll(() => server.close())
  traceConditionOf(settings.trace)
  const ends: (() => Promise<void>)[] = []
  jest.afterEach?.(async () => {
    for (const end of ends.splice(0)) await end()
  })
  const afterTest =
    jest.afterEach === undefined ? undefined : (end: () => Promise<void>) => void ends.push(end)
  const withWorld =
    (declare: DeclareTest): DeclareInWorld =>
    (name, testBody, timeout) => {
      let attempts = 0
      const run = () => {
        const { currentTestName: title = name, testPath: file = '' } =
          jest.expect.getState?.() ?? {}
        const context = { name, title, file, retry: attempts, afterTest }
        attempts += 1
        return runInWorld(server, settings, context, testBody)
      }
      declare(name, run, timeout)
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

function globals(): JestGlobals {
  const scope = globalThis as Partial<JestGlobals>
  const { test, expect, afterAll, afterEach } = scope
  if (test === undefined || expect === undefined || afterAll === undefined) {
    throw new Error('infra-understudy/jest is for tests that Jest runs, with its `injectGlobals`')
  }
  expect.extend(matchers)
  return afterEach === undefined
    ? { test, expect, afterAll }
    : { test, expect, afterAll, afterEach }
}
