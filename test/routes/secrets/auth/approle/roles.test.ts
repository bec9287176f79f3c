import { describe, expect, test } from 'vitest'
import { secretIds } from '../../../../../state/secrets/approle/secret-ids.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../../replies.ts'
import { approleServer } from './approle.ts'

const fresh = {
  bind_secret_id: true,
  local_secret_ids: false,
  secret_id_bound_cidrs: null,
  secret_id_num_uses: 0,
  secret_id_ttl: 0,
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: 'default',
}

const unreadable = (text: string) =>
  `error parsing address "${text}": Unable to convert "${text}" to an IPv4 or IPv6 address, or a UNIX Socket`

describe('behaviour/secrets#approle: the method', () => {
  test('is mounted by nobody, and by several paths', async () => {
    const { secrets } = await approleServer()
    await secrets.post('sys/auth/team/apps', { type: 'approle' })
    await secrets.post('auth/team/apps/role/app', {})
    expect((await secrets.get('auth/team/apps/role/app/role-id')).body.data.role_id).not.toBe(
      (await secrets.get('auth/approle/role/app/role-id')).body.data.role_id,
    )
    expect((await secrets.get('sys/auth')).body['approle/'].accessor).toMatch(
      /^auth_approle_[0-9a-f]{8}$/,
    )
  })

  test('ends with its roles, secret ids and tokens', async () => {
    const { secrets, as, logIn, at, world } = await approleServer()
    const { client_token } = await logIn()
    expect(statusAndBody(await secrets.delete('sys/auth/approle'))).toEqual(noContent)
    expect((await as(client_token).get('auth/token/lookup-self')).status).toBe(403)
    await secrets.post('sys/auth/approle', { type: 'approle' })
    expect(statusAndBody(await secrets.get(at()))).toEqual(error(404))
    expect([...world.table(secretIds).entries()]).toEqual([])
  })

  test.each(['-app', 'app-', 'a b', 'app.'])('a role %j cannot exist', async (name) => {
    const { secrets } = await approleServer()
    expect(
      statusAndBody(await secrets.post(`auth/approle/role/${encodeURIComponent(name)}`, {})),
    ).toEqual(multierrorReply(404, 'unsupported path'))
  })

  test('names are kept in lower case, and not too long', async () => {
    const { secrets } = await approleServer()
    await secrets.post('auth/approle/role/Team.App-1', {})
    expect((await secrets.list('auth/approle/role')).body.data.keys).toEqual(['app', 'team.app-1'])
    expect(statusAndBody(await secrets.post(`auth/approle/role/${'a'.repeat(4097)}`, {}))).toEqual(
      error(400, 'role_name is longer than maximum of 4096 bytes'),
    )
  })
})

