import { describe, expect, test } from 'vitest'
import { seedNamespaceMounts } from '../../../../state/secrets/mounts/start-mounts.ts'
import { type Namespace, namespaces } from '../../../../state/secrets/namespaces/namespaces.ts'
import { seedNamespacePolicies } from '../../../../state/secrets/policies/policies.ts'
import { tokenLeaseKey, tokens } from '../../../../state/secrets/tokens/rows.ts'
import type { TestSettings } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { okAuth, type TokenServer, tokenServer } from './tokens.ts'

const team: Namespace = { id: 'abcde', path: 'team/', custom_metadata: {} }
const inTeam = { headers: { 'x-secrets-namespace': 'team' } }

/**
 * Starts a server with the namespace `team/` and a function that creates tokens of `default` in it.
 */
async function withTeam(
  settings: TestSettings = {},
): Promise<TokenServer & { makeInTeam(body?: object): Promise<string> }> {
  const server = await tokenServer(settings)
  server.world.write(() => {
    server.world.table(namespaces).put(team.path, team)
    seedNamespaceMounts(server.world, team)
    seedNamespacePolicies(server.world, team)
  })
  const makeInTeam = async (body: object = {}) => {
    const input = { policies: ['default'], ...body }
    const created = await server.secrets.post('auth/token/create', input, inTeam)
    return String(created.body.auth.client_token)
  }
  return { ...server, makeInTeam }
}

const teamAuth = {
  client_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}\.abcde$/),
  accessor: expect.stringMatching(/^[0-9A-Za-z]{24}\.abcde$/),
}

describe('behaviour/secrets#conventions and behaviour/secrets#tokens: tokens of a namespace', () => {
  test('are made by root with the policies asked for and end in its id', async () => {
    const { secrets } = await withTeam()
    const policies = ['default', 'x']
    expect(
      statusAndBody(await secrets.post('auth/token/create', { policies: ['x'] }, inTeam)),
    ).toEqual(
      okAuth({ ...teamAuth, policies, token_policies: policies }, ['Policy "x" does not exist']),
    )
    expect(statusAndBody(await secrets.post('team/auth/token/create', {}))).toEqual(
      okAuth(teamAuth),
    )
  })

  test('show their namespace and only work in it', async () => {
    const { as, makeInTeam } = await withTeam()
    const client = as(await makeInTeam())
    const own = await client.get('auth/token/lookup-self', inTeam)
    expect(own.body.data.namespace_path).toBe('team/')
    expect(statusAndBody(await client.get('sys/internal/ui/resultant-acl'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  test.each(['neutral', 'vendor'] as const)(
    'behaviour/secrets#namespace-header, %s: paths about oneself go to the namespace of the token',
    async (dialect) => {
      const { as, makeInTeam, secrets } = await withTeam({ dialect })
      const client = as(await makeInTeam())
      const own = await client.get('auth/token/lookup-self')
      expect(own.body.data.namespace_path).toBe('team/')
      expect((await client.post('auth/token/renew-self', {})).status).toBe(200)
      expect((await secrets.get('auth/token/lookup-self', inTeam)).body.data.path).toBe(
        'auth/token/root',
      )
      expect(statusAndBody(await client.post('auth/token/revoke-self', {}))).toEqual(noContent)
      expect((await client.get('auth/token/lookup-self')).status).toBe(403)
    },
  )

  test('behaviour/secrets#namespace-header: paths about a token go to the namespace in its id', async () => {
    const { secrets, makeInTeam, createToken, world } = await withTeam()
    const token = await makeInTeam()
    const found = await secrets.post('auth/token/lookup', { token })
    expect(found.body.data.namespace_path).toBe('team/')
    expect((await secrets.get(`auth/token/lookup?token=${token}`)).status).toBe(200)
    expect((await secrets.post('auth/token/renew', { token })).status).toBe(200)
    const weak = await createToken()
    expect(statusAndBody(await weak.client.post('auth/token/revoke', { token }))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    const lease = [...world.table(tokens).rows()].find(({ id }) => id === token)
    const lease_id = lease === undefined ? '' : tokenLeaseKey(lease).replace(/^[^/]*\//, '')
    expect((await secrets.post('sys/leases/lookup', { lease_id })).status).toBe(200)
    expect(statusAndBody(await secrets.post(`sys/leases/revoke/${lease_id}`, {}))).toEqual(
      noContent,
    )
    expect((await secrets.post('auth/token/lookup', { token })).status).toBe(403)
    const other = await makeInTeam()
    expect(statusAndBody(await secrets.post('auth/token/revoke', { token: other }))).toEqual(
      noContent,
    )
  })

  test('have leases and accessors of their own', async () => {
    const { secrets, makeInTeam, as } = await withTeam()
    const token = await makeInTeam()
    const accessors = await secrets.list('auth/token/accessors', inTeam)
    expect(accessors.body.data.keys).toEqual([teamAuth.accessor])
    const accessor = String(accessors.body.data.keys[0])
    expect(statusAndBody(await secrets.list('sys/leases/lookup/auth/token', inTeam))).toEqual(
      ok({ data: { keys: ['create/'] } }),
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup'))).toEqual(error(404))
    expect(
      statusAndBody(await secrets.post('auth/token/revoke-accessor', { accessor }, inTeam)),
    ).toEqual(noContent)
    expect(statusAndBody(await as(token).get('auth/token/lookup-self', inTeam))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test('may not be root, chosen, or made without sudo', async () => {
    const { secrets, createTokenWith } = await withTeam()
    const create = (body: object) =>
      secrets.post('auth/token/create', body, inTeam).then(statusAndBody)
    expect(await create({ policies: ['root'] })).toEqual(
      error(400, 'root tokens may not be created from a parent namespace'),
    )
    expect(await create({ policies: ['default'], id: 'own' })).toEqual(
      error(400, 'token IDs can only be manually specified in the root namespace'),
    )
    const { client } = await createTokenWith(
      'path "team/auth/token/create" { capabilities = ["update"] }',
    )
    expect(statusAndBody(await client.post('auth/token/create', {}, inTeam))).toEqual(
      error(
        400,
        'root or sudo privileges required to directly generate a token in a child namespace',
      ),
    )
  })

  test('see the policies and roles of their namespace', async () => {
    const { secrets } = await withTeam()
    await secrets.post('sys/policies/acl/own', { policy: 'path "a" { policy = "read" }' }, inTeam)
    await secrets.post('auth/token/roles/own', {}, inTeam)
    expect(statusAndBody(await secrets.list('sys/policies/acl', inTeam))).toEqual(
      ok({ data: { keys: ['default', 'own'] } }),
    )
    expect(statusAndBody(await secrets.get('sys/policies/acl/own'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('auth/token/roles/own'))).toEqual(error(404))
  })

  test('have capabilities on paths of their namespace', async () => {
    const { as, makeInTeam } = await withTeam()
    const client = as(await makeInTeam())
    const paths = ['cubbyhole/x', '/cubbyhole/y']
    const all = ['create', 'delete', 'list', 'read', 'update']
    const data = { '/cubbyhole/y': all, 'cubbyhole/x': all }
    expect(statusAndBody(await client.post('sys/capabilities-self', { paths }, inTeam))).toEqual(
      ok({ data, ...data }),
    )
  })
})
