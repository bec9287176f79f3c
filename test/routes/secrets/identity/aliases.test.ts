import { describe, expect, test } from 'vitest'
import { error, noContent, ok, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

const start = '2026-01-01T00:00:00Z'

describe('behaviour/secrets#aliases', () => {
  test('is made for an entity, and read with where it is', async () => {
    const { secrets, entity, accessor } = await identityServer()
    const canonical_id = await entity()
    const body = {
      name: 'Ada',
      mount_accessor: accessor,
      canonical_id,
      custom_metadata: { k: 'v' },
    }
    const created = await secrets.post('identity/entity-alias', body)
    const { id } = created.body.data
    expect(statusAndBody(created)).toEqual(ok({ data: { id, canonical_id } }))
    expect(statusAndBody(await secrets.get(`identity/entity-alias/id/${id}`))).toEqual(
      ok({
        data: {
          id,
          name: 'Ada',
          canonical_id,
          mount_accessor: accessor,
          mount_path: 'auth/userpass/',
          mount_type: 'userpass',
          metadata: null,
          custom_metadata: { k: 'v' },
          local: false,
          creation_time: start,
          last_update_time: start,
          merged_from_canonical_ids: null,
          namespace_id: 'root',
        },
      }),
    )
    const listed = (await secrets.list('identity/entity-alias/id')).body.data
    expect(listed).toEqual({
      keys: [id],
      key_info: {
        [id]: {
          name: 'Ada',
          canonical_id,
          custom_metadata: { k: 'v' },
          local: false,
          mount_accessor: accessor,
          mount_path: 'auth/userpass/',
          mount_type: 'userpass',
        },
      },
    })
  })

  test('a login in any letters takes it', async () => {
    const { alias, entity, login } = await identityServer()
    const id = await entity()
    await alias('ADA', id)
    expect((await login('ada'))['entity_id']).toBe(id)
  })

  test('an alias without an entity creates the entity', async () => {
    const { secrets, accessor } = await identityServer()
    const body = { name: 'ada', mount_accessor: accessor }
    const { canonical_id } = (await secrets.post('identity/entity-alias', body)).body.data
    const entity = (await secrets.get(`identity/entity/id/${canonical_id}`)).body.data
    expect(entity.aliases).toHaveLength(1)
  })

  test('moves to another entity; a write without changes replies 204', async () => {
    const { secrets, entity, alias, accessor } = await identityServer()
    const to = await entity()
    const id = await alias('ada')
    const body = { name: 'ada', mount_accessor: accessor, entity_id: to }
    expect(statusAndBody(await secrets.post('identity/entity-alias', body))).toEqual(
      ok({ data: { id, canonical_id: to } }),
    )
    expect(statusAndBody(await secrets.post('identity/entity-alias', body))).toEqual(noContent)
    expect(statusAndBody(await secrets.post(`identity/entity-alias/id/${id}`, {}))).toEqual(
      noContent,
    )
  })

  test('an id changes name, method and remarks', async () => {
    const { secrets, alias, accessor } = await identityServer()
    await secrets.post('sys/auth/other', { type: 'userpass' })
    const other = (await secrets.get('sys/auth')).body.data['other/'].accessor
    const id = await alias('ada')
    const change = (body: object) => secrets.post(`identity/entity-alias/id/${id}`, body)
    const read = async () => (await secrets.get(`identity/entity-alias/id/${id}`)).body.data
    expect((await change({ name: 'bob', custom_metadata: { a: 'b' } })).status).toBe(200)
    expect(await read()).toMatchObject({ name: 'bob', custom_metadata: { a: 'b' } })
    expect((await change({ mount_accessor: other })).status).toBe(200)
    expect(await read()).toMatchObject({ mount_path: 'auth/other/', custom_metadata: { a: 'b' } })
    expect((await change({ name: 'BOB', mount_accessor: accessor })).status).toBe(200)
    expect(await read()).toMatchObject({ name: 'BOB', mount_accessor: accessor })
  })

  test('is deleted, whether there or not', async () => {
    const { secrets, alias } = await identityServer()
    const id = await alias('ada')
    expect(statusAndBody(await secrets.delete(`identity/entity-alias/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(`identity/entity-alias/id/${id}`))).toEqual(noContent)
    expect(statusAndBody(await secrets.list('identity/entity-alias/id'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get(`identity/entity-alias/id/${id}`))).toEqual(error(404))
  })

  test('the accessor of a method that the vendor calls otherwise', async () => {
    const { secrets } = await identityServer({ dialect: 'vendor' })
    const { accessor } = (await secrets.get('sys/auth')).body.data['oci/']
    expect(accessor).toMatch(/^auth_oci_/)
    const body = { name: 'ocid1.user', mount_accessor: accessor }
    const { id } = (await secrets.post('identity/entity-alias', body)).body.data
    expect((await secrets.get(`identity/entity-alias/id/${id}`)).body.data).toMatchObject({
      mount_accessor: accessor,
      mount_path: 'auth/oci/',
      mount_type: 'oci',
    })
    const query = { alias_name: 'ocid1.user', alias_mount_accessor: accessor }
    expect((await secrets.post('identity/lookup/entity', query)).status).toBe(200)
  })

  test('invalid writes of aliases are refused', async () => {
    const { secrets, entity, alias, accessor } = await identityServer()
    await secrets.post('sys/auth/other', { type: 'userpass' })
    const other = (await secrets.get('sys/auth')).body.data['other/'].accessor
    const one = await entity()
    const two = await entity()
    const id = await alias('ada', one)
    await alias('bob', two)
    const otherMountAlias = { name: 'eve', mount_accessor: other, canonical_id: one }
    expect((await secrets.post('identity/entity-alias', otherMountAlias)).status).toBe(200)
    const at = { mount_accessor: accessor }
    const wrong: [object, string][] = [
      [{ name: 'a' }, "'id' or 'mount_accessor' and 'name' must be provided"],
      [{ name: 'a', mount_accessor: 'zz' }, 'invalid mount accessor "zz"'],
      [{ name: 'a', ...at, canonical_id: 'zz' }, 'invalid canonical ID'],
      [
        { name: 'a', ...at, canonical_id: one },
        'Alias already exists for requested entity and mount accessor',
      ],
      [{ id: 'zz' }, 'invalid alias ID provided'],
      [{ id, canonical_id: 'zz' }, "given 'canonical_id' is not associated with an entity"],
      [
        { id, canonical_id: two },
        'Alias cannot be updated as the given entity already has an alias for this mount ',
      ],
      [
        { id, mount_accessor: other },
        "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ",
      ],
      [{ id, name: 'BOB' }, 'alias with combination of mount accessor and name already exists'],
      [{ id, name: 'x', mount_accessor: 'zz' }, 'invalid mount accessor "zz"'],
    ]
    for (const [body, text] of wrong) {
      expect(statusAndBody(await secrets.post('identity/entity-alias', body))).toEqual(
        error(400, text),
      )
    }
    const invalidInput = { name: 'a', ...at, custom_metadata: { k: '' } }
    expect((await secrets.post('identity/entity-alias', invalidInput)).status).toBe(400)
  })

  test('vendor: custom metadata beyond the limits are a 500', async () => {
    const { secrets, accessor } = await identityServer({ dialect: 'vendor' })
    const body = { name: 'a', mount_accessor: accessor, custom_metadata: { k: 'v'.repeat(513) } }
    const reply = await secrets.post('identity/entity-alias', body)
    expect([reply.status, reply.body.errors[0]]).toEqual([
      500,
      expect.stringContaining('length of value for key "k" is 513'),
    ])
    expect((await secrets.list('identity/entity-alias/id')).status).toBe(404)
  })

  test('methods of other namespaces, and local ones', async () => {
    const { secrets, accessor, alias, entity } = await identityServer()
    expect((await secrets.post('sys/namespaces/ns1', {})).status).toBe(200)
    const inside = { headers: { 'x-secrets-namespace': 'ns1' } }
    const body = { name: 'ada', mount_accessor: accessor }
    expect(statusAndBody(await secrets.post('identity/entity-alias', body, inside))).toEqual(
      error(403, 'matching mount is in a different namespace than request'),
    )
    await secrets.post('sys/auth/userpass', { type: 'userpass' }, inside)
    const there = (await secrets.get('sys/auth', inside)).body.data['userpass/'].accessor
    const id = await alias('eve')
    expect(
      statusAndBody(
        await secrets.post(`identity/entity-alias/id/${id}`, { mount_accessor: there }),
      ),
    ).toEqual(error(403, 'given mount accessor is not in the same namespace as the existing alias'))
    await secrets.post('sys/auth/near', { type: 'userpass', local: true })
    const near = (await secrets.get('sys/auth')).body.data['near/'].accessor
    const local = { name: 'ada', mount_accessor: near }
    const created = (await secrets.post('identity/entity-alias', local)).body.data
    expect(
      statusAndBody(
        await secrets.post('identity/entity-alias', { ...local, canonical_id: await entity() }),
      ),
    ).toEqual(error(400, "local aliases can't be moved between entities"))
    expect(created.id).toBeDefined()
    expect((await secrets.delete('sys/namespaces/ns1')).status).toBeLessThan(300)
  })
})

describe('behaviour/secrets#identity: stores by namespace', () => {
  // choice/secrets#identity-namespaces
  test('entities are invisible in other namespaces and are deleted with their namespace', async () => {
    const { secrets, entity } = await identityServer()
    await secrets.post('sys/namespaces/ns1', {})
    const inside = { headers: { 'x-secrets-namespace': 'ns1' } }
    const outer = await entity({ name: 'ada' })
    const { id } = (await secrets.post('identity/entity', { name: 'ada' }, inside)).body.data
    expect(statusAndBody(await secrets.get(`identity/entity/id/${outer}`, inside))).toEqual(
      error(404),
    )
    expect(statusAndBody(await secrets.get(`identity/entity/id/${id}`))).toEqual(error(404))
    expect((await secrets.get(`identity/entity/id/${id}`, inside)).body.data.namespace_id).toMatch(
      /^\w{5}$/,
    )
    await secrets.delete('sys/namespaces/ns1')
    const counted = (await secrets.get('sys/internal/counters/entities')).body.data
    expect(counted).toEqual({ counters: { entities: { total: 1 } } })
  })

  test('a token of an outer one keeps its entity inside', async () => {
    const { secrets, as, login } = await identityServer()
    await secrets.post('sys/namespaces/ns1', {})
    await secrets.post('sys/policies/acl/maker', {
      policy: 'path "ns1/auth/token/create" { capabilities = ["update", "sudo"] }',
    })
    const { client_token, entity_id } = await login('ada')
    await secrets.post(`identity/entity/id/${entity_id}`, { policies: ['maker'] })
    const inside = { headers: { 'x-secrets-namespace': 'ns1' } }
    const child = await as(client_token).post(
      'auth/token/create',
      { policies: ['default'] },
      inside,
    )
    expect(child.body.auth).toMatchObject({ entity_id, policies: ['default'] })
    const userClient = as(child.body.auth.client_token)
    expect((await userClient.get('auth/token/lookup-self', inside)).body.data).toMatchObject({
      identity_policies: null,
      external_namespace_policies: { root: ['maker'] },
    })
  })
})
