import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'

/** Paths of one role or user for each login method, with the fields that it needs. */
const methods = [
  ['jwt', 'jwt', 'role', { role_type: 'jwt', user_claim: 'sub', bound_subject: 'a' }],
  [
    'orch',
    'orch',
    'role',
    { bound_service_account_names: 'web', bound_service_account_namespaces: 'shop' },
  ],
  ['userpass', 'userpass', 'users', { password: 'pw' }],
] as const

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#token-fields, %s: old names',
  (dialect) => {
    test.each(methods)('%s: reads return both names if both are written', async (...method) => {
      const [type, mount, folder, needed] = method
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post(`sys/auth/${mount}`, { type })
      const at = `auth/${mount}/${folder}/app`
      const write = async (body: object) =>
        expect(statusAndBody(await secrets.post(at, body))).toEqual(noContent)
      const read = async () => (await secrets.get(at)).body.data
      await write({ ...needed, policies: 'a', token_policies: 'b', ttl: 5, token_ttl: 6 })
      expect(await read()).toMatchObject({
        policies: ['b'],
        token_policies: ['b'],
        ttl: 6,
        token_ttl: 6,
      })
      await write({ ...needed, token_policies: 'c', ttl: 0, max_ttl: 9 })
      const data = await read()
      expect(data).toMatchObject({ token_policies: ['c'], token_ttl: 0, max_ttl: 9 })
      expect(Object.keys(data)).not.toContain('policies')
      expect(Object.keys(data)).not.toContain('ttl')
    })

    test.each(methods.slice(0, 2))(
      '%s: batch tokens are refused with uses or a period under new names alone',
      async (...method) => {
        const [type, mount, folder, needed] = method
        const { secrets } = await servedSecrets({ dialect })
        await secrets.post(`sys/auth/${mount}`, { type })
        const at = `auth/${mount}/${folder}/app`
        const batch = { ...needed, token_type: 'batch' }
        expect((await secrets.post(at, { ...batch, token_num_uses: 3 })).status).toBe(400)
        expect((await secrets.post(at, { ...batch, token_period: 60 })).status).toBe(400)
        const old = { ...batch, num_uses: 3, period: 60 }
        expect(statusAndBody(await secrets.post(at, old))).toEqual(noContent)
        expect((await secrets.get(at)).body.data).toMatchObject({
          token_type: 'batch',
          token_num_uses: 3,
          num_uses: 3,
          token_period: 60,
        })
        // The stored values count at the next write.
        expect((await secrets.post(at, { ...needed, token_ttl: 5 })).status).toBe(400)
      },
    )
  },
)
