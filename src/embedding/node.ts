import { AssertionError } from 'node:assert'
import { after, test as nodeTest, type TestContext, type TestOptions } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { traceConditionOf } from '../trace-setting.ts'
import type { EmbeddedWorld } from './embedded-world.ts'
import { type MatcherResult, matchers, type WorldMatchers } from './matchers.ts'
import type { TestNames } from './test-trace.ts'
import { runInWorld, TestFileServer, type TestSettings, type WorldContext } from './test-world.ts'

export type { TraceCondition } from '../trace-setting.ts'
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
   * Returns a `test` with these settings. If the settings contain server options, the returned
   * `test` has a server of its own.
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

function worldTest(settings: TestSettings, inheritedServer?: TestFileServer): WorldTest {
  const server = inheritedServer ?? new TestFileServer(settings.understudyOptions)
  if (inheritedServer === undefined) after(() => server.close())
  traceConditionOf(settings.trace)
  function declare(name: string, optionsOrBody: TestOptions | TestBody, testBody?: TestBody) {
    const [options, run] =
      typeof optionsOrBody === 'function'
        ? [{}, optionsOrBody]
        : [optionsOrBody, testBody ?? (() => {})]
    return nodeTest(name, options, (t) => {
      const context = {
        ...testNamesOf(t),
        name,
        afterTest: (end: () => Promise<void>) => t.after(end),
        runnerError: () => (t as PartialContext).error,
      }
      return runInWorld(server, settings, context, (more) => run({ ...more, t }))
    })
  }
  return Object.assign(declare, {
    extend: (more: TestSettings) => {
      const reusedServer = more.understudyOptions === undefined ? server : undefined
      return worldTest({ ...settings, ...more }, reusedServer)
    },
  })
}

/** Members of a test's context that some versions of Node lack. */
interface PartialContext {
  readonly fullName?: string
  readonly filePath?: string
  readonly error?: unknown
}

function testNamesOf(t: TestContext): TestNames {
  const { fullName = t.name, filePath = process.argv[1] ?? '' } = t as PartialContext
  return { file: filePath, title: fullName }
}

/**
 * Returns assertions about a world. The methods of the result are named like the matchers that
 * other test runners use.
 */
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
