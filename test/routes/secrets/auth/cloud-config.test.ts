import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { secretsDialect } from '../../../../routes/secrets/dialect/dialect.ts'
import { cloudConfigTable, cloudRoleTable } from '../../../../state/secrets/cloud/roles.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { createToken } from '../../../../state/secrets/tokens/creation.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const config = 'auth/cloud/config'
const role = 'auth/cloud/role/dev'

/** A role that was written without any fields, as it is read. */
const plainRole = {
  cid_list: [],
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

const fullRole = {
  cid_list: ['g1', 'd1'],
  token_bound_cidrs: ['10.0.0.0/8'],
  token_explicit_max_ttl: 7200,
  token_max_ttl: 3600,
  token_no_default_policy: true,
  token_num_uses: 3,
  token_period: 60,
  token_policies: ['b', 'a'],
  token_ttl: 1800,
  token_type: 'service',
}

describe('behaviour/secrets#cloud-config', () => {
  test('POST answers 200 with nothing in it; GET reads it; DELETE takes it away', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(config))).toEqual(error(404))
    expect(statusAndBody(await secrets.post(config, { home_tenancy_id: 'home' }))).toEqual(ok({}))
    expect(statusAndBody(await secrets.get(config))).toEqual(
      ok({ data: { home_tenancy_id: 'home' } }),
    )
    expect(statusAndBody(await secrets.put(config, { home_tenancy_id: 'other' }))).toEqual(ok({}))
    expect(statusAndBody(await secrets.get(config))).toEqual(
      ok({ data: { home_tenancy_id: 'other' } }),
    )
    expect(statusAndBody(await secrets.delete(config))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(config))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(config))).toEqual(error(404))
  })

  test.each([
    ['missing', {}],
    ['null', { home_tenancy_id: null }],
    ['empty', { home_tenancy_id: '' }],
    ['blank', { home_tenancy_id: ' \t\n' }],
  ])('%s: 400 Missing homeTenancyId', async (_, body) => {
    const { secrets } = await servedSecrets()
    await secrets.post(config, { home_tenancy_id: 'before' })
    expect(statusAndBody(await secrets.post(config, body))).toEqual(
      error(400, 'Missing homeTenancyId'),
    )
    expect((await secrets.get(config)).body.data).toEqual({ home_tenancy_id: 'before' })
  })

  test('a value that is not a text is refused', async () => {
    const { secrets } = await servedSecrets()
    const body = { home_tenancy_id: { a: 1 } }
    expect(statusAndBody(await secrets.post(config, body))).toEqual(
      error(
        400,
        `error converting input map[a:1] for field "home_tenancy_id": '' expected type 'string', got unconvertible type 'map[string]interface {}', value: 'map[a:1]'`,
      ),
    )
  })

  test('unknown parameters are remarked on', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post(config, { home_tenancy_id: 'home', more: 1 })
    const warnings = ['Endpoint ignored these unrecognized parameters: [more]']
    expect(statusAndBody(reply)).toEqual(ok({ warnings }))
  })

  test('PATCH and LIST are unsupported operations', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.patch(config, {}))).toEqual(
      multierrorReply(405, 'unsupported operation'),
    )
    expect(statusAndBody(await secrets.list(config))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })
})

