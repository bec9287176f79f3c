import { describe, expect, test } from 'vitest'
import { accessText } from '../../../routes/http/declare/access.ts'
import {
  type RightName,
  requireRight,
  requires,
  rightChecker,
} from '../../../routes/mesh/access.ts'
import { meshDocument } from '../../../routes/mesh/index.ts'
import type { MeshContext } from '../../../routes/mesh/operation.ts'
import { meshOperations } from '../../../routes/mesh/operations.ts'
import { peeringToken } from '../../support/mesh/mesh.ts'
import { meshWithAcls, permissionDenied } from '../../support/mesh/mesh-acl.ts'
import { operationsIn } from '../../support/openapi/openapi-document.ts'

const section = 'behaviour/mesh#checks'

/** Declared access by operation ID. */
const declared = new Map(meshOperations.map(({ id, access }) => [id, access]))

/** Objects that the operations work on. */
interface TestObjects {
  readonly accessor: string
  readonly policy: string
  readonly role: string
  readonly session: string
  readonly intention: string
  readonly query: string
}

/** An operation that refuses callers, a request for it, and the right that its refusal names. */
interface Guarded {
  readonly id: string
  readonly call: (
    objects: TestObjects,
  ) => readonly [method: string, path: string, body?: object | string | undefined]
  readonly need: RightName
  /** Name of the object in the refusal. */
  readonly on?: string
  /** True if the refusal names neither caller nor right. */
  readonly isBare?: true
  /** True if the refusal names neither the caller nor the right. */
}

function named(
  noun: 'Policy' | 'Role',
  idOf: (objects: TestObjects) => string,
): readonly Guarded[] {
  const path = `acl/${noun.toLowerCase()}`
  const input = { Name: 'renamed' }
  return [
    { id: `createAcl${noun}`, call: () => ['PUT', path, input], need: 'acl:write' },
    {
      id: `updateAcl${noun}`,
      call: (objects) => ['PUT', `${path}/${idOf(objects)}`, input],
      need: 'acl:write',
    },
    {
      id: `readAcl${noun}`,
      call: (objects) => ['GET', `${path}/${idOf(objects)}`],
      need: 'acl:read',
    },
    { id: `readAcl${noun}ByName`, call: () => ['GET', `${path}/name/mine`], need: 'acl:read' },
    {
      id: `deleteAcl${noun}`,
      call: (objects) => ['DELETE', `${path}/${idOf(objects)}`],
      need: 'acl:write',
    },
  ]
}

const lists = ['policies', 'roles', 'tokens', 'auth-methods', 'binding-rules'] as const
const listIds = {
  policies: 'listAclPolicies',
  roles: 'listAclRoles',
  tokens: 'listAclTokens',
  'auth-methods': 'listAclAuthMethods',
  'binding-rules': 'listAclBindingRules',
} as const

const absentId = '11111111-2222-3333-4444-555555555555'

const ofMethods: readonly Guarded[] = (
  [
    ['AuthMethod', 'auth-method', 'x'],
    ['BindingRule', 'binding-rule', absentId],
  ] as const
).flatMap(([noun, path, name]): Guarded[] => [
  { id: `createAcl${noun}`, call: () => ['PUT', `acl/${path}`, {}], need: 'acl:write' },
  { id: `updateAcl${noun}`, call: () => ['PUT', `acl/${path}/${name}`, {}], need: 'acl:write' },
  { id: `readAcl${noun}`, call: () => ['GET', `acl/${path}/${name}`], need: 'acl:read' },
  { id: `deleteAcl${noun}`, call: () => ['DELETE', `acl/${path}/${name}`], need: 'acl:write' },
])

