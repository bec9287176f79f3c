import { describe, expect, test } from 'vitest'
import {
  findGroupAlias,
  joinExternalGroups,
} from '../../../../state/secrets/identity/group-aliases.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const start = '2026-01-01T00:00:00Z'

describe('behaviour/secrets#groups: one at a time', () => {
  // choice/secrets#identity-empty-lists
  test('is made with its members, and read by id and by name in any letters', async () => {
    const { secrets, entity, group } = await identityServer()
    const ada = await entity()
    const part = await group()
    const body = {
      name: 'Ops',
      policies: 'B,a',
      metadata: { k: 'v' },
      member_entity_ids: [ada, ada],
      member_group_ids: [part],
    }
    const created = await secrets.post('identity/group', body)
    expect(statusAndBody(created)).toEqual(ok({ data: { id: uuid, name: 'Ops' } }))
    const { id } = created.body.data
    const read = ok({
      data: {
        id,
        name: 'Ops',
        type: 'internal',
        metadata: { k: 'v' },
        policies: ['a', 'b'],
        member_entity_ids: [ada],
        member_group_ids: [part],
        parent_group_ids: null,
        alias: {},
        modify_index: 1,
        creation_time: start,
        last_update_time: start,
        namespace_id: 'root',
      },
    })
    expect(statusAndBody(await secrets.get(`identity/group/id/${id}`))).toEqual(read)
    expect(statusAndBody(await secrets.get('identity/group/name/ops'))).toEqual(read)
    expect((await secrets.get(`identity/group/id/${part}`)).body.data).toMatchObject({
      parent_group_ids: [id],
      member_entity_ids: null,
      modify_index: 2,
    })
  })

  test('a known id or name changes the sent members', async () => {
    const { secrets, group } = await identityServer()
    const id = await group({ name: 'ops', policies: ['a'] })
    const change = { name: 'OPS', metadata: { a: 'b' } }
    expect(statusAndBody(await secrets.post('identity/group', change))).toEqual(noContent)
    expect(statusAndBody(await secrets.post('identity/group', { id, policies: ['b'] }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post(`identity/group/id/${id}`, { name: 'x' }))).toEqual(
      noContent,
    )
    expect(
      statusAndBody(await secrets.post('identity/group/name/X', { type: 'internal' })),
    ).toEqual(noContent)
    expect((await secrets.get('identity/group/name/x')).body.data).toMatchObject({
      id,
      name: 'X',
      policies: ['b'],
      metadata: { a: 'b' },
    })
    expect((await secrets.post('identity/group/name/new', {})).body.data.name).toBe('new')
    expect((await secrets.post('identity/group', {})).body.data.name).toMatch(/^group_[0-9a-f]{8}$/)
  })

  test('an empty name without an id is refused; with the path of a name an id has no effect', async () => {
    const { secrets, group } = await identityServer()
    const id = await group({ name: 'ops' })
    expect(statusAndBody(await secrets.post('identity/group', { name: '' }))).toEqual(
      error(400, 'empty group name'),
    )
    expect(statusAndBody(await secrets.post('identity/group', { id, name: '' }))).toEqual(noContent)
    const byName = { id: 'other', member_entity_ids: [] }
    expect(statusAndBody(await secrets.post('identity/group/name/ops', byName))).toEqual(noContent)
    const { data } = (await secrets.get('identity/group/name/ops')).body
    expect(data).toMatchObject({ id, member_entity_ids: [], member_group_ids: null })
    expect((await secrets.list('identity/group/id')).body.data.keys).toEqual([id])
  })

  test('is deleted and leaves the groups that it was a member of', async () => {
    const { secrets, group } = await identityServer()
    const part = await group({ name: 'part' })
    const whole = await group({ member_group_ids: [part] })
    expect(statusAndBody(await secrets.delete('identity/group/name/part'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('identity/group/name/part'))).toEqual(noContent)
    expect((await secrets.get(`identity/group/id/${whole}`)).body.data.member_group_ids).toBe(null)
    expect(statusAndBody(await secrets.delete(`identity/group/id/${whole}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`identity/group/id/${whole}`))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('identity/group/name/part'))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('identity/group/id'))).toEqual(error(404))
  })

  test('are listed with the number of their members, and looked up', async () => {
    const { secrets, entity, group, accessor } = await identityServer()
    const b = await group({ name: 'b', type: 'external' })
    const a = await group({ name: 'a', member_entity_ids: [await entity()], member_group_ids: b })
    const alias = { name: 'dev', mount_accessor: accessor, canonical_id: b }
    const aliasId = (await secrets.post('identity/group-alias', alias)).body.data.id
    const place = { mount_accessor: accessor, mount_path: 'auth/userpass/', mount_type: 'userpass' }
    expect((await secrets.list('identity/group/id')).body.data).toEqual({
      keys: [a, b].sort(),
      key_info: {
        [a]: { name: 'a', num_member_entities: 1, num_parent_groups: 0 },
        [b]: {
          name: 'b',
          num_member_entities: 0,
          num_parent_groups: 1,
          alias: { id: aliasId, name: 'dev', ...place },
        },
      },
    })
    expect((await secrets.list('identity/group/name')).body.data).toEqual({ keys: ['a', 'b'] })
    const at = { alias_name: 'DEV', alias_mount_accessor: accessor }
    for (const query of [{ id: b }, { name: 'B' }, { alias_id: aliasId }, at]) {
      const reply = await secrets.post('identity/lookup/group', query)
      expect([reply.status, reply.body.data.id]).toEqual([200, b])
    }
    for (const query of [{ id: 'zz' }, { alias_id: 'zz' }, { ...at, alias_name: 'zz' }]) {
      expect(statusAndBody(await secrets.post('identity/lookup/group', query))).toEqual(noContent)
    }
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('refusals (%s)', async (dialect, status) => {
    const { secrets, group } = await identityServer({ dialect })
    const c = await group({ name: 'c' })
    const b = await group({ name: 'b', member_group_ids: [c] })
    const a = await group({ name: 'a', member_group_ids: [b] })
    const external = await group({ type: 'external' })
    const wrong: [object, object][] = [
      [{ id: '' }, error(400, 'empty group ID')],
      [{ id: 'zz' }, error(400, 'invalid group ID')],
      [{ policies: 'root' }, error(400, 'policies cannot contain root')],
      [{ type: 'zz' }, error(400, 'invalid group type "zz"')],
      [{ id: a, type: 'external' }, error(400, 'group type cannot be changed')],
      [{ id: a, name: 'B' }, error(400, 'group name is already in use')],
      [
        { id: external, member_entity_ids: [] },
        error(400, "member entities can't be set manually for external groups"),
      ],
      [
        { type: 'external', member_group_ids: [a] },
        error(400, "member groups can't be set for external groups"),
      ],
      [{ member_entity_ids: 'zz' }, multierrorReply(status, 'invalid entity ID "zz"')],
      [{ member_group_ids: 'zz' }, multierrorReply(status, 'invalid member group ID "zz"')],
      [
        { id: a, member_group_ids: a },
        multierrorReply(status, `member group ID "${a}" is same as the ID of the group`),
      ],
      [
        { id: c, member_group_ids: [a] },
        error(400, `cyclic relationship detected for member group ID "${a}"`),
      ],
    ]
    for (const [body, reply] of wrong) {
      expect(statusAndBody(await secrets.post('identity/group', body))).toEqual(reply)
    }
  })
})

describe('behaviour/secrets#groups: policies', () => {
  test('of direct and inherited groups count now', async () => {
    const { secrets, as, login, group } = await identityServer()
    const { client_token, entity_id } = await login('ada')
    const userClient = as(client_token)
    const part = await group({ name: 'part', policies: 'p', member_entity_ids: [entity_id] })
    const whole = await group({ name: 'whole', policies: 'reader', member_group_ids: [part] })
    await secrets.post('sys/policies/acl/reader', {
      policy: 'path "secret/*" { capabilities = ["read"] }',
    })
    await secrets.post('secret/data/a', { data: {} })
    expect((await userClient.get('secret/data/a')).status).toBe(200)
    expect((await userClient.get('auth/token/lookup-self')).body.data.identity_policies).toEqual([
      'p',
      'reader',
    ])
    expect((await secrets.get(`identity/entity/id/${entity_id}`)).body.data).toMatchObject({
      direct_group_ids: [part],
      inherited_group_ids: [whole],
      group_ids: [part, whole],
    })
    await secrets.post(`identity/group/id/${whole}`, { member_group_ids: [] })
    expect((await userClient.get('secret/data/a')).status).toBe(403)
  })
})

describe('behaviour/secrets#groups: external ones and their aliases', () => {
  test('an alias belongs to one group, appears in replies and can be moved', async () => {
    const { secrets, group, accessor } = await identityServer()
    const one = await group({ name: 'one', type: 'external' })
    const two = await group({ name: 'two', type: 'external' })
    const at = { name: 'Dev', mount_accessor: accessor }
    const created = await secrets.post('identity/group-alias', { ...at, canonical_id: one })
    const { id } = created.body.data
    expect(statusAndBody(created)).toEqual(ok({ data: { id, canonical_id: one } }))
    const place = { mount_accessor: accessor, mount_path: 'auth/userpass/', mount_type: 'userpass' }
    const rendered = {
      id,
      name: 'Dev',
      canonical_id: one,
      ...place,
      metadata: null,
      creation_time: start,
      last_update_time: start,
      merged_from_canonical_ids: null,
    }
    expect((await secrets.get(`identity/group/id/${one}`)).body.data.alias).toEqual(rendered)
    expect((await secrets.get(`identity/group-alias/id/${id}`)).body.data).toEqual({
      ...rendered,
      custom_metadata: null,
      local: false,
      namespace_id: 'root',
    })
    const change = (body: object) => secrets.post(`identity/group-alias/id/${id}`, body)
    expect(statusAndBody(await change(at))).toEqual(noContent)
    expect((await change({ ...at, canonical_id: two })).body.data.canonical_id).toBe(two)
    expect((await secrets.get(`identity/group/id/${one}`)).body.data.alias).toEqual({})
    expect((await secrets.post('identity/group-alias', { ...at, id, name: 'x' })).status).toBe(200)
    expect((await secrets.list('identity/group-alias/id')).body.data).toEqual({
      keys: [id],
      key_info: {
        [id]: { name: 'x', canonical_id: two, custom_metadata: null, local: false, ...place },
      },
    })
    expect(statusAndBody(await secrets.delete(`identity/group-alias/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(`identity/group-alias/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`identity/group-alias/id/${id}`))).toEqual(error(404))
  })

  test('an alias without a group creates the group; disabling the login method deletes the alias', async () => {
    const { secrets, accessor } = await identityServer()
    const body = { name: 'dev', mount_accessor: accessor }
    const { canonical_id } = (await secrets.post('identity/group-alias', body)).body.data
    const read = async () => (await secrets.get(`identity/group/id/${canonical_id}`)).body.data
    expect(await read()).toMatchObject({ type: 'external', alias: { name: 'dev' } })
    await secrets.delete('sys/auth/userpass')
    expect(await read()).toMatchObject({ alias: {} })
  })

  test('the members are those that the method reports, and only at that method', async () => {
    const { world, secrets, group, entity, accessor } = await identityServer()
    const groupOf = async (name: string, mount_accessor: string) => {
      const id = await group({ name, type: 'external' })
      await secrets.post('identity/group-alias', { name, mount_accessor, canonical_id: id })
      return id
    }
    await secrets.post('sys/auth/other', { type: 'userpass' })
    const other = (await secrets.get('sys/auth')).body.data['other/'].accessor
    const a = await groupOf('a', accessor)
    const b = await groupOf('b', accessor)
    const c = await groupOf('c', other)
    const id = await entity()
    const groups = async () =>
      (await secrets.get(`identity/entity/id/${id}`)).body.data.direct_group_ids
    joinExternalGroups(world, { id }, { accessor }, ['a', 'zz'])
    joinExternalGroups(world, { id }, { accessor: other }, ['c'])
    expect(await groups()).toEqual([a, c].sort())
    joinExternalGroups(world, { id }, { accessor }, ['b', 'B'])
    expect(await groups()).toEqual([b, c].sort())
    joinExternalGroups(world, { id }, { accessor }, ['b'])
    joinExternalGroups(world, { id }, { accessor: other }, [])
    expect(await groups()).toEqual([b])
    expect(findGroupAlias(world, rootNamespace, 'zz')).toBeUndefined()
  })

  test('invalid writes of group aliases are refused', async () => {
    const { secrets, group, accessor } = await identityServer()
    await secrets.post('sys/namespaces/ns1', {})
    await secrets.post('sys/auth/near', { type: 'userpass', local: true })
    const near = (await secrets.get('sys/auth')).body.data['near/'].accessor
    const at = { name: 'dev', mount_accessor: accessor }
    expect((await secrets.post('identity/group-alias', at)).status).toBe(200)
    const inside = { headers: { 'x-secrets-namespace': 'ns1' } }
    expect(statusAndBody(await secrets.post('identity/group-alias', at, inside))).toEqual(
      error(403, "mount referenced via 'mount_accessor' not in the same namespace as alias"),
    )
    const wrong: [object, string][] = [
      [{ id: '' }, 'empty group alias ID'],
      [{ id: 'zz' }, 'invalid group alias ID'],
      [{}, 'missing alias name'],
      [{ name: 'a' }, 'missing mount_accessor'],
      [{ ...at, name: 'a', canonical_id: 'zz' }, "invalid group ID given in 'canonical_id'"],
      [
        { ...at, name: 'a', canonical_id: await group() },
        "alias can't be set on an internal group",
      ],
      [{ name: 'a', mount_accessor: 'zz' }, 'invalid mount accessor "zz"'],
      [{ name: 'a', mount_accessor: near }, `mount accessor "${near}" is a local mount`],
      [{ ...at, name: 'DEV' }, 'combination of mount and group alias name is already in use'],
    ]
    for (const [body, text] of wrong) {
      expect(statusAndBody(await secrets.post('identity/group-alias', body))).toEqual(
        error(400, text),
      )
    }
  })
})
