import type { Answer, ComparedRequest, Target } from '../../../src/cli/compare/request.ts'
import { normalize } from '../../../src/cli/compare/search.ts'
import type { FixedRequests } from '../fixed-requests.ts'
import { comparedMesh } from '../mesh.ts'
import { configurationSequences, configurationVariables } from './configuration.ts'
import { fixtureVariables } from './fixture.ts'
import { lockSequences, lockVariables, waitForDelay } from './locks.ts'
import { rightsSequences, rightsVariables } from './rights.ts'
import { querySequences, routeSequences } from './routes.ts'

/** Headers that are compared by their values. */
const comparedHeaders = [
  ...['content-type', 'allow', 'location', 'x-content-type-options', 'content-security-policy'],
  ...['x-consul-knownleader', 'x-consul-effective-consistency', 'x-consul-query-backend'],
  ...['x-consul-results-filtered-by-acls', 'x-consul-default-acl-policy'],
]

/** Headers that are compared by their presence. */
const presentHeaders = ['x-consul-index', 'x-consul-lastcontact']

/** Replies that describe the server itself. */
const aboutServer = /^(?:agent\/(?:self|members)|operator\/raft|status)/

/** Returns status, headers and body of a reply, without values that servers generate. */
function digest({ status, headers = {}, body }: Answer, { path }: ComparedRequest): string {
  const shown = [
    ...comparedHeaders.map((name) => [name, headers[name]] as const),
    ...presentHeaders.map((name) => [name, headers[name] === undefined ? undefined : '-'] as const),
  ].filter(([, value]) => value !== undefined)
  const isCompared = status !== 200 || !aboutServer.test(path)
  const text = isCompared ? JSON.stringify(normalize(body, comparedMesh)) : ''
  return `${status} ${shown.map(([name, value]) => `${name}: ${String(value)}`).join(', ')} ${text}`
}

const rights: FixedRequests['known'] = [
  {
    kind: /^GET acl\/token\/self\?expanded as .*: 200 .* → 200 /s,
    reason: 'behaviour/mesh#acl-endpoints: the own token is expanded, too, as of 1.21',
  },
  {
    kind: /^GET acl\/templated-polic.*: 200 .*"Schema".* → 200 .*"Schema"/s,
    reason: 'behaviour/mesh#templated-policies: descriptions and schemas are of our own writing',
  },
  {
    kind: /^DELETE acl\/\w+\/.*: 403 .*"ACL not found" → 404 .*Cannot find \w+ to delete"$/s,
    reason: 'behaviour/mesh#token: an unknown token is 403, also where it removes',
  },
]

const redirects: FixedRequests['known'] = [
  {
    kind: /: 301 .*location: .* → 307 /s,
    reason: 'behaviour/mesh#conventions: servers built with a later Go answer 307',
  },
]

const laterReleases: FixedRequests['known'] = [
  {
    kind: /^PUT agent\/token\/|: (?:PUT|DELETE) query\/\$query: 200 content-type: text\/plain.* undefined → 200 content-type: application\/json.* undefined$/s,
    reason: 'replies without a body are JSON as of 1.20.2',
  },
  {
    kind: /^GET (?:catalog\/(?:services|nodes\?filter)|health\/state\/\w+\?filter).* → 200 .*results-filtered-by-acls: true/s,
    reason: 'rights are checked before the filter, and nodes of services too, as of 1.20.2',
  },
]

const chains: FixedRequests['known'] = [
  {
    kind: /, chain: 200 .*"AutoVirtualIPs":null.*"AutoVirtualIPs":\["240/s,
    reason: 'behaviour/mesh#discovery-chain: there are no virtual addresses',
  },
]

const queries: FixedRequests['known'] = [
  {
    kind: /^GET \/acl\/templated-policies.*: 200 .*"Schema".* → 200 .*"Schema"/s,
    reason: 'behaviour/mesh#templated-policies: descriptions and schemas are of our own writing',
  },
  {
    kind: /^GET \/acl\/templated-policy\/.*: 200 .*"Schema".* → 200 .*"Schema"/s,
    reason: 'behaviour/mesh#templated-policies: descriptions and schemas are of our own writing',
  },
  {
    kind: /^DELETE \/acl\/.*: 403 .*"ACL not found" → 404 .*Cannot find \w+ to delete"$/s,
    reason: 'behaviour/mesh#token: an unknown token is 403, also where it removes',
  },
  {
    kind: /^(?:PUT|DELETE) \/(?:kv|session\/renew)\/.* → 400 .*"(?:Invalid (?:wait time|index|max_stale)|Cannot specify)/s,
    reason: 'behaviour/mesh#reads: writes pass the parameters of reads over',
  },
  {
    kind: /^GET \/catalog\/datacenters\?.*: 400 .* → 400 .*dc1/s,
    reason: 'The product appends the list to the refusal',
  },
  {
    kind: /^GET \/health\/service\/:service\?.*cached: .*knownleader: true.* → .*knownleader: false/s,
    reason: 'behaviour/mesh#consistency: the agent keeps no copies, so the leader is always known',
  },
]

/** Removes what earlier runs left on the server. */
async function prepare(mock: Target, server: Target): Promise<void> {
  for (const target of [mock, server]) await comparedMesh.cleanUp?.(target, [])
}

/** Lists of fixed requests with which the mesh API is compared, by name. */
export const meshSuites: readonly FixedRequests[] = [
  {
    name: 'rights',
    usesAcl: true,
    prepare,
    sequences: rightsSequences(),
    variables: rightsVariables,
    digest,
    known: [...rights, ...laterReleases],
  },
  {
    name: 'routes',
    usesAcl: true,
    prepare,
    sequences: routeSequences(),
    digest,
    known: [...redirects, ...queries],
  },
  {
    name: 'queries',
    usesAcl: true,
    prepare,
    sequences: querySequences(),
    variables: fixtureVariables,
    digest,
    known: queries,
  },
  {
    name: 'locks',
    usesAcl: true,
    prepare,
    sequences: lockSequences(),
    variables: lockVariables,
    digest,
    waitForJob: waitForDelay,
    known: [],
  },
  {
    name: 'configuration',
    usesAcl: true,
    prepare,
    sequences: configurationSequences(),
    variables: configurationVariables,
    digest,
    known: [...redirects, ...laterReleases, ...chains],
  },
]
