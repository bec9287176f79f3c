import { isNativeError } from 'node:util/types'
import type { Count, Match } from '../../routes/journal/match-shapes.ts'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import type { Namespace } from '../../state/mesh/namespaces/namespaces.ts'
import type { TestRun } from '../../state/platform/test-runs/test-runs.ts'
import type { Job } from '../../state/scheduler/job/job-shape.ts'
import type { EmbeddedWorld } from './embedded-world.ts'

/** Result of a matcher for `expect.extend` of a test runner. */
export interface MatcherResult {
  readonly pass: boolean
  /**
   * Returns the message with the expected and the actual values. The message also fits an assertion
   * with `not`.
   */
  readonly message: () => string
}

/**
 * Equality check of the test runner. The check supports the runner's own matchers such as
 * `expect.any`.
 */
type Equals = (actual: unknown, expected: unknown) => boolean

/** Context that test runners pass to a matcher. */
interface MatcherContext {
  readonly equals: Equals
}

/** Kind of named resource in a world, for assertions. */
interface ResourceKind<Item> {
  /** Noun in messages, as in `no job "web"`. */
  readonly noun: string
  list(world: EmbeddedWorld): readonly Item[]
  nameOf(item: Item): string
}

const jobs: ResourceKind<Job> = {
  noun: 'job',
  list: (world) => world.scheduler.jobs(),
  nameOf: ({ ID }) => ID,
}

const namespaces: ResourceKind<Namespace> = {
  noun: 'namespace',
  list: (world) => world.mesh.namespaces(),
  nameOf: ({ name }) => name,
}

const testRuns: ResourceKind<TestRun> = {
  noun: 'test run',
  list: (world) => world.platform.testRuns(),
  nameOf: ({ id, status }) => `${id} (${status})`,
}

/**
 * Matchers about a world, for `expect.extend`. Expected members are compared as a subset, and may
 * be `expect.any(String)` and similar.
 */
export const matchers = {
  /**
   * Checks that at least one request matches. If `count` is given, checks that the number of
   * matching requests fits `count`.
   */
  toHaveReceived(world: EmbeddedWorld, match: Match, count?: number | Count): MatcherResult {
    const expectedCount = typeof count === 'number' ? { exactly: count } : count
    try {
      const matched = world.requests.verify({
        match,
        ...(expectedCount === undefined ? {} : { count: expectedCount }),
      })
      const requests = world.requests.find(match).map(({ id, method, path, status }) => {
        return `  ${id} ${method} ${path} ${status}`
      })
      const text = `expected no such requests, but ${matched} match ${formatJson(match)}`
      return { pass: true, message: () => [text, ...requests].join('\n') }
    } catch (error) {
      if (!isVerificationError(error)) throw error
      return { pass: false, message: () => error.message }
    }
  },

  /**
   * Checks that a secret exists at a path and has the given members. The path includes the mount.
   */
  toHaveSecret(
    this: MatcherContext,
    world: EmbeddedWorld,
    path: string,
    data?: object,
  ): MatcherResult {
    const actual = world.secrets.get(path)
    return matcherResult(this, `secret "${path}"`, actual, data, () => world.secrets.paths())
  },

  /** Checks that an access policy exists and, if `rules` is given, has this text. */
  toHavePolicy(
    this: MatcherContext,
    world: EmbeddedWorld,
    name: string,
    rules?: string,
  ): MatcherResult {
    const text = world.secrets.policyText(name)
    return matcherResult(this, `policy "${name}"`, text, rules, () => world.secrets.policies())
  },

  /** Checks that a job with this id exists and has the given members. */
  toHaveJob(
    this: MatcherContext,
    world: EmbeddedWorld,
    id: string,
    members?: object,
  ): MatcherResult {
    return matchNamedResource(this, jobs, world, id, members)
  },

  /** Checks that a namespace of the mesh exists and has the given members. */
  toHaveNamespace(
    this: MatcherContext,
    world: EmbeddedWorld,
    name: string,
    members?: object,
  ): MatcherResult {
    return matchNamedResource(this, namespaces, world, name, members)
  },

  /** Checks that a module has a test run with these members. */
  toHaveTestRun(this: MatcherContext, world: EmbeddedWorld, members: object = {}): MatcherResult {
    const runs = testRuns.list(world)
    const matching = runs.find((run) => matchesExpected(run, members, this.equals))
    const existingNames = () => runs.map(testRuns.nameOf)
    return matcherResult(
      this,
      `test run ${formatJson(members)}`,
      matching,
      undefined,
      existingNames,
    )
  },
}

