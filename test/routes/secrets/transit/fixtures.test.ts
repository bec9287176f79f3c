import { expect, test } from 'vitest'
import { checkDocument } from '../../../../routes/control/state/documents.ts'
import type { SecretsFixtures } from '../../../../state/secrets/fixtures.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

const title = 'behaviour/program#fixtures: transit keys'

function serverWith(secrets: SecretsFixtures) {
  return servedSecrets({ document: checkDocument([secretsService], { secrets }) })
}

test(`${title} are created, and their engine if it is missing`, async () => {
  const { secrets } = await serverWith({
    mounts: { 'crypt/': { type: 'transit' } },
    transit: {
      'crypt/': { app: {} },
      other: {
        pair: {
          type: 'ed25519',
          exportable: true,
          deletion_allowed: true,
          auto_rotate_period: '1d',
        },
      },
    },
  })
  expect((await secrets.get('crypt/keys/app')).body.data).toMatchObject({ type: 'aes256-gcm96' })
  expect((await secrets.get('other/keys/pair')).body.data).toMatchObject({
    type: 'ed25519',
    exportable: true,
    deletion_allowed: true,
    auto_rotate_period: 86_400,
  })
})

test(`${title} of another engine, or with a mistake, are refused`, async () => {
  await expect(serverWith({ transit: { secret: { a: {} } } })).rejects.toThrow(
    'transit/secret: another engine than transit is mounted there',
  )
  await expect(serverWith({ transit: { t: { a: { type: 'zz' } } } })).rejects.toThrow(
    'transit/t/a: unknown key type zz',
  )
})
