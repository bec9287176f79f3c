import { beforeAll, describe, expect, test } from 'vitest'
import {
  startGeneration,
  submitGenerationShare,
} from '../../../../../state/secrets/replication/operation-token-attempts.ts'
import { seal, unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { becomeSecondary } from '../../../../state/secrets/replication/dr-secondary.ts'
import { refusalOf } from '../../../../state/secrets/system-world.ts'
import { decryptMessage, makePgpOwner, type PgpOwner } from '../../../../support/secrets/pgp.ts'
import { servedSecrets } from '../../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../../replies.ts'

const attempt = 'sys/generate-root/attempt'
const update = 'sys/generate-root/update'
const token = null
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const bad = 'ab'.repeat(33)

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#root-generation, %s: sys/generate-root',
  (dialect) => {
    const otpLength = dialect === 'vendor' ? 28 : 26
    const idle = {
      nonce: '',
      started: false,
      progress: 0,
      required: 3,
      complete: false,
      encoded_token: '',
      encoded_root_token: '',
      pgp_fingerprint: '',
      otp: '',
      otp_length: otpLength,
    }
    const started = { ...idle, nonce: uuid, started: true }

    /** Starts a server for calls without a client token, and returns its key shares. */
    async function server() {
      const served = await servedSecrets({ dialect })
      const { secrets, world } = served
      const { keys } = unsealKeys(world)
      const read = () => secrets.get(attempt, { token })
      async function submitShares(key: string) {
        const { nonce } = (await read()).body
        return secrets.post(update, { key, nonce }, { token })
      }
      const start = (body: object = {}) => secrets.post(attempt, body, { token })
      return { ...served, keys, read, handIn: submitShares, start }
    }

    let owner: PgpOwner
    beforeAll(async () => {
      owner = await makePgpOwner()
    })

    test('idle, started, and cancelled; the one-time password is returned once', async () => {
      const { secrets, read, start } = await server()
      expect(statusAndBody(await read())).toEqual({ status: 200, body: idle })
      const begun = await start()
      expect(begun.body).toEqual({ ...started, otp: expect.stringMatching(/^[0-9A-Za-z]+$/) })
      expect(begun.body.otp).toHaveLength(otpLength)
      expect(Object.keys(begun.body)).toEqual(Object.keys(idle))
      expect((await read()).body).toEqual({ ...begun.body, otp: '' })
      expect(statusAndBody(await start())).toEqual(
        error(400, 'root generation already in progress'),
      )
      expect(statusAndBody(await secrets.delete(attempt, { token }))).toEqual(noContent)
      expect(statusAndBody(await read())).toEqual({ status: 200, body: idle })
      expect(statusAndBody(await secrets.delete(attempt, { token }))).toEqual(noContent)
    })

    test.each(['POST', 'PUT'])('%s starts, updates and decodes: a root token', async (method) => {
      const { secrets, as, keys, read } = await server()
      const send = (path: string, payload: object) =>
        secrets.request({ method, path, payload, token })
      const { otp, nonce } = (await send(attempt, {})).body
      for (const [at, key] of keys.slice(0, 2).entries()) {
        const reply = await send(update, { key, nonce })
        expect(reply.body).toEqual({ ...started, progress: at + 1, otp_length: 0 })
      }
      const last = (await send(update, { key: keys[2], nonce })).body
      expect(last).toEqual({
        ...started,
        progress: 3,
        otp_length: 0,
        complete: true,
        encoded_token: expect.stringMatching(/^[\w+/]+$/),
        encoded_root_token: last.encoded_token,
      })
      expect(statusAndBody(await read())).toEqual({ status: 200, body: idle })

      const decoded = await send('sys/decode-token', { encoded_token: last.encoded_token, otp })
      expect(decoded.status).toBe(200)
      const { data } = decoded.body
      expect(data.token).toHaveLength(otpLength)
      const { data: found } = (await as(data.token).get('auth/token/lookup-self')).body
      expect(found).toMatchObject({
        policies: ['root'],
        path: 'auth/token/root',
        display_name: 'root',
        expire_time: null,
        orphan: true,
        entity_id: '',
        ttl: 0,
      })
      expect(found).not.toHaveProperty('issue_time')
      expect(statusAndBody(await as(data.token).post('auth/token/renew-self'))).toEqual(
        error(400, 'invalid lease ID'),
      )
    })

    test('a one-time password of the caller, which is not returned', async () => {
      const { secrets, as, keys, start, handIn: submitShares } = await server()
      expect(statusAndBody(await start({ otp: 'short' }))).toEqual(
        error(400, 'OTP string is wrong length'),
      )
      const otp = 'x'.repeat(otpLength)
      expect((await start({ otp })).body).toEqual(started)
      let last = ''
      for (const key of keys.slice(0, 3)) last = (await submitShares(key)).body.encoded_token
      const decoded = await secrets.post('sys/decode-token', { encoded_token: last, otp })
      expect((await as(decoded.body.data.token).get('auth/token/lookup-self')).status).toBe(200)
    })

    test('a PGP key can replace the one-time password', async () => {
      const { as, keys, start, handIn: submitShares } = await server()
      const { publicKey, fingerprint } = owner
      expect((await start({ pgp_key: publicKey })).body).toEqual({
        ...started,
        pgp_fingerprint: fingerprint,
      })
      let last = ''
      for (const key of keys.slice(0, 3)) last = (await submitShares(key)).body.encoded_token
      const created = await decryptMessage(owner, Buffer.from(last, 'base64'))
      expect((await as(created).get('auth/token/lookup-self')).body.data.policies).toEqual(['root'])
    })

    test('an invalid PGP key is refused', async () => {
      const { start, read } = await server()
      const reply = await start({ pgp_key: 'AAAA' })
      expect([reply.status, reply.body.errors[0]]).toEqual([
        400,
        expect.stringMatching(/^error parsing PGP key: /),
      ])
      expect((await read()).body.started).toBe(false)
    })

    test('shares that do not count, in order', async () => {
      const { secrets, keys, start, read } = await server()
      const hand = (body: object) => secrets.post(update, body, { token })
      const [first = '', second] = keys
      expect(statusAndBody(await hand({ nonce: 'x' }))).toEqual(
        error(400, "'key' must be specified in request body as JSON"),
      )
      expect(statusAndBody(await hand({ key: '!!', nonce: 'x' }))).toEqual(
        error(400, "'key' must be a valid hex or base64 string"),
      )
      expect(statusAndBody(await hand({ key: 'aabb', nonce: 'x' }))).toEqual(
        error(400, 'invalid key: key is shorter than minimum 16 bytes'),
      )
      expect(statusAndBody(await hand({ key: first, nonce: 'x' }))).toEqual(
        error(400, 'no root generation in progress'),
      )
      const { nonce } = (await start()).body
      expect(statusAndBody(await hand({ key: first, nonce: 'x' }))).toEqual(
        error(
          400,
          `incorrect nonce supplied; nonce for this root generation operation is "${nonce}"`,
        ),
      )
      await hand({ key: first, nonce })
      expect(statusAndBody(await hand({ key: first, nonce }))).toEqual(
        error(400, 'given key has already been provided during this generation operation'),
      )
      await hand({ key: second, nonce })
      const wrong = await hand({ key: bad, nonce })
      expect([wrong.status, wrong.body.errors[0]]).toEqual([
        400,
        expect.stringMatching(
          /^root generation aborted: unable to authenticate: unable to retrieve stored keys: invalid key: /,
        ),
      ])
      expect((await read()).body).toMatchObject({ nonce, started: true, progress: 0 })
    })

    test('sealed: 503 before anything; a DR secondary has other paths for it', async () => {
      const { secrets, world, start } = await server()
      seal(world)
      const words = dialect === 'vendor' ? 'Vault is sealed' : 'Service is sealed'
      expect(statusAndBody(await start({ otp: 'short' }))).toEqual(error(503, words))
      expect(statusAndBody(await secrets.post(update, {}, { token }))).toEqual(error(503, words))

      const other = await server()
      becomeSecondary(other.world)
      expect(statusAndBody(await other.start())).toEqual(
        error(400, 'path disabled in replication DR secondary mode'),
      )
    })

    test('an attempt excludes one for an operation token', async () => {
      const { world, keys, start } = await server()
      const { nonce } = (await start()).body
      becomeSecondary(world)
      const invalid = (message: string) => ({ kind: 'invalid', message })
      expect(refusalOf(() => startGeneration(world, { otp: 'x' }))).toEqual(
        invalid('root generation already in progress'),
      )
      expect(refusalOf(() => submitGenerationShare(world, keys[0] ?? '', nonce))).toEqual(
        invalid(
          'incorrect strategy supplied; a generate root operation of another type is already in progress',
        ),
      )
    })

    test.each([
      [
        { encoded_token: 'a*', otp: 'x' },
        "error decoding base64'd token: illegal base64 data at input byte 1",
      ],
      [
        { encoded_token: 'YWI=', otp: 'xx' },
        "error decoding base64'd token: illegal base64 data at input byte 3",
      ],
      [
        { encoded_token: 'YWI', otp: 'x' },
        'error xoring token: length of byte slices is not equivalent: 2 != 1',
      ],
      // Without a password, the reference parses both as base64 (behaviour/secrets#root-generation,
      // the open fork).
      [{}, 'error xoring token: decoded first base64 value is nil or empty'],
      [
        { encoded_token: 'x' },
        'error xoring token: error decoding first base64 value: illegal base64 data at input byte 0',
      ],
      [
        { encoded_token: 'YWI=' },
        'error xoring token: decoded second base64 value is nil or empty',
      ],
    ])('decode-token %j is refused', async (body, text) => {
      const { secrets } = await server()
      const reply = await secrets.post('sys/decode-token', body, { token })
      expect(statusAndBody(reply)).toEqual(error(dialect === 'vendor' ? 500 : 400, text))
    })
  },
)
