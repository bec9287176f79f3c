import { quoteGo } from '../../go/text.ts'
import type { EntryMembers } from './entry-shapes.ts'
import {
  asOneProblem,
  countMatchParts,
  countPaths,
  metaProblems,
  methodProblems,
  type Problems,
  pathProblems,
} from './problems.ts'

type Intentions = EntryMembers<'service-intentions'>
/** A member of `Sources` in an entry of intentions. */
export type IntentionSource = NonNullable<Intentions['Sources']>[number]
type Permission = NonNullable<IntentionSource['Permissions']>[number]

const isDecision = (action = '') => action === 'allow' || action === 'deny'

function* wildcardProblems(name: string, namespace: string): Problems {
  if (namespace !== '*' && namespace.includes('*')) {
    yield "Namespace: wildcard character '*' cannot be used with partial values"
  }
  if (name === '*') return
  if (name.includes('*')) yield "Name: wildcard character '*' cannot be used with partial values"
  if (namespace === '*') yield 'Name: exact value cannot follow wildcard namespace'
}

function* jwtProblems(requirement: Intentions['JWT']): Problems {
  const namelessProviders = (requirement?.Providers ?? []).filter(({ Name = '' }) => Name === '')
  yield* asOneProblem(namelessProviders.map(() => 'JWT provider name is required'))
}

function* permissionProblems({ Action, HTTP, JWT }: Permission, start: string): Problems {
  if (!isDecision(Action)) yield `${start}.Action must be set to 'allow' or 'deny'`
  const location = `${start}.HTTP`
  if (HTTP === undefined) {
    yield `${location} is required`
    return
  }
  yield* pathProblems(HTTP, location, '.')
  const { Header = [], Methods = [] } = HTTP
  for (const [at, header] of Header.entries()) {
    if (header.Name === '') yield `${location}.Header[${at}] missing required Name field`
    if (countMatchParts(header) !== 1) {
      yield `${location}.Header[${at}] should only contain one of Present, Exact, Prefix, Suffix, or Regex`
    }
  }
  yield* methodProblems(Methods, `${location}.`)
  if (countPaths(HTTP) + Header.length + Methods.length === 0) {
    yield `${location} should not be empty`
  }
  yield* jwtProblems(JWT)
}

function* legacyProblems(source: IntentionSource, isLegacy: boolean, start: string): Problems {
  if (isLegacy) return
  if (Object.keys(source.LegacyMeta ?? {}).length > 0) yield `${start}.LegacyMeta must be omitted`
}

function* sourceProblems(
  source: IntentionSource,
  start: string,
  isLegacy: boolean,
  hasWildcardDestination: boolean,
): Problems {
  const { Name, Namespace = '', Permissions = [], Action = '' } = source
  if (Name === '') yield `${start}.Name is required`
  for (const problem of wildcardProblems(Name, Namespace)) yield `${start}.${problem}`
  if (source.Peer && source.Partition) {
    yield `${start}.Peer: cannot set Peer and Partition at the same time.`
  }
  if ((source.Description ?? '').length > 512) {
    yield `${start}.Description exceeds maximum length 512`
  }
  yield* legacyProblems(source, isLegacy, start)
  if ((isLegacy || Permissions.length === 0) && !isDecision(Action)) {
    yield `${start}.Action must be set to 'allow' or 'deny'`
  }
  if (Permissions.length > 0) {
    if (Action !== '') yield `${start}.Action must be omitted if Permissions are specified`
    if (hasWildcardDestination) {
      yield `${start}.Permissions cannot be specified on intentions with wildcarded destinations`
    }
  }
  if (source.Type !== 'consul') yield `${start}.Type must be set to 'consul'`
  for (const [at, permission] of Permissions.entries()) {
    yield* permissionProblems(permission, `${start}.Permissions[${at}]`)
  }
}

/** Returns whether the name or the namespace of a destination is the wildcard. */
export function hasWildcardDestination(name: string, namespace: string): boolean {
  return name === '*' || namespace === '*'
}

/**
 * Yields the problems of an entry of intentions.
 *
 * @param isLegacy true for a write by ID, which sets members that entries must not have
 */
export function* intentionsProblems(
  entry: Intentions,
  namespace: string,
  isCommunity: boolean,
  isLegacy = false,
): Problems {
  const sources = entry.Sources ?? []
  if (entry.Name === '') yield 'Name is required'
  yield* wildcardProblems(entry.Name, namespace)
  yield* jwtProblems(entry.JWT)
  yield* metaProblems(entry.Meta)
  if (sources.length === 0) yield 'At least one source is required'
  const found = new Set<string>()
  const isWildcard = hasWildcardDestination(entry.Name, namespace)
  for (const [at, source] of sources.entries()) {
    const start = `Sources[${at}]`
    if (isCommunity && source.SamenessGroup) {
      yield `${start}.SamenessGroup: Sameness groups are a Consul Enterprise feature. `
    }
    yield* sourceProblems(source, start, isLegacy, isWildcard)
    const { Name, Namespace = '', Peer = '' } = source
    const key = `${Peer}:${Namespace.toLowerCase()}/${Name}`
    if (found.has(key)) {
      const shown = ['', 'default'].includes(Namespace.toLowerCase())
        ? Name
        : `${Namespace}/${Name}`
      const peer = Peer === '' ? '' : `peer(${quoteGo(Peer)}) `
      yield `${start} defines ${peer}${quoteGo(shown)} more than once`
    }
    found.add(key)
  }
}
