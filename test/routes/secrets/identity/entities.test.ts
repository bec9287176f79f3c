import { describe, expect, test } from 'vitest'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const start = '2026-01-01T00:00:00Z'

describe('behaviour/secrets#entities: one at a time', () => {
  test('is created with the given fields, and read by id and by name in any case', async () => {
    const { secrets } = await identityServer()
    const body = { name: 'Ada', metadata: { team: 'ops' }, policies: ['b', 'a', 'b'] }
    const created = await secrets.post('identity/entity', body)
    expect(statusAndBody(created)).toEqual(ok({ data: { id: uuid, name: 'Ada', aliases: null } }))
    const { id } = created.body.data
    const entity = ok({
      data: {
        id,
        name: 'Ada',
        aliases: [],
        creation_time: start,
        last_update_time: start,
        metadata: { team: 'ops' },
        policies: ['a', 'b'],
        disabled: false,
        direct_group_ids: [],
        inherited_group_ids: [],
        group_ids: [],
        merged_entity_ids: null,
        namespace_id: 'root',
      },
    })
    expect(statusAndBody(await secrets.get(`identity/entity/id/${id}`))).toEqual(entity)
    expect(statusAndBody(await secrets.get('identity/entity/name/aDA'))).toEqual(entity)
  })

  test('without a name has one made up', async () => {
    const { secrets } = await identityServer()
    const { data } = (await secrets.post('identity/entity', {})).body
    expect(data.name).toMatch(/^entity_[0-9a-f]{8}$/)
    const read = (await secrets.get(`identity/entity/id/${data.id}`)).body.data
    expect(read).toMatchObject({ metadata: null, policies: [] })
  })

  test('a known id or name changes the sent members, in the new spelling', async () => {
    const { secrets, clock, entity } = await identityServer()
    const id = await entity({ name: 'ada', policies: ['a'], metadata: { k: 'v' } })
    clock.advance(1000)
    const byName = { name: 'ADA', disabled: true }
    expect(statusAndBody(await secrets.post('identity/entity', byName))).toEqual(noContent)
    expect((await secrets.get(`identity/entity/id/${id}`)).body.data).toMatchObject({
      name: 'ADA',
      disabled: true,
      policies: ['a'],
      metadata: { k: 'v' },
      last_update_time: '2026-01-01T00:00:01Z',
    })
    const renamed = { name: 'bob', policies: [] }
    expect(statusAndBody(await secrets.post(`identity/entity/id/${id}`, renamed))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post('identity/entity', { id, disabled: false }))).toEqual(
      noContent,
    )
    expect((await secrets.get('identity/entity/name/bob')).body.data).toMatchObject({
      policies: [],
      disabled: false,
    })
    expect(statusAndBody(await secrets.get('identity/entity/name/ada'))).toEqual(error(404))
  })

  test('by name is made too, with slashes in it', async () => {
    const { secrets } = await identityServer()
    const created = await secrets.post('identity/entity/name/a/b', { policies: 'x' })
    expect(created.body.data.name).toBe('a/b')
    expect((await secrets.get('identity/entity/name/a/b')).body.data.policies).toEqual(['x'])
    expect(statusAndBody(await secrets.delete('identity/entity/name/A/B'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('identity/entity/name/a/b'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('identity/entity/name/a/b'))).toEqual(error(404))
  })

  test('is deleted with aliases and memberships', async () => {
    const { secrets, entity, alias, group } = await identityServer()
    const id = await entity({ name: 'ada' })
    const other = await entity({ name: 'bob' })
    const aliasId = await alias('ada', id)
    const groupId = await group({ member_entity_ids: [id, other] })
    expect(statusAndBody(await secrets.delete(`identity/entity/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(`identity/entity/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`identity/entity-alias/id/${aliasId}`))).toEqual(
      error(404),
    )
    const { data } = (await secrets.get(`identity/group/id/${groupId}`)).body
    expect(data.member_entity_ids).toEqual([other])
  })

  test('of a token: once it is deleted, the token has no entity', async () => {
    const { secrets, as, login } = await identityServer()
    const { client_token, entity_id } = await login('ada')
    await secrets.delete(`identity/entity/id/${entity_id}`)
    const refused = error(403, 'permission denied')
    expect(statusAndBody(await as(client_token).get('auth/token/lookup-self'))).toEqual(refused)
    expect((await login('ada'))['entity_id']).not.toBe(entity_id)
  })
})

describe('behaviour/secrets#entities: many', () => {
  test('are listed with names and aliases, counted, and deleted at once', async () => {
    const { secrets, entity, alias, accessor } = await identityServer()
    expect(statusAndBody(await secrets.list('identity/entity/id'))).toEqual(error(404))
    const a = await entity({ name: 'b' })
    const b = await entity({ name: 'a' })
    const aliasId = await alias('ada', a)
    const place = { mount_accessor: accessor, mount_path: 'auth/userpass/', mount_type: 'userpass' }
    const key_info = {
      [a]: { name: 'b', aliases: [{ id: aliasId, name: 'ada', ...place }] },
      [b]: { name: 'a' },
    }
    const byId = ok({ data: { keys: [a, b].sort(), key_info } })
    expect(statusAndBody(await secrets.list('identity/entity/id'))).toEqual(byId)
    expect((await secrets.list('identity/entity/name')).body.data).toEqual({ keys: ['a', 'b'] })
    const [listed] = (await secrets.get(`identity/entity/id/${a}`)).body.data.aliases
    expect(listed).toMatchObject({ id: aliasId, canonical_id: a, ...place })
    expect(listed).not.toHaveProperty('namespace_id')
    const counted = (await secrets.get('sys/internal/counters/entities')).body.data
    expect(counted).toEqual({ counters: { entities: { total: 2 } } })
    const ids = { entity_ids: [a, b, 'zz'] }
    expect(statusAndBody(await secrets.post('identity/entity/batch-delete', ids))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.list('identity/entity/name'))).toEqual(error(404))
  })

  test('are looked up by one mark, or an alias', async () => {
    const { secrets, entity, alias, accessor } = await identityServer()
    const id = await entity({ name: 'ada' })
    const alias_id = await alias('ada', id)
    const at = { alias_name: 'ADA', alias_mount_accessor: accessor }
    for (const query of [{ id }, { name: 'Ada' }, { alias_id }, at]) {
      const reply = await secrets.post('identity/lookup/entity', query)
      expect([reply.status, reply.body.data.id]).toEqual([200, id])
    }
    const nothing = [{ id: 'zz' }, { name: 'zz' }, { alias_id: 'zz' }, { ...at, alias_name: 'zz' }]
    for (const query of nothing) {
      expect(statusAndBody(await secrets.post('identity/lookup/entity', query))).toEqual(noContent)
    }
  })
})

