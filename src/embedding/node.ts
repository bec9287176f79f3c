import { AssertionError } from 'node:assert'
import { after, test as nodeTest, type TestContext, type TestOptions } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { EmbeddedWorld } from './embedded-world.ts'
import { type MatcherResult, matchers, type WorldMatchers } from './matchers.ts'
import { FileServer, runInWorld, type TestSettings, type WorldContext } from './test-world.ts'

export type { Dump, Verify } from './conclude-test.ts'
export type { WorldMatchers } from './matchers.ts'
export type { ServedWorld, TestSettings, WorldContext as Given } from './test-world.ts'

/** Test function; `t` is Node's own context, for sub-tests and similar. */
type TestBody = (given: WorldContext & { readonly t: TestContext }) => unknown

/** `test` of `node:test` with a server for each file and a world for each test. */
export interface WorldTest {
  (name: string, testBody: TestBody): Promise<void>
  (name: string, options: TestOptions, testBody: TestBody): Promise<void>
  /**
   * Returns a `test` with other settings, and, if server options are given, with a server of its
   * own.
   */
  extend(settings: TestSettings): WorldTest
}

/**
 * `test` of `node:test` with a server for each file and a world for each test.
 *
 * @example
 * ```ts
 * import { expect, test } from 'infra-understudy/node'
 *
 * test('reads its password', async ({ world, env }) => {
 *   world.secrets.put('secret/app', { password: 'p' })
 *   await start(env)
 *   expect(world).toHaveReceived({ path: '/v1/secret/data/app' })
 * })
 * ```
 */
export const test: WorldTest = worldTest({}, undefined)

function worldTest(settings: TestSettings, shared?: FileServer): WorldTest {
  const server = shared ?? new FileServer(settings.understudyOptions)
  if (shared === undefined) after(() => server.close())
  function declare(name: string, given: TestOptions | TestBody, testBody?: TestBody) {
    const [options, run] =
      typeof given === 'function' ? [{}, given] : [given, testBody ?? (() => {})]
    return nodeTest(name, options, (t) => {
      return runInWorld(server, settings, name, (more) => run({ ...more, t }))
    })
  }
  return Object.assign(declare, {
    extend: (more: TestSettings) => {
      const reusedServer = more.understudyOptions === undefined ? server : undefined
      return worldTest({ ...settings, ...more }, reusedServer)
    },
  })
}

/** Returns assertions about a world, with the names of the matchers for other test runners. */
export function expect(world: EmbeddedWorld): WorldMatchers & { readonly not: WorldMatchers } {
  return { ...assertionsFor(world, true), not: assertionsFor(world, false) }
}

function assertionsFor(world: EmbeddedWorld, expectPass: boolean): WorldMatchers {
  const equals = isDeepStrictEqual
  const check = ({ pass, message }: MatcherResult) => {
    if (pass === expectPass) return
    throw new AssertionError({ message: message(), operator: expectPass ? 'expect' : 'expect.not' })
  }
  const bound = { ...matchers, equals }
  return {
    toHaveReceived: (match, count) => check(bound.toHaveReceived(world, match, count)),
    toHaveSecret: (path, data) => check(bound.toHaveSecret(world, path, data)),
    toHavePolicy: (name, rules) => check(bound.toHavePolicy(world, name, rules)),
    toHaveJob: (id, members) => check(bound.toHaveJob(world, id, members)),
    toHaveNamespace: (name, members) => check(bound.toHaveNamespace(world, name, members)),
    toHaveTestRun: (members) => check(bound.toHaveTestRun(world, members)),
  }
}
