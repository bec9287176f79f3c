import { meshOperations } from '../../routes/mesh/operations.ts'
import { listOf, oneOf, type ValueGenerator } from '../../src/cli/compare/generators.ts'
import type { ComparedRequest } from '../../src/cli/compare/request.ts'
import { type GeneratorSettings, shapedRequests } from '../../src/cli/compare/scheduler-requests.ts'
import { ShapedValues, type ValuesByName } from '../../src/cli/compare/shaped-values.ts'
import { text, uint } from '../../state/kernel/shape/kinds.ts'
import { struct } from '../../state/kernel/shape/members.ts'

/** Operations that sequences leave out, with the reason. */
const excludedOperations: readonly { readonly id: RegExp; readonly reason: string }[] = [
  { id: /[nN]amespace/, reason: 'Namespaces are of the enterprise edition' },
  { id: /^readAgent$/, reason: 'Its members are of the server; test/routes/mesh has them' },
  { id: /^readRaftConfiguration$/, reason: 'A development server has an address of its own' },
  { id: /^(?:readLeader|listPeers|listMembers)$/, reason: 'They tell ports' },
  {
    id: /^bootstrapAcls$/,
    reason: 'Bootstrapping works only once, and the reply contains an index',
  },
]

const operations = meshOperations.filter(
  ({ id }) => !excludedOperations.some((one) => one.id.test(id)),
)

const keys = ['a', 'a', 'b', 'a/b', 'a/', 'x y', '']
const ids = ['$policy', '$role', '$accessor', 'oracle-none', '01234567-89ab-cdef-0123-456789abcdef']

const rules = [
  'key "a" { policy = "write" }',
  'key_prefix "a/" { policy = "read" } session_prefix "" { policy = "write" }',
  'node_prefix "" { policy = "deny" } service "consul" { policy = "deny" }',
  'acl = "read" operator = "read"',
  '{"key_prefix":{"":{"policy":"list"}}}',
  'key "a" { policy = "fly" }',
  'acl = "fly"',
  'key "a" {',
  'nonsense "a" { policy = "read" }',
  '',
]

const links = [
  [{ Name: 'oracle-p' }],
  [{ ID: '$policy' }],
  [{ ID: '$role' }],
  [{ Name: 'oracle-none' }],
  [{ Name: 'global-management' }],
  [{ ID: 'abc' }],
  [{}],
  [],
]

const values: ValuesByName = {
  Name: ['oracle-p', 'oracle-p', 'oracle-q', 'a/b', 'a b', '/x', 'builtin/x', ''],
  Rules: rules,
  ID: ['$policy', '$role', '', 'abc'],
  Policies: links,
  Roles: links,
  AccessorID: ['', '$accessor', 'abc', '01234567-89ab-cdef-0123-000000000001'],
  SecretID: ['', '$token', 'abc', '01234567-89ab-cdef-0123-000000000002'],
  ServiceIdentities: [
    [{ ServiceName: 'web' }],
    [{ ServiceName: 'web', Datacenters: ['dc1'] }],
    [{ ServiceName: 'web' }, { ServiceName: 'web', Datacenters: ['dc2'] }],
    [{ ServiceName: 'A b' }],
    [{}],
    [],
  ],
  NodeIdentities: [
    [{ NodeName: 'mesh-1', Datacenter: 'dc1' }],
    [{ NodeName: 'n' }],
    [{ Datacenter: 'dc1' }],
    [{ NodeName: 'A b', Datacenter: 'dc1' }],
    [],
  ],
  // Members that only the enterprise edition has.
  Namespace: [],
  Partition: [],
  Datacenter: [],
  Hash: [null, ''],
  CreateIndex: [1],
  ModifyIndex: [1],
  Datacenters: [['dc1'], ['dc2'], []],
  TemplatedPolicies: [null],
  CreateTime: [null],
  ExpirationTTL: ['1h', '-5s', 'x', 3_600_000_000_000],
  // Messages about a fixed time would contain its distance from the present.
  ExpirationTime: [null],
  // Longer delays would affect later sequences.
  LockDelay: ['0s', 0, '1ns', '-1s', 'x'],
  Node: ['mesh-1', '', 'oracle-none'],
  TTL: ['10s', '1h', '', '1s', 'x', '48h'],
  Behavior: ['release', 'delete', '', 'x'],
  Checks: [['serfHealth'], [], ['x']],
  NodeChecks: [['serfHealth'], [], ['x']],
  ServiceChecks: [[], null],
  AuthMethod: ['x', ''],
  BearerToken: ['x', ''],
  Verb: [
    ...['set', 'get', 'get-or-empty', 'get-tree', 'delete', 'delete-tree', 'cas', 'delete-cas'],
    ...['lock', 'unlock', 'check-session', 'check-index', 'check-not-exists', 'bad'],
  ],
  Key: ['a', 'a', 'b', 'a/b', 'a/', ''],
  Value: ['YQ==', '', 'Yg=='],
  Flags: [0, 1, 42],
  Index: ['$index', 0, 1],
  Session: ['$session', '', 'oracle-none', '01234567-89ab-cdef-0123-456789abcdef'],
}

