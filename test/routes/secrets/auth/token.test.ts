import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { okAuth, tokenServer } from './tokens.ts'

const refused = error(403, 'permission denied')

describe('behaviour/secrets#tokens: looking tokens up', () => {
  test('a look-up shows the properties of a child of root, before and after a renewal', async () => {
    const { createToken, secrets, clock } = await tokenServer()
    const { id, accessor, client } = await createToken({ ttl: '1h', meta: { a: 'b' }, num_uses: 9 })
    const data = {
      accessor,
      creation_time: 1_767_225_600,
      creation_ttl: 3600,
      display_name: 'token',
      entity_id: '',
      expire_time: '2026-01-01T01:00:00Z',
      explicit_max_ttl: 0,
      id,
      issue_time: '2026-01-01T00:00:00Z',
      meta: { a: 'b' },
      num_uses: 9,
      orphan: false,
      path: 'auth/token/create',
      policies: ['default'],
      renewable: true,
      ttl: 3600,
      type: 'service',
    }
    expect(statusAndBody(await secrets.post('auth/token/lookup', { token: id }))).toEqual(
      ok({ data }),
    )
    expect(statusAndBody(await secrets.post('auth/token/lookup-accessor', { accessor }))).toEqual(
      ok({ data: { ...data, id: '' } }),
    )
    clock.advance(90_250)
    await client.post('auth/token/renew-self')
    expect(statusAndBody(await client.get('auth/token/lookup-self'))).toEqual(
      ok({
        data: {
          ...data,
          expire_time: '2026-01-01T01:01:30.25Z',
          last_renewal: '2026-01-01T00:01:30.25Z',
          last_renewal_time: 1_767_225_690,
          num_uses: 7,
        },
      }),
    )
  })

  test('the root token has neither issue_time nor renewable', async () => {
    const { secrets } = await tokenServer()
    const expected = ok({
      data: {
        accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
        creation_time: 1_767_225_600,
        creation_ttl: 0,
        display_name: 'root',
        entity_id: '',
        expire_time: null,
        explicit_max_ttl: 0,
        id: 'root',
        meta: null,
        num_uses: 0,
        orphan: true,
        path: 'auth/token/root',
        policies: ['root'],
        ttl: 0,
        type: 'service',
      },
    })
    expect(statusAndBody(await secrets.get('auth/token/lookup-self'))).toEqual(expected)
    expect(statusAndBody(await secrets.post('auth/token/lookup-self'))).toEqual(expected)
    expect(statusAndBody(await secrets.get('auth/token/lookup'))).toEqual(expected)
    expect(statusAndBody(await secrets.post('auth/token/lookup', {}))).toEqual(expected)
  })

  test('a lookup shows the period and the explicit maximum', async () => {
    const { createToken } = await tokenServer()
    const { client } = await createToken({ period: 60, explicit_max_ttl: 90 })
    expect((await client.get('auth/token/lookup-self')).body.data).toMatchObject({
      period: 60,
      explicit_max_ttl: 90,
      creation_ttl: 60,
    })
  })

  test('a look-up of a batch token shows no accessor', async () => {
    const { createToken } = await tokenServer()
    const { id, client } = await createToken({ type: 'batch', ttl: 60 })
    expect((await client.get('auth/token/lookup-self')).body.data).toMatchObject({
      id,
      accessor: '',
      type: 'batch',
      ttl: 60,
      renewable: false,
    })
  })

  test('unknown tokens are 403, unknown accessors 400', async () => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/lookup', { token: 'nobody' }))).toEqual(
      error(403, 'bad token'),
    )
    expect(
      statusAndBody(await secrets.post('auth/token/lookup-accessor', { accessor: 'nobody' })),
    ).toEqual(multierrorReply(400, 'invalid accessor'))
    expect(statusAndBody(await secrets.post('auth/token/lookup-accessor', {}))).toEqual(
      multierrorReply(400, 'missing accessor'),
    )
  })
})

