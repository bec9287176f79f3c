import { describe, expect, test } from 'vitest'
import { good, issuer, jwtServer } from './jwt.ts'

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
      const reply = await login(await issuer.sign({ ...good, groups }))
      return reply.body.auth.identity_policies
    }
    expect(await policiesWith(['ops', 'other'])).toEqual(['ops-policy'])
    expect(await policiesWith(['dev', 'ops'])).toEqual(['dev-policy', 'ops-policy'])
    expect(await policiesWith(['dev'])).toEqual(['dev-policy'])
  })
})
