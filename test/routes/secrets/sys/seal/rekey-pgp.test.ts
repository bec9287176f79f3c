import { generateKey } from 'openpgp'
import { beforeAll, describe, expect, test } from 'vitest'
import { rekeyOperations } from '../../../../../routes/secrets/sys/seal/rekey.ts'
import { areLatestShares } from '../../../../../state/secrets/rekey/rekey.ts'
import { rekeyAttempt } from '../../../../../state/secrets/rekey/rekey-machine.ts'
import {
  demotePrimary,
  enablePrimary,
} from '../../../../../state/secrets/replication/replication.ts'
import { isSealed, seal, unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { decryptMessage, makePgpOwner, type PgpOwner } from '../../../../support/secrets/pgp.ts'
import {
  type Reply,
  servedSecrets,
  type TestSettings,
} from '../../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../../replies.ts'
import { runHandler } from '../../run-handler.ts'

let ada: PgpOwner
let ben: PgpOwner

beforeAll(async () => {
  ada = await makePgpOwner('curve25519')
  ben = await makePgpOwner('ecc')
})

const two = { secret_shares: 2, secret_threshold: 2 }
const messageOf = (hex: string) => Buffer.from(hex, 'hex')

/** Starts a server with functions that start a rekey with PGP keys and submit all needed shares. */
async function rekeying(settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  const { secrets, world } = server
  const start = (owners: readonly PgpOwner[], more: object = {}) =>
    secrets.post('sys/rekey/init', {
      secret_shares: owners.length,
      secret_threshold: owners.length,
      pgp_keys: owners.map(({ publicKey }) => publicKey),
      ...more,
    })
  async function submitAll(): Promise<Reply> {
    const { keys, threshold } = unsealKeys(world)
    const { nonce } = (await secrets.get('sys/rekey/init')).body
    for (const key of keys.slice(1, threshold)) {
      await secrets.post('sys/rekey/update', { key, nonce })
    }
    return secrets.post('sys/rekey/update', { key: keys[0], nonce })
  }
  return { ...server, start, finish: submitAll }
}

describe('behaviour/secrets#pgp', () => {
  test('fingerprints in order; each share to its owner, as hex text; they unseal', async () => {
    const { secrets, world, start, finish: submitAll } = await rekeying()
    const fingerprints = [ben.fingerprint, ada.fingerprint]
    const begun = await start([ben, ada])
    expect([begun.status, begun.body.pgp_fingerprints]).toEqual([200, fingerprints])
    expect((await secrets.get('sys/rekey/init')).body).toEqual(begun.body)

    const completed = await submitAll()

    expect(completed.body).toEqual({
      nonce: begun.body.nonce,
      complete: true,
      keys: Array(2).fill(expect.stringMatching(/^([0-9a-f]{2})+$/)),
      keys_base64: Array(2).fill(expect.any(String)),
      pgp_fingerprints: fingerprints,
      backup: false,
      verification_required: false,
    })
    const { keys, keys_base64 } = completed.body
    expect(keys_base64).toEqual(keys.map((key: string) => messageOf(key).toString('base64')))
    const shares = [
      await decryptMessage(ben, messageOf(keys[0])),
      await decryptMessage(ada, messageOf(keys[1])),
    ]
    expect(unsealKeys(world).keys).toEqual(shares)
    await expect(decryptMessage(ada, messageOf(keys[0]))).rejects.toThrow()
    seal(world)
    for (const key of shares) await secrets.post('sys/unseal', { key })
    expect(isSealed(world)).toBe(false)
    // Without `backup`, nothing is stored.
    expect(statusAndBody(await secrets.get('sys/rekey/backup'))).toEqual(
      error(400, 'no backed-up keys found'),
    )
  })

  // choice/secrets#rekey-pgp-keys-early
  test('one bad key among good ones, and one that can only sign', async () => {
    const { start, secrets } = await rekeying()
    const reply = await start([ada, ben], { pgp_keys: [ada.publicKey, 'AAA!'] })
    expect(statusAndBody(reply)).toEqual(
      error(
        400,
        'invalid rekey seal configuration: error decoding given PGP key: illegal base64 data at input byte 3',
      ),
    )
    const { publicKey } = await generateKey({
      userIDs: [{ name: 'S' }],
      subkeys: [],
      format: 'object',
    })
    const signer = Buffer.from(publicKey.write()).toString('base64')
    const signing = await start([ada, ben], { pgp_keys: [ada.publicKey, signer] })
    expect(signing.status).toBe(400)
    expect(signing.body.errors).toEqual([
      expect.stringMatching(/^invalid rekey seal configuration: .*Could not find valid/),
    ])
    expect((await secrets.get('sys/rekey/init')).body.started).toBe(false)
  })

  test('behaviour/secrets#api-limits: of two attempts at the same moment one is started', async () => {
    const { start, secrets } = await rekeying()
    const replies = await Promise.all([start([ada, ben]), start([ben, ada])])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(replies.map(statusAndBody)).toContainEqual(error(400, 'rekey already in progress'))
    const created = replies.find(({ status }) => status === 200)
    expect((await secrets.get('sys/rekey/init')).body).toEqual(created?.body)
  })

  test('a service that is sealed while the keys are read starts nothing', async () => {
    const { world } = await rekeying()
    const input = { ...two, pgp_keys: [ada.publicKey, ben.publicKey] }
    // The handler alone: over HTTP, a test cannot know when it has begun to read.
    const reply = runHandler(rekeyOperations, 'rekey/init', world, input)
    seal(world)
    await expect(reply).rejects.toThrow('Service is sealed')
    expect(rekeyAttempt(world)).toBeUndefined()
  })

  test('nor does a cluster that becomes a DR secondary meanwhile', async () => {
    const { world } = await rekeying()
    const input = { ...two, pgp_keys: [ada.publicKey, ben.publicKey] }
    enablePrimary(world, '')
    const reply = runHandler(rekeyOperations, 'rekey/init', world, input)
    demotePrimary(world, 'http://127.0.0.1:1')
    await expect(reply).rejects.toThrow('path disabled in replication DR secondary mode')
    expect(rekeyAttempt(world)).toBeUndefined()
  })
})

describe('behaviour/secrets#api-rekey: sys/rekey/backup', () => {
  test('GET returns the shares by the fingerprint of the key that decrypts them; DELETE deletes them', async () => {
    const { secrets, start, finish: submitAll, world } = await rekeying()
    expect(statusAndBody(await secrets.get('sys/rekey/backup'))).toEqual(
      error(400, 'no backed-up keys found'),
    )
    expect((await start([ada, ben], { backup: true })).body.backup).toBe(true)
    const completed = await submitAll()
    expect(completed.body.backup).toBe(true)
    const backup = await secrets.get('sys/rekey/backup')
    expect(statusAndBody(backup)).toEqual({
      status: 200,
      body: {
        nonce: completed.body.nonce,
        keys: {
          [ada.fingerprint]: completed.body.keys[0],
          [ben.fingerprint]: completed.body.keys[1],
        },
      },
    })
    const { keys } = backup.body
    expect([
      await decryptMessage(ada, messageOf(keys[ada.fingerprint])),
      await decryptMessage(ben, messageOf(keys[ben.fingerprint])),
    ]).toEqual(unsealKeys(world).keys)
    expect(statusAndBody(await secrets.delete('sys/rekey/backup'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('sys/rekey/backup'))).toEqual(
      error(400, 'no backed-up keys found'),
    )
    expect(statusAndBody(await secrets.delete('sys/rekey/backup'))).toEqual(noContent)
  })

  test('behaviour/secrets#body-kinds: the vendor sends lists in an envelope, and also base64', async () => {
    const { secrets, start, finish: submitAll } = await rekeying({ dialect: 'vendor' })
    await start([ada, ada], { ...two, backup: true })
    const { nonce, keys } = (await submitAll()).body
    const data = {
      nonce,
      keys: { [ada.fingerprint]: keys },
      keys_base64: {
        [ada.fingerprint]: keys.map((key: string) => messageOf(key).toString('base64')),
      },
    }
    expect(statusAndBody(await secrets.get('sys/rekey/backup'))).toEqual(ok({ data, ...data }))
  })

  // choice/secrets#rekey-backup-same-key
  test('two shares to one key: neutral has room for one, the last', async () => {
    const { secrets, start, finish: submitAll } = await rekeying()
    await start([ada, ada], { backup: true })
    const { keys } = (await submitAll()).body
    const backup = await secrets.get('sys/rekey/backup')
    expect(backup.body.keys).toEqual({ [ada.fingerprint]: keys[1] })
  })

  // choice/secrets#rekey-backup-life
  test('during verification it holds the new shares already; cancelling leaves it', async () => {
    const { secrets, start, finish: submitAll, world } = await rekeying()
    const { keys: old } = unsealKeys(world)
    await start([ada, ben], { backup: true, require_verification: true })
    const completed = await submitAll()
    const { keys } = (await secrets.get('sys/rekey/backup')).body
    const share = await decryptMessage(ada, messageOf(keys[ada.fingerprint]))
    const nonce = completed.body.verification_nonce
    const step = await secrets.post('sys/rekey/verify', { key: share, nonce })
    expect(step.body).toEqual({ nonce, started: true, t: 2, n: 2, progress: 1 })
    await secrets.delete('sys/rekey/init')
    expect(unsealKeys(world).keys).toEqual(old)
    expect((await secrets.get('sys/rekey/backup')).body.nonce).toBe(completed.body.nonce)
  })

  test('a world that is reset while shares are encrypted keeps no backup of them', async () => {
    const { secrets, start, world } = await rekeying()
    await start([ada, ben], { backup: true })
    const { keys } = unsealKeys(world)
    const { nonce } = (await secrets.get('sys/rekey/init')).body
    for (const key of keys.slice(0, 2)) await secrets.post('sys/rekey/update', { key, nonce })
    const pending = secrets.post('sys/rekey/update', { key: keys[2], nonce })
    // The keys change in one step; only the encryption takes longer.
    while (areLatestShares(world, keys)) await new Promise((next) => setImmediate(next))
    world.reset()
    expect((await pending).body.complete).toBe(true)
    expect(unsealKeys(world).keys).toEqual(keys)
    expect(statusAndBody(await secrets.get('sys/rekey/backup'))).toEqual(
      error(400, 'no backed-up keys found'),
    )
  })
})
