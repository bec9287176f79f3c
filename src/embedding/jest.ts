import { matchers, type WorldMatchers } from './matchers.ts'
import { FileServer, runInWorld, type TestSettings, type WorldContext } from './test-world.ts'

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
  readonly expect: { extend(matchers: object): void }
  afterAll(end: () => Promise<void>): void
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
  const withWorld =
    (declare: DeclareTest): DeclareInWorld =>
    (name, testBody, timeout) =>
      declare(name, () => runInWorld(server, settings, name, testBody), timeout)
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
  const { test, expect, afterAll } = scope
  if (test === undefined || expect === undefined || afterAll === undefined) {
    throw new Error('infra-understudy/jest is for tests that Jest runs, with its `injectGlobals`')
  }
  expect.extend(matchers)
  return { test, expect, afterAll }
}