describe('behaviour/secrets#cloud-role', () => {
  test('POST 204, GET returns all, LIST keys, DELETE 204', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get(role))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('auth/cloud/role'))).toEqual(error(404))
    expect(statusAndBody(await secrets.post(role, {}))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(role))).toEqual(ok({ data: plainRole }))
    await secrets.post('auth/cloud/role/a-role', {})
    const listed = ok({ data: { keys: ['a-role', 'dev'] } })
    expect(statusAndBody(await secrets.list('auth/cloud/role'))).toEqual(listed)
    expect(statusAndBody(await secrets.list('auth/cloud/role/'))).toEqual(listed)
    expect(statusAndBody(await secrets.delete(role))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(role))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(role))).toEqual(error(404))
  })

  test('behaviour/secrets#api-cloud, Role: every field in the forms that are taken', async () => {
    const { secrets } = await servedSecrets()
    const forms = {
      ...fullRole,
      cid_list: 'g1, d1',
      token_bound_cidrs: '10.0.0.0/8',
      token_explicit_max_ttl: '2h',
      token_max_ttl: '3600',
      token_no_default_policy: 'true',
      token_num_uses: '3',
      token_period: '1m',
      token_policies: 'b,a',
      token_ttl: '30m',
    }
    for (const body of [fullRole, forms]) {
      await secrets.delete(role)
      expect(statusAndBody(await secrets.post(role, body))).toEqual(noContent)
      expect(statusAndBody(await secrets.get(role))).toEqual(ok({ data: fullRole }))
    }
  })

  test.each(Object.entries(fullRole))(
    'a write of %s alone keeps the others',
    async (name, value) => {
      const { secrets } = await servedSecrets()
      await secrets.post(role, { [name]: value })
      expect((await secrets.get(role)).body.data).toEqual({ ...plainRole, [name]: value })
      await secrets.post(role, fullRole)
      const changed = plainRole[name as keyof typeof plainRole]
      await secrets.post(role, { [name]: changed })
      expect((await secrets.get(role)).body.data).toEqual({ ...fullRole, [name]: changed })
    },
  )

  test('lists are emptied by empty ones', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(role, fullRole)
    await secrets.post(role, { cid_list: '', token_policies: [], token_bound_cidrs: null })
    expect((await secrets.get(role)).body.data).toEqual({
      ...fullRole,
      cid_list: [],
      token_policies: [],
      token_bound_cidrs: [],
    })
  })

  // choice/secrets#cloud-role-names
  test('the case of names does not count', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('auth/cloud/role/DeV', { token_ttl: 5 })
    expect((await secrets.get(role)).body.data).toEqual({ ...plainRole, token_ttl: 5 })
    expect((await secrets.list('auth/cloud/role')).body.data).toEqual({ keys: ['dev'] })
    await secrets.delete('auth/cloud/role/DEV')
    expect((await secrets.get(role)).status).toBe(404)
  })

  test.each([
    ['', 'default'],
    ['default', 'default'],
    ['service', 'service'],
    ['batch', 'batch'],
  ])('token_type %j reads %s', async (input, read) => {
    const { secrets } = await servedSecrets()
    expect((await secrets.post(role, { token_type: input })).status).toBe(204)
    expect((await secrets.get(role)).body.data.token_type).toBe(read)
  })

  const cids = (count: number) => Array.from({ length: count }, (_, at) => `g${at}`)
  const tooMany = 'Number of CIDs for this role exceeds the limit'
  const batch = "'token_type' cannot be 'batch' or 'default_batch' when set to generate"

  // choice/secrets#cloud-batch-roles
  test.each<[string, object, string]>([
    ['101 ids', { cid_list: cids(101) }, tooMany],
    ['101 ids as text', { cid_list: cids(101).join(',') }, tooMany],
    ['a thousand equal ids', { cid_list: Array(1000).fill('g') }, tooMany],
    [
      'a TTL above its maximum',
      { token_ttl: 2, token_max_ttl: 1 },
      "'token_ttl' cannot be greater than 'token_max_ttl'",
    ],
    ['a negative TTL', { token_ttl: -1 }, "'token_ttl' cannot be negative"],
    ['a negative maximum', { token_max_ttl: '-1s' }, "'token_max_ttl' cannot be negative"],
    ['a negative period', { token_period: '-1h' }, "'token_period' cannot be negative"],
    [
      'a negative explicit maximum',
      { token_explicit_max_ttl: -5 },
      "'token_explicit_max_ttl' cannot be negative",
    ],
    ['negative uses', { token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    ['a strange type', { token_type: 'eter"nal' }, `invalid 'token_type' value "eter\\"nal"`],
    ['a type in capitals', { token_type: 'Batch' }, `invalid 'token_type' value "Batch"`],
    ['periodic batch', { token_type: 'batch', token_period: 1 }, `${batch} periodic tokens`],
    [
      'counted batch',
      { token_type: 'batch', token_num_uses: 1 },
      `${batch} tokens with limited use count`,
    ],
    [
      'an address that is none',
      { token_bound_cidrs: '10.0.0.1,x', token_period: -1 },
      'error parsing address "x": Unable to convert "x" to an IPv4 or IPv6 address, or a UNIX Socket',
    ],
    [
      'uses before the type that contradicts them (behaviour/secrets#logins)',
      { token_num_uses: -1, token_type: 'batch', token_period: 1 },
      "'token_num_uses' cannot be negative",
    ],
    ['the first of several mistakes', { token_ttl: -1, cid_list: cids(101) }, tooMany],
  ])('%s: 400, nothing changes', async (_, body, text) => {
    const { secrets } = await servedSecrets()
    await secrets.post(role, { token_policies: 'kept' })
    expect(statusAndBody(await secrets.post(role, body))).toEqual(error(400, text))
    expect((await secrets.get(role)).body.data).toEqual({ ...plainRole, token_policies: ['kept'] })
    expect(statusAndBody(await secrets.post('auth/cloud/role/new', body))).toEqual(error(400, text))
    expect((await secrets.get('auth/cloud/role/new')).status).toBe(404)
  })

  test('a network of one address is returned without its mask (behaviour/secrets#logins)', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(role, { token_bound_cidrs: '10.0.0.1/32,10.0.0.0/8,::1/128' })
    expect((await secrets.get(role)).body.data.token_bound_cidrs).toEqual([
      '10.0.0.1',
      '10.0.0.0/8',
      '::1',
    ])
  })

  test('a hundred ids are fine', async () => {
    const { secrets } = await servedSecrets()
    expect((await secrets.post(role, { cid_list: cids(100) })).status).toBe(204)
    expect((await secrets.get(role)).body.data.cid_list).toEqual(cids(100))
  })

  test('stored values count when fields contradict each other', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post(role, { token_max_ttl: 100 })
    expect(statusAndBody(await secrets.post(role, { token_ttl: 101 }))).toEqual(
      error(400, "'token_ttl' cannot be greater than 'token_max_ttl'"),
    )
    expect(statusAndBody(await secrets.post(role, { token_ttl: 100 }))).toEqual(noContent)
  })

  test.each([
    [{ token_ttl: 'soon' }, 'token_ttl', 'soon', 'time: invalid duration "soon"'],
    [
      { token_num_uses: 'many' },
      'token_num_uses',
      'many',
      `cannot parse '' as int: strconv.ParseInt: parsing "many": invalid syntax`,
    ],
  ])('a value of the wrong type: %j', async (body, field, value, why) => {
    const { secrets } = await servedSecrets()
    const text = `error converting input ${value} for field "${field}": ${why}`
    expect(statusAndBody(await secrets.post(role, body))).toEqual(error(400, text))
  })

  test.each(['auth/cloud/role/dev.', 'auth/cloud/role/a b', 'auth/cloud/role/-a'])(
    '%s is an unsupported path',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.post(path, {}))).toEqual(
        multierrorReply(404, 'unsupported path'),
      )
    },
  )

  test('GET of the list and PATCH of a role are unsupported operations', async () => {
    const { secrets } = await servedSecrets()
    const unsupported = multierrorReply(405, 'unsupported operation')
    expect(statusAndBody(await secrets.get('auth/cloud/role'))).toEqual(unsupported)
    expect(statusAndBody(await secrets.patch(role, {}))).toEqual(unsupported)
  })
})

