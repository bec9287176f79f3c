import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  type Lease,
  type LeaseSpec,
  registerLease,
} from '../../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { requireUsableToken } from '../../../../state/secrets/tokens/tokens.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

function register(world: World, spec: Partial<LeaseSpec> = {}): Lease {
  return registerLease(world, {
    namespace: rootNamespace,
    path: 'orch/creds/reader',
    token: requireUsableToken(world, 'root'),
    renewable: true,
    ttl: 3600,
    ...spec,
  })
}

describe('behaviour/secrets#leases: lookup', () => {
  test('returns the times of a lease', async () => {
    const { secrets, world, clock } = await servedSecrets()
    const { id } = register(world)
    clock.advance(60_500)
    const data = {
      id,
      issue_time: '2026-01-01T00:00:00Z',
      expire_time: '2026-01-01T01:00:00Z',
      last_renewal: null,
      renewable: true,
      ttl: 3539,
    }
    expect(statusAndBody(await secrets.put('sys/leases/lookup', { lease_id: id }))).toEqual(
      ok({ data }),
    )

    await secrets.put('sys/leases/renew', { lease_id: id, increment: '2h' })
    expect(statusAndBody(await secrets.post('sys/leases/lookup', { lease_id: id }))).toEqual(
      ok({
        data: {
          ...data,
          expire_time: '2026-01-01T02:01:00.5Z',
          last_renewal: '2026-01-01T00:01:00.5Z',
          ttl: 7199,
        },
      }),
    )
  })

  test('lists folder by folder', async () => {
    const { secrets, world } = await servedSecrets()
    const { id } = register(world)
    const name = id.slice('orch/creds/reader/'.length)
    expect(statusAndBody(await secrets.list('sys/leases/lookup'))).toEqual(
      ok({ data: { keys: ['orch/'] } }),
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup/orch/creds'))).toEqual(
      ok({ data: { keys: ['reader/'] } }),
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup/orch/creds/reader/'))).toEqual(
      ok({ data: { keys: [name] } }),
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup/kv'))).toEqual(error(404))
  })

  test('of an unknown or expired lease is refused', async () => {
    const { secrets, world, clock } = await servedSecrets()
    const { id } = register(world)
    clock.advance(3_600_000)
    for (const lease_id of ['ghost', id]) {
      expect(statusAndBody(await secrets.put('sys/leases/lookup', { lease_id }))).toEqual(
        error(400, 'invalid lease'),
      )
    }
  })
})

describe.each(['sys/leases', 'sys'])('behaviour/secrets#leases: %s/renew', (base) => {
  test('a lease can be named in the body or in the path', async () => {
    const { secrets, world, clock } = await servedSecrets()
    const { id } = register(world)
    clock.advance(60_000)
    expect(
      statusAndBody(await secrets.put(`${base}/renew`, { lease_id: id, increment: 100 })),
    ).toEqual(ok({ lease_id: id, renewable: true, lease_duration: 100 }))
    expect(statusAndBody(await secrets.post(`${base}/renew/${id}`))).toEqual(
      ok({ lease_id: id, renewable: true, lease_duration: 100 }),
    )
    expect(statusAndBody(await secrets.put(`${base}/renew/${id}`, { increment: '1000h' }))).toEqual(
      ok({
        lease_id: id,
        renewable: true,
        lease_duration: 2_764_740,
        warnings: [
          'TTL of "1000h" exceeded the effective max_ttl of "767h59m"; TTL value is capped accordingly',
        ],
      }),
    )
  })

  test('a missing, unknown or non-renewable lease cannot be renewed', async () => {
    const { secrets, world } = await servedSecrets()
    const fixed = register(world, { renewable: false })
    const renew = (body: object) => secrets.put(`${base}/renew`, body).then(statusAndBody)
    expect(await renew({})).toEqual(error(400, 'lease_id must be specified'))
    expect(await renew({ lease_id: 'ghost' })).toEqual(error(400, 'lease not found'))
    expect(await renew({ lease_id: fixed.id })).toEqual(error(400, 'lease is not renewable'))
    // Fields are validated before the lease is looked up.
    expect(await renew({ increment: -5 })).toEqual(
      error(
        400,
        'Field validation failed: error converting input -5 for field "increment": cannot provide negative value \'-5\'',
      ),
    )
    expect(await renew({ lease_id: fixed.id, increment: 'x' })).toEqual(
      error(
        400,
        'Field validation failed: error converting input x for field "increment": time: invalid duration "x"',
      ),
    )
  })

  test.each([
    [true, 'tokens cannot be renewed through this endpoint'],
    [false, 'lease is not renewable'],
  ])('a lease of a token that has renewable: %s is refused', async (renewable, text) => {
    const { secrets } = await servedSecrets()
    await secrets.post('auth/token/create', { policies: ['default'], renewable })
    const listed = await secrets.list('sys/leases/lookup/auth/token/create')
    const lease_id = `auth/token/create/${listed.body.data.keys[0]}`
    expect(statusAndBody(await secrets.put(`${base}/renew`, { lease_id }))).toEqual(
      error(400, text),
    )
    expect(statusAndBody(await secrets.post(`${base}/renew/${lease_id}`))).toEqual(error(400, text))
  })
})

describe.each(['sys/leases', 'sys'])('behaviour/secrets#leases: %s/revoke', (base) => {
  test('leases are revoked by body and by path; an unknown lease is ignored', async () => {
    const { secrets, world } = await servedSecrets()
    const [one, two] = [register(world), register(world)]
    expect(statusAndBody(await secrets.put(`${base}/revoke`, { lease_id: one.id }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post(`${base}/revoke/${two.id}`, { sync: true }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.put(`${base}/revoke`, { lease_id: 'ghost' }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup'))).toEqual(error(404))
    expect(statusAndBody(await secrets.put(`${base}/revoke`, {}))).toEqual(
      error(400, 'lease_id must be specified'),
    )
  })

  test.each(['neutral', 'vendor'] as const)(
    '%s: `sync` is on; only without it the vendor does it later',
    async (dialect) => {
      const { secrets } = await servedSecrets({ dialect })
      const later = dialect === 'vendor' ? 202 : 204
      const statusOf = async (path: string, body: object) =>
        (await secrets.put(`${base}/${path}`, body)).status
      for (const sync of [{}, { sync: true }]) {
        expect(await statusOf('revoke', { lease_id: 'ghost', ...sync })).toBe(204)
        expect(await statusOf('revoke-prefix/orch', sync)).toBe(204)
      }
      expect(await statusOf('revoke', { lease_id: 'ghost', sync: false })).toBe(later)
      expect(await statusOf('revoke/ghost', { sync: false })).toBe(later)
      expect(await statusOf('revoke-prefix/orch', { sync: false })).toBe(later)
      expect(await statusOf('revoke-force/orch', {})).toBe(204)
    },
  )

  test.each(['revoke-prefix', 'revoke-force'])('%s, tokens included', async (verb) => {
    const { secrets, world, as } = await servedSecrets()
    register(world)
    const created = await secrets.post('auth/token/create', { policies: ['default'] })
    const token = String(created.body.auth.client_token)
    expect(statusAndBody(await secrets.put(`${base}/${verb}/orch/creds`))).toEqual(noContent)
    expect(statusAndBody(await secrets.list('sys/leases/lookup'))).toEqual(
      ok({ data: { keys: ['auth/'] } }),
    )
    expect(statusAndBody(await secrets.put(`${base}/${verb}/auth/token`))).toEqual(noContent)
    expect(statusAndBody(await as(token).get('auth/token/lookup-self'))).toEqual(
      error(403, 'permission denied'),
    )
  })
})

describe('behaviour/secrets#leases: leases that need sudo', () => {
  const policy = (capabilities: string) => `path "sys/leases/*" { capabilities = ${capabilities} }`

  test.each([
    ['GET', 'lookup/orch?list=true', ok({ data: { keys: ['creds/'] } })],
    ['PUT', 'revoke-prefix/orch', noContent],
    ['PUT', 'revoke-force/orch', noContent],
  ])('%s sys/leases/%s', async (method, path, expected) => {
    const { secrets, world } = await servedSecrets()
    register(world)
    await secrets.post('sys/policies/acl/weak', { policy: policy('["list", "update"]') })
    await secrets.post('sys/policies/acl/strong', { policy: policy('["list", "update", "sudo"]') })
    const ask = async (name: string) => {
      const created = await secrets.post('auth/token/create', { policies: [name] })
      const token = String(created.body.auth.client_token)
      return statusAndBody(await secrets.request({ method, path: `sys/leases/${path}`, token }))
    }

    expect(await ask('weak')).toEqual(multierrorReply(403, 'permission denied'))
    expect(await ask('strong')).toEqual(expected)
  })
})
