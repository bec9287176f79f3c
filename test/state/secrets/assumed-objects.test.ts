import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkDocument } from '../../../routes/control/state/documents.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { codeAt } from '../../../state/secrets/totp/codes.ts'
import { everyFixture, totpKey } from '../../support/secrets/every-fixture.ts'
import { servedSecrets } from '../../support/secrets/secrets.ts'

const document = checkDocument([secretsService], parse(everyFixture))

const directory = {
  ldap: { users: { alice: { password: 'alicepw', groups: ['dev'] } } },
  github: {
    organizations: {},
    users: { tok: { login: 'Alice', organizations: ['Acme'], teams: { Acme: ['Dev Team'] } } },
  },
}

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#fixture-objects, %s',
  (dialect) => {
    // choice/secrets#fixture-assumed-objects
    test('fixtures of every kind load without options, and what they name exists', async () => {
      const { secrets, world, clock } = await servedSecrets({ dialect, document })
      const read = async (path: string) => (await secrets.get(path)).body.data
      const write = (path: string, fields: object) => secrets.post(path, fields)

      expect((await read('database/static-creds/st')).password).toHaveLength(20)
      expect(await read('identity/oidc/client/app')).toMatchObject({ client_secret: 'hunter2' })
      expect(await read('sys/plugins/catalog/secret/mine?version=v1.0.0')).toMatchObject({
        command: 'mine',
      })

      world.changeOptions({ secrets: { directory } })
      const byGithub = await write('auth/github/login', { token: 'tok' })
      expect(byGithub.body.auth.policies).toEqual(['ali', 'default', 'devs'])
      const byLdap = await write('auth/ldap/login/alice', { password: 'alicepw' })
      expect(byLdap.body.auth.policies).toEqual(['default', 'devs'])

      const { id: entity_id } = await read('identity/entity/name/ada')
      const { keys, key_info } = (await secrets.list('identity/mfa/method')).body.data
      expect(key_info[keys[0]]).toMatchObject({ name: 'phone' })
      const generation = { method_id: keys[0], entity_id }
      const again = await write('identity/mfa/method/totp/admin-generate', generation)
      expect(again.body.warnings[0]).toContain('already has a secret')
      const { code } = await read('totp/code/app')
      expect(code).toBe(
        codeAt({ key: totpKey, algorithm: 'SHA1', digits: 6, period: 30 }, clock.now()),
      )
    })

    test('writes of the API name only what exists', async () => {
      const { secrets } = await servedSecrets({ dialect, document })
      const refusal = async (path: string, fields: object) =>
        (await secrets.post(path, fields)).body.errors.join()
      await secrets.post('sys/auth/later', { type: 'github' })
      expect(await refusal('auth/later/config', { organization: 'other' })).toMatch(/other: 404/)
      expect(
        await refusal('database/static-roles/new', {
          db_name: 'pg',
          username: 'nobody',
          rotation_period: '1h',
        }),
      ).toContain('role "nobody" does not exist')
    })
  },
)
