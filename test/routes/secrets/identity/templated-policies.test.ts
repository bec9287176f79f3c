import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

/** Starts a server and logs in as a user with the policy `own`. */
async function templated(...paths: readonly string[]) {
  const server = await identityServer()
  const { secrets, as, login, accessor } = server
  const { client_token, entity_id } = await login('ada')
  const at = (path: string) => path.replaceAll('ACCESSOR', accessor)
  const rules = paths.map((path) => `path "${at(path)}" { capabilities = ["read"] }`)
  const policy = { policy: rules.join('\n') }
  expect(statusAndBody(await secrets.post('sys/policies/acl/own', policy))).toEqual(noContent)
  const change = (body: object) => secrets.post(`identity/entity/id/${entity_id}`, body)
  await change({ name: 'Ada', policies: 'own', metadata: { team: 'ops' } })
  /** Returns the capabilities of the login at a path. */
  const may = async (path: string) => {
    const body = { paths: [path] }
    return (await as(client_token).post('sys/capabilities-self', body)).body.data.capabilities
  }
  return { ...server, mine: as(client_token), id: String(entity_id), change, may }
}

const read = ['read']
const none = ['deny']

describe('behaviour/secrets#templated-policies', () => {
  test('marks of the entity and its alias stand in paths', async () => {
    const { secrets, may, id } = await templated(
      'a/{{identity.entity.id}}',
      'a/{{ identity.entity.name }}/x',
      'a/{{identity.entity.metadata.team}}/*',
      'b/{{identity.entity.aliases.ACCESSOR.custom_metadata.a.b}}',
      'b/{{identity.entity.aliases.ACCESSOR.name}}/+',
      'c/{{identity.entity.aliases.ACCESSOR.id}}',
      'd/{{identity.entity.aliases.ACCESSOR.custom_metadata.k}}/{{identity.entity.name}}',
    )
    const [aliasId] = (await secrets.list('identity/entity-alias/id')).body.data.keys
    const custom = { id: aliasId, custom_metadata: { k: 'v', 'a.b': 'c' } }
    expect((await secrets.post('identity/entity-alias', custom)).status).toBe(200)
    const granted = [
      `a/${id}`,
      'a/Ada/x',
      'a/ops/any/thing',
      'b/c',
      'b/ada/one',
      `c/${aliasId}`,
      'd/v/Ada',
    ]
    expect(await Promise.all(granted.map(may))).toEqual(granted.map(() => read))
    const others = ['a/zz', 'a/ada/x', 'b/ada', 'a/{{identity.entity.name}}/x', 'd/v/ada']
    expect(await Promise.all(others.map(may))).toEqual(others.map(() => none))
  })

  test('the time is in whole seconds, for tokens without an entity as well', async () => {
    const { secrets, as, may, clock } = await templated(
      't/{{time.now}}',
      't/{{time.now.plus.1h}}/x',
      't/{{time.now.minus.90}}/y',
      't/{{time.now.plus}}/z',
      't/{{time.then}}/z',
      't/{{time.now.plus.x}}/z',
    )
    clock.advance(1_999)
    const now = Math.floor(testTime / 1000) + 1
    expect(await may(`t/${now}`)).toEqual(read)
    expect(await may(`t/${now + 3600}/x`)).toEqual(read)
    expect(await may(`t/${now - 90}/y`)).toEqual(read)
    expect(await may(`t/${now}/x`)).toEqual(none)
    const { client_token } = (await secrets.post('auth/token/create', { policies: 'own' })).body
      .auth
    expect((await as(client_token).get(`t/${now}`)).status).toBe(404)
    expect((await as(client_token).get(`t/${now + 1}`)).status).toBe(403)
    clock.advance(1)
    expect((await as(client_token).get(`t/${now}`)).status).toBe(403)
  })

  test('templates can contain the groups of the entity', async () => {
    const { group, id, may, secrets } = await templated('z')
    const ops = { name: 'ops', member_entity_ids: id, metadata: { k: 'v' } }
    const part = await group(ops)
    const whole = await group({ name: 'all', member_group_ids: part })
    await group({ name: 'others', metadata: { k: 'v' } })
    const paths = [
      'a/{{identity.groups.names.ops.id}}',
      'b/{{identity.groups.names.ops.metadata.k}}',
      `c/{{identity.groups.ids.${whole}.name}}`,
      'd/{{identity.groups.names.others.metadata.k}}',
      'e/{{identity.groups.others.ops.id}}',
    ]
    const policy = paths.map((path) => `path "${path}" { capabilities = ["read"] }`).join('\n')
    await secrets.post('sys/policies/acl/own', { policy })
    const rendered = await Promise.all([`a/${part}`, 'b/v', 'c/all', 'd/v', `e/${part}`].map(may))
    expect(rendered).toEqual([read, read, read, none, none])
  })

  test('a rule whose value is missing does not apply, others of the policy do', async () => {
    const { may, as, secrets } = await templated(
      'a/{{identity.entity.metadata.zz}}*',
      'b/{{identity.entity.aliases.zz.name}}*',
      'c/{{identity.entity.aliases.ACCESSOR.metadata.k}}*',
      'd/{{identity.zz}}*',
      'e/{{zz}}*',
      'f/{{identity.groups.names.zz}}*',
      'g/{{identity.entity.aliases.ACCESSOR.zz}}*',
      'h',
    )
    const paths = ['a/', 'b/', 'c/', 'd/', 'e/', 'f/', 'g/', 'h']
    expect(await Promise.all(paths.map(may))).toEqual([...Array(7).fill(none), read])
    const { auth } = (await secrets.post('auth/token/create', { policies: 'own' })).body
    const body = { paths: ['a/', 'h'] }
    const nobody = await as(auth.client_token).post('sys/capabilities-self', body)
    expect(nobody.body.data).toMatchObject({ 'a/': none, h: read })
  })

  // choice/secrets#templated-values
  test('a rule does not apply if its value has a wildcard or a slash', async () => {
    const { may, change } = await templated(
      'a/{{identity.entity.metadata.k}}',
      'b/{{identity.entity.metadata.k}}/+/x',
      'c/{{identity.entity.metadata.k}}*',
      '+/d/{{identity.entity.metadata.plus}}',
    )
    await change({ metadata: { k: 'u*', plus: '+' } })
    const paths = ['a/u*', 'a/uv', 'b/u*/y/x', 'b/uv/y/x', 'c/u*v', 'c/uv', 'z/d/+', 'z/d/e']
    expect(await Promise.all(paths.map(may))).toEqual(paths.map(() => none))
    await change({ metadata: { k: 'u/v', plus: 'sign' } })
    const others = await Promise.all(['a/u/v', 'c/u/vw', 'z/d/sign'].map(may))
    expect(others).toEqual([none, none, read])
  })

  test('apply to requests: with the policy `default` everybody may read their own entity', async () => {
    const { mine, id, entity } = await templated('z')
    expect((await mine.get(`identity/entity/id/${id}`)).status).toBe(200)
    expect((await mine.get('identity/entity/name/Ada')).status).toBe(200)
    expect((await mine.get(`identity/entity/id/${await entity()}`)).status).toBe(403)
  })

  test.each(['a/{{identity.entity.id', 'a/}}', 'a/{{ {{x}}', 'a/{{x}}}}b'])(
    '%s: braces that do not belong together',
    async (path) => {
      const { secrets } = await identityServer()
      const policy = `path "${path}" { capabilities = ["read"] }`
      expect(statusAndBody(await secrets.post('sys/policies/acl/own', { policy }))).toEqual(
        error(
          400,
          'failed to parse policy: failed to validate policy templating: unbalanced templating characters',
        ),
      )
    },
  )
})

