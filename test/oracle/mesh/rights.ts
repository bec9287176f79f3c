import type { ComparedRequest, ReplyVariable } from '../../../src/cli/compare/request.ts'
import {
  asRoot,
  type Call,
  closeFixture,
  fixtureAccessor,
  fixtureName,
  fixtureVariables,
  openFixture,
  requestOf,
  setUpRequests,
  unknownId,
} from './fixture.ts'

const labelled: Readonly<Record<string, readonly string[]>> = {
  agent: ['mesh-1'],
  event: ['a'],
  key: ['a', 'a/'],
  node: ['mesh-1'],
  query: ['a'],
  service: ['consul', 'web'],
  session: ['mesh-1'],
}

const unlabelled = ['acl', 'keyring', 'mesh', 'operator', 'peering']

const words = ['read', 'write', 'deny']

/** Rules of the callers: each kind alone, by name and by prefix, and combinations. */
const rules: readonly string[] = [
  ...unlabelled.flatMap((kind) => words.map((word) => `${kind} = "${word}"`)),
  ...Object.entries(labelled).flatMap(([kind, names]) =>
    [...(kind === 'key' ? ['list'] : []), ...words].flatMap((word) => [
      `${kind}_prefix "" { policy = "${word}" }`,
      ...names.map((name) => `${kind} "${name}" { policy = "${word}" }`),
    ]),
  ),
  ...words.map((word) => `key_prefix "a" { policy = "${word}" }`),
  'key_prefix "" { policy = "write" } key "a/b" { policy = "deny" }',
  'key_prefix "" { policy = "deny" } key_prefix "a" { policy = "list" }',
  'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" }',
  'node_prefix "" { policy = "read" } service "consul" { policy = "deny" }',
  'session_prefix "" { policy = "read" } key_prefix "" { policy = "write" }',
  'acl = "write" key_prefix "" { policy = "deny" } node_prefix "" { policy = "deny" }',
  'service_prefix "" { policy = "deny" intentions = "write" }',
  '',
]

