import { describe, expect, test } from 'vitest'
import { unmaskToken } from '../../../../../state/secrets/replication/operation-token-attempts.ts'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { makePgpOwner } from '../../../../support/secrets/pgp.ts'
import { servedSecrets, type TestSettings } from '../../../../support/secrets/secrets.ts'
import { envelope, error, noContent, ok, statusAndBody } from '../../replies.ts'
import { hexShares, numbers, opensService, uuid } from './rekey-server.ts'

const idle = { started: false, t: 0, n: 0, required: 3 }
const started = {
  started: true,
  t: 2,
  n: 3,
  required: 3,
  nonce: uuid,
  progress: 0,
  verification_required: false,
  verification_nonce: '',
}

async function rotating(settings: TestSettings = {}, key: 'root' | 'recovery' = 'root') {
  const server = await servedSecrets(settings)
  const { secrets, world } = server
  const at = `sys/rotate/${key}`
  const submitShares = async (shares: readonly string[], path: 'update' | 'verify' = 'update') => {
    const replies: Awaited<ReturnType<typeof secrets.post>>[] = []
    for (const share of shares) {
      const { nonce } = (await secrets.get(`${at}/${path === 'update' ? 'init' : path}`)).body.data
      replies.push(await secrets.post(`${at}/${path}`, { key: share, nonce }))
    }
    return replies
  }
  const enough = () => unsealKeys(world).keys.slice(0, unsealKeys(world).threshold)
  return { ...server, at, submitShares, enough }
}

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#rotation, %s: sys/rotate',
  (dialect) => {
    test('replaces the key shares in envelopes', async () => {
      const { secrets, at, submitShares, enough, ...server } = await rotating({ dialect })
      const init = () => secrets.get(`${at}/init`).then(statusAndBody)
      expect(await init()).toEqual(ok({ data: idle }))
      const texts = { secret_shares: '3', secret_threshold: '2' }
      expect(statusAndBody(await secrets.post(`${at}/init`, texts))).toEqual(ok({ data: started }))
      expect(statusAndBody(await secrets.post(`${at}/init`, numbers))).toEqual(
        error(400, 'rotation already in progress'),
      )
      const replies = await submitShares(enough())
      expect(replies[0]?.body.data).toEqual({ ...started, progress: 1 })
      const { keys } = replies[2]?.body.data ?? {}
      expect(replies[2]?.body.data).toEqual({
        complete: true,
        nonce: uuid,
        backup: false,
        pgp_fingerprints: null,
        verification_required: false,
        verification_nonce: '',
        keys: hexShares(3),
        keys_base64: expect.any(Array),
      })
      expect(await init()).toEqual(ok({ data: { ...idle, required: 2 } }))
      expect(await opensService({ secrets, ...server }, keys)).toBe(true)
    })

    test('refuses shares in the words of a rotation', async () => {
      const { secrets, at, enough } = await rotating({ dialect })
      const update = (body: object) => secrets.post(`${at}/update`, body).then(statusAndBody)
      const [key = ''] = enough()
      expect(await update({ nonce: 'x' })).toEqual(error(400, "missing required field 'key'"))
      expect(await update({ key })).toEqual(error(400, "missing required field 'nonce'"))
      expect(await update({ key, nonce: 'x' })).toEqual(error(400, 'no rotation in progress'))
      expect(statusAndBody(await secrets.get(`${at}/verify`))).toEqual(
        error(400, 'no rotation configuration found'),
      )
      const { nonce } = (await secrets.post(`${at}/init`, numbers)).body.data
      expect(await update({ key, nonce: 'x' })).toEqual(
        error(400, `incorrect nonce supplied; nonce for rotation is "${nonce}"`),
      )
      expect((await update({ key, nonce })).status).toBe(200)
      expect(await update({ key, nonce })).toEqual(
        error(400, 'given key has already been provided during this rotation'),
      )
      expect(statusAndBody(await secrets.delete(`${at}/init`))).toEqual(noContent)
      expect(statusAndBody(await secrets.get(`${at}/init`))).toEqual(ok({ data: idle }))
      const bad = await secrets.post(`${at}/init`, { secret_shares: 3, secret_threshold: 1 })
      expect(statusAndBody(bad)).toEqual(
        error(
          400,
          'invalid rotate seal configuration: threshold must be greater than one for multiple shares',
        ),
      )
    })

    test('verifies the new shares, and keeps encrypted ones', async () => {
      const owner = await makePgpOwner()
      const { secrets, at, submitShares, enough } = await rotating({ dialect })
      const body = { ...numbers, require_verification: true }
      await secrets.post(`${at}/init`, body)
      const last = (await submitShares(enough())).at(-1)?.body.data
      expect(last.verification_nonce).toEqual(uuid)
      const reset = await secrets.delete(`${at}/verify`)
      expect(reset.body.data).toEqual({ nonce: uuid, started: true, t: 2, n: 3, progress: 0 })
      const verified = await submitShares(last.keys.slice(0, 2), 'verify')
      expect(verified[0]?.body.data).toEqual({ ...reset.body.data, progress: 1 })
      expect(verified[1]?.body.data).toEqual({ complete: true, nonce: reset.body.data.nonce })

      expect(statusAndBody(await secrets.get(`${at}/backup`))).toEqual(
        error(400, 'no backed-up keys found'),
      )
      const pgp = {
        secret_shares: 1,
        secret_threshold: 1,
        pgp_keys: [owner.publicKey],
        backup: true,
      }
      const begun = (await secrets.post(`${at}/init`, pgp)).body.data
      expect(begun).toMatchObject({ pgp_fingerprints: [owner.fingerprint], backup: true })
      const { keys } = (await submitShares(enough())).at(-1)?.body.data ?? {}
      const kept = (await secrets.get(`${at}/backup`)).body
      expect(kept.data.keys).toEqual({ [owner.fingerprint]: keys })
      expect(kept.keys).toEqual(kept.data.keys)
      expect(statusAndBody(await secrets.delete(`${at}/backup`))).toEqual(noContent)
    })

    // choice/secrets#rotation-attempts
    test('recovery shares are those of a stored-key seal', async () => {
      const plain = await rotating({ dialect }, 'recovery')
      expect(statusAndBody(await plain.secrets.get(`${plain.at}/init`))).toEqual(
        error(dialect === 'vendor' ? 500 : 400, 'unable to look up config: recovery not supported'),
      )
      expect(statusAndBody(await plain.secrets.post(`${plain.at}/init`, numbers))).toEqual(
        error(400, 'recovery keys not supported'),
      )
      const stored = await rotating({ dialect, secrets: { seal: 'stored' } }, 'recovery')
      await stored.secrets.post(`${stored.at}/init`, numbers)
      expect((await stored.secrets.get('sys/rotate/root/init')).body.data.started).toBe(false)
      const { keys } = (await stored.submitShares(stored.enough())).at(-1)?.body.data ?? {}
      expect(keys).toEqual(hexShares(3))
      expect(unsealKeys(stored.world).keys).toEqual(keys)
      const root = await stored.secrets.post('sys/rotate/root/init', numbers)
      expect(root.body.data).toMatchObject({ started: true, t: 1, n: 1 })
    })

    test('keyring and root key take sudo', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const policy = 'path "sys/rotate/*" { capabilities = ["update", "read"] }'
      await secrets.post('sys/policies/acl/rotate', { policy })
      const made = await secrets.post('auth/token/create', { policies: ['rotate'] })
      const weak = as(made.body.auth.client_token)
      for (const path of ['sys/rotate/keyring', 'sys/rotate/root']) {
        expect((await weak.post(path, {})).status).toBe(403)
        expect(statusAndBody(await secrets.post(path, {}))).toEqual(noContent)
      }
      expect((await secrets.get('sys/key-status')).body.data.term).toBe(2)
      const config = 'sys/rotate/keyring/config'
      expect((await weak.post(config, { interval: '48h' })).status).toBe(204)
      expect((await weak.get('sys/rotate/config')).body.data.interval).toBe('48h0m0s')
      expect((await weak.get('sys/rotate/root/init')).status).toBe(200)
    })

    test('behaviour/secrets#root-generation: generate-root-token takes a client token', async () => {
      const { secrets, world, as } = await servedSecrets({ dialect })
      const at = 'sys/generate-root-token'
      const otp_length = dialect === 'vendor' ? 28 : 26
      const initial = { complete: false, progress: 0, required: 3, otp: '', otp_length }
      expect((await secrets.get(`${at}/attempt`, { token: null })).status).toBe(403)
      expect(statusAndBody(await secrets.get(`${at}/attempt`))).toEqual({
        status: 200,
        body: envelope({ data: { ...initial, started: false } }),
      })
      const { otp, nonce } = (await secrets.post(`${at}/attempt`, {})).body.data
      const update = (body: object) => secrets.put(`${at}/update`, body)
      expect(statusAndBody(await update({ key: 'x' }))).toEqual(error(400, 'nonce is required'))
      expect(statusAndBody(await update({ nonce }))).toEqual(error(400, 'key is required'))
      const raisedStatus = dialect === 'vendor' ? 500 : 400
      for (const [key, text] of [
        ['x', "'key' must be a valid hex or base64 string"],
        ['aa', 'invalid key: key is shorter than minimum 16 bytes'],
      ] as const) {
        const refused = error(raisedStatus, `1 error occurred:\n\t* ${text}\n\n`)
        expect(statusAndBody(await update({ key, nonce }))).toEqual(refused)
      }
      const { keys } = unsealKeys(world)
      const first = await update({ key: keys[0], nonce })
      const progress = { started: true, required: 3, nonce, pgp_fingerprint: '' }
      expect(first.body.data).toEqual({
        ...progress,
        complete: false,
        progress: 1,
        encoded_token: '',
      })
      await update({ key: keys[1], nonce })
      const { encoded_token, complete } = (await update({ key: keys[2], nonce })).body.data
      expect(complete).toBe(true)
      const client = as(unmaskToken(encoded_token, otp))
      expect((await client.get('auth/token/lookup-self')).body.data.policies).toEqual(['root'])
      await secrets.post(`${at}/attempt`, {})
      expect(statusAndBody(await secrets.delete(`${at}/attempt`))).toEqual(noContent)
    })
  },
)
