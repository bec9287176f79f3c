import { parseLegacyFilter } from '../../filter/parser.ts'
import { quoteGo } from '../../go/text.ts'
import { failoverPolicyProblems, localityProblems } from './defaults-problems.ts'
import type { EntryMembers } from './entry-shapes.ts'
import {
  countMatchParts,
  metaProblems,
  methodProblems,
  type Problems,
  pathProblems,
} from './problems.ts'

type Routes = NonNullable<EntryMembers<'service-router'>['Routes']>
type RouteMatch = NonNullable<NonNullable<Routes[number]['Match']>['HTTP']>
type Resolver = EntryMembers<'service-resolver'>
type Failover = NonNullable<Resolver['Failover']>[string]

const retryConditions: ReadonlySet<string> = new Set([
  '5xx',
  'gateway-error',
  'reset',
  'connect-failure',
  'envoy-ratelimited',
  'retriable-4xx',
  'refused-stream',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
])

function* matchProblems(match: RouteMatch, location: string): Problems {
  yield* pathProblems(match, location, ' ')
  for (const [at, header] of (match.Header ?? []).entries()) {
    if (header.Name === '') yield `${location} Header[${at}] missing required Name field`
    if (countMatchParts(header) !== 1) {
      yield `${location} Header[${at}] should only contain one of Present, Exact, Prefix, Suffix, or Regex`
    }
  }
  for (const [at, parameter] of (match.QueryParam ?? []).entries()) {
    if (parameter.Name === '') yield `${location} QueryParam[${at}] missing required Name field`
    if (countMatchParts(parameter) !== 1) {
      yield `${location} QueryParam[${at}] should only contain one of Present, Exact, or Regex`
    }
  }
  yield* methodProblems(match.Methods, `${location} `)
}

export function* routerProblems(entry: EntryMembers<'service-router'>): Problems {
  if (entry.Name === '') yield 'Name is required'
  yield* metaProblems(entry.Meta)
  for (const [at, { Match, Destination }] of (entry.Routes ?? []).entries()) {
    const location = `Route[${at}]`
    const match = Match?.HTTP ?? {}
    yield* matchProblems(match, location)
    if (Destination?.PrefixRewrite && !match.PathExact && !match.PathPrefix) {
      yield `${location} cannot make use of PrefixRewrite without configuring either PathExact or PathPrefix`
    }
    for (const condition of Destination?.RetryOn ?? []) {
      if (!retryConditions.has(condition)) {
        yield `${location} contains an invalid retry condition: ${quoteGo(condition)}`
      }
    }
  }
}

/**
 * Converts a weight in percent to hundredths of a percent, in 32-bit arithmetic like the reference.
 */
const scaledWeight = (weight: number) => Math.round(Math.fround(Math.fround(weight) * 100))

/** Rounds a weight in percent to two decimal places, like the reference. */
export function normalizedWeight(weight: number): number {
  return scaledWeight(weight) / 100
}

export function* splitterProblems(entry: EntryMembers<'service-splitter'>): Problems {
  const splits = entry.Splits ?? []
  if (entry.Name === '') yield 'Name is required'
  if (splits.length === 0) yield 'no splits configured'
  yield* metaProblems(entry.Meta)
  const found = new Set<string>()
  for (const split of splits) {
    const { Service = '', ServiceSubset = '', Namespace = '', Partition = '' } = split
    const names = [Service || entry.Name, ServiceSubset, Namespace, Partition]
    const key = JSON.stringify([...names, split.RequestHeaders, split.ResponseHeaders])
    if (found.has(key)) {
      const [service, subset, namespace, partition] = names.map(quoteGo)
      yield `split destination occurs more than once: service=${service}, subset=${subset}, namespace=${namespace}, partition=${partition}`
    }
    found.add(key)
  }
  const sum = splits.reduce((total, { Weight }) => total + scaledWeight(Weight), 0)
  if (sum !== 10_000) {
    yield `the sum of all split weights must be 100, not ${Math.fround(sum / 100).toFixed(6)}`
  }
}