const refused: readonly Guarded[] = [
  ...ofMethods,
  { id: 'saveSnapshot', call: () => ['GET', 'snapshot'], need: 'acl:write' },
  { id: 'restoreSnapshot', call: () => ['PUT', 'snapshot'], need: 'acl:write' },
  { id: 'readUsage', call: () => ['GET', 'operator/usage'], need: 'operator:read' },
  { id: 'readPeering', call: () => ['GET', 'peering/x'], need: 'peering:read' },
  { id: 'listExportedServices', call: () => ['GET', 'exported-services'], need: 'mesh:read' },
  {
    id: 'readConnectCaConfiguration',
    call: () => ['GET', 'connect/ca/configuration'],
    need: 'operator:write',
  },
  {
    id: 'setConnectCaConfiguration',
    call: () => ['PUT', 'connect/ca/configuration', {}],
    need: 'operator:write',
  },
  {
    id: 'readConnectLeaf',
    call: () => ['GET', 'agent/connect/ca/leaf/web'],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'authorizeConnection',
    call: () => [
      'POST',
      'agent/connect/authorize',
      { Target: 'web', ClientCertURI: 'spiffe://d/ns/default/dc/dc1/svc/api' },
    ],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'createNamespace',
    call: () => ['PUT', 'namespace', { Name: 'x' }],
    need: 'operator:write',
  },
  { id: 'updateNamespace', call: () => ['PUT', 'namespace/team', {}], need: 'operator:write' },
  { id: 'deleteNamespace', call: () => ['DELETE', 'namespace/team'], need: 'operator:write' },
  {
    id: 'readNamespace',
    call: () => ['GET', 'namespace/team'],
    need: 'namespace:read',
    on: 'team',
  },
  { id: 'readKey', call: () => ['GET', 'kv/a/b'], need: 'key:read', on: 'a/b' },
  { id: 'putKey', call: () => ['PUT', 'kv/a/b', 'v'], need: 'key:write', on: 'a/b' },
  { id: 'deleteKey', call: () => ['DELETE', 'kv/a/b'], need: 'key:write', on: 'a/b' },
  {
    id: 'createSession',
    call: () => ['PUT', 'session/create', {}],
    need: 'session:write',
    on: 'node-1',
  },
  {
    id: 'destroySession',
    call: ({ session }) => ['PUT', `session/destroy/${session}`],
    need: 'session:write',
    on: 'node-1',
  },
  {
    id: 'renewSession',
    call: ({ session }) => ['PUT', `session/renew/${session}`],
    need: 'session:write',
    on: 'node-1',
  },
  {
    id: 'setAgentToken',
    call: () => ['PUT', 'agent/token/default', { Token: 't' }],
    need: 'agent:write',
    on: 'node-1',
  },
  {
    id: 'fireEvent',
    call: () => ['PUT', 'event/fire/deploy'],
    need: 'event:write',
    isBare: true,
  },
  {
    id: 'readCoordinate',
    call: () => ['GET', 'coordinate/node/node-1'],
    need: 'node:read',
    on: 'node-1',
  },
  {
    id: 'updateCoordinate',
    call: () => ['PUT', 'coordinate/update', { Node: 'node-1' }],
    need: 'node:write',
    on: 'node-1',
  },
  {
    id: 'readAutopilotConfiguration',
    call: () => ['GET', 'operator/autopilot/configuration'],
    need: 'operator:read',
  },
  {
    id: 'replaceAutopilotConfiguration',
    call: () => ['PUT', 'operator/autopilot/configuration', {}],
    need: 'operator:write',
  },
  {
    id: 'readAutopilotHealth',
    call: () => ['GET', 'operator/autopilot/health'],
    need: 'operator:read',
  },
  {
    id: 'readAutopilotState',
    call: () => ['GET', 'operator/autopilot/state'],
    need: 'operator:read',
  },
  {
    id: 'removeRaftPeer',
    call: () => ['DELETE', 'operator/raft/peer?id=x'],
    need: 'operator:write',
  },
  {
    id: 'transferLeader',
    call: () => ['POST', 'operator/raft/transfer-leader'],
    need: 'operator:write',
  },
  { id: 'listKeyring', call: () => ['GET', 'operator/keyring'], need: 'keyring:read' },
  { id: 'listPeerings', call: () => ['GET', 'peerings'], need: 'peering:read' },
  {
    id: 'generatePeeringToken',
    call: () => ['POST', 'peering/token', { PeerName: 'x' }],
    need: 'peering:write',
  },
  {
    id: 'establishPeering',
    call: () => ['POST', 'peering/establish', { PeerName: 'x', PeeringToken: peeringToken() }],
    need: 'peering:write',
  },
  { id: 'deletePeering', call: () => ['DELETE', 'peering/x'], need: 'peering:write' },
  { id: 'readAgent', call: () => ['GET', 'agent/self'], need: 'agent:read', on: 'node-1' },
  {
    id: 'readRaftConfiguration',
    call: () => ['GET', 'operator/raft/configuration'],
    need: 'operator:read',
  },
  ...(['reload', 'leave', 'join/127.0.0.1'] as const).map(
    (command, at): Guarded => ({
      id: ['reloadAgent', 'leaveCluster', 'joinAgent'][at] ?? '',
      call: () => ['PUT', `agent/${command}`],
      need: 'agent:write',
      on: 'node-1',
    }),
  ),
  { id: 'forceLeave', call: () => ['PUT', 'agent/force-leave/n1'], need: 'operator:write' },
  { id: 'readAgentHost', call: () => ['GET', 'agent/host'], need: 'operator:read' },
  ...(['monitor', 'metrics'] as const).map(
    (report): Guarded => ({
      id: report === 'monitor' ? 'monitorAgent' : 'readAgentMetrics',
      call: () => ['GET', `agent/${report}`],
      need: 'agent:read',
      on: 'node-1',
    }),
  ),
  ...(['pass', 'warn', 'fail', 'update', 'deregister'] as const).map(
    (verb): Guarded => ({
      id: `${verb}Check`,
      call: () => ['PUT', `agent/check/${verb}/disk`, { Status: 'passing' }],
      need: 'node:write',
      on: 'node-1',
    }),
  ),
  {
    id: 'registerCheck',
    call: () => ['PUT', 'agent/check/register', { Name: 'a', TTL: '1s' }],
    need: 'node:write',
    on: 'node-1',
  },
  {
    id: 'registerInCatalog',
    call: () => ['PUT', 'catalog/register', { Node: 'n1', Address: 'a' }],
    need: 'node:write',
    on: 'n1',
  },
  {
    id: 'deregisterFromCatalog',
    call: () => ['PUT', 'catalog/deregister', { Node: 'n1' }],
    need: 'node:write',
    on: 'n1',
  },
  {
    id: 'setNodeMaintenance',
    call: () => ['PUT', 'agent/maintenance?enable=true'],
    need: 'node:write',
    on: 'node-1',
  },
  {
    id: 'registerService',
    call: () => ['PUT', 'agent/service/register', { Name: 'web' }],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'deregisterService',
    call: () => ['PUT', 'agent/service/deregister/web'],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'setServiceMaintenance',
    call: () => ['PUT', 'agent/service/maintenance/web?enable=true'],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'readAgentService',
    call: () => ['GET', 'agent/service/web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'readAgentServiceHealth',
    call: () => ['GET', 'agent/health/service/id/web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'readAgentServicesHealth',
    call: () => ['GET', 'agent/health/service/name/web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'readConnectHealth',
    call: () => ['GET', 'health/connect/web'],
    need: 'service:read',
    isBare: true,
  },
  {
    id: 'readIngressHealth',
    call: () => ['GET', 'health/ingress/web'],
    need: 'service:read',
    isBare: true,
  },
  {
    id: 'readGatewayServices',
    call: () => ['GET', 'catalog/gateway-services/edge'],
    need: 'service:read',
    on: 'edge',
  },
  ...(
    [
      ['readIntention', 'GET', 'exact?source=a&destination=web', 'read'],
      ['readIntentionById', 'GET', 'INTENTION', 'read'],
      ['putIntention', 'PUT', 'exact?source=a&destination=web', 'write'],
      ['deleteIntention', 'DELETE', 'exact?source=a&destination=web', 'write'],
      ['updateIntention', 'PUT', 'INTENTION', 'write'],
      ['deleteIntentionById', 'DELETE', 'INTENTION', 'write'],
      ['createIntention', 'POST', '', 'write'],
    ] as const
  ).map(
    ([id, method, path, level]): Guarded => ({
      id,
      call: ({ intention }) => [
        method,
        `connect/intentions/${path.replace('INTENTION', intention)}`.replace(/\/$/, ''),
        method === 'GET' ? undefined : { SourceName: 'a', DestinationName: 'web', Action: 'deny' },
      ],
      need: `intention:${level}`,
      isBare: true,
    }),
  ),
  {
    id: 'matchIntentions',
    call: () => ['GET', 'connect/intentions/match?by=source&name=web'],
    need: 'intention:read',
    on: 'web',
  },
  {
    id: 'checkIntention',
    call: () => ['GET', 'connect/intentions/check?source=a&destination=web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'readDiscoveryChain',
    call: () => ['GET', 'discovery-chain/web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'readOverriddenDiscoveryChain',
    call: () => ['POST', 'discovery-chain/web', {}],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'createQuery',
    call: () => ['POST', 'query', { Name: 'new', Service: { Service: 'w' } }],
    need: 'query:write',
    on: 'new',
  },
  ...(
    [
      ['readQuery', 'GET', 'QUERY'],
      ['explainQuery', 'GET', 'stored/explain'],
    ] as const
  ).map(
    ([id, method, path]): Guarded => ({
      id,
      call: ({ query }) => [method, `query/${path.replace('QUERY', query)}`],
      need: 'query:read',
      isBare: true,
    }),
  ),
  ...(['updateQuery', 'deleteQuery'] as const).map(
    (id): Guarded => ({
      id,
      call: ({ query }) => [
        id === 'updateQuery' ? 'PUT' : 'DELETE',
        `query/${query}`,
        id === 'updateQuery' ? { Name: 'stored', Service: { Service: 'w' } } : undefined,
      ],
      need: 'query:write',
      on: 'stored',
    }),
  ),
  {
    id: 'applyConfigEntry',
    call: () => ['PUT', 'config', { Kind: 'service-defaults', Name: 'web' }],
    need: 'service:write',
    on: 'web',
  },
  {
    id: 'readConfigEntry',
    call: () => ['GET', 'config/service-defaults/web'],
    need: 'service:read',
    on: 'web',
  },
  {
    id: 'deleteConfigEntry',
    call: () => ['DELETE', 'config/service-defaults/web'],
    need: 'service:write',
    on: 'web',
  },
  { id: 'createAclToken', call: () => ['PUT', 'acl/token', {}], need: 'acl:write' },
  {
    id: 'updateAclToken',
    call: ({ accessor }) => ['PUT', `acl/token/${accessor}`, {}],
    need: 'acl:write',
  },
  {
    id: 'cloneAclToken',
    call: ({ accessor }) => ['PUT', `acl/token/${accessor}/clone`, {}],
    need: 'acl:write',
  },
  {
    id: 'readAclToken',
    call: ({ accessor }) => ['GET', `acl/token/${accessor}`],
    need: 'acl:read',
  },
  {
    id: 'deleteAclToken',
    call: ({ accessor }) => ['DELETE', `acl/token/${accessor}`],
    need: 'acl:write',
  },
  {
    id: 'listAclTemplatedPolicies',
    call: () => ['GET', 'acl/templated-policies'],
    need: 'acl:read',
  },
  {
    id: 'readAclTemplatedPolicyByName',
    call: () => ['GET', 'acl/templated-policy/name/builtin/dns'],
    need: 'acl:read',
  },
  {
    id: 'previewAclTemplatedPolicy',
    call: () => ['POST', 'acl/templated-policy/preview/builtin/dns', {}],
    need: 'acl:read',
  },
  ...named('Policy', ({ policy }) => policy),
  ...named('Role', ({ role }) => role),
  ...lists.map(
    (path): Guarded => ({
      id: listIds[path],
      call: () => ['GET', `acl/${path}`],
      need: 'acl:read',
    }),
  ),
]

/** Operations whose reply reports each failure separately (behaviour/mesh#transactions). */
const checksInside = ['runTransaction']

describe(`operations require the rights that they declare (${section})`, () => {
  test('each operation that can refuse a caller is in the table', () => {
    const known = [...refused.map(({ id }) => id), ...checksInside]
    const guarded = meshOperations.filter(
      ({ access }) => access !== 'anyone' && access.when !== 'each',
    )
    expect(guarded.map(({ id }) => id).sort()).toEqual(known.sort())
  })

  test.for(refused)('$id: $need', async ({ id, call, need, on, isBare }) => {
    const { manager, mesh, namespace, policy, role, token } = await meshWithAcls({
      options: { nodeName: 'node-1' },
    })
    await namespace('team')
    await manager.put('agent/service/register', { Name: 'web' })
    await manager.put('agent/check/register', { Name: 'disk', TTL: '1m' })
    const session = await manager.put('session/create', {})
    const query = await manager.post('query', { Name: 'stored', Service: { Service: 'w' } })
    const ends = { SourceName: 'a', DestinationName: 'web', Action: 'allow' }
    const intention = await manager.post('connect/intentions', ends)
    const objects = {
      accessor: (await token()).AccessorID,
      policy: await policy('mine', ''),
      role: await role('mine', []),
      session: session.body.ID,
      intention: intention.body.ID,
      query: query.body.ID,
    }
    const access = declared.get(id)
    expect(access).toMatchObject({ anyOf: expect.arrayContaining([need]) })
    const [method, path, body] = call(objects)
    const { status, text } = await mesh.request(method, path, body)
    expect([status, text]).toEqual([
      403,
      isBare
        ? 'Permission denied'
        : permissionDenied(`${need}'${on === undefined ? '' : ` on "${on}"`}`),
    ])
  })

  test.each(meshOperations.filter(({ access }) => access !== 'anyone' && access.when === 'each'))(
    '$id filters objects that the caller may not see',
    async ({ path }) => {
      const { mesh } = await meshWithAcls()
      const { status, body } = await mesh.get(
        path.slice(1).replace(':kind', '').replace(/:\w+/, 'any'),
      )
      const shown = Object.values<unknown>(body ?? {}).filter((each) => each !== null)
      expect([status, shown]).toEqual([200, []])
    },
  )

  test('requiring an undeclared right is a programming error', () => {
    const caller = { may: () => true } as unknown as MeshContext['caller']
    const context = { caller, access: requires('key:read') } as unknown as MeshContext
    const message = 'key:write is demanded but not declared'
    expect(() => requireRight(context, 'key:write', { name: 'a' })).toThrow(message)
    expect(() => rightChecker(context, 'key:write')).toThrow(message)
    expect(() => requireRight(context, 'key:read', { name: 'a' })).not.toThrow()
  })
})

test('behaviour/program#declared-once: documents show the required access', () => {
  const operations = operationsIn(meshDocument('neutral', '0'))
  for (const { id, access } of meshOperations) {
    const described: object = Object(operations.get(id))
    expect([id, Reflect.get(described, 'x-access')]).toEqual([id, accessText(access)])
    const security = access === 'anyone' ? [] : undefined
    expect([id, Reflect.get(described, 'security')]).toEqual([id, security])
  }
  expect(accessText(declared.get('createNamespace') ?? 'anyone')).toBe(
    'operator:write, besides acl:write',
  )
  expect(accessText(declared.get('listNamespaces') ?? 'anyone')).toBe(
    'anyone; entries by namespace:read',
  )
})
