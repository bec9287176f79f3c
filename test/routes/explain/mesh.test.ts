import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake, Trial } from './mistakes.ts'

const acl = { aclEnabled: true, defaultPolicy: 'deny' }
const management = '#mesh-management-token'
const policy = `PUT /v1/acl/policy ${management} {"Name":"reader","Rules":"key_prefix \\"app/\\" { policy = \\"read\\" }"}`
const reader = [
  policy,
  `SecretID<-PUT /v1/acl/token ${management} {"Description":"ada","Policies":[{"Name":"reader"}]}`,
]
const key = 'PUT /v1/kv/app/db =ada'
const team = 'PUT /v1/namespace {"Name":"team"}'

const mistakes: readonly Mistake[] = [
  {
    mistake: 'no token',
    options: acl,
    sent: 'PUT /v1/kv/app/db =ada',
    rule: 'token-missing',
    says: ['X-Mesh-Token', 'key:write'],
  },
  {
    mistake: 'credentials of another scheme',
    options: acl,
    sent: 'PUT /v1/kv/app/db @authorization=Basic%20cm9vdDp4 =ada',
    rule: 'token-scheme-wrong',
    says: ['Bearer <token>', 'the scheme Basic'],
  },
  {
    mistake: "the secrets API's header",
    options: acl,
    sent: 'PUT /v1/kv/app/db @x-vault-token=mesh-management-token =ada',
    rule: 'token-in-wrong-header',
    says: ['x-vault-token', 'secrets', 'X-Mesh-Token'],
  },
  {
    mistake: "the scheduler's header",
    options: acl,
    sent: 'PUT /v1/kv/app/db @x-nomad-token=mesh-management-token =ada',
    rule: 'token-in-wrong-header',
    says: ['x-nomad-token', 'scheduler'],
  },
  {
    mistake: 'a token that nobody knows',
    options: acl,
    sent: 'GET /v1/kv/app/db #00000000-1111-2222-3333-444444444444',
    rule: 'token-unknown',
    says: ['does not exist in this world'],
  },
  {
    mistake: 'an AccessorID instead of a SecretID',
    options: acl,
    after: [`AccessorID<-PUT /v1/acl/token ${management} {"Description":"ada"}`],
    sent: 'GET /v1/kv/app/db #$AccessorID',
    rule: 'token-is-accessor',
    says: ['AccessorID', 'SecretID'],
  },
  {
    mistake: 'a token that was deleted',
    options: acl,
    after: [
      ...reader,
      'AccessorID<-GET /v1/acl/token/self #$SecretID',
      `DELETE /v1/acl/token/$AccessorID ${management}`,
    ],
    sent: 'GET /v1/kv/app/db #$SecretID',
    rule: 'token-revoked',
    says: ['ada', 'r4'],
  },
  {
    mistake: 'a token that has expired',
    options: acl,
    after: [`SecretID<-PUT /v1/acl/token ${management} {"Description":"ada","ExpirationTTL":"1m"}`],
    given: (world) => void world.clock.advance('2m'),
    sent: 'GET /v1/kv/app/db #$SecretID',
    rule: 'token-expired',
    says: ['ada', 'expired at 2026-01-01T00:01:00Z'],
  },
  {
    mistake: 'a right that the policy does not grant',
    options: acl,
    after: reader,
    sent: 'PUT /v1/kv/app/db #$SecretID =ada',
    rule: 'right-missing',
    says: ['ada', 'key:write', 'app/db', 'reader'],
  },
  {
    mistake: 'a key that the policy does not name',
    options: acl,
    after: reader,
    sent: 'PUT /v1/kv/other #$SecretID =ada',
    rule: 'right-missing',
    says: ['key:write', 'other', 'reader'],
  },
  {
    mistake: 'ACLs without acl:read',
    options: acl,
    after: reader,
    sent: 'GET /v1/acl/tokens #$SecretID',
    rule: 'right-missing',
    says: ['acl:read', 'reader'],
  },
  {
    mistake: 'making a namespace without operator:write',
    options: acl,
    after: reader,
    sent: 'PUT /v1/namespace #$SecretID {"Name":"team"}',
    rule: 'right-missing',
    says: ['operator:write', 'reader'],
  },
  {
    mistake: 'a session without session:write',
    options: acl,
    after: reader,
    sent: 'PUT /v1/session/create #$SecretID {}',
    rule: 'right-missing',
    says: ['session:write'],
  },
  {
    mistake: 'ACL paths while ACLs are off',
    sent: 'GET /v1/acl/tokens',
    rule: 'acl-disabled',
    says: ['ACL support disabled'],
  },
  {
    mistake: 'bootstrapping twice',
    options: acl,
    sent: 'PUT /v1/acl/bootstrap',
    rule: 'bootstrap-over',
    says: ['bootstrap'],
  },
  {
    mistake: 'a slip of the pen in a path',
    sent: 'GET /v1/catalgo/nodes',
    rule: 'unknown-path',
    says: ['/v1/catalgo/nodes'],
  },
  {
    mistake: 'the prefix /v1 left out',
    sent: 'GET /namespaces',
    rule: 'prefix-missing',
    says: ['/namespaces', '/v1/namespaces'],
  },
  {
    mistake: 'a slash at the end',
    sent: 'GET /v1/namespaces/',
    rule: 'trailing-slash',
    says: ['/v1/namespaces'],
  },
  {
    mistake: 'a dot at the end',
    sent: 'GET /v1/namespaces.',
    rule: 'trailing-dot',
    says: ['dot', '/v1/namespaces'],
  },
  {
    mistake: 'capitals',
    sent: 'GET /v1/Catalog/nodes',
    rule: 'letter-case',
    says: ['uppercase', '/v1/catalog/nodes'],
  },
  {
    mistake: "a path of the secrets API's",
    sent: 'GET /v1/sys/mounts',
    rule: 'wrong-api',
    says: ['/v1/sys/mounts', 'secrets'],
  },
  {
    mistake: "a path of the scheduler's",
    sent: 'GET /v1/jobs',
    rule: 'wrong-api',
    says: ['scheduler'],
  },
  {
    mistake: "a path of the platform's",
    sent: 'GET /api/v2/organizations',
    rule: 'wrong-api',
    says: ['platform'],
  },
  {
    mistake: 'a verb that the path does not take',
    sent: 'DELETE /v1/namespaces',
    rule: 'method-not-allowed',
    says: ['/v1/namespaces', 'GET', 'DELETE'],
  },
  {
    mistake: 'POST for a namespace',
    sent: 'POST /v1/namespace {"Name":"team"}',
    rule: 'method-not-allowed',
    says: ['PUT', 'POST'],
  },
  {
    mistake: 'reading a session with PUT',
    sent: 'PUT /v1/session/list',
    rule: 'method-not-allowed',
    says: ['/v1/session/list', 'GET'],
  },
  {
    mistake: 'POST for a key',
    sent: 'POST /v1/kv/app/db =ada',
    rule: 'method-not-allowed',
    says: ['/v1/kv/app/db', 'PUT', 'POST'],
  },
  {
    mistake: 'a namespace with a slip of the pen',
    after: [team],
    sent: 'GET /v1/namespace/taem',
    rule: 'namespace-absent',
    says: ['taem', 'closest name is team'],
  },
  {
    mistake: 'a namespace that is nowhere',
    sent: 'GET /v1/namespace/nowhere',
    rule: 'namespace-absent',
    says: ['nowhere'],
  },
  {
    mistake: 'a key with a slip of the pen',
    after: [key],
    sent: 'GET /v1/kv/app/bd',
    rule: 'key-absent',
    says: ['app/bd', 'closest name is app/db'],
  },
  {
    mistake: 'a key that is nowhere',
    sent: 'GET /v1/kv/nothing',
    rule: 'key-absent',
    says: ['nothing'],
  },
  {
    mistake: 'a key without a name',
    sent: 'PUT /v1/kv/ =ada',
    rule: 'key-missing',
    says: ['key'],
  },
  {
    mistake: 'a namespace for a key that is not there',
    sent: 'PUT /v1/kv/app?ns=team =ada',
    rule: 'namespace-absent-for-data',
    says: ['team'],
  },
  {
    mistake: 'a policy with a slip of the pen',
    options: acl,
    after: [policy],
    sent: `GET /v1/acl/policy/name/raeder ${management}`,
    rule: 'object-absent',
    says: ['raeder', 'reader'],
  },
  {
    mistake: 'a reserved name of a namespace',
    sent: 'PUT /v1/namespace {"Name":"system"}',
    rule: 'namespace-reserved',
    says: ['system', 'reserved'],
  },
  {
    mistake: 'a name that no namespace can have',
    sent: 'PUT /v1/namespace {"Name":"my team"}',
    rule: 'no-label',
    says: ['my team', 'letters'],
  },
  {
    mistake: 'a name with a dot at its end',
    sent: 'PUT /v1/namespace {"Name":"team."}',
    rule: 'no-label',
    says: ['team.'],
  },
  {
    mistake: 'a namespace without a name',
    sent: 'PUT /v1/namespace {"Description":"x"}',
    rule: 'namespace-name-unsaid',
    says: ['Name'],
  },
  {
    mistake: 'another name in the body than in the path',
    after: [team],
    sent: 'PUT /v1/namespace/team {"Name":"other"}',
    rule: 'namespace-names-differ',
    says: ['team', 'other'],
  },
  {
    mistake: 'deleting the builtin namespace',
    sent: 'DELETE /v1/namespace/default',
    rule: 'namespace-builtin',
    says: ['default'],
  },
  {
    mistake: 'changing a namespace that goes',
    options: { namespaceRemovalDelay: 'manual' },
    after: [team, 'DELETE /v1/namespace/team'],
    sent: 'PUT /v1/namespace/team {"Description":"x"}',
    rule: 'namespace-marked',
    says: ['team', 'deletion'],
  },
  {
    mistake: 'a body that is not JSON',
    sent: 'PUT /v1/namespace ={"Name":',
    rule: 'body-unreadable',
    says: ['not JSON'],
  },
  {
    mistake: 'no body',
    sent: 'PUT /v1/namespace',
    rule: 'body-unreadable',
    says: ['no body'],
  },
  {
    mistake: 'a name that is a number',
    sent: 'PUT /v1/namespace {"Name":7}',
    rule: 'body-unreadable',
    says: ['number', 'string'],
  },
  {
    mistake: 'a member that there is not',
    sent: 'PUT /v1/namespace {"Name":"team","Owner":"ada"}',
    rule: 'body-unreadable',
    says: ['Owner'],
  },
  {
    mistake: 'a datacenter that there is not',
    sent: 'GET /v1/catalog/nodes?dc=dc9',
    rule: 'other-datacenter',
    says: ['dc9', 'dc1'],
  },
  {
    mistake: 'a partition that there is not',
    sent: 'GET /v1/namespaces?partition=west',
    rule: 'other-partition',
    says: ['west', 'default'],
  },
  {
    mistake: 'a wait that is not a duration',
    sent: 'GET /v1/namespaces?index=1&wait=soon',
    rule: 'wait-unreadable',
    says: ['?wait', '"soon"', 'no duration'],
  },
  {
    mistake: 'an index that is not a number',
    sent: 'GET /v1/namespaces?index=latest',
    rule: 'index-unreadable',
    says: ['?index', '"latest"', 'no whole number'],
  },
  {
    mistake: 'stale and consistent',
    sent: 'GET /v1/namespaces?stale&consistent',
    rule: 'stale-and-consistent',
    says: ['stale', 'consistent'],
  },
  {
    mistake: 'a namespace of the community edition',
    options: { edition: 'community' },
    sent: 'GET /v1/kv/app?ns=team',
    rule: 'namespaces-unsupported-in-query',
    says: ['?ns=', 'community'],
  },
  {
    mistake: 'the same in a header',
    options: { edition: 'community' },
    sent: 'GET /v1/kv/app @x-consul-namespace=team',
    rule: 'namespaces-unsupported-in-header',
    says: ['x-consul-namespace', 'community'],
  },
  {
    mistake: 'a session that there is not',
    sent: 'PUT /v1/kv/app/db?acquire=11111111-2222-3333-4444-555555555555 =ada',
    rule: 'session-unknown',
    says: ['11111111-2222'],
  },
  {
    mistake: 'a time to live of a session that is too short',
    sent: 'PUT /v1/session/create {"TTL":"1s"}',
    rule: 'session-ttl-out-of-range',
    says: ['1000000000', '10s'],
  },
  {
    mistake: 'a cas that is not a number',
    sent: 'PUT /v1/kv/app/db?cas=one =ada',
    rule: 'no-number',
    says: ['one'],
  },
  {
    mistake: 'the name of a prepared query with a typing error',
    after: ['POST /v1/query {"Name":"nearest-db","Service":{"Service":"db"}}'],
    sent: 'GET /v1/query/nearest-bd/execute',
    rule: 'query-absent',
    says: ['nearest-bd', 'nearest-db'],
  },
  {
    mistake: 'the name of a configuration entry with a typing error',
    after: ['PUT /v1/config {"Kind":"service-defaults","Name":"web"}'],
    sent: 'GET /v1/config/service-defaults/wed',
    rule: 'entry-absent',
    says: ['wed', 'web'],
  },
  {
    mistake: 'the destination of an intention with a typing error',
    after: ['PUT /v1/connect/intentions/exact?source=web&destination=database {"Action":"allow"}'],
    sent: 'GET /v1/connect/intentions/exact?source=web&destination=databse',
    rule: 'intention-absent',
    says: ['from web to databse', 'from web to database'],
  },
  {
    mistake: 'an ID that no intention has',
    sent: 'GET /v1/connect/intentions/00000000-0000-0000-0000-000000000000',
    rule: 'intention-absent',
    says: ['00000000-0000', 'POST connect/intentions'],
  },
  {
    mistake: 'the name of an auth method with a typing error',
    options: acl,
    after: [
      `PUT /v1/acl/auth-method ${management} {"Name":"pods","Type":"jwt","Config":{"JWKSURL":"https://a.test"}}`,
    ],
    sent: `GET /v1/acl/auth-method/pod ${management}`,
    rule: 'object-absent',
    says: ['pod', 'pods'],
  },
  {
    mistake: 'the ID of a check with a typing error',
    after: ['PUT /v1/agent/check/register {"Name":"disk","TTL":"1m"}'],
    sent: 'PUT /v1/agent/check/pass/dsik',
    rule: 'agent-check-absent',
    says: ['dsik', 'disk'],
  },
  {
    mistake: 'the ID of a service with a typing error',
    after: ['PUT /v1/agent/service/register {"Name":"web"}'],
    sent: 'PUT /v1/agent/service/deregister/wed',
    rule: 'agent-service-absent',
    says: ['wed', 'web'],
  },
  {
    mistake: 'rules that cannot be read',
    options: acl,
    sent: `PUT /v1/acl/policy ${management} {"Name":"x","Rules":"key {"}`,
    rule: 'rules-unreadable',
    says: ['rules'],
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in requests to the mesh API are named first (%s)',
  (dialect) => testMistakes('mesh', dialect, mistakes),
)

test('at least 9 of 10 kinds of refusals have a request that would pass', () => {
  expectFewWithoutRequest(mistakes)
})

describe('behaviour/program#explanations: answers of the mesh API that are not refusals', () => {
  let trial: Trial
  beforeAll(async () => {
    trial = await Trial.begin('mesh', { token: 'x-mesh-token' })
  })
  afterAll(() => trial.understudy.close())

  test('a list names the rights that its caller lacks, with the rules that decide', async () => {
    const rules =
      'service \\"web\\" { policy = \\"read\\" } service_prefix \\"db\\" { policy = \\"deny\\" } node_prefix \\"\\" { policy = \\"read\\" }'
    const { explanation } = await trial.make({
      mistake: 'a list that is filtered',
      options: acl,
      after: [
        `PUT /v1/acl/policy ${management} {"Name":"web-only","Rules":"${rules}"}`,
        `SecretID<-PUT /v1/acl/token ${management} {"Description":"ada","Policies":[{"Name":"web-only"}]}`,
        ...['web', 'db-1', 'api'].map(
          (name) => `PUT /v1/agent/service/register ${management} {"Name":"${name}"}`,
        ),
      ],
      sent: 'GET /v1/catalog/services #$SecretID',
      rule: '',
      says: [],
    })
    expect([explanation.outcome, explanation.rule]).toEqual(['served', null])
    expect(explanation.because).toMatch(
      /the token "ada" lacks service:read on api \(no rule grants it\), service:read on db-1 \(.*db.* of the policy web-only\)/,
    )
  })

  test.each([
    ['auth-method/sso', 'auth-methods'],
    ['binding-rule/6a1253d2-1785-24fd-91c2-f8e78c745511', 'binding-rules'],
    ['role/6a1253d2-1785-24fd-91c2-f8e78c745511', 'roles'],
  ])('a deletion of %s, which does not exist, suggests the list of %s', async (path, list) => {
    const { explanation } = await trial.make({
      mistake: 'an object that does not exist',
      options: acl,
      sent: `DELETE /v1/acl/${path} ${management}`,
      rule: 'nothing-to-delete',
      says: [],
    })
    expect(explanation.wouldPass?.request?.path).toBe(`/v1/acl/${list}`)
  })

  test('a failed transaction names the operation that failed', async () => {
    const { explanation, reply } = await trial.make({
      mistake: 'an index that is stale',
      sent: 'PUT /v1/txn [{"KV":{"Verb":"set","Key":"a","Value":""}},{"KV":{"Verb":"cas","Key":"b","Value":"","Index":7}}]',
      rule: '',
      says: [],
    })
    expect(reply.status).toBe(409)
    expect(explanation.because).toContain(
      'operation 1, counted from 0, failed: failed to set key "b"',
    )
  })
})