describe('behaviour/secrets#entities: refusals', () => {
  test.each<[string, object, string]>([
    ['entity', { id: 'zz' }, 'entity not found from id'],
    ['entity', { policies: ['a', ' root'] }, 'policies cannot contain root'],
    ['entity/batch-delete', {}, 'missing entity ids to delete'],
    ['lookup/entity', {}, 'query parameter not supplied'],
    [
      'lookup/entity',
      { id: 'a', name: 'b' },
      'query parameter conflict; please supply distinct set of query parameters',
    ],
    [
      'lookup/group',
      { alias_name: 'a' },
      "both 'alias_name' and 'alias_mount_accessor' needs to be set",
    ],
  ])('%s %j: %s', async (path, body, text) => {
    const { secrets } = await identityServer()
    expect(statusAndBody(await secrets.post(`identity/${path}`, body))).toEqual(error(400, text))
  })

  test("another's name", async () => {
    const { secrets, entity } = await identityServer()
    await entity({ name: 'ada' })
    const id = await entity({ name: 'bob' })
    const taken = error(400, 'entity name is already in use')
    expect(statusAndBody(await secrets.post('identity/entity', { id, name: 'ADA' }))).toEqual(taken)
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('metadata beyond the limits (%s)', async (dialect, status) => {
    const { secrets } = await identityServer({ dialect })
    const wrong: [object, string][] = [
      [{ '': 'v' }, '("", "v"): key cannot be blank'],
      [{ 'a b': 'v' }, '("a b", "v"): key contains invalid characters'],
      [{ 'vault-x': 'v' }, '("vault-x", "v"): key prefix "vault-" is reserved for internal use'],
      [
        { ['k'.repeat(129)]: 'v' },
        `("${'k'.repeat(129)}", "v"): key is too long (limit: 128 characters)`,
      ],
      [
        { k: 'v'.repeat(513) },
        `("k", "${'v'.repeat(513)}"): value is too long (limit: 512 characters)`,
      ],
    ]
    for (const [metadata, fault] of wrong) {
      expect(statusAndBody(await secrets.post('identity/entity', { metadata }))).toEqual(
        multierrorReply(status, `invalid entity metadata: failed to load metadata pair ${fault}`),
      )
    }
    const longest = { ['k'.repeat(128)]: 'v'.repeat(512) }
    expect((await secrets.post('identity/entity', { metadata: longest })).status).toBe(200)
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, 'v']))
    expect(statusAndBody(await secrets.post('identity/group', { metadata: many }))).toEqual(
      multierrorReply(
        status,
        'invalid group metadata: metadata cannot contain more than 64 key/value pairs',
      ),
    )
  })

  test('ids that no path can have, and missing entities', async () => {
    const { secrets } = await identityServer()
    const invalidInput = multierrorReply(404, 'unsupported path')
    expect(statusAndBody(await secrets.get('identity/entity/id/a!'))).toEqual(invalidInput)
    expect(statusAndBody(await secrets.get('identity/oidc/nothing'))).toEqual(invalidInput)
    expect(statusAndBody(await secrets.get('identity/entity/id/a'))).toEqual(error(404))
  })
})

