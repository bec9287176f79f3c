import { type Scenario, sometimes } from './scenarios.ts'

/** Scenario of the secrets API, with the type of the engine that it needs. */
interface SecretsScenario extends Scenario {
  readonly engine: string
}

const key = ['a', 'b', 'a/b', 'x%20y']
const kv2 = 'understudy-kv2'
const leasedToken = 'auth/token/create/understudy-r'

/** Scenarios of the key-value engines and of the engine `cubbyhole`. */
const keyValueScenarios: readonly SecretsScenario[] = [
  {
    engine: 'kv-v2',
    weight: 36,
    choices: { key, cas: ['0', '1', '2', '7'], max: ['0', '1', '3'], value: ['1', '"x"', 'null'] },
    steps: [
      sometimes(20, `POST ${kv2}/config {"max_versions":{max}}`),
      sometimes(20, `GET ${kv2}/config`),
      `POST ${kv2}/data/{key} {"data":{"a":1,"b":{"c":[1]}},"options":{"cas":0}}`,
      sometimes(85, `POST ${kv2}/data/{key} {"data":{"a":{value}},"options":{"cas":{cas}}}`),
      sometimes(95, `GET ${kv2}/data/{key}`),
      sometimes(40, `PATCH ${kv2}/data/{key} {"data":{"b":{value}}}`),
      sometimes(40, `GET ${kv2}/subkeys/{key}`),
      sometimes(40, `POST ${kv2}/metadata/{key} {"custom_metadata":{"a":"1"},"max_versions":2}`),
      sometimes(40, `PATCH ${kv2}/metadata/{key} {"custom_metadata":{"b":"2"}}`),
      sometimes(60, `GET ${kv2}/metadata/{key}`),
      sometimes(60, `LIST ${kv2}/metadata/`),
    ],
  },
  {
    engine: 'kv-v2',
    weight: 20,
    choices: { key },
    steps: [
      `POST ${kv2}/data/{key} {"data":{"a":1}}`,
      sometimes(50, `PUT ${kv2}/data/{key} {"data":{"a":2},"options":{"cas":1}}`),
      sometimes(40, `DELETE ${kv2}/data/{key}`),
      sometimes(90, `POST ${kv2}/delete/{key} {"versions":[1]}`),
      sometimes(70, `GET ${kv2}/data/{key}?version=1`),
      sometimes(90, `PUT ${kv2}/undelete/{key} {"versions":[1]}`),
      sometimes(90, `GET ${kv2}/data/{key}?version=1`),
      sometimes(40, `POST ${kv2}/destroy/{key} {"versions":[1]}`),
      sometimes(50, `GET ${kv2}/metadata/{key}`),
      sometimes(30, `DELETE ${kv2}/metadata/{key}`),
      sometimes(30, `LIST ${kv2}/metadata/`),
    ],
  },
  {
    engine: 'kv-v1',
    weight: 10,
    choices: { key },
    steps: [
      'POST understudy-kv1/{key} {"a":1,"ttl":"1h"}',
      sometimes(95, 'GET understudy-kv1/{key}'),
      sometimes(80, 'LIST understudy-kv1/'),
      sometimes(50, 'PUT understudy-kv1/{key} {"a":{"b":[2]}}'),
      sometimes(60, 'GET understudy-kv1/{key}'),
      sometimes(80, 'DELETE understudy-kv1/{key}'),
      sometimes(50, 'GET understudy-kv1/{key}'),
    ],
  },
  {
    engine: 'cubbyhole',
    weight: 6,
    choices: { key },
    steps: [
      'POST cubbyhole/{key} {"a":1}',
      sometimes(90, 'GET cubbyhole/{key}'),
      sometimes(80, 'LIST cubbyhole/'),
      sometimes(80, 'DELETE cubbyhole/{key}'),
      sometimes(50, 'GET cubbyhole/{key}'),
    ],
  },
]

