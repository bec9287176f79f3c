import { describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { makePgpOwner } from '../../../../support/secrets/pgp.ts'
import { servedSecrets, type TestSettings } from '../../../../support/secrets/secrets.ts'
import { error, statusAndBody } from '../../replies.ts'

const stored = (settings: TestSettings = {}) =>
  servedSecrets({ ...settings, secrets: { seal: 'stored', ...settings.secrets } })
const ones = { secret_shares: 1, secret_threshold: 1 }
const allOnes = 'secret shares, secret threshold, and stored shares must be set to 1'

describe('behaviour/secrets#api-rekey: seals with stored keys', () => {
  // choice/secrets#stored-seal-rekey
  test('recovery shares authorise the rekey; no share is returned, and they stay valid', async () => {
    const { secrets, world } = await stored()
    const { keys } = unsealKeys(world)
    const begun = await secrets.post('sys/rekey/init', { ...ones, stored_shares: 1 })
    expect([begun.status, begun.body]).toEqual([
      200,
      {
        nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
        started: true,
        t: 1,
        n: 1,
        progress: 0,
        required: 3,
        pgp_fingerprints: null,
        backup: false,
        verification_required: false,
      },
    ])
    const { nonce } = begun.body
    for (const key of keys.slice(0, 2)) await secrets.post('sys/rekey/update', { key, nonce })
    const completed = await secrets.post('sys/rekey/update', { key: keys[4], nonce })
    expect(statusAndBody(completed)).toEqual({
      status: 200,
      body: {
        nonce,
        complete: true,
        keys: [],
        keys_base64: [],
        pgp_fingerprints: null,
        backup: false,
        verification_required: false,
      },
    })
    expect(unsealKeys(world)).toEqual({ keys, threshold: 3 })
    expect((await secrets.get('sys/rekey/init')).body.started).toBe(false)
  })

  test.each([
    [{}, allOnes],
    [{ secret_shares: 3, secret_threshold: 2 }, allOnes],
    [{ secret_shares: 1, secret_threshold: 0 }, allOnes],
    [{ ...ones, stored_shares: 0 }, allOnes],
    [{ ...ones, stored_shares: 2 }, allOnes],
    [{ secret_shares: 1, secret_threshold: 2 }, 'provided threshold greater than the total shares'],
    [
      { ...ones, pgp_keys: ['never read'] },
      'PGP key encryption not supported when using stored keys',
    ],
    [
      { ...ones, require_verification: true },
      'requiring verification not supported when rekeying the barrier key with recovery keys',
    ],
  ])('%j is refused in both dialects', async (body, message) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await stored({ dialect })
      expect(statusAndBody(await secrets.post('sys/rekey/init', body))).toEqual(error(400, message))
      expect((await secrets.get('sys/rekey/init')).body.started).toBe(false)
    }
  })

  test('a backup is refused for want of PGP keys, or for having them', async () => {
    const { secrets } = await stored()
    expect(statusAndBody(await secrets.post('sys/rekey/init', { ...ones, backup: true }))).toEqual(
      error(
        400,
        'cannot request a backup of the new keys without providing PGP keys for encryption',
      ),
    )
    const { publicKey } = await makePgpOwner()
    const both = { ...ones, backup: true, pgp_keys: [publicKey] }
    expect(statusAndBody(await secrets.post('sys/rekey/init', both))).toEqual(
      error(400, 'PGP key encryption not supported when using stored keys'),
    )
  })

  // choice/secrets#wrong-recovery-shares
  test.each(['neutral', 'vendor'] as const)('wrong shares are 400, %s', async (dialect) => {
    const { secrets, world } = await stored({ dialect })
    const { nonce } = (await secrets.post('sys/rekey/init', ones)).body
    const [a, b] = unsealKeys(world).keys
    for (const key of ['ab'.repeat(33), a]) await secrets.post('sys/rekey/update', { key, nonce })
    expect(statusAndBody(await secrets.post('sys/rekey/update', { key: b, nonce }))).toEqual(
      error(400, 'recovery key verification failed: recovery key does not match submitted values'),
    )
    expect((await secrets.get('sys/rekey/init')).body).toMatchObject({ nonce, progress: 0 })
  })
})