describe('behaviour/secrets#identity: tokens by a role and an alias', () => {
  test('have the entity of the alias, found or made', async () => {
    const { secrets, as } = await identityServer()
    await secrets.post('auth/token/roles/dev', { allowed_entity_aliases: ['ada-*'] })
    const create = (entity_alias: string) =>
      secrets.post('auth/token/create/dev', { policies: ['default'], entity_alias })
    const { entity_id, client_token } = (await create('Ada-1')).body.auth
    expect((await create('ada-1')).body.auth.entity_id).toBe(entity_id)
    const entity = (await secrets.get(`identity/entity/id/${entity_id}`)).body.data
    expect(entity.aliases).toMatchObject([{ name: 'Ada-1', mount_path: 'auth/token/' }])
    expect(statusAndBody(await create('bob'))).toEqual(error(400, "invalid 'entity_alias' value"))
    const without = { entity_alias: 'ada-1' }
    expect(statusAndBody(await secrets.post('auth/token/create', without))).toEqual(
      error(400, "'entity_alias' is only allowed in combination with token role"),
    )
    await secrets.post(`identity/entity/id/${entity_id}`, { disabled: true })
    expect(statusAndBody(await create('ada-1'))).toEqual(
      error(403, 'entity from given entity alias is disabled'),
    )
    expect((await as(client_token).get('auth/token/lookup-self')).status).toBe(403)
  })
})
