import { on, type Script } from './step.ts'

const secrets = on('secrets')
const control = on('combined')

const role = '/v1/auth/approle/role/builder'

/** Properties of an AppRole role that have their own endpoints. */
const properties: readonly (readonly [string, object])[] = [
  ['policies', { token_policies: ['default', 'reads'] }],
  ['period', { token_period: '1h' }],
  ['bind-secret-id', { bind_secret_id: true }],
  ['secret-id-num-uses', { secret_id_num_uses: 40 }],
  ['secret-id-ttl', { secret_id_ttl: '10h' }],
  ['token-num-uses', { token_num_uses: 20 }],
  ['token-ttl', { token_ttl: '1h' }],
  ['token-max-ttl', { token_max_ttl: '2h' }],
  ['secret-id-bound-cidrs', { secret_id_bound_cidrs: ['127.0.0.0/8'] }],
  ['bound-cidr-list', { bound_cidr_list: ['127.0.0.0/8'] }],
  ['token-bound-cidrs', { token_bound_cidrs: ['127.0.0.0/8'] }],
]

const approle: Script = [
  secrets(`POST ${role}`, { token_policies: 'reads', token_ttl: '20m' }),
  secrets('LIST /v1/auth/approle/role'),
  secrets(`GET ${role}`),
  ...properties.flatMap(([name, body]) => [
    secrets(`POST ${role}/${name}`, body),
    secrets(`GET ${role}/${name}`),
  ]),
  secrets(`GET ${role}/role-id`, undefined, { keep: { role_id: '/data/role_id' } }),
  secrets(`GET ${role}/local-secret-ids`),
  secrets(
    `POST ${role}/secret-id`,
    { metadata: '{"a":"b"}' },
    {
      keep: { secret_id: '/data/secret_id', accessor: '/data/secret_id_accessor' },
    },
  ),
  secrets(`POST ${role}/custom-secret-id`, { secret_id: 'chosen' }),
  secrets(`LIST ${role}/secret-id`),
  secrets(`POST ${role}/secret-id/lookup`, { secret_id: '<secret_id>' }),
  secrets(`POST ${role}/secret-id-accessor/lookup`, { secret_id_accessor: '<accessor>' }),
  secrets(
    'POST /v1/auth/approle/login',
    { role_id: '<role_id>', secret_id: '<secret_id>' },
    {
      token: '',
      keep: { login: '/auth/client_token' },
    },
  ),
  secrets('GET /v1/auth/token/lookup-self', undefined, { token: '<login>' }),
  secrets(
    'POST /v1/auth/approle/login',
    { role_id: '<role_id>', secret_id: 'wrong' },
    { token: '' },
  ),
  secrets(`POST ${role}/secret-id/destroy`, { secret_id: 'chosen' }),
  secrets(`DELETE ${role}/secret-id/destroy`, { secret_id: '<secret_id>' }),
  secrets(`POST ${role}/secret-id`, {}, { keep: { accessor: '/data/secret_id_accessor' } }),
  secrets(`POST ${role}/secret-id-accessor/destroy`, { secret_id_accessor: '<accessor>' }),
  secrets(`POST ${role}/secret-id`, {}, { keep: { accessor: '/data/secret_id_accessor' } }),
  secrets(`DELETE ${role}/secret-id-accessor/destroy`, { secret_id_accessor: '<accessor>' }),
  secrets('POST /v1/auth/approle/tidy/secret-id'),
  secrets(`POST ${role}/role-id`, { role_id: 'builder' }),
  secrets(`POST ${role}/secret-id`, { num_uses: 0 }),
]

const userpass: Script = [
  secrets('POST /v1/auth/userpass/users/ada', { password: 'hunter2', token_policies: 'reads' }),
  secrets('LIST /v1/auth/userpass/users'),
  secrets('GET /v1/auth/userpass/users/ada'),
  secrets('POST /v1/auth/userpass/users/ada/policies', { token_policies: 'default' }),
  secrets('POST /v1/auth/userpass/login/ada', { password: 'hunter2' }, { token: '' }),
  ...Array<ReturnType<typeof secrets>>(6).fill(
    secrets('POST /v1/auth/userpass/login/ada', { password: 'wrong' }, { token: '' }),
  ),
  secrets('GET /v1/sys/locked-users'),
  secrets('POST /v1/auth/userpass/users/bob', { password: 'hunter2' }),
  secrets('POST /v1/auth/userpass/users/bob/password', { password: 'other' }),
  secrets(
    'POST /v1/auth/userpass/login/bob',
    { password: 'other' },
    {
      token: '',
      keep: { bob: '/auth/entity_id' },
    },
  ),
]

