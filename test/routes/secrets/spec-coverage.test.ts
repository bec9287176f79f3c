import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { fieldInfo } from '../../../routes/secrets/fields/fields.ts'
import type { Verb } from '../../../routes/secrets/operation.ts'
import { type Declared, declaredOperations } from './declared-operations.ts'

const operations = declaredOperations()

const verbs: Readonly<Record<string, Verb>> = {
  GET: 'read',
  HEAD: 'read',
  LIST: 'list',
  POST: 'write',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Rows of behaviour/secrets#api-kv1 (mount `kv` of a fresh world). */
const plain = ['GET kv/*path', 'LIST kv/*path', 'POST kv/*path', 'DELETE kv/*path']

/** Rows of behaviour/secrets#api-kv2. */
const versioned = [
  'POST secret/config',
  'GET secret/config',
  'GET secret/data/*path',
  'POST secret/data/*path',
  'PATCH secret/data/*path',
  'GET secret/subkeys/*path',
  'DELETE secret/data/*path',
  'POST secret/delete/*path',
  'POST secret/undelete/*path',
  'POST secret/destroy/*path',
  'LIST secret/metadata/*path',
  'GET secret/metadata/*path',
  'POST secret/metadata/*path',
  'PATCH secret/metadata/*path',
  'DELETE secret/metadata/*path',
]

/** Row of behaviour/secrets#api-health. */
const health = ['HEAD sys/health', 'GET sys/health']

/** Rows of behaviour/secrets#api-password-policies. */
const passwordPolicies = [
  'POST sys/policies/password/*name',
  'LIST sys/policies/password',
  'GET sys/policies/password/*name',
  'DELETE sys/policies/password/*name',
  'GET sys/policies/password/*name/generate',
]

/** Rows of behaviour/secrets#api-rekey. */
const rekey = [
  'GET sys/rekey/init',
  'POST sys/rekey/init',
  'DELETE sys/rekey/init',
  'GET sys/rekey/backup',
  'DELETE sys/rekey/backup',
  'POST sys/rekey/update',
  'GET sys/rekey/verify',
  'DELETE sys/rekey/verify',
  'POST sys/rekey/verify',
]

/** Rows of behaviour/secrets#api-replication about operation tokens. */
const operationTokens = [
  'GET sys/replication/dr/secondary/generate-operation-token/attempt',
  'POST sys/replication/dr/secondary/generate-operation-token/attempt',
  'DELETE sys/replication/dr/secondary/generate-operation-token/attempt',
  'POST sys/replication/dr/secondary/generate-operation-token/update',
  'POST sys/replication/dr/secondary/operation-token/delete',
]

/** Rows of behaviour/secrets#api-orch. */
const orchestrator = [
  'POST orch/config',
  'GET orch/config',
  'DELETE orch/config',
  'POST orch/roles/:name',
  'GET orch/roles/:name',
  'LIST orch/roles',
  'DELETE orch/roles/:name',
  'POST orch/creds/:role',
]

/** Rows of behaviour/secrets#api-cloud. */
const cloud = [
  'POST auth/cloud/config',
  'POST auth/cloud/role/:name',
  'POST auth/cloud/login/:role',
]

/** Further endpoints from behaviour/secrets#cloud. */
const moreOfCloud = [
  'GET auth/cloud/config',
  'DELETE auth/cloud/config',
  'LIST auth/cloud/role',
  'GET auth/cloud/role/:name',
  'DELETE auth/cloud/role/:name',
]

/** Endpoints that behaviour/secrets#system names, except wrapping. */
const surrounding = [
  'GET sys/init',
  'POST sys/init',
  'GET sys/seal-status',
  'POST sys/unseal',
  'POST sys/seal',
  'POST sys/step-down',
  'GET sys/leader',
  'GET sys/key-status',
  'POST sys/rotate',
  'GET sys/mounts',
  'GET sys/mounts/*path',
  'POST sys/mounts/*path',
  'DELETE sys/mounts/*path',
  'GET sys/mounts/*path/tune',
  'POST sys/mounts/*path/tune',
  'GET sys/auth',
  'GET sys/auth/*path',
  'POST sys/auth/*path',
  'DELETE sys/auth/*path',
  'GET sys/auth/*path/tune',
  'POST sys/auth/*path/tune',
  'GET sys/internal/ui/mounts',
  'GET sys/internal/ui/mounts/*path',
  'LIST sys/policies/acl',
  'GET sys/policies/acl/*name',
  'POST sys/policies/acl/*name',
  'DELETE sys/policies/acl/*name',
  'GET sys/policy',
  'GET sys/policy/*name',
  'POST sys/policy/*name',
  'DELETE sys/policy/*name',
  'POST sys/capabilities-self',
  'POST sys/capabilities',
  'POST sys/capabilities-accessor',
  'POST auth/token/create',
  'POST auth/token/create-orphan',
  'POST auth/token/create/:role_name',
  'GET auth/token/lookup',
  'POST auth/token/lookup',
  'GET auth/token/lookup-self',
  'POST auth/token/lookup-accessor',
  'POST auth/token/renew',
  'POST auth/token/renew-self',
  'POST auth/token/renew-accessor',
  'POST auth/token/revoke',
  'POST auth/token/revoke-self',
  'POST auth/token/revoke-accessor',
  'POST auth/token/revoke-orphan',
  'LIST auth/token/accessors',
  'POST sys/leases/lookup',
  'LIST sys/leases/lookup/*prefix',
  'POST sys/leases/renew',
  'POST sys/leases/revoke',
  'POST sys/leases/revoke-prefix/*prefix',
  'POST sys/leases/revoke-force/*prefix',
  'LIST sys/namespaces',
  'GET sys/namespaces/*path',
  'POST sys/namespaces/*path',
  'PATCH sys/namespaces/*path',
  'DELETE sys/namespaces/*path',
]

/** Returns the declared form of an endpoint: `read sys/health` for `GET sys/health`. */
function toDeclaredPath(endpoint: string): string {
  const [method = '', path = ''] = endpoint.split(' ')
  return `${verbs[method]} ${path}`
}

const find = (endpoint: string): Declared | undefined =>
  operations.find(({ name }) => name === toDeclaredPath(endpoint))

/** Returns the names of the declared operations below a mount. */
const below = (mount: string): string[] =>
  operations.filter(({ mountedAt }) => mountedAt === mount).map(({ name }) => name)

describe('behaviour/secrets#api-conventions: every specified endpoint is declared', () => {
  test.each([
    ...health,
    ...passwordPolicies,
    ...rekey,
    ...operationTokens,
    ...plain,
    ...versioned,
    ...cloud,
    ...orchestrator,
  ])('%s', (endpoint) => {
    expect(find(endpoint)?.operation.spec).toMatch(/^behaviour\/secrets#api-/)
  })

  test('the orchestrator engine declares the operations of behaviour/secrets#orch and no others', () => {
    const declared = [...orchestrator, 'GET orch/check'].map(toDeclaredPath)
    expect(below('orch/').sort()).toEqual(declared.sort())
  })

  test('the cloud method declares the operations of behaviour/secrets#cloud and no others', () => {
    expect(below('auth/cloud/').sort()).toEqual(
      [...cloud, ...moreOfCloud].map(toDeclaredPath).sort(),
    )
  })

  test('health answers HEAD', () => expect(find('HEAD sys/health')?.operation.methods).toBe('head'))

  test('the key-value engines declare nothing else', () => {
    expect(below('kv/').sort()).toEqual(plain.map(toDeclaredPath).sort())
    expect(below('secret/').sort()).toEqual(versioned.map(toDeclaredPath).sort())
  })
})

describe('behaviour/secrets#system: every decided endpoint is declared', () => {
  test.each(surrounding)('%s', (endpoint) => {
    expect(find(endpoint)?.operation.spec).toMatch(
      /^behaviour\/secrets#(seal|leader|key-status|mounts|preflight|policies|tokens|leases|namespaces)$/,
    )
  })
})

describe('behaviour/program#declared-once: members that every operation declares', () => {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true } })

  test.each(operations.map((one) => [one.name, one] as const))('%s', (_, { operation }) => {
    expect(operation.spec).toMatch(/^(behaviour\/secrets#[a-z0-9-]+|Extension: .+)$/)
    expect(operation.summary).toMatch(/^[A-Z].{8,}\.$/)
    const statuses = Object.keys(operation.reply).map(Number)
    expect(statuses.some((status) => [200, 202, 204].includes(status))).toBe(true)
    for (const [status, schema] of Object.entries(operation.reply)) {
      // The vendor's 202 also has no body, unless it warns about work that continues.
      const warns = /^(?:tidyTokens|tidyLeases|reloadPlugins|approleTidySecretIds|pkiTidy)$/.test(
        operation.id,
      )
      const bodiless = warns ? ['204'] : ['202', '204']
      expect([status, schema === null]).toEqual([status, bodiless.includes(status)])
      if (schema !== null) expect(() => ajv.compile(schema)).not.toThrow()
    }
    for (const [name, field] of Object.entries(operation.fields)) {
      const { description } = fieldInfo(field)
      expect([name, description]).toEqual([name, expect.stringMatching(/.{3,}/)])
    }
  })

  test('no two operations claim the same place', () => {
    const names = operations.map(({ name }) => name)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test('places in the specification are written in one way', () => {
    const specs = new Set(operations.map(({ operation }) => operation.spec))
    expect([...specs].filter((spec) => /[<>]| {2}|\.$/.test(spec))).toEqual([])
  })

  test('ids are unique, and names', () => {
    const ids = operations.map(({ operation }) => operation.id)
    expect(
      ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z][a-zA-Z0-9]+$/.test(id)),
    ).toEqual([])
  })

  test('flags of a path are the same in all its operations', () => {
    const flagsOf = ({ operation }: Declared) => {
      const { spec, unenveloped: bare, rootOnly, enterprise } = operation
      return { spec, bare, rootOnly, enterprise }
    }
    for (const one of operations) {
      const { engine, operation } = one
      const same = operations.filter(
        (other) => other.engine === engine && other.operation.path === operation.path,
      )
      expect([one.name, ...same.map(flagsOf)]).toEqual([one.name, ...same.map(() => flagsOf(one))])
    }
  })
})
