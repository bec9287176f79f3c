import { isNativeError } from 'node:util/types'
import type { Count, Match } from '../../routes/journal/match-shapes.ts'
import type { Namespace } from '../../state/mesh/namespaces/namespaces.ts'
import type { TestRun } from '../../state/platform/test-runs/test-runs.ts'
import type { Job } from '../../state/scheduler/job/job-shape.ts'
import type { EmbeddedWorld } from './embedded-world.ts'

/** What `expect.extend` of a test runner wants to know of an assertion. */
export interface MatcherResult {
  readonly pass: boolean
  /** Says what was expected, or with `not` what was not, and what there is. */
  readonly message: () => string
}

/** Compares as the test runner does: it knows its own `expect.any` and the like. */
type Equals = (actual: unknown, expected: unknown) => boolean

/** What test runners say to a matcher. */
interface MatcherContext {
  readonly equals: Equals
}

/** Something of a world that has a name, for assertions about one of its kind. */
interface ResourceKind<Item> {
  /** As in `no job "web"`. */
  readonly noun: string
  all(world: EmbeddedWorld): readonly Item[]
  nameOf(item: Item): string
}

const jobs: ResourceKind<Job> = {
  noun: 'job',
  all: (world) => world.scheduler.jobs(),
  nameOf: ({ ID }) => ID,
}

const namespaces: ResourceKind<Namespace> = {
  noun: 'namespace',
  all: (world) => world.mesh.namespaces(),
  nameOf: ({ name }) => name,
}

const testRuns: ResourceKind<TestRun> = {
  noun: 'test run',
  all: (world) => world.platform.testRuns(),
  nameOf: ({ id, status }) => `${id} (${status})`,
}

/**
 * Assertions about a world, for `expect.extend`: what is expected of members is a part of them, and
 * may be `expect.any(String)` and the like.
 */
export const matchers = {
  /** At least one request fits the matcher; with `count` so many, or as it says. */
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
      const text = `expected other requests than the ${matched} that fit ${formatJson(match)}`
      return { pass: true, message: () => [text, ...requests].join('\n') }
    } catch (error) {
      if (!isVerificationError(error)) throw error
      return { pass: false, message: () => error.message }
    }
  },

  /** A secret is there, by its path with its mount; with `data`, with these members. */
  toHaveSecret(
    this: MatcherContext,
    world: EmbeddedWorld,
    path: string,
    data?: object,
  ): MatcherResult {
    const actual = world.secrets.get(path)
    return matcherResult(this, `secret "${path}"`, actual, data, () => world.secrets.paths())
  },

  /** An access policy is there; with `rules`, with this text. */
  toHavePolicy(
    this: MatcherContext,
    world: EmbeddedWorld,
    name: string,
    rules?: string,
  ): MatcherResult {
    const text = world.secrets.policyText(name)
    return matcherResult(this, `policy "${name}"`, text, rules, () => world.secrets.policies())
  },

  /** A job is there, by its ID; with `members`, one with these. */
  toHaveJob(
    this: MatcherContext,
    world: EmbeddedWorld,
    id: string,
    members?: object,
  ): MatcherResult {
    return checkNamed(this, jobs, world, id, members)
  },

  /** A namespace of the mesh is there; with `members`, one with these. */
  toHaveNamespace(
    this: MatcherContext,
    world: EmbeddedWorld,
    name: string,
    members?: object,
  ): MatcherResult {
    return checkNamed(this, namespaces, world, name, members)
  },

  /** A run of a module's tests is there that has these members. */
  toHaveTestRun(this: MatcherContext, world: EmbeddedWorld, members: object = {}): MatcherResult {
    const runs = testRuns.all(world)
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

/** The assertions as types of test runners declare them. */
export interface WorldMatchers<R = void> {
  /** At least one request fits the matcher; with `count` so many, or as it says. */
  toHaveReceived(match: Match, count?: number | Count): R
  /** A secret is there, by its path with its mount, as `secret/app`; with `data`, with these members. */
  toHaveSecret(path: string, data?: object): R
  /** An access policy is there; with `rules`, with this text. */
  toHavePolicy(name: string, rules?: string): R
  /** A job is there, by its ID; with `members`, one with these, as `{ Status: 'running' }`. */
  toHaveJob(id: string, members?: object): R
  /** A namespace of the mesh is there; with `members`, one with these. */
  toHaveNamespace(name: string, members?: object): R
  /** A run of a module's tests is there that has these members, as `{ status: 'finished' }`. */
  toHaveTestRun(members?: object): R
}

/** One of a kind may have the name and other members: two namespaces may have jobs of one ID. */
function checkNamed<Item>(
  context: MatcherContext,
  { noun, all, nameOf }: ResourceKind<Item>,
  world: EmbeddedWorld,
  name: string,
  members: object | undefined,
): MatcherResult {
  const items = all(world)
  const candidates = items.filter((item) => nameOf(item) === name)
  const fits = (item: Item) =>
    members === undefined || matchesExpected(item, members, context.equals)
  const best = candidates.find(fits) ?? candidates[0]
  return matcherResult(context, `${noun} "${name}"`, best, members, () => items.map(nameOf))
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
    const list = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`
    return { pass: false, message: () => `expected the ${subject}; ${list}` }
  }
  if (expected === undefined) return { pass: true, message: () => `expected no ${subject}` }
  const pass = matchesExpected(actual, expected, equals)
  const negation = pass ? 'not to' : 'to'
  const message = `expected the ${subject} ${negation} have ${formatJson(expected)}; it has ${formatJson(pickExpected(actual, expected))}`
  return { pass, message: () => message }
}

/** Tells whether a value is as expected; of objects the members that are given count. */
function matchesExpected(actual: unknown, expected: unknown, equals: Equals): boolean {
  if (!isPlainObject(expected) || !isPlainObject(actual)) return equals(actual, expected)
  return Object.entries(expected).every(([name, value]) =>
    matchesExpected(actual[name], value, equals),
  )
}

/** The members that were asked for, as they are. */
function pickExpected(actual: unknown, expected: unknown): unknown {
  if (!isPlainObject(actual) || !isPlainObject(expected)) return actual
  return Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]))
}

/** An object without a class: those of test runners that stand for many values have one. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Test runners have globals of their own, and another `Object` among them.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** By its name: class and `Error` are the program's own, which is apart from what test runners load. */
function isVerificationError(error: unknown): error is Error {
  return isNativeError(error) && error.name === 'VerificationError'
}

function formatJson(value: unknown): string {
  return JSON.stringify(value)
}