describe('behaviour/secrets#approle-roles', () => {
  test('a fresh role has the usual values, and no role id in its reply', async () => {
    const { secrets, at } = await approleServer()
    expect(statusAndBody(await secrets.get(at()))).toEqual(ok({ data: fresh }))
    expect(Object.keys((await secrets.get(at())).body.data)).toEqual(Object.keys(fresh))
  })

  test('a write changes only the members in its body', async () => {
    const { secrets, at } = await approleServer({
      secret_id_ttl: '10m',
      secret_id_num_uses: 3,
      secret_id_bound_cidrs: '127.0.0.0/8,10.0.0.0/8',
      token_policies: 'a, B',
      token_bound_cidrs: '10.0.0.1/32',
      token_ttl: 60,
    })
    await secrets.post(at(), { token_ttl: '2m', bind_secret_id: false })
    expect((await secrets.get(at())).body.data).toEqual({
      ...fresh,
      bind_secret_id: false,
      secret_id_ttl: 600,
      secret_id_num_uses: 3,
      secret_id_bound_cidrs: ['127.0.0.0/8', '10.0.0.0/8'],
      token_policies: ['a', 'B'],
      token_bound_cidrs: ['10.0.0.1'],
      token_ttl: 120,
    })
  })

  test('old names set values and appear in replies until the new names are written', async () => {
    const { secrets, at } = await approleServer({ policies: 'b,A,b', period: '1h' })
    expect((await secrets.get(at())).body.data).toEqual({
      ...fresh,
      token_policies: ['a', 'b'],
      policies: ['a', 'b'],
      token_period: 3600,
      period: 3600,
    })
    await secrets.post(at(), { token_policies: 'c', policies: 'd', token_period: 5 })
    const { data } = (await secrets.get(at())).body
    expect(data).toEqual({ ...fresh, token_policies: ['c'], policies: ['c'], token_period: 5 })
    await secrets.post(at(), { token_policies: 'e' })
    expect((await secrets.get(at())).body.data).toEqual({
      ...fresh,
      token_policies: ['e'],
      token_period: 5,
    })
    await secrets.post(at(), { bound_cidr_list: '127.0.0.1/32' })
    expect((await secrets.get(at())).body.data.secret_id_bound_cidrs).toEqual(['127.0.0.1/32'])
  })

  test('an absent one is 404; deleting one ends its secret ids', async () => {
    const { secrets, at, login, roleId, secretId } = await approleServer()
    const [id, { secret_id }] = [await roleId(), await secretId()]
    expect(statusAndBody(await secrets.delete(at()))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(at()))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(at()))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('auth/approle/role'))).toEqual(error(404))
    await secrets.post(at(), { role_id: id })
    expect(statusAndBody(await login({ role_id: id, secret_id }))).toEqual(
      error(400, 'invalid role or secret ID'),
    )
  })

  test.each<[object, string[]]>([
    [
      { token_max_ttl: '800h' },
      [
        "token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
      ],
    ],
    [
      { token_type: 'default-service' },
      ['default-service has no useful meaning; adjusting to service'],
    ],
    [{ token_type: 'default-batch' }, ['default-batch has no useful meaning; adjusting to batch']],
  ])('%j is remarked upon', async (role, warnings) => {
    const { secrets, at } = await approleServer()
    expect(statusAndBody(await secrets.post(at(), role))).toEqual(ok({ warnings }))
    const type = (await secrets.get(at())).body.data.token_type
    expect(type).toBe('token_type' in role ? String(role.token_type).slice(8) : 'default')
  })

  test.each<[object, string]>([
    [{ token_bound_cidrs: 'x' }, unreadable('x')],
    [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    [{ token_type: 'zz' }, 'invalid \'token_type\' value "zz"'],
    [{ token_ttl: 2, token_max_ttl: 1 }, "'token_ttl' cannot be greater than 'token_max_ttl'"],
    [
      { token_type: 'batch', token_period: 1 },
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens",
    ],
    [
      { token_type: 'default-batch', token_num_uses: 1 },
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
    ],
    [{ local_secret_ids: true }, 'local_secret_ids can only be modified during role creation'],
    [{ role_id: '' }, 'invalid role_id supplied, or failed to generate a role_id'],
    [{ secret_id_num_uses: -1 }, 'secret_id_num_uses cannot be negative'],
    [
      { period: '769h' },
      'period of "769h0m0s" is greater than the backend\'s maximum lease TTL of "768h0m0s"',
    ],
  ])('%j is 400 and changes nothing', async (role, text) => {
    const { secrets, at } = await approleServer()
    expect(statusAndBody(await secrets.post(at(), role))).toEqual(error(400, text))
    expect((await secrets.get(at())).body.data).toEqual(fresh)
  })

  test.each<[object, string]>([
    [
      { secret_id_bound_cidrs: '127.0.0.1' },
      'failed to validate CIDR blocks: invalid CIDR address: 127.0.0.1',
    ],
    [{ bind_secret_id: false }, 'at least one constraint should be enabled on the role'],
    [{ role_id: 'taken' }, 'role_id already in use'],
  ])('%j is 400, and 500 as the reference has it', async (role, text) => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { secrets, at } = await approleServer({}, { dialect })
      await secrets.post('auth/approle/role/other', { role_id: 'taken' })
      expect(statusAndBody(await secrets.post(at(), role))).toEqual(multierrorReply(status, text))
    }
  })

  test('writes need create for a new role and update for one that is there', async () => {
    const { secrets, as, at } = await approleServer()
    await secrets.post('sys/policies/acl/maker', {
      policy: 'path "auth/approle/role/*" { capabilities = ["create"] }',
    })
    const { body } = await secrets.post('auth/token/create', { policies: ['maker'] })
    const maker = as(body.auth.client_token)
    expect((await maker.post('auth/approle/role/new', {})).status).toBe(204)
    expect((await maker.post(at(), {})).status).toBe(403)
  })
})