/** Matchers in the form in which test runners declare their types. */
export interface WorldMatchers<R = void> {
  /**
   * Checks that at least one request matches. If `count` is given, checks that the number of
   * matching requests fits `count`.
   */
  toHaveReceived(match: Match, count?: number | Count): R
  /**
   * Checks that a secret exists at a path and has the given members. The path includes the mount,
   * as in `secret/app`.
   */
  toHaveSecret(path: string, data?: object): R
  /** Checks that an access policy exists and, if `rules` is given, has this text. */
  toHavePolicy(name: string, rules?: string): R
  /**
   * Checks that a job with this id exists and has the given members, such as
   * `{ Status: 'running' }`.
   */
  toHaveJob(id: string, members?: object): R
  /** Checks that a namespace of the mesh exists and has the given members. */
  toHaveNamespace(name: string, members?: object): R
  /** Checks that a module has a test run with these members, such as `{ status: 'finished' }`. */
  toHaveTestRun(members?: object): R
}

/**
 * Checks that at least one resource with this name has the expected members. Jobs in different
 * namespaces may share an id.
 */
function matchNamedResource<Item>(
  context: MatcherContext,
  { noun, list, nameOf }: ResourceKind<Item>,
  world: EmbeddedWorld,
  name: string,
  members: object | undefined,
): MatcherResult {
  const items = list(world)
  const candidates = items.filter((item) => nameOf(item) === name)
  const hasMembers = (item: Item) =>
    members === undefined || matchesExpected(item, members, context.equals)
  const candidate = candidates.find(hasMembers) ?? candidates[0]
  return matcherResult(context, `${noun} "${name}"`, candidate, members, () => items.map(nameOf))
}

function matcherResult(
  { equals }: MatcherContext,
  subject: string,
  actual: unknown,
  expected: unknown,
  existingNames: () => readonly string[],
): MatcherResult {
  if (actual === undefined) {
    const names = existingNames()
    const existing = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`
    return { pass: false, message: () => `expected the ${subject}; ${existing}` }
  }
  if (expected === undefined) return { pass: true, message: () => `expected no ${subject}` }
  const pass = matchesExpected(actual, expected, equals)
  const negation = pass ? 'not to' : 'to'
  const message = `expected the ${subject} ${negation} have ${formatJson(expected)}; it has ${formatJson(pickExpected(actual, expected))}`
  return { pass, message: () => message }
}

/** Returns true if a value matches; of objects, only the expected members are compared. */
function matchesExpected(actual: unknown, expected: unknown, equals: Equals): boolean {
  if (!isPlainObject(expected) || !isPlainObject(actual)) return equals(actual, expected)
  return Object.entries(expected).every(([name, value]) =>
    matchesExpected(actual[name], value, equals),
  )
}

/**
 * Returns the expected members with their actual values. If either value is not a plain object,
 * returns the actual value.
 */
function pickExpected(actual: unknown, expected: unknown): unknown {
  if (!isPlainObject(actual) || !isPlainObject(expected)) return actual
  return Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]))
}

/** Returns true for an object without a class. Asymmetric matchers of test runners have a class. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Test runners have globals of their own, including a second `Object`.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Returns true for a verification error. The name is compared, because test runners load a second
 * copy of the class.
 */
function isVerificationError(error: unknown): error is Error {
  return isNativeError(error) && error.name === 'VerificationError'
}

function formatJson(value: unknown): string {
  return stringifyJson(value)
}