describe('behaviour/secrets#tokens: renewing tokens', () => {
  test('renew, renew-self and renew-accessor', async () => {
    const { createToken, secrets } = await tokenServer()
    const { id, accessor, client } = await createToken({ ttl: 60 })
    const known = { client_token: id, accessor }
    expect(
      statusAndBody(await secrets.post('auth/token/renew', { token: id, increment: '2m' })),
    ).toEqual(okAuth({ ...known, lease_duration: 120 }))
    expect(statusAndBody(await client.post('auth/token/renew-self', {}))).toEqual(
      okAuth({ ...known, lease_duration: 120 }),
    )
    expect(
      statusAndBody(await secrets.post('auth/token/renew-accessor', { accessor, increment: 30 })),
    ).toEqual(okAuth({ ...known, client_token: '', lease_duration: 30 }))
    expect(
      statusAndBody(await client.post('auth/token/renew-self', { increment: '1000h' })),
    ).toEqual(
      okAuth({ ...known, lease_duration: 2_764_800 }, [
        'TTL of "1000h" exceeded the effective max_ttl of "768h"; TTL value is capped accordingly',
      ]),
    )
  })

  test('behaviour/secrets#notation: in the second of its creation nothing is cut, an hour later one is', async () => {
    const { createToken, clock } = await tokenServer()
    clock.advance(400)
    const { client } = await createToken({})
    clock.advance(599)
    expect((await client.post('auth/token/renew-self', {})).body.warnings).toBeNull()
    clock.advance(3_600_001)
    expect((await client.post('auth/token/renew-self', {})).body.warnings).toEqual([
      'TTL of "768h" exceeded the effective max_ttl of "766h59m59s"; TTL value is capped accordingly',
    ])
  })

  test.each([
    [{}, error(400, 'missing token ID')],
    [{ token: 'nobody' }, error(400, 'token not found')],
    [{ token: 'root' }, error(400, 'invalid lease ID')],
  ])('renew %j is refused', async (body, expected) => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/renew', body))).toEqual(expected)
  })

  test('tokens that are not renewable are refused', async () => {
    const { createToken, secrets } = await tokenServer()
    const fixed = await createToken({ renewable: false })
    const batch = await createToken({ type: 'batch' })
    expect(statusAndBody(await fixed.client.post('auth/token/renew-self'))).toEqual(
      error(400, 'lease is not renewable'),
    )
    expect(statusAndBody(await batch.client.post('auth/token/renew-self'))).toEqual(
      error(400, 'batch tokens cannot be renewed'),
    )
    expect(statusAndBody(await secrets.post('auth/token/renew-self'))).toEqual(
      error(400, 'invalid lease ID'),
    )
    expect(
      statusAndBody(await secrets.post('auth/token/renew-accessor', { accessor: 'x' })),
    ).toEqual(multierrorReply(400, 'invalid accessor'))
  })
})