function* subsetProblems({ Subsets = {}, DefaultSubset = '' }: Resolver): Problems {
  for (const [name, { Filter = '' }] of Object.entries(Subsets)) {
    if (name === '') yield 'Subset defined with empty name'
    if (name.length > 63) {
      yield `Subset ${quoteGo(name)} is invalid: must be non-empty and 63 characters or fewer`
    }
    if (!/^[a-z0-9-]*$/.test(name) || name.startsWith('-') || name.endsWith('-')) {
      yield `Subset ${quoteGo(name)} is invalid: must be 63 characters or fewer, begin or end with lower case alphanumeric characters, and contain lower case alphanumeric characters or '-' in between`
    }
    const { problem } = Filter === '' ? {} : parseLegacyFilter(Filter)
    if (problem !== undefined) {
      yield `Filter for subset ${quoteGo(name)} is not a valid expression: ${problem}`
    }
  }
  if (DefaultSubset !== '' && !Object.hasOwn(Subsets, DefaultSubset)) {
    yield `DefaultSubset ${quoteGo(DefaultSubset)} is not a valid subset`
  }
}

/** Yields a problem for each member that only the enterprise edition supports. */
function* enterpriseProblems(
  sent: { Partition?: string; Namespace?: string; SamenessGroup?: string },
  location: string,
): Problems {
  for (const name of ['Partition', 'Namespace', 'SamenessGroup'] as const) {
    if (sent[name]) yield `${location}Setting ${name} requires Consul Enterprise`
  }
}

function* redirectProblems(entry: Resolver, isCommunity: boolean): Problems {
  const { Redirect: redirect, Subsets = {} } = entry
  if (redirect === undefined) return
  if (isCommunity) yield* enterpriseProblems(redirect, 'Redirect: ')
  if (Object.keys(entry.Failover ?? {}).length > 0) yield 'Redirect and Failover cannot both be set'
  if (Object.values(redirect).every((value) => !value)) yield 'Redirect is empty'
  const { Service, ServiceSubset, Partition, Datacenter, Peer, SamenessGroup } = redirect
  if (SamenessGroup) {
    if (ServiceSubset) yield 'Redirect.SamenessGroup cannot be set with Redirect.ServiceSubset'
    if (Partition) yield 'Redirect.Partition cannot be set with Redirect.SamenessGroup'
    if (Datacenter) yield 'Redirect.SamenessGroup cannot be set with Redirect.Datacenter'
  }
  if (Peer) {
    if (ServiceSubset) yield 'Redirect.Peer cannot be set with Redirect.ServiceSubset'
    if (Partition) yield 'Redirect.Partition cannot be set with Redirect.Peer'
    if (Datacenter) yield 'Redirect.Peer cannot be set with Redirect.Datacenter'
  }
  if (!Service) {
    for (const name of ['ServiceSubset', 'Namespace', 'Partition', 'Peer'] as const) {
      if (redirect[name]) yield `Redirect.${name} defined without Redirect.Service`
    }
  } else if (ServiceSubset && Service === entry.Name && !Object.hasOwn(Subsets, ServiceSubset)) {
    yield `Redirect.ServiceSubset ${quoteGo(ServiceSubset)} is not a valid subset of ${quoteGo(entry.Name)}`
  }
}

function* failoverProblems(
  entry: Resolver,
  failover: Failover,
  subset: string,
  isCommunity: boolean,
): Problems {
  const { Service = '', ServiceSubset = '', Datacenters = [], Targets = [] } = failover
  const isOwnSubset = (name: string) => Object.hasOwn(entry.Subsets ?? {}, name)
  const start = `Bad Failover[${quoteGo(subset)}]`
  if (isCommunity) yield* enterpriseProblems(failover, `${start}: `)
  if (subset !== '*' && !isOwnSubset(subset)) yield `${start}: not a valid subset subset`
  const lists = [Datacenters.length, Targets.length, failover.SamenessGroup, failover.Namespace]
  if (![Service, ServiceSubset, ...lists].some(Boolean)) {
    yield `${start}: one of Service, ServiceSubset, Namespace, Targets, SamenessGroup, or Datacenters is required`
  }
  if (isCommunity && failover.Policy?.Mode) {
    yield `${start}: Setting failover policies requires Consul Enterprise`
  }
  for (const problem of failoverPolicyProblems(failover.Policy)) yield `${start}: ${problem}`
  if (ServiceSubset && (Service === '' || Service === entry.Name) && !isOwnSubset(ServiceSubset)) {
    yield `${start}: ServiceSubset ${quoteGo(ServiceSubset)} is not a valid subset of ${quoteGo(Service)}`
  }
  if (failover.SamenessGroup) {
    if (Datacenters.length > 0) yield `${start}: SamenessGroup cannot be set with Datacenters`
    if (ServiceSubset) yield `${start}: SamenessGroup cannot be set with ServiceSubset`
    if (Targets.length > 0) yield `${start}: SamenessGroup cannot be set with Targets`
  }
  if (Targets.length > 0) {
    if (Datacenters.length > 0) yield `${start}: Targets cannot be set with Datacenters`
    if (ServiceSubset) yield `${start}: Targets cannot be set with ServiceSubset`
    if (Service) yield `${start}: Targets cannot be set with Service`
  }
  for (const [at, target] of Targets.entries()) {
    const location = `${start}.Targets[${at}]: `
    if (isCommunity) yield* enterpriseProblems(target, location)
    if (target.Peer) {
      if (target.ServiceSubset) yield `${location}Peer cannot be set with ServiceSubset`
      if (target.Partition) yield `${location}Partition cannot be set with Peer`
      if (target.Datacenter) yield `${location}Peer cannot be set with Datacenter`
    }
    if (target.Partition && target.Datacenter)
      yield `${location}Partition cannot be set with Datacenter`
    const isOwn = !target.Service || target.Service === entry.Name
    if (target.ServiceSubset && isOwn && !isOwnSubset(target.ServiceSubset)) {
      yield `${location}ServiceSubset ${quoteGo(target.ServiceSubset)} is not a valid subset of ${quoteGo(entry.Name)}`
    }
  }
  if (Datacenters.includes('')) yield `${start}.Datacenters: found empty datacenter`
}