const operation = struct({
  Verb: text,
  Key: text,
  Value: text,
  Flags: uint,
  Index: uint,
  Session: text,
})

/** Returns bodies of transactions, whose operations always have a verb and a key. */
function transactions(): ValueGenerator<string> {
  const verbs = oneOf(...(values['Verb'] ?? []))
  const keys = oneOf(...(values['Key'] ?? []))
  const more = new ShapedValues(values, 'vendor').objectsOf(operation)
  const one: ValueGenerator<object> = (chance) => ({
    KV: { ...more(chance), Verb: verbs(chance), Key: keys(chance) },
  })
  const all = listOf(one, 0, 3)
  return (chance) => JSON.stringify(all(chance))
}

const generatorSettings: GeneratorSettings = {
  dialect: 'vendor',
  names: {
    '/kv/:key': keys,
    '/acl/policy/:id': ['$policy', '$policy', ...ids],
    '/acl/policy/name/:name': ['oracle-p', 'oracle-q', 'global-management', 'oracle-none'],
    '/acl/role/:id': ['$role', '$role', ...ids],
    '/acl/role/name/:name': ['oracle-p', 'oracle-q', 'oracle-none'],
    ':accessor': ['$accessor', '$accessor', ...ids],
    ':id': ['$session', '$session', 'oracle-none', '01234567-89ab-cdef-0123-456789abcdef', ''],
    ':node': ['mesh-1', 'oracle-none', ''],
    ':service': ['consul', 'oracle-none', ''],
    ':state': ['any', 'passing', 'critical', 'zz'],
  },
  values,
  parameters: {
    flags: ['1', '42', 'x', '-1', ''],
    cas: ['0', '$index', '1', 'x'],
    acquire: ['$session', 'oracle-none', ''],
    release: ['$session', 'oracle-none', ''],
    separator: ['/', 'b', ''],
    policy: ['$policy', 'abc', '01234567-89ab-cdef-0123-456789abcdef'],
    role: ['$role', 'abc'],
    servicename: ['web', 'zz'],
  },
  commonParameters: {
    dc: ['dc1', 'dc2'],
    stale: [''],
    consistent: [''],
    pretty: [''],
    index: ['x', '0'],
  },
  bodies: {
    putKey: oneOf('one', 'two', '', '{"a":1}'),
    runTransaction: transactions(),
  },
  weights: {
    ...{ putKey: 5, readKey: 4, deleteKey: 2, runTransaction: 4, createSession: 4 },
    ...{ createAclPolicy: 4, createAclRole: 3, createAclToken: 4 },
  },
  tokens: ['$token'],
}

/**
 * Returns random sequences of requests to the mesh API.
 *
 * @param longest highest number of requests per sequence
 * @param only pattern of the ids of operations to request
 */
export function meshSequences(
  longest: number,
  only = /./,
): ValueGenerator<readonly ComparedRequest[]> {
  const requests = shapedRequests(
    operations.filter(({ id }) => only.test(id)),
    generatorSettings,
  )
  return listOf(requests, 1, longest)
}