describe('behaviour/secrets#tokens: revoking tokens', () => {
  /** Creates a token and its child, and returns a client for each. */
  async function family() {
    const server = await tokenServer()
    const policy = 'path "auth/token/create" { capabilities = ["update"] }'
    const parent = await server.createTokenWith(policy)
    const { body } = await parent.client.post('auth/token/create', {})
    const childId = String(body.auth.client_token)
    const alive = async (token: string) =>
      (await server.as(token).get('auth/token/lookup-self')).status === 200
    return { ...server, parent, childId, alive }
  }

  test.each([
    ['revoke', (id: string) => ({ token: id })],
    ['revoke-accessor', (_: string, accessor: string) => ({ accessor })],
    ['revoke-self', () => ({})],
  ])('%s: children are revoked as well', async (verb, body) => {
    const { secrets, parent, childId, alive } = await family()
    const client = verb === 'revoke-self' ? parent.client : secrets
    const reply = await client.post(`auth/token/${verb}`, body(parent.id, parent.accessor))
    expect(statusAndBody(reply)).toEqual(noContent)
    expect([await alive(parent.id), await alive(childId)]).toEqual([false, false])
  })

  test('revoke-orphan: children live on as orphans', async () => {
    const { secrets, parent, childId, alive, as } = await family()
    expect(
      statusAndBody(await secrets.post('auth/token/revoke-orphan', { token: parent.id })),
    ).toEqual(noContent)
    expect(await alive(parent.id)).toBe(false)
    expect((await as(childId).get('auth/token/lookup-self')).body.data.orphan).toBe(true)
  })

  test('revoke-orphan needs sudo', async () => {
    const { createTokenWith } = await tokenServer()
    const policy = (more: string) =>
      `path "auth/token/revoke-orphan" { capabilities = ["update"${more}] }`
    const weak = await createTokenWith(policy(''))
    const strong = await createTokenWith(policy(', "sudo"'))
    const body = { token: weak.id }
    expect(statusAndBody(await weak.client.post('auth/token/revoke-orphan', body))).toEqual(
      error(400, 'root or sudo privileges required to revoke and orphan'),
    )
    expect((await weak.client.post('auth/token/revoke-orphan', {})).body.errors).toEqual([
      'missing token ID',
    ])
    const none = await createTokenWith('')
    expect(statusAndBody(await none.client.post('auth/token/revoke-orphan', body))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect(statusAndBody(await strong.client.post('auth/token/revoke-orphan', body))).toEqual(
      noContent,
    )
  })

  test('an unknown token is accepted except by revoke-orphan; an unknown accessor causes a warning', async () => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/revoke', { token: 'nobody' }))).toEqual(
      noContent,
    )
    expect(
      statusAndBody(await secrets.post('auth/token/revoke-orphan', { token: 'nobody' })),
    ).toEqual(error(400, 'token to revoke not found'))
    expect(
      statusAndBody(await secrets.post('auth/token/revoke-accessor', { accessor: 'nobody' })),
    ).toEqual(ok({ warnings: ['No token found with this accessor'] }))
  })

  test('a missing token and a batch token cannot be revoked', async () => {
    const { secrets, createToken } = await tokenServer()
    const batch = await createToken({ type: 'batch' })
    for (const verb of ['revoke', 'revoke-orphan']) {
      expect(statusAndBody(await secrets.post(`auth/token/${verb}`, {}))).toEqual(
        error(400, 'missing token ID'),
      )
      expect(statusAndBody(await secrets.post(`auth/token/${verb}`, { token: batch.id }))).toEqual(
        error(400, 'batch tokens cannot be revoked'),
      )
    }
    expect(statusAndBody(await batch.client.post('auth/token/revoke-self'))).toEqual(
      error(400, 'batch tokens cannot be revoked'),
    )
    expect(statusAndBody(await secrets.post('auth/token/revoke-accessor', {}))).toEqual(
      multierrorReply(400, 'missing accessor'),
    )
  })
})