function* balancerProblems({ LoadBalancer: balancer }: Resolver): Problems {
  if (balancer === undefined) return
  const { Policy = '' } = balancer
  const known = ['', 'random', 'round_robin', 'least_request', 'ring_hash', 'maglev']
  const start = 'Bad LoadBalancer'
  if (!known.includes(Policy)) yield `${start} policy: ${quoteGo(Policy)} is not supported`
  const requiredPolicies = {
    RingHashConfig: 'ring_hash',
    LeastRequestConfig: 'least_request',
  } as const
  for (const name of ['RingHashConfig', 'LeastRequestConfig'] as const) {
    if (balancer[name] !== undefined && Policy !== requiredPolicies[name]) {
      yield `${start} configuration. ${name} specified for incompatible load balancing policy ${quoteGo(Policy)}`
    }
  }
  const policies = balancer.HashPolicies ?? []
  if (policies.length > 0 && Policy !== 'maglev' && Policy !== 'ring_hash') {
    yield `${start} configuration: HashPolicies specified for non-hash-based Policy: ${quoteGo(Policy)}`
  }
  for (const [at, { Field = '', FieldValue = '', SourceIP, CookieConfig }] of policies.entries()) {
    const location = `${start} HashPolicy[${at}]`
    const field = quoteGo(Field)
    if (!['', 'header', 'cookie', 'query_parameter'].includes(Field)) {
      yield `${location}: ${field} is not a supported field`
    }
    if (SourceIP && Field !== '') {
      yield `${location}: A single hash policy cannot hash both a source address and a ${field}`
    }
    if (SourceIP && FieldValue !== '') {
      yield `${location}: A FieldValue cannot be specified when hashing SourceIP`
    }
    if (Field !== '' && FieldValue === '') {
      yield `${location}: Field ${field} was specified without a FieldValue`
    }
    if (FieldValue !== '' && Field === '')
      yield `${location}: FieldValue requires a Field to apply to`
    if (CookieConfig === undefined) continue
    if (Field !== 'cookie') yield `${location}: cookie_config provided for ${field}`
    if (CookieConfig.Session && CookieConfig.TTL) {
      yield `${location}: a session cookie cannot have an associated TTL`
    }
  }
}

export function* resolverProblems(entry: Resolver, isCommunity: boolean): Problems {
  if (entry.Name === '') yield 'Name is required'
  yield* metaProblems(entry.Meta)
  yield* subsetProblems(entry)
  yield* localityProblems(entry.PrioritizeByLocality, isCommunity)
  yield* redirectProblems(entry, isCommunity)
  for (const [subset, failover] of Object.entries(entry.Failover ?? {})) {
    yield* failoverProblems(entry, failover, subset, isCommunity)
  }
  for (const name of ['ConnectTimeout', 'RequestTimeout'] as const) {
    const timeout = entry[name] ?? ''
    if (timeout.startsWith('-')) yield `Bad ${name} '${timeout}', must be >= 0`
  }
  yield* balancerProblems(entry)
}