const pod: Script = [
  secrets('POST /v1/auth/orch/config', { orch_host: 'https://orchestrator.test' }),
  secrets('GET /v1/auth/orch/config'),
  secrets('POST /v1/auth/orch/role/web', {
    bound_service_account_names: 'web',
    bound_service_account_namespaces: 'shop',
    token_policies: 'reads',
  }),
  secrets('LIST /v1/auth/orch/role'),
  secrets('GET /v1/auth/orch/role/web'),
  control(
    'POST /_mock/secrets/orchestrator/tokens',
    { namespace: 'shop', service_account: 'web' },
    { keep: { pod: '/token' } },
  ),
  secrets('POST /v1/auth/orch/login', { role: 'web', jwt: '<pod>' }, { token: '' }),
  secrets('POST /v1/auth/orch/login', { role: 'web', jwt: 'a.b.c' }, { token: '' }),
]

const jwt: Script = [
  control('GET /_mock/secrets/orchestrator/keys', undefined, { keep: { keys: '/' } }),
  control('PATCH /_mock/options', '{"secrets":{"jwtKeys":{"https://issuer.test/keys":<keys>}}}'),
  secrets('POST /v1/auth/jwt/config', { jwks_url: 'https://issuer.test/keys' }),
  secrets('GET /v1/auth/jwt/config'),
  secrets('POST /v1/auth/jwt/role/builder', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_subject: 'system:serviceaccount:shop:web',
    bound_audiences:
      'https://orch.default.svc.cluster.local,https://kubernetes.default.svc.cluster.local',
    token_policies: 'reads',
  }),
  secrets('LIST /v1/auth/jwt/role'),
  secrets('GET /v1/auth/jwt/role/builder'),
  secrets('POST /v1/auth/jwt/login', { role: 'builder', jwt: '<pod>' }, { token: '' }),
]

const cloud: Script = [
  secrets('POST /v1/auth/cloud/config', { home_tenancy_id: 'example-tenancy' }),
  secrets('POST /v1/auth/cloud/role/app', { ocid_list: 'example-group', token_policies: 'reads' }),
  secrets('GET /v1/auth/cloud/role/app'),
  control('POST /_mock/secrets/cloud/logins', { role: 'app' }, { keep: { signed: '/' } }),
  secrets('POST /v1/auth/cloud/login/app', '<signed>', { token: '' }),
  control('GET /_mock/secrets/cloud'),
]

const identity: Script = [
  secrets('GET /v1/sys/auth', undefined, { keep: { mount: '/data/userpass~1/accessor' } }),
  secrets(
    'POST /v1/identity/entity',
    { name: 'one', policies: ['reads'], metadata: { a: 'b' } },
    {
      keep: { one: '/data/id' },
    },
  ),
  secrets(
    'POST /v1/identity/entity/name/two',
    { metadata: { a: 'b' } },
    {
      keep: { two: '/data/id' },
    },
  ),
  secrets('POST /v1/identity/entity/id/<one>', { metadata: { a: 'c' } }),
  secrets('GET /v1/identity/entity/id/<one>'),
  secrets('GET /v1/identity/entity/name/two'),
  secrets('LIST /v1/identity/entity/id'),
  secrets('LIST /v1/identity/entity/name'),
  secrets('POST /v1/identity/lookup/entity', { name: 'one' }),
  secrets(
    'POST /v1/identity/entity-alias',
    { name: 'carol', canonical_id: '<one>', mount_accessor: '<mount>' },
    { keep: { alias: '/data/id' } },
  ),
  secrets('GET /v1/identity/entity-alias/id/<alias>'),
  secrets('POST /v1/identity/entity-alias/id/<alias>', {
    name: 'carol',
    canonical_id: '<one>',
    mount_accessor: '<mount>',
  }),
  secrets('LIST /v1/identity/entity-alias/id'),
  secrets(
    'POST /v1/identity/group',
    { name: 'friends', member_entity_ids: ['<one>'] },
    {
      keep: { group: '/data/id' },
    },
  ),
  secrets(
    'POST /v1/identity/group/name/outside',
    { type: 'external' },
    {
      keep: { outside: '/data/id' },
    },
  ),
  secrets('POST /v1/identity/group/id/<group>', { policies: ['reads'] }),
  secrets('GET /v1/identity/group/id/<group>'),
  secrets('GET /v1/identity/group/name/friends'),
  secrets('LIST /v1/identity/group/id'),
  secrets('LIST /v1/identity/group/name'),
  secrets('POST /v1/identity/lookup/group', { name: 'friends' }),
  secrets(
    'POST /v1/identity/group-alias',
    { name: 'elsewhere', canonical_id: '<outside>', mount_accessor: '<mount>' },
    { keep: { galias: '/data/id' } },
  ),
  secrets('GET /v1/identity/group-alias/id/<galias>'),
  secrets('POST /v1/identity/group-alias/id/<galias>', {
    name: 'there',
    canonical_id: '<outside>',
    mount_accessor: '<mount>',
  }),
  secrets('LIST /v1/identity/group-alias/id'),
  secrets('POST /v1/identity/entity/merge', { to_entity_id: '<one>', from_entity_ids: ['<two>'] }),
]

/** Requests that create roles, users, entities and groups for later requests. */
export const logins: Script = [...approle, ...userpass, ...pod, ...jwt, ...cloud, ...identity]