/** Scenarios of the orchestrator engine, with the neutral names of its fields. */
const orchScenarios: readonly SecretsScenario[] = [
  {
    engine: 'orch',
    weight: 6,
    steps: [
      'POST understudy-orch/config {"orch_host":"https://orch.example","disable_local_ca_jwt":true}',
      sometimes(90, 'GET understudy-orch/config'),
      'POST understudy-orch/roles/understudy-r {"allowed_orch_namespaces":["*"],"service_account_name":"x"}',
      sometimes(90, 'GET understudy-orch/roles/understudy-r'),
      sometimes(90, 'LIST understudy-orch/roles'),
      sometimes(80, 'DELETE understudy-orch/roles/understudy-r'),
      sometimes(80, 'DELETE understudy-orch/config'),
    ],
  },
]

/** Scenarios of tokens, their roles and their leases. */
const tokenScenarios: readonly SecretsScenario[] = [
  {
    engine: 'token',
    weight: 6,
    choices: { create: ['create', 'create-orphan'], ttl: ['1h', '30m'] },
    steps: [
      'POST auth/token/{create} {"policies":["default"],"ttl":"{ttl}","meta":{"a":"1"}}',
      sometimes(80, 'POST auth/token/lookup {"token":"$token"}'),
      sometimes(60, 'GET auth/token/lookup?token=$token'),
      sometimes(60, 'POST auth/token/lookup-accessor {"accessor":"$accessor"}'),
      { chance: 70, request: 'GET auth/token/lookup-self', token: '$token' },
      sometimes(60, 'POST auth/token/lookup-self'),
      sometimes(70, 'POST auth/token/renew {"token":"$token","increment":"10m"}'),
      sometimes(70, 'POST auth/token/renew-accessor {"accessor":"$accessor"}'),
      { chance: 70, request: 'POST auth/token/renew-self {"increment":"5m"}', token: '$token' },
      sometimes(70, 'POST sys/capabilities {"paths":["a"],"token":"$token"}'),
      sometimes(70, 'POST sys/capabilities-accessor {"paths":["a"],"accessor":"$accessor"}'),
    ],
  },
  {
    engine: 'token',
    weight: 6,
    choices: { end: ['revoke {"token":"$token"}', 'revoke-accessor {"accessor":"$accessor"}'] },
    steps: [
      'POST auth/token/create {"policies":["default"],"ttl":"1h"}',
      { chance: 80, request: 'GET auth/token/lookup-self', token: '$token' },
      sometimes(60, 'POST auth/token/revoke-orphan {"token":"$token"}'),
      sometimes(90, 'POST auth/token/{end}'),
      sometimes(60, 'POST auth/token/lookup {"token":"$token"}'),
    ],
  },
  {
    engine: 'token',
    weight: 6,
    steps: [
      'POST auth/token/roles/understudy-r {"allowed_policies":["default"],"renewable":true}',
      sometimes(90, 'GET auth/token/roles/understudy-r'),
      `POST ${leasedToken} {"policies":["default"],"ttl":"1h"}`,
      `LIST sys/leases/lookup/${leasedToken}/`,
      sometimes(90, `POST sys/leases/lookup {"lease_id":"${leasedToken}/$lease"}`),
      sometimes(80, 'DELETE auth/token/roles/understudy-r'),
    ],
  },
  {
    engine: 'token',
    weight: 9,
    choices: { leases: ['leases/', ''] },
    steps: [
      'POST auth/token/roles/understudy-r {"allowed_policies":["default"],"orphan":true}',
      `POST ${leasedToken} {"policies":["default"],"ttl":"1h"}`,
      `LIST sys/leases/lookup/${leasedToken}/`,
      sometimes(80, `POST sys/{leases}revoke {"lease_id":"${leasedToken}/$lease"}`),
      sometimes(80, `PUT sys/{leases}revoke/${leasedToken}/$lease`),
      sometimes(90, `PUT sys/{leases}revoke-prefix/${leasedToken}`),
      sometimes(95, `PUT sys/{leases}revoke-force/${leasedToken}`),
      { chance: 60, request: 'GET auth/token/lookup-self', token: '$token' },
    ],
  },
]