describe('behaviour/secrets#cloud: each mount has a separate configuration', () => {
  test('configuration and roles of two mounts and of a namespace', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/auth/team/second', { type: 'cloud' })
    await secrets.post('sys/namespaces/ns')
    const headers = { 'x-secrets-namespace': 'ns' }
    await secrets.post('sys/auth/cloud', { type: 'cloud' }, { headers })
    await secrets.post(config, { home_tenancy_id: 'one' })
    await secrets.post('auth/team/second/config', { home_tenancy_id: 'two' })
    await secrets.post('ns/auth/cloud/config', { home_tenancy_id: 'three' })
    await secrets.post('auth/team/second/role/only-there', {})
    const homes = ['auth/cloud', 'auth/team/second', 'ns/auth/cloud'].map(
      async (path) => (await secrets.get(`${path}/config`)).body.data.home_tenancy_id,
    )
    expect(await Promise.all(homes)).toEqual(['one', 'two', 'three'])
    expect((await secrets.list('auth/cloud/role')).status).toBe(404)
    expect((await secrets.list('auth/team/second/role')).body.data.keys).toEqual(['only-there'])
  })

  test('roles move with the mount and are deleted with it', async () => {
    const { secrets, world } = await servedSecrets()
    await secrets.post(config, { home_tenancy_id: 'home' })
    await secrets.post(role, fullRole)
    await secrets.post('sys/remount', { from: 'auth/cloud', to: 'auth/moved' })
    expect((await secrets.get('auth/moved/config')).body.data).toEqual({ home_tenancy_id: 'home' })
    expect((await secrets.get('auth/moved/role/dev')).body.data).toEqual(fullRole)
    await secrets.delete('sys/auth/moved')
    await secrets.post('sys/auth/moved', { type: 'cloud' })
    expect((await secrets.get('auth/moved/config')).status).toBe(404)
    expect((await secrets.list('auth/moved/role')).status).toBe(404)
    expect([world.table(cloudConfigTable).size, world.table(cloudRoleTable).size]).toEqual([0, 0])
  })

  test('a token needs the capability', async () => {
    const { secrets, world, as } = await servedSecrets()
    const policy = 'path "auth/cloud/role/*" { capabilities = ["read", "create"] }'
    await secrets.post('sys/policies/acl/p', { policy })
    const { token } = createToken(world, {
      policies: ['p'],
      displayName: 't',
      path: 'auth/token/create',
      namespace: rootNamespace,
    })
    const client = as(token.id)
    const denied = multierrorReply(403, 'permission denied')
    expect(statusAndBody(await client.get(config))).toEqual(denied)
    expect(statusAndBody(await client.post(role, {}))).toEqual(noContent)
    expect(statusAndBody(await client.post(role, {}))).toEqual(denied)
    expect((await client.get(role)).status).toBe(200)
    expect(statusAndBody(await client.delete(role))).toEqual(denied)
  })
})

