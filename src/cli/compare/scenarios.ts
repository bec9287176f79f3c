import type { Ids } from '../../../state/kernel/worlds/ids.ts'
import { listOf, oneOf, type ValueGenerator, weighted } from './generators.ts'
import type { ComparedRequest } from './request.ts'

export interface ScenarioStep {
  /**
   * Method, path below `/v1/` and body. `{name}` stands for the value that was drawn for `name`
   * from the scenario's `choices`.
   */
  readonly request: string
  /** Chance in percent that a sequence has this request. Default: 100. */
  readonly chance?: number
  /** Token of the request. Default: `root`. */
  readonly token?: string
  /** Lifetime, in seconds, of the token in which the reply is wrapped. Default: a plain reply. */
  readonly wrapTtl?: string
}

/**
 * Requests that build on each other, which random requests rarely do. For example, a scenario reads
 * an object that it wrote, and restores one that it deleted.
 */
export interface Scenario {
  /** Relative frequency with which the scenario is drawn. */
  readonly weight: number
  /** Possible values for each name in braces. One value per name is drawn for each sequence. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly steps: readonly (string | ScenarioStep)[]
}

/** Returns a step that a sequence contains with the given chance, in percent. */
export function sometimes(chance: number, request: string): ScenarioStep {
  return { chance, request }
}

/** Function that returns the id of the operation at a path; undefined if no operation matches. */
type OperationFinder = (method: string, path: string) => string | undefined

/** Operation that is found by one of its methods and its path. */
interface AddressedOperation {
  readonly id: string
  readonly methods: readonly string[]
  /** Declared path without a leading slash; a segment with `:` or `*` is a parameter. */
  readonly path: string
}

/**
 * Returns a function that finds operations by method and path. If several paths match, the one with
 * the longest literal text is used.
 */
export function operationFinder(operations: readonly AddressedOperation[]): OperationFinder {
  const literalLength = (path: string) => path.replace(/[:*]\w+/g, '').length
  const candidates = operations
    .map(({ id, methods, path }) => ({
      ...{ id, methods, length: literalLength(path) },
      pattern: new RegExp(`^${path.replace(/[.?+]/g, '\\$&').replace(/:\w+|\*\w+/g, '.*')}$`),
    }))
    .sort((one, other) => other.length - one.length)
  return (method, path) => {
    const [name = ''] = path.split('?')
    return candidates.find((one) => one.methods.includes(method) && one.pattern.test(name))?.id
  }
}

/** Settings for the conversion of a scenario's steps to requests. */
interface ScenarioSettings {
  readonly find: OperationFinder
  /** Returns the name of a body's member in the dialect. */
  spell(name: string): string
  /** Returns the content type of a method; undefined for the default content type. */
  contentType?(method: string): string | undefined
}

/** Returns a generator of the requests of a scenario. */
function scenarioRequests(
  { choices = {}, steps }: Scenario,
  settings: ScenarioSettings,
): ValueGenerator<readonly ComparedRequest[]> {
  return (random) => {
    const values = new Map(
      Object.entries(choices).map(([name, each]) => [name, oneOf(...each)(random)] as const),
    )
    return steps
      .map((step) => (typeof step === 'string' ? { request: step } : step))
      .filter(({ chance = 100 }) => random.integerBelow(100) < chance)
      .map((step) => requestOf(step, values, settings))
  }
}

function requestOf(
  { request, token = 'root', wrapTtl }: ScenarioStep,
  values: ReadonlyMap<string, string>,
  { find, spell, contentType }: ScenarioSettings,
): ComparedRequest {
  const filled = request.replace(/\{(\w+)\}/g, (whole, name) => values.get(name) ?? whole)
  const [method = '', path = '', ...words] = filled.split(' ')
  const body = words.join(' ')
  const type = contentType?.(method)
  return {
    operation: find(method, path) ?? 'unknown',
    method,
    path,
    token,
    ...(body === '' ? {} : { body: spellMembers(body, spell) }),
    ...(type === undefined ? {} : { contentType: type }),
    ...(wrapTtl === undefined ? {} : { wrapTtl }),
  }
}

function spellMembers(body: string, spell: (name: string) => string): string {
  const members = Object.entries(JSON.parse(body) as object)
  return JSON.stringify(Object.fromEntries(members.map(([name, value]) => [spell(name), value])))
}

/** Percentage of sequences that begin with a scenario. */
const scenarioShare = 80

/**
 * Returns a generator of sequences. Most sequences consist of a scenario followed by random
 * requests, the others only of random requests.
 *
 * @param maxRequests maximum number of random requests in a sequence; halved after a scenario
 */
export function withScenarios(
  scenarios: readonly Scenario[],
  settings: ScenarioSettings,
  requests: ValueGenerator<ComparedRequest>,
  maxRequests: number,
): ValueGenerator<readonly ComparedRequest[]> {
  const alone = listOf(requests, 1, maxRequests)
  if (scenarios.length === 0) return alone
  const followingRequests = listOf(requests, 0, Math.floor(maxRequests / 2))
  const scenarioSteps = weighted(
    ...scenarios.map((one) => [one.weight, scenarioRequests(one, settings)] as const),
  )
  const scenarioSequence = (random: Ids) => [...scenarioSteps(random), ...followingRequests(random)]
  return weighted<readonly ComparedRequest[]>(
    [scenarioShare, scenarioSequence],
    [100 - scenarioShare, alone],
  )
}
