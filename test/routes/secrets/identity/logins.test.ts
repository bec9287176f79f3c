import { describe, expect, test } from 'vitest'
import { aliasesIn, findAlias } from '../../../../state/secrets/identity/aliases.ts'
import {
  countEntities,
  entityOfId,
  putEntity,
} from '../../../../state/secrets/identity/entities.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { approleServer } from '../auth/approle/approle.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const refused = error(403, 'permission denied')

/** Starts a server with the role `app` and logs in with it. */
async function loggedIn(role: object = {}) {
  const server = await approleServer(role)
  const auth = await server.logIn()
  const entityId = String(auth['entity_id'])
  const { world } = server
  const entity = () => {
    const found = entityOfId(world, entityId)
    if (found === undefined) throw new Error('there is no entity')
    return found
  }
  const change = (members: object) => putEntity(world, { ...entity(), ...members })
  return { ...server, auth, entity, change }
}

describe('behaviour/secrets#identity: the entity of a login', () => {
  test('is made with its alias at the first login, and found at the next', async () => {
    const { world, auth, entity, logIn, roleId } = await loggedIn()
    expect(entity()).toMatchObject({ name: expect.stringMatching(/^entity_[0-9a-f]{8}$/) })
    expect((await logIn())['entity_id']).toBe(auth['entity_id'])
    expect(countEntities(world)).toBe(1)
    const [alias, ...others] = aliasesIn(world, rootNamespace)
    expect(others).toEqual([])
    expect(alias).toMatchObject({
      name: await roleId(),
      canonical_id: auth['entity_id'],
      metadata: { role_name: 'app' },
      custom_metadata: null,
    })
  })

  test('metadata of the alias is replaced at each login', async () => {
    const { world, clock, login, roleId, secretId } = await loggedIn()
    const [before] = aliasesIn(world, rootNamespace)
    clock.advance(1000)
    const { secret_id } = await secretId({ metadata: '{"team":"ops"}' })
    expect((await login({ role_id: await roleId(), secret_id })).status).toBe(200)
    const alias = findAlias(world, rootNamespace, before?.id ?? '')
    expect(alias?.metadata).toEqual({ role_name: 'app', team: 'ops' })
    expect(alias?.last_update_time).toBe((before?.last_update_time ?? 0) + 1000)
  })

  test('survives the removal of the login method, without its alias', async () => {
    const { world, secrets, entity } = await loggedIn()
    expect(statusAndBody(await secrets.delete('sys/auth/approle'))).toEqual(noContent)
    expect(aliasesIn(world, rootNamespace)).toEqual([])
    expect(entity().name).toMatch(/^entity_/)
  })

  test('a userpass alias is named after the user and has no metadata', async () => {
    const { world, secrets } = await loggedIn()
    await secrets.post('sys/auth/userpass', { type: 'userpass' })
    await secrets.post('auth/userpass/users/ada', { password: 'pw' })
    await secrets.post('auth/userpass/login/Ada', { password: 'pw' }, { token: null })
    const names = aliasesIn(world, rootNamespace).map(({ name, metadata }) => [name, metadata])
    expect(names).toContainEqual(['ada', null])
  })
})

describe('behaviour/secrets#identity: refused logins', () => {
  test('a disabled entity cannot log in, and its tokens are refused', async () => {
    const { auth, change, login, roleId, secretId, as } = await loggedIn()
    change({ disabled: true })
    const { secret_id } = await secretId()
    expect(statusAndBody(await login({ role_id: await roleId(), secret_id }))).toEqual(refused)
    const userClient = as(auth.client_token)
    expect(statusAndBody(await userClient.get('auth/token/lookup-self'))).toEqual(refused)
    change({ disabled: false })
    expect((await userClient.get('auth/token/lookup-self')).status).toBe(200)
  })

  test("the permissions of a disabled entity's tokens are not evaluated", async () => {
    const { auth, change, secrets } = await loggedIn()
    const body = { token: auth.client_token, paths: ['secret/a'] }
    expect((await secrets.post('sys/capabilities', body)).status).toBe(200)
    change({ disabled: true })
    const invalid = multierrorReply(400, 'invalid token')
    expect(statusAndBody(await secrets.post('sys/capabilities', body))).toEqual(invalid)
    const byAccessor = { accessor: auth['accessor'], paths: ['secret/a'] }
    expect(statusAndBody(await secrets.post('sys/capabilities-accessor', byAccessor))).toEqual(
      invalid,
    )
  })
})

describe('behaviour/secrets#identity: policies by the entity', () => {
  test('apply to each request in their present state', async () => {
    const { auth, change, secrets, as } = await loggedIn({ token_policies: 'own' })
    const userClient = as(auth.client_token)
    await secrets.post('secret/data/app', { data: { a: 1 } })
    await secrets.post('sys/policies/acl/reader', {
      policy: 'path "secret/data/app" { capabilities = ["read"] }',
    })
    expect((await userClient.get('secret/data/app')).status).toBe(403)
    change({ policies: ['reader', 'own'] })
    expect((await userClient.get('secret/data/app')).status).toBe(200)
    change({ policies: [] })
    expect((await userClient.get('secret/data/app')).status).toBe(403)
  })

  test("appear in the auth block next to the token's policies, and in look-ups", async () => {
    const { change, logIn, as } = await loggedIn({ token_policies: 'own' })
    change({ policies: ['reader', 'app'] })
    const auth = await logIn()
    expect(auth).toMatchObject({
      policies: ['app', 'default', 'own', 'reader'],
      token_policies: ['default', 'own'],
      identity_policies: ['app', 'reader'],
    })
    const lookup = await as(auth.client_token).get('auth/token/lookup-self')
    expect(lookup.body.data).toMatchObject({
      policies: ['default', 'own'],
      identity_policies: ['reader', 'app'],
      external_namespace_policies: {},
    })
    change({ policies: [] })
    const without = await as(auth.client_token).get('auth/token/lookup-self')
    expect(without.body.data).not.toHaveProperty('identity_policies')
    expect(without.body.data).not.toHaveProperty('external_namespace_policies')
  })

  test('appear twice in look-ups if both the entity and a group have them', async () => {
    const { auth, change, secrets, as } = await loggedIn({ token_policies: 'own' })
    change({ policies: ['reader', 'app'] })
    for (const policies of ['reader,writer', 'writer,auditor']) {
      await secrets.post('identity/group', { policies, member_entity_ids: auth.entity_id })
    }
    const { data } = (await as(auth.client_token).get('auth/token/lookup-self')).body
    expect(data.identity_policies).toEqual(['reader', 'app', 'auditor', 'reader', 'writer'])
  })

  test('look-ups of a token without an entity have no identity policies', async () => {
    const { secrets } = await approleServer()
    const { data } = (await secrets.get('auth/token/lookup-self')).body
    expect(data).not.toHaveProperty('identity_policies')
    expect(data).not.toHaveProperty('external_namespace_policies')
  })

  test('go over to children, not to orphans', async () => {
    const { auth, secrets, as } = await loggedIn({ token_policies: 'maker' })
    await secrets.post('sys/policies/acl/maker', {
      policy:
        'path "auth/token/create" { capabilities = ["update"] } path "auth/token/create-orphan" { capabilities = ["update", "sudo"] }',
    })
    const userClient = as(auth.client_token)
    const child = await userClient.post('auth/token/create', { policies: ['default'] })
    expect(child.body.auth.entity_id).toBe(auth['entity_id'])
    const orphan = await userClient.post('auth/token/create-orphan', { policies: ['default'] })
    expect(orphan.body.auth.entity_id).toBe('')
  })
})