describe('behaviour/secrets#vendor-names: names of the vendor', () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: either name of the list is taken',
    async (name) => {
      const { secrets } = await servedSecrets({ dialect: name })
      const path = name === 'vendor' ? 'auth/oci/role/dev' : role
      const field = name === 'vendor' ? 'ocid_list' : 'cid_list'
      for (const body of [
        { cid_list: 'a' },
        { ocid_list: 'b' },
        { cid_list: 'c', ocid_list: 'd' },
      ]) {
        await secrets.post(path, body)
        const { cid_list: _, ...rest } = plainRole
        const list = [Object.values(body)[0]]
        expect((await secrets.get(path)).body.data).toEqual({ ...rest, [field]: list })
      }
    },
  )

  test.each<[DialectName, string, string]>([
    ['neutral', 'auth/cloud', 'Number of CIDs for this role exceeds the limit'],
    ['vendor', 'auth/oci', 'Number of OCIDs for this role exceeds the limit'],
  ])(
    '%s: the refusal of too many ids has the wording of the dialect',
    async (dialect, mount, text) => {
      const { secrets } = await servedSecrets({ dialect })
      const cid_list = Array(101).fill('g')
      expect(statusAndBody(await secrets.post(`${mount}/role/dev`, { cid_list }))).toEqual(
        error(400, text),
      )
      const field = dialect === 'vendor' ? 'ocid_list' : 'cid_list'
      expect(secretsDialect(dialect).fieldName('cid_list')).toBe(field)
      const [wrong] = (await secrets.post(`${mount}/role/dev`, { cid_list: [[]] })).body.errors
      expect(wrong).toContain(`error converting input [[]] for field "${field}": `)
    },
  )

  // choice/secrets#vendor-mount-paths
  test('with the vendor the other mount is not there', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    expect((await secrets.get('auth/cloud/config')).body.errors).toEqual([
      'no handler for route "auth/cloud/config". route entry not found.',
    ])
  })
})