describe('behaviour/secrets#tokens: accessors', () => {
  test('of all tokens, with sudo', async () => {
    const { secrets, createToken, createTokenWith } = await tokenServer()
    const root = String((await secrets.get('auth/token/lookup-self')).body.data.accessor)
    const child = await createToken()
    await createToken({ type: 'batch' })
    expect(statusAndBody(await secrets.list('auth/token/accessors'))).toEqual(
      ok({ data: { keys: [root, child.accessor].sort() } }),
    )
    const weak = await createTokenWith('path "auth/token/accessors" { capabilities = ["list"] }')
    expect(statusAndBody(await weak.client.list('auth/token/accessors'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })
})

describe('behaviour/secrets#conventions and behaviour/secrets#system: callers and their rights', () => {
  test('a token ends on time', async () => {
    const { createToken, clock } = await tokenServer()
    const { client } = await createToken({ ttl: 60 })
    clock.advance(59_999)
    expect((await client.get('auth/token/lookup-self')).status).toBe(200)
    clock.advance(1)
    expect(statusAndBody(await client.get('auth/token/lookup-self'))).toEqual(refused)
  })

  // choice/secrets#last-use
  test('every call counts, even a refused one; the last one is still answered', async () => {
    const { createToken } = await tokenServer()
    const { client } = await createToken({ num_uses: 3 })
    expect((await client.get('auth/token/lookup-self')).body.data.num_uses).toBe(2)
    expect(statusAndBody(await client.get('secret/data/a'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect((await client.get('auth/token/lookup-self')).status).toBe(200)
    expect(statusAndBody(await client.get('auth/token/lookup-self'))).toEqual(refused)
  })

  test('policies are enforced on engines: create for new secrets, update for old ones', async () => {
    const { createTokenWith } = await tokenServer()
    const { client } = await createTokenWith(`
      path "kv/new" { capabilities = ["create"] }
      path "kv/old" { capabilities = ["create", "update"] }`)
    const denied = multierrorReply(403, 'permission denied')
    for (const path of ['kv/new', 'kv/old']) {
      expect(statusAndBody(await client.post(path, { a: 1 }))).toEqual(noContent)
    }
    expect(statusAndBody(await client.post('kv/new', { a: 2 }))).toEqual(denied)
    expect(statusAndBody(await client.post('kv/old', { a: 2 }))).toEqual(noContent)
    expect(statusAndBody(await client.get('kv/old'))).toEqual(denied)
    expect(statusAndBody(await client.get('nowhere/at/all'))).toEqual(denied)
  })
})

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#tokens, %s: renewals that are refused',
  (dialect) => {
    test('a negative increment is reported before the token is looked up', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const text =
        'Field validation failed: error converting input -5 for field "increment": cannot provide negative value \'-5\''
      const bodies = {
        renew: { token: 'nobody' },
        'renew-self': {},
        'renew-accessor': { accessor: 'nobody' },
      }
      for (const [verb, body] of Object.entries(bodies)) {
        const reply = await secrets.post(`auth/token/${verb}`, { ...body, increment: -5 })
        expect(statusAndBody(reply)).toEqual(error(400, text))
      }
    })

    test('a root token that another made has a lease without an end, which is not renewable', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const { auth } = (await secrets.post('auth/token/create', { policies: ['root'] })).body
      expect(auth).toMatchObject({ policies: ['root'], lease_duration: 0, renewable: false })
      const created = as(auth.client_token)
      expect((await created.get('auth/token/lookup-self')).body.data).toMatchObject({
        expire_time: null,
        issue_time: '2026-01-01T00:00:00Z',
        renewable: false,
        ttl: 0,
      })
      expect(statusAndBody(await created.post('auth/token/renew-self'))).toEqual(
        error(400, 'lease is not renewable'),
      )
    })

    test('by accessor, no reason is given', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { body } = await secrets.post('auth/token/create', { renewable: false, ttl: 60 })
      const root = (await secrets.get('auth/token/lookup-self')).body.data.accessor
      for (const accessor of [body.auth.accessor, root]) {
        expect(
          statusAndBody(await secrets.post('auth/token/renew-accessor', { accessor })),
        ).toEqual(multierrorReply(400, 'invalid request'))
      }
    })

    test('during its last use a token shows -1 uses; it can no longer renew itself', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const limited = async () => {
        const created = await secrets.post('auth/token/create', {
          policies: ['default'],
          num_uses: 1,
        })
        return as(created.body.auth.client_token)
      }
      const reader = await limited()
      expect((await reader.get('auth/token/lookup-self')).body.data.num_uses).toBe(-1)
      expect(statusAndBody(await reader.get('auth/token/lookup-self'))).toEqual(refused)
      expect(statusAndBody(await (await limited()).post('auth/token/renew-self'))).toEqual(
        error(400, 'token not found'),
      )
      expect(statusAndBody(await (await limited()).post('auth/token/revoke-self'))).toEqual(
        noContent,
      )
      expect(statusAndBody(await (await limited()).post('cubbyhole/a', { x: 1 }))).toEqual(
        noContent,
      )
    })
  },
)