describe('behaviour/secrets#merge', () => {
  test('aliases and memberships are merged, policies are not; tokens keep working', async () => {
    const { secrets, as, entity, group, login } = await identityServer()
    const { client_token, entity_id: from } = await login('ada')
    const to = await entity({ name: 'to', policies: ['p'] })
    await secrets.post(`identity/entity/id/${from}`, { policies: ['q'] })
    const groupId = await group({ member_entity_ids: [String(from), to] })
    const body = { to_entity_id: to, from_entity_ids: [from] }
    expect(statusAndBody(await secrets.post('identity/entity/merge', body))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`identity/entity/id/${from}`))).toEqual(error(404))
    const merged = (await secrets.get(`identity/entity/id/${to}`)).body.data
    expect(merged).toMatchObject({
      policies: ['p'],
      merged_entity_ids: [from],
      direct_group_ids: [groupId],
      aliases: [{ name: 'ada', canonical_id: to, merged_from_canonical_ids: [from] }],
    })
    const { data } = (await secrets.get(`identity/group/id/${groupId}`)).body
    expect(data.member_entity_ids).toEqual([to])
    const lookup = (await as(client_token).get('auth/token/lookup-self')).body.data
    expect(lookup).toMatchObject({ entity_id: from, identity_policies: ['p'] })
    expect((await login('ada'))['entity_id']).toBe(to)
  })

  // choice/secrets#identity-merge-clash
  test('two aliases at one method: callers decide which stays', async () => {
    const { secrets, entity, alias } = await identityServer()
    const merge = (body: object) => secrets.post('identity/entity/merge', body)
    const to = await entity()
    const from = await entity()
    const toAlias = await alias('a', to)
    const fromAlias = await alias('b', from)
    const body = { to_entity_id: to, from_entity_ids: [from] }
    const refused = await merge(body)
    expect([refused.status, refused.body.errors[0]]).toEqual([
      400,
      expect.stringContaining(`conflicting fromEntity alias ID: ${fromAlias}`),
    ])
    expect(refused.body.errors[0]).toMatch(/^2 errors occurred:\n\t\* toEntity and at least one/)
    const neither = `conflicting mount accessors in following alias IDs and neither were present in conflicting_alias_ids_to_keep: ${fromAlias}, ${toAlias}`
    const conflicting = (ids: string[]) => ({ ...body, conflicting_alias_ids_to_keep: ids })
    expect(statusAndBody(await merge(conflicting(['zz'])))).toEqual(error(400, neither))
    expect(statusAndBody(await merge(conflicting([toAlias])))).toEqual(noContent)
    const idsOf = async () => (await secrets.list('identity/entity-alias/id')).body.data.keys
    expect(await idsOf()).toEqual([toAlias])
    const third = await entity()
    const thirdAlias = await alias('c', third)
    const other = { to_entity_id: to, from_entity_ids: [third] }
    expect(
      statusAndBody(await merge({ ...other, conflicting_alias_ids_to_keep: [thirdAlias] })),
    ).toEqual(noContent)
    expect(await idsOf()).toEqual([thirdAlias])
  })

  test('invalid merges are refused', async () => {
    const { secrets, entity, alias, accessor } = await identityServer()
    const a = await entity()
    const b = await entity()
    const c = await entity()
    await alias('b', b)
    await alias('c', c)
    const wrong: [object, string][] = [
      [{}, 'missing entity id to merge to'],
      [{ to_entity_id: a }, 'missing entity ids to merge from'],
      [{ to_entity_id: 'zz', from_entity_ids: [a] }, 'entity id to merge to is invalid'],
      [{ to_entity_id: a, from_entity_ids: ['zz'] }, 'entity id to merge from is invalid'],
      [
        { to_entity_id: a, from_entity_ids: [a] },
        'to_entity_id should not be present in from_entity_ids',
      ],
      [
        { to_entity_id: a, from_entity_ids: [b, c], conflicting_alias_ids_to_keep: ['x', 'y'] },
        'aliases conflicts cannot be resolved with multiple from entity ids - merge one entity at a time',
      ],
      [
        { to_entity_id: a, from_entity_ids: [b, c] },
        `mount accessor ${accessor} found in multiple fromEntities, merge should be done with one fromEntity at a time`,
      ],
    ]
    for (const [body, text] of wrong) {
      expect(statusAndBody(await secrets.post('identity/entity/merge', body))).toEqual(
        error(400, text),
      )
    }
  })
})
