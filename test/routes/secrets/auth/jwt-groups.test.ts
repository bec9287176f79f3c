import { describe, expect, test } from 'vitest'
import { issuer, jwtServer, validClaims } from './jwt.ts'

describe('behaviour/secrets#jwt-login: groups', () => {
  test('are those of the claim, whose policies count, and no others of the method', async () => {
    const { login, secrets } = await jwtServer({ groups_claim: 'groups' })
    const { accessor } = (await secrets.get('sys/auth')).body['jwt/']
    for (const name of ['ops', 'dev']) {
      const group = { name, type: 'external', policies: [`${name}-policy`] }
      const { id } = (await secrets.post('identity/group', group)).body.data
      const alias = { name, mount_accessor: accessor, canonical_id: id }
      expect((await secrets.post('identity/group-alias', alias)).status).toBe(200)
    }
    const policiesWith = async (groups: readonly string[]) => {
      const reply = await login(await issuer.sign({ ...validClaims, groups }))
      return reply.body.auth.identity_policies
    }
    expect(await policiesWith(['ops', 'other'])).toEqual(['ops-policy'])
    expect(await policiesWith(['dev', 'ops'])).toEqual(['dev-policy', 'ops-policy'])
    expect(await policiesWith(['dev'])).toEqual(['dev-policy'])
  })

  test('are joined again at each renewal, in their present state', async () => {
    const { login, secrets, as } = await jwtServer({ groups_claim: 'groups' })
    const { accessor } = (await secrets.get('sys/auth')).body['jwt/']
    const { auth } = (await login(await issuer.sign({ ...validClaims, groups: ['ops'] }))).body
    const policies = async () =>
      (await as(auth.client_token).get('auth/token/lookup-self')).body.data.identity_policies
    const group = { name: 'ops', type: 'external', policies: ['ops-policy'] }
    const { id } = (await secrets.post('identity/group', group)).body.data
    const alias = { name: 'ops', mount_accessor: accessor, canonical_id: id }
    await secrets.post('identity/group-alias', alias)
    expect(await policies()).toBeUndefined()
    expect((await as(auth.client_token).post('auth/token/renew-self', {})).status).toBe(200)
    expect(await policies()).toEqual(['ops-policy'])
  })
})
