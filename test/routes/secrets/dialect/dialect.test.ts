import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { apiHeader, secretsDialect } from '../../../../routes/secrets/dialect/dialect.ts'
import { renderRefusal } from '../../../../routes/secrets/envelope/errors.ts'
import { defineMessages } from '../../../../state/kernel/refusal.ts'
import {
  type AnyRequest,
  type Reply,
  servedSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { envelope, error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const wrongPath = (product: string, command: string) => ({
  status: 404,
  body: envelope({
    warnings: [
      `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the ${product} CLI, use '${command} kv list' for this operation.`,
    ],
    errors: [],
  }),
})

const movedReply = (product: string) => ({
  status: 200,
  body: {
    ...envelope({
      data: { migration_id: expect.any(String) },
      warnings: [
        `Mount move has been queued. Progress will be reported in ${product}'s server log, tagged with the returned migration_id`,
      ],
    }),
    migration_id: expect.any(String),
  },
})

interface Difference {
  readonly name: string
  readonly secrets?: TestSettings['secrets']
  readonly request: AnyRequest
  readonly neutral: object
  readonly vendor: object
}

/** Requests to which the two dialects reply differently. */
const differences: readonly Difference[] = [
  {
    name: 'a sealed service',
    secrets: { sealed: true },
    request: { method: 'GET', path: 'kv/a' },
    neutral: error(503, 'Service is sealed'),
    vendor: error(503, 'Vault is sealed'),
  },
  {
    name: 'a second initialisation',
    request: {
      method: 'POST',
      path: 'sys/init',
      payload: { secret_shares: 1, secret_threshold: 1 },
    },
    neutral: error(400, 'Service is already initialized'),
    vendor: error(400, 'Vault is already initialized'),
  },
  {
    name: 'unseal before initialisation',
    secrets: { initialized: false },
    request: { method: 'POST', path: 'sys/unseal', payload: { key: '00'.repeat(33) } },
    neutral: error(400, 'Service is not initialized'),
    vendor: error(400, 'Vault is not initialized'),
  },
  {
    name: 'a reset of an unseal that is over',
    request: { method: 'POST', path: 'sys/unseal', payload: { reset: true } },
    neutral: error(400, 'service is unsealed'),
    vendor: error(400, 'vault is unsealed'),
  },
  {
    name: 'a path of the other key-value version',
    request: { method: 'GET', path: 'secret/app', query: { list: 'true' } },
    neutral: wrongPath('Service', 'secrets'),
    vendor: wrongPath('Vault', 'vault'),
  },
  {
    name: 'a move of a mount',
    request: { method: 'POST', path: 'sys/remount', payload: { from: 'kv', to: 'kv2' } },
    neutral: movedReply('Service'),
    vendor: movedReply('Vault'),
  },
  {
    name: 'a missing request header',
    secrets: { require_request_header: true },
    request: { method: 'GET', path: 'kv/a' },
    neutral: error(412, 'missing "X-Secrets-Request" header'),
    vendor: error(412, 'missing "X-Vault-Request" header'),
  },
  {
    name: 'a lease that is revoked without waiting',
    request: {
      method: 'PUT',
      path: 'sys/leases/revoke',
      payload: { lease_id: 'a/b', sync: false },
    },
    neutral: noContent,
    vendor: { status: 202, body: undefined },
  },
  {
    name: 'a lease that is revoked without waiting, named in the path, old form',
    request: { method: 'PUT', path: 'sys/revoke/a/b', payload: { sync: false } },
    neutral: noContent,
    vendor: { status: 202, body: undefined },
  },
  {
    name: 'leases below a prefix that are revoked without waiting',
    request: { method: 'PUT', path: 'sys/leases/revoke-prefix/a', payload: { sync: false } },
    neutral: noContent,
    vendor: { status: 202, body: undefined },
  },
]

/**
 * Requests with equal replies in both dialects, although the reply contains words that one dialect
 * translates.
 */
const equal: readonly { name: string; request: AnyRequest; reply: object }[] = [
  {
    name: 'a path of the caller',
    request: { method: 'GET', path: 'Service/X-Secrets-Token' },
    reply: error(404, 'no handler for route "Service/X-Secrets-Token". route entry not found.'),
  },
  {
    name: 'a type of the caller',
    request: { method: 'POST', path: 'sys/mounts/x', payload: { type: 'Service' } },
    reply: error(400, 'plugin not found in the catalog: Service'),
  },
  {
    name: 'a parameter of the caller',
    request: { method: 'POST', path: 'secret/data/a', payload: { data: {}, options: 'Service' } },
    reply: error(
      400,
      "error converting input Service for field \"options\": '' expected a map, got 'string'",
    ),
  },
  {
    name: 'a mount that is called like a field',
    request: {
      method: 'POST',
      path: 'sys/mounts/cid_list/orch_host',
      payload: { type: 'Service' },
    },
    reply: error(400, 'plugin not found in the catalog: Service'),
  },
  {
    name: 'a mount that is called like a field and is not there',
    request: { method: 'GET', path: 'sys/mounts/cid_list' },
    reply: error(400, 'No secret engine mount at cid_list/'),
  },
  {
    name: 'a path that is called like the CLI, a header and a field',
    request: { method: 'GET', path: "'secrets kv get/X-Secrets-Token/orch_namespace" },
    reply: error(
      404,
      `no handler for route "'secrets kv get/X-Secrets-Token/orch_namespace". route entry not found.`,
    ),
  },
  {
    name: 'a token role that is called like a field',
    request: { method: 'POST', path: 'auth/token/create/orch_role_name', payload: {} },
    reply: error(400, 'unknown role orch_role_name'),
  },
  {
    name: 'a parameter that is called like a field of another engine',
    request: {
      method: 'POST',
      path: 'secret/data/a',
      payload: { data: {}, cid_list: 1, ocid_list: 2 },
    },
    reply: {
      status: 200,
      body: expect.objectContaining({
        warnings: ['Endpoint ignored these unrecognized parameters: [cid_list ocid_list]'],
      }),
    },
  },
  {
    name: 'a policy in which fields are named',
    request: {
      method: 'POST',
      path: 'sys/policies/acl/a',
      payload: { policy: 'path "cid_list" { capabilities = ["orch_host"] }' },
    },
    reply: error(400, 'failed to parse policy: path "cid_list": invalid capability "orch_host"'),
  },
  {
    name: 'a field value that is called like a field',
    request: {
      method: 'POST',
      path: 'sys/mounts/x',
      payload: { type: 'kv', config: { listing_visibility: 'allowed_orch_namespaces' } },
    },
    reply: error(400, 'invalid listing_visibility allowed_orch_namespaces'),
  },
  {
    name: 'a lease that is revoked with sync',
    request: {
      method: 'PUT',
      path: 'sys/leases/revoke',
      payload: { lease_id: 'a/b', sync: true },
    },
    reply: noContent,
  },
  {
    name: 'leases that are revoked by force',
    request: { method: 'PUT', path: 'sys/leases/revoke-force/a' },
    reply: noContent,
  },
  {
    name: 'no token',
    request: { method: 'GET', path: 'kv/a', token: null },
    reply: error(403, 'permission denied'),
  },
  {
    name: 'an unknown path of the system',
    request: { method: 'GET', path: 'sys/none' },
    reply: multierrorReply(404, 'unsupported path'),
  },
]

async function ask(
  dialect: DialectName,
  request: AnyRequest,
  options: TestSettings['secrets'] = {},
): Promise<Reply> {
  const { secrets } = await servedSecrets({ dialect, secrets: options })
  return secrets.request(request)
}

describe('behaviour/secrets#vendor-switches: differences between the dialects', () => {
  test.each(differences)('$name', async ({ secrets, request, neutral, vendor }) => {
    expect(statusAndBody(await ask('neutral', request, secrets))).toEqual(neutral)
    expect(statusAndBody(await ask('vendor', request, secrets))).toEqual(vendor)
  })

  test.each(equal)('alike: $name', async ({ request, reply }) => {
    expect(statusAndBody(await ask('neutral', request))).toEqual(reply)
    expect(statusAndBody(await ask('vendor', request))).toEqual(reply)
  })

  test('stored secrets are not translated', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const pairs = { Service: 'Service is sealed', 'X-Secrets-Token': "'secrets kv get'" }
    await secrets.post('secret/data/a', { data: pairs })
    await secrets.post('kv/a', pairs)
    expect((await secrets.get('secret/data/a')).body.data.data).toEqual(pairs)
    expect((await secrets.get('kv/a')).body.data).toEqual(pairs)
  })
})

describe('behaviour/secrets#vendor-names: headers in either dialect', () => {
  const spellings = ['X-Secrets', 'X-Vault']

  test.each([
    ['neutral', 'x-secrets-namespace'],
    ['vendor', 'x-vault-namespace'],
  ] as const)('%s understands both and sends its own', async (dialect, echoed) => {
    const { secrets } = await servedSecrets({ dialect, secrets: { require_request_header: true } })
    for (const spelling of spellings) {
      const reply = await secrets.get('sys/mounts/kv', {
        token: null,
        headers: {
          [`${spelling}-Token`]: 'root',
          [`${spelling}-Request`]: 'true',
          [`${spelling}-Namespace`]: '/',
        },
      })
      expect([reply.status, reply.body.data.type]).toEqual([200, 'kv'])
      const own = Object.entries(reply.headers).filter(
        ([name]) => name.startsWith('x-') && name !== 'x-mock-request',
      )
      expect(own).toEqual([[echoed, '/']])
    }
  })

  test.each([
    [{ 'x-secrets-token': 'a' }, 'a'],
    [{ 'x-vault-token': 'b' }, 'b'],
    [{ 'x-secrets-token': 'a', 'x-vault-token': 'b' }, 'a'],
    [{ 'x-secrets-token': '', 'x-vault-token': 'b' }, 'b'],
    [{ 'x-secrets-token': 'a, b' }, 'a'],
    [{ 'x-secrets-token': ['a', 'b'] }, 'a'],
    [{ 'x-secrets-token': '' }, undefined],
    [{}, undefined],
  ])('the token in %j is %j', (headers, token) => {
    expect(apiHeader(headers, 'token') || undefined).toBe(token)
  })
})

describe('behaviour/secrets#callers-faults: faults of callers that the reference calls its own', () => {
  const { refuse } = defineMessages({
    fault: {
      kind: 'invalid',
      text: 'no role of this name',
      detail: { multierror: true, internalInReference: true },
    },
    away: {
      kind: 'upstream',
      text: 'the orchestrator is away',
      detail: { internalInReference: true },
    },
    plain: { kind: 'invalid', text: 'plain' },
  })

  test.each([
    ['neutral', 400, 502],
    ['vendor', 500, 500],
  ] as const)('%s', (name, multierrorStatus, plainStatus) => {
    const dialect = secretsDialect(name)
    expect(renderRefusal(refuse('fault'), dialect)).toEqual(
      multierrorReply(multierrorStatus, 'no role of this name'),
    )
    expect(renderRefusal(refuse('away'), dialect)).toEqual(
      error(plainStatus, 'the orchestrator is away'),
    )
    expect(renderRefusal(refuse('plain'), dialect)).toEqual(error(400, 'plain'))
  })
})