describe('behaviour/secrets#approle-properties', () => {
  test.each<[string, object, object]>([
    ['policies', { token_policies: 'b,A' }, { token_policies: ['a', 'b'] }],
    ['policies', { policies: 'b,A' }, { token_policies: ['a', 'b'], policies: ['a', 'b'] }],
    ['period', { period: '1m' }, { token_period: 60, period: 60 }],
    ['bind-secret-id', { bind_secret_id: true }, { bind_secret_id: true }],
    ['secret-id-num-uses', { secret_id_num_uses: 4 }, { secret_id_num_uses: 4 }],
    ['secret-id-ttl', { secret_id_ttl: '1m' }, { secret_id_ttl: 60 }],
    ['token-num-uses', { token_num_uses: 4 }, { token_num_uses: 4 }],
    ['token-ttl', { token_ttl: 4 }, { token_ttl: 4 }],
    ['token-max-ttl', { token_max_ttl: 4 }, { token_max_ttl: 4 }],
    [
      'secret-id-bound-cidrs',
      { secret_id_bound_cidrs: '10.0.0.0/8' },
      { secret_id_bound_cidrs: ['10.0.0.0/8'] },
    ],
    ['bound-cidr-list', { bound_cidr_list: '10.0.0.0/8' }, { bound_cidr_list: null }],
    [
      'token-bound-cidrs',
      { token_bound_cidrs: '10.0.0.1/32' },
      { token_bound_cidrs: ['10.0.0.1'] },
    ],
  ])('%s takes %j, and its usual value', async (property, input, rendered) => {
    const { secrets, at } = await approleServer()
    const path = at(`/${property}`)
    const before = (await secrets.get(path)).body.data
    expect(statusAndBody(await secrets.post(path, input))).toEqual(noContent)
    expect((await secrets.get(path)).body.data).toEqual(rendered)
    expect(statusAndBody(await secrets.delete(path))).toEqual(noContent)
    expect((await secrets.get(path)).body.data).toEqual(before)
    await secrets.delete(at())
    expect(statusAndBody(await secrets.get(path))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete(path))).toEqual(noContent)
    expect(statusAndBody(await secrets.post(path, input))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })

  test.each<[string, object, string]>([
    ['policies', {}, 'missing token_policies'],
    ['period', {}, 'missing period'],
    ['secret-id-ttl', {}, 'missing secret_id_ttl'],
    ['role-id', { role_id: '' }, 'missing role_id'],
    ['secret-id-num-uses', { secret_id_num_uses: -1 }, 'secret_id_num_uses cannot be negative'],
    ['token-ttl', { token_ttl: 11 }, 'token_ttl should not be greater than token_max_ttl'],
    [
      'token-max-ttl',
      { token_max_ttl: 4 },
      'token_max_ttl should be greater than or equal to token_ttl',
    ],
    ['secret-id-bound-cidrs', { secret_id_bound_cidrs: [] }, 'missing bound_cidr_list'],
    [
      'bound-cidr-list',
      { bound_cidr_list: 'x' },
      'failed to validate CIDR blocks: invalid CIDR address: x',
    ],
    [
      'token-bound-cidrs',
      { token_bound_cidrs: 'x' },
      `failed to parse token_bound_cidrs: ${unreadable('x')}`,
    ],
  ])('%s refuses %j', async (property, input, text) => {
    const { secrets, at } = await approleServer({ token_ttl: 5, token_max_ttl: 10 })
    expect(statusAndBody(await secrets.post(at(`/${property}`), input))).toEqual(error(400, text))
  })

  test('networks of tokens are null if there are none', async () => {
    const { secrets, at } = await approleServer()
    const rendered = async () => (await secrets.get(at('/token-bound-cidrs'))).body.data
    expect(await rendered()).toEqual({ token_bound_cidrs: null })
    await secrets.post(at('/token-bound-cidrs'), { token_bound_cidrs: '10.0.0.0/8' })
    expect(statusAndBody(await secrets.post(at('/token-bound-cidrs'), {}))).toEqual(noContent)
    expect(await rendered()).toEqual({ token_bound_cidrs: ['10.0.0.0/8'] })
    await secrets.delete(at('/token-bound-cidrs'))
    expect(await rendered()).toEqual({ token_bound_cidrs: null })
  })

  test('networks that are left out change nothing', async () => {
    const { secrets, at } = await approleServer({ secret_id_bound_cidrs: '10.0.0.0/8' })
    expect(statusAndBody(await secrets.post(at('/secret-id-bound-cidrs'), {}))).toEqual(noContent)
    expect((await secrets.get(at('/bound-cidr-list'))).body).toMatchObject({
      data: { bound_cidr_list: null },
      warnings: [
        'The "bound_cidr_list" field is deprecated and will be removed. Please use "secret_id_bound_cidrs" instead.',
      ],
    })
  })

  test('a new role id replaces the old one immediately; some properties cannot be deleted', async () => {
    const { secrets, at, login, roleId, secretId } = await approleServer()
    const [before, { secret_id }] = [await roleId(), await secretId()]
    await secrets.post(at('/role-id'), { role_id: 'mine' })
    expect((await login({ role_id: before, secret_id })).status).toBe(400)
    expect((await login({ role_id: 'mine', secret_id })).status).toBe(200)
    expect(statusAndBody(await secrets.delete(at('/role-id')))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
    expect((await secrets.get(at('/local-secret-ids'))).body.data).toEqual({
      local_secret_ids: false,
    })
    expect((await secrets.post(at('/local-secret-ids'), {})).status).toBe(405)
  })
})
