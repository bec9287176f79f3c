import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { envelope, error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const path = 'sys/config/cors'
const page = 'https://app.example'

/** Returns the standard request headers with a dialect's prefix. */
const standard = (prefix: string) => [
  'Content-Type',
  'X-Requested-With',
  ...(prefix === 'X-Vault-' ? ['X-Vault-AWS-IAM-Server-ID'] : []),
  `${prefix}MFA`,
  `${prefix}No-Request-Forwarding`,
  `${prefix}Wrap-Format`,
  `${prefix}Wrap-TTL`,
  `${prefix}Policy-Override`,
  'Authorization',
  `${prefix}Token`,
]

/**
 * Returns a 200 reply that repeats the keys of data at top level (behaviour/secrets#body-kinds).
 */
const settings = (data: object) => ({ status: 200, body: { ...envelope({ data }), ...data } })

const off = settings({ enabled: false })

describe('behaviour/secrets#cors: sys/config/cors', () => {
  test('off in a fresh world: enabled alone', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(path))).toEqual(off)
  })

  test('POST 204, GET returns the settings, DELETE 204', async () => {
    const { secrets } = await servedSecrets()
    const origins = [page, 'http://localhost:3000']
    expect(statusAndBody(await secrets.post(path, { allowed_origins: origins }))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(path))).toEqual(
      settings({
        enabled: true,
        allowed_origins: origins,
        allowed_headers: standard('X-Secrets-'),
      }),
    )
    expect(statusAndBody(await secrets.delete(path))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(path))).toEqual(off)
    expect(statusAndBody(await secrets.delete(path))).toEqual(noContent)
  })

  // choice/secrets#cors-headers
  test('lists as comma texts; headers come after the standard ones, and are replaced', async () => {
    const { secrets } = await servedSecrets()
    await secrets.put(path, {
      allowed_origins: `${page}, http://b.example`,
      allowed_headers: 'X-A,X-B',
    })
    expect((await secrets.get(path)).body.data).toEqual({
      enabled: true,
      allowed_origins: [page, 'http://b.example'],
      allowed_headers: [...standard('X-Secrets-'), 'X-A', 'X-B'],
    })
    await secrets.post(path, { allowed_origins: '*' })
    expect((await secrets.get(path)).body.data).toEqual({
      enabled: true,
      allowed_origins: ['*'],
      allowed_headers: standard('X-Secrets-'),
    })
  })

  test('in the vendor dialect the standard headers have its names', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    await secrets.post(path, { allowed_origins: ['*'] })
    expect((await secrets.get(path)).body.data.allowed_headers).toEqual(standard('X-Vault-'))
  })

  // choice/secrets#cors-wildcard
  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('%s: origins that cannot be are %i and change nothing', async (dialect, status) => {
    const { secrets } = await servedSecrets({ dialect })
    const none = multierrorReply(status, 'at least one origin or the wildcard must be provided')
    for (const body of [undefined, {}, { allowed_origins: [] }, { allowed_origins: '' }]) {
      expect(statusAndBody(await secrets.post(path, body))).toEqual(none)
    }
    expect(statusAndBody(await secrets.post(path, { allowed_origins: [page, '*'] }))).toEqual(
      multierrorReply(
        status,
        "to allow all origins the '*' must be the only value for allowed_origins",
      ),
    )
    expect(statusAndBody(await secrets.get(path))).toEqual(off)
  })

  test('a value that is not a list is refused', async () => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.post(path, { allowed_origins: { a: 1 } })
    expect([status, body.errors]).toEqual([
      400,
      [
        expect.stringMatching(
          /^Field validation failed: error converting input .*"allowed_origins"/,
        ),
      ],
    ])
  })

  test('needs sudo', async () => {
    const { secrets, as } = await servedSecrets()
    const policy = (more: string) =>
      `path "${path}" { capabilities = ["read", "update", "delete"${more}] }`
    await secrets.post('sys/policies/acl/plain', { policy: policy('') })
    await secrets.post('sys/policies/acl/strong', { policy: policy(', "sudo"') })
    const client = async (name: string) => {
      const created = await secrets.post('auth/token/create', { policies: [name] })
      return as(created.body.auth.client_token)
    }
    const plain = await client('plain')
    const denied = multierrorReply(403, 'permission denied')
    expect(statusAndBody(await plain.get(path))).toEqual(denied)
    expect(statusAndBody(await plain.post(path, { allowed_origins: '*' }))).toEqual(denied)
    expect(statusAndBody(await plain.delete(path))).toEqual(denied)
    expect(statusAndBody(await (await client('strong')).get(path))).toEqual(off)
  })

  // choice/secrets#cors-namespaces
  test('is not there in namespaces', async () => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'team/')
    const headers = { 'x-secrets-namespace': 'team' }
    expect(statusAndBody(await secrets.get(path, { headers }))).toEqual(
      error(400, 'operation unavailable in namespaces'),
    )
  })
})