/** Identities that a token has instead of a policy. */
const identities: readonly object[] = [
  { ServiceIdentities: [{ ServiceName: 'consul' }] },
  { ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc2'] }] },
  { NodeIdentities: [{ NodeName: 'mesh-1', Datacenter: 'dc1' }] },
  { NodeIdentities: [{ NodeName: 'mesh-1', Datacenter: 'dc2' }] },
  { Roles: [{ Name: fixtureName }] },
  { Policies: [{ Name: 'global-management' }] },
  { Policies: [{ Name: 'builtin/global-read-only' }] },
  ...['service', 'node', 'nomad-server', 'nomad-client', 'dns', 'api-gateway'].map((name) => ({
    TemplatedPolicies: [
      {
        TemplateName: `builtin/${name}`,
        ...(/service|node|gateway/.test(name) && { TemplateVariables: { Name: 'mesh-1' } }),
      },
    ],
  })),
]

const onKey = (Verb: string, Key: string, members: object = {}) => ({
  KV: { Verb, Key, ...members },
})

/**
 * Requests of each caller. A request that stores something is undone by a later one, or by the
 * management token at the end of the sequence.
 */
const calls: readonly Call[] = [
  ...[
    ...['kv/a', 'kv/a?raw', 'kv/a/b', 'kv/b', 'kv/none', 'kv/?keys', 'kv/?recurse', 'kv/a?recurse'],
    ...['kv/a/?keys', 'kv/?keys&separator=/', 'kv/none?recurse', 'session/list'],
    ...['session/info/$session', `session/info/${unknownId}`, 'session/node/mesh-1'],
    ...['session/node/none', 'acl/token/self', 'acl/token/self?expanded', 'acl/tokens'],
    ...[`acl/token/${fixtureAccessor}`, `acl/token/${fixtureAccessor}?expanded`],
    ...[`acl/token/${unknownId}`, 'acl/policies', 'acl/policy/$policy', `acl/policy/${unknownId}`],
    ...[`acl/policy/name/${fixtureName}`, 'acl/policy/name/none', 'acl/roles', 'acl/role/$role'],
    ...[`acl/role/${unknownId}`, `acl/role/name/${fixtureName}`, 'acl/role/name/none'],
    ...['acl/templated-policies', 'acl/templated-policy/name/builtin/service'],
    ...['acl/templated-policy/name/none', 'acl/auth-methods', 'acl/binding-rules'],
    ...['acl/replication', 'status/leader', 'status/peers', 'agent/self', 'agent/members'],
    ...['agent/members?wan', 'agent/checks', 'agent/services', 'operator/raft/configuration'],
    ...['catalog/datacenters', 'catalog/nodes', 'catalog/services', 'catalog/node/mesh-1'],
    ...['catalog/node/none', 'catalog/service/consul', 'catalog/service/none'],
    ...['health/service/consul', 'health/service/consul?passing', 'health/service/none'],
    ...['health/node/mesh-1', 'health/node/none', 'health/state/any', 'health/state/critical'],
    ...['health/state/passing?filter=Name==x', 'catalog/nodes?filter=Node==x'],
  ].map((path): Call => ['GET', path]),
  ['PUT', 'kv/a', 'a'],
  ['PUT', 'kv/a/b', 'a/b'],
  ['PUT', 'kv/none?cas=5', 'x'],
  ['PUT', 'kv/own', 'x'],
  ['DELETE', 'kv/own'],
  ['DELETE', 'kv/none'],
  ['DELETE', 'kv/none?recurse'],
  ['DELETE', 'kv/a/none?recurse'],
  ['PUT', 'kv/b?acquire=$session', 'b'],
  ['PUT', 'kv/b?release=$session', 'b'],
  ...['get', 'get-or-empty', 'get-tree', 'check-not-exists', 'check-session', 'delete-cas'].map(
    (verb): Call => ['PUT', 'txn', [onKey(verb, 'a', { Session: '$session', Index: 1 })]],
  ),
  ['PUT', 'txn', [onKey('get-tree', '')]],
  ['PUT', 'txn', [onKey('set', 'a', { Value: 'YQ==' }), onKey('get', 'b')]],
  ['PUT', 'txn', [onKey('get', 'a'), onKey('get', 'b'), onKey('get', 'a/b')]],
  ['PUT', 'txn', [onKey('delete-tree', 'none')]],
  ['PUT', 'session/create'],
  ['PUT', 'session/destroy/$made'],
  ['PUT', 'session/create', { Node: 'none' }],
  ['PUT', 'session/renew/$session'],
  ['PUT', `session/renew/${unknownId}`],
  ['PUT', `session/destroy/${unknownId}`],
  ['PUT', 'acl/bootstrap'],
  ['PUT', 'acl/token', { Description: 'made' }],
  ['DELETE', 'acl/token/$token'],
  ['PUT', 'acl/token', { Policies: [{ Name: 'none' }] }],
  ['PUT', `acl/token/${fixtureAccessor}`, { Description: fixtureName, Roles: [{ ID: '$role' }] }],
  ['PUT', `acl/token/${unknownId}`, {}],
  ['PUT', `acl/token/${unknownId}/clone`, {}],
  ['DELETE', `acl/token/${unknownId}`],
  ['PUT', 'acl/policy', { Name: fixtureName }],
  ['PUT', `acl/policy/${unknownId}`, { Name: 'x' }],
  ['DELETE', `acl/policy/${unknownId}`],
  ['PUT', 'acl/role', { Name: fixtureName }],
  ['PUT', `acl/role/${unknownId}`, { Name: 'x' }],
  ['DELETE', `acl/role/${unknownId}`],
  ['POST', 'acl/templated-policy/preview/builtin/service', { Name: 'web' }],
  ['POST', 'acl/templated-policy/preview/builtin/service', {}],
  ['POST', 'acl/login', { AuthMethod: 'none', BearerToken: 'x' }],
  ['PUT', 'agent/token/replication', { Token: '' }],
  ['PUT', 'agent/token/none', { Token: '' }],
]

export const rightsVariables: readonly ReplyVariable[] = [
  ...fixtureVariables,
  { name: '$own', operationPattern: /^makePolicy$/, memberPath: ['ID'], initialValue: unknownId },
  {
    name: '$accessor',
    operationPattern: /^makeToken$/,
    memberPath: ['AccessorID'],
    initialValue: unknownId,
  },
  { name: '$secret', operationPattern: /^makeToken$/, memberPath: ['SecretID'] },
  {
    name: '$made',
    operationPattern: /^PUT session\/create as/,
    memberPath: ['ID'],
    initialValue: unknownId,
  },
  {
    name: '$token',
    operationPattern: /^PUT acl\/token as/,
    memberPath: ['AccessorID'],
    initialValue: unknownId,
  },
]

function callsOf(token: string, caller: string): readonly ComparedRequest[] {
  return calls.map((call) => requestOf(call, token, `${call[0]} ${call[1]} as ${caller}`))
}

function holder(
  members: object,
  caller: string,
  rulesOfCaller?: string,
): readonly ComparedRequest[] {
  const hasPolicy = rulesOfCaller !== undefined
  const policy = { Name: 'understudy-rights', Rules: rulesOfCaller }
  return [
    ...openFixture,
    ...(hasPolicy ? [asRoot('makePolicy', 'PUT', 'acl/policy', policy)] : []),
    asRoot('makeToken', 'PUT', 'acl/token', { Description: 'understudy-rights', ...members }),
    ...callsOf('$secret', caller),
    asRoot('clean up', 'DELETE', 'acl/token/$accessor'),
    ...(hasPolicy ? [asRoot('clean up', 'DELETE', 'acl/policy/$own')] : []),
    ...closeFixture,
  ]
}

/** Returns the sequences of the matrix: one for each caller, which makes every request. */
export function rightsSequences(): readonly (readonly ComparedRequest[])[] {
  const policy = { Policies: [{ Name: 'understudy-rights' }] }
  const others = ['root', 'none', 'x', unknownId]
  return [
    setUpRequests,
    ...rules.map((text) => holder(policy, text, text)),
    ...identities.map((members) => holder(members, JSON.stringify(members))),
    ...others.map((token) => [...openFixture, ...callsOf(token, token), ...closeFixture]),
  ]
}
