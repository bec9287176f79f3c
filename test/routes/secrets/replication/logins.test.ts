import { describe, expect, test } from 'vitest'
import {
  type Cluster,
  follow,
  forceNode,
  promote,
  twoClusters,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { issuer } from '../auth/jwt.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

const open = { token: null }
const sealed = error(503, 'Service is sealed')

/** Sets up login methods with a machine and a person in groups, and a key of the transit engine. */
async function fillCluster({ secrets }: Cluster) {
  const write = async (path: string, body: object) =>
    expect(statusAndBody(await secrets.post(path, body))).toEqual(noContent)
  for (const type of ['approle', 'userpass', 'jwt']) await write(`sys/auth/${type}`, { type })
  await write('sys/mounts/transit', { type: 'transit' })
  await write('auth/approle/role/app', { role_id: 'me', token_policies: 'own' })
  await write('auth/userpass/users/ada', { password: 'pw' })
  await write('auth/jwt/config', { jwt_validation_pubkeys: [issuer.pem] })
  const jwtRole = { role_type: 'jwt', user_claim: 'sub', bound_subject: 'ada' }
  await write('auth/jwt/role/app', jwtRole)
  const created = await secrets.post('auth/approle/role/app/secret-id', { num_uses: 3 })
  const { secret_id, secret_id_accessor } = created.body.data
  const login = { role_id: 'me', secret_id }
  const { auth } = (await secrets.post('auth/approle/login', login, open)).body
  const group = { name: 'ops', member_entity_ids: [auth.entity_id], policies: 'p' }
  expect((await secrets.post('identity/group', group)).status).toBe(200)
  for (let n = 0; n < 5; n += 1) {
    await secrets.post('auth/userpass/login/ada', { password: 'no' }, open)
  }
  const { ciphertext } = (await secrets.post('transit/encrypt/k', { plaintext: 'YQ==' })).body.data
  return { login, ciphertext, entity: String(auth.entity_id), secret_id_accessor }
}

/** Reads the data of `fillCluster` in either cluster. */
async function readContents({ secrets }: Cluster, { secret_id_accessor, entity }: ClusterContents) {
  const read = async (path: string) => (await secrets.get(path)).body.data
  const lookup = 'auth/approle/role/app/secret-id-accessor/lookup'
  return {
    role: await read('auth/approle/role/app'),
    secretId: (await secrets.post(lookup, { secret_id_accessor })).body.data,
    user: await read('auth/userpass/users/ada'),
    jwt: [await read('auth/jwt/config'), await read('auth/jwt/role/app')],
    entity: await read(`identity/entity/id/${entity}`),
    group: await read('identity/group/name/ops'),
    locked: await read('sys/locked-users'),
    key: await read('transit/keys/k'),
  }
}
type ClusterContents = Awaited<ReturnType<typeof fillCluster>>

describe('behaviour/secrets#replication: login methods, identities and keys', () => {
  test.each(['before, with the snapshot', 'after, with the feed'])(
    'logins that the primary got %s work after promotion',
    async (when) => {
      const { first, second } = await twoClusters()
      if (when.startsWith('after')) await follow(first, second)
      const contents = await fillCluster(first)
      const read = await readContents(first, contents)
      expect([read.secretId.secret_id_num_uses, read.locked.total]).toEqual([2, 1])
      if (when.startsWith('after')) await waitForSync(first, second)
      else await follow(first, second)
      await promote(second)
      expect(await readContents(second, contents)).toEqual(read)
      const { secrets } = second
      const { auth } = (await secrets.post('auth/approle/login', contents.login, open)).body
      expect(auth).toMatchObject({
        entity_id: contents.entity,
        policies: ['default', 'own', 'p'],
      })
      const right = await secrets.post('auth/userpass/login/ada', { password: 'pw' }, open)
      expect(statusAndBody(right)).toEqual(error(403, 'permission denied'))
      const { ciphertext } = contents
      const { data } = (await secrets.post('transit/decrypt/k', { ciphertext })).body
      expect(data).toEqual({ plaintext: 'YQ==' })
    },
  )

  test('logins are refused while the service is sealed', async () => {
    const { first } = await twoClusters()
    const { login, entity } = await fillCluster(first)
    forceNode(first, 'sealed')
    const { secrets } = first
    expect(statusAndBody(await secrets.post('auth/approle/login', login, open))).toEqual(sealed)
    expect(statusAndBody(await secrets.get(`identity/entity/id/${entity}`))).toEqual(sealed)
    forceNode(first, 'active')
    expect((await secrets.post('auth/approle/login', login, open)).body.auth.entity_id).toBe(entity)
  })
})