/** Scenarios of the paths below `sys/`. */
const systemScenarios: readonly SecretsScenario[] = [
  {
    engine: 'system',
    weight: 6,
    choices: { form: ['policies/acl', 'policy'], right: ['read', 'list', 'update'] },
    steps: [
      'POST sys/{form}/understudy-p {"policy":"path \\"a/*\\" { capabilities = [\\"{right}\\"] }"}',
      sometimes(90, 'GET sys/{form}/understudy-p'),
      'POST auth/token/create {"policies":["understudy-p"],"ttl":"1h"}',
      sometimes(80, 'POST sys/capabilities {"paths":["a/b"],"token":"$token"}'),
      { chance: 80, request: 'POST sys/capabilities-self {"paths":["a/b","b"]}', token: '$token' },
      sometimes(80, 'DELETE sys/{form}/understudy-p'),
    ],
  },
  {
    engine: 'system',
    weight: 5,
    steps: [
      'POST sys/policies/password/understudy-p {"policy":"length = 8\\nrule \\"charset\\" { charset = \\"abc\\" }"}',
      sometimes(90, 'GET sys/policies/password/understudy-p'),
      sometimes(80, 'DELETE sys/policies/password/understudy-p'),
      'POST sys/config/auditing/request-headers/understudy-r {"hmac":true}',
      sometimes(90, 'GET sys/config/auditing/request-headers/understudy-r'),
      sometimes(80, 'DELETE sys/config/auditing/request-headers/understudy-r'),
      sometimes(80, 'GET sys/init'),
      sometimes(80, 'GET sys/internal/ui/feature-flags'),
      sometimes(80, 'POST sys/tools/hash {"input":"YQ=="}'),
      sometimes(80, 'POST sys/tools/hash/sha2-512 {"input":"YQ==","format":"base64"}'),
      sometimes(80, 'POST sys/decode-token {"encoded_token":"AAAA","otp":"abc"}'),
    ],
  },
  {
    engine: 'system',
    weight: 8,
    choices: { ttl: ['1h', '30m'] },
    steps: [
      'POST sys/mounts/understudy-m {"type":"kv","description":"a"}',
      sometimes(90, 'GET sys/mounts/understudy-m'),
      sometimes(80, 'POST sys/mounts/understudy-m/tune {"default_lease_ttl":"{ttl}"}'),
      sometimes(80, 'GET sys/mounts/understudy-m/tune'),
      sometimes(80, 'GET sys/internal/ui/mounts/understudy-m'),
      sometimes(80, 'POST sys/remount {"from":"understudy-m","to":"understudy-none"}'),
      sometimes(90, 'GET sys/remount/status/$migration'),
      sometimes(70, 'DELETE sys/mounts/understudy-m'),
    ],
  },
  {
    engine: 'system',
    weight: 6,
    choices: { ttl: ['1h', '30m'], type: ['userpass', 'approle'] },
    steps: [
      'POST sys/auth/understudy-x {"type":"{type}","description":"a"}',
      sometimes(90, 'GET sys/auth/understudy-x'),
      sometimes(80, 'POST sys/auth/understudy-x/tune {"max_lease_ttl":"{ttl}"}'),
      sometimes(80, 'GET sys/auth/understudy-x/tune'),
      sometimes(80, 'DELETE sys/auth/understudy-x'),
      sometimes(60, 'POST sys/locked-users/understudy-none/unlock/understudy-r'),
      sometimes(60, 'LIST sys/plugins/catalog/auth'),
      sometimes(70, 'GET sys/plugins/catalog/secret/kv'),
      sometimes(50, 'GET sys/plugins/catalog'),
    ],
  },
  {
    engine: 'system',
    weight: 6,
    steps: [
      { request: 'POST sys/wrapping/wrap {"a":1}', wrapTtl: '60' },
      sometimes(80, 'POST sys/wrapping/lookup {"token":"$wrapped"}'),
      { chance: 80, request: 'GET sys/wrapping/lookup', token: '$wrapped' },
      sometimes(80, 'POST sys/wrapping/rewrap {"token":"$wrapped"}'),
      sometimes(90, 'POST sys/wrapping/unwrap {"token":"$wrapped"}'),
      sometimes(60, 'POST sys/wrapping/unwrap {"token":"$wrapped"}'),
    ],
  },
]

export const secretsScenarios: readonly SecretsScenario[] = [
  ...keyValueScenarios,
  ...orchScenarios,
  ...tokenScenarios,
  ...systemScenarios,
]
