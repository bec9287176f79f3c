import { beforeAll, describe, expect, test } from 'vitest'
import { operationTokenOperations } from '../../../../../routes/secrets/sys/seal/operation-tokens.ts'
import { drReplication, replications } from '../../../../../state/secrets/replication/modes.ts'
import {
  checkOperationToken,
  operationTokenAttempts,
  operationTokens,
} from '../../../../../state/secrets/replication/operation-tokens.ts'
import { seal, unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import {
  becomeSecondary,
  leaveReplication,
} from '../../../../state/secrets/replication/dr-secondary.ts'
import { decryptMessage, makePgpOwner, type PgpOwner } from '../../../../support/secrets/pgp.ts'
import {
  type Reply,
  servedSecrets,
  type TestSettings,
} from '../../../../support/secrets/secrets.ts'
import { addNamespace } from '../../namespace-rows.ts'
import { error, noContent, statusAndBody } from '../../replies.ts'
import { runHandler } from '../../run-handler.ts'

const base = 'sys/replication/dr/secondary'
const attempt = `${base}/generate-operation-token/attempt`
const update = `${base}/generate-operation-token/update`
const deletion = `${base}/operation-token/delete`
const promote = `${base}/promote`

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const idle = {
  started: false,
  nonce: '',
  progress: 0,
  required: 3,
  encoded_token: '',
  pgp_fingerprint: '',
  complete: false,
  otp_length: 26,
}
const started = { ...idle, started: true, nonce: uuid }
/** Body of a reply to an update, which has no `otp_length`. */
const { otp_length: _, ...updating } = started

/** Starts a DR secondary, which is called without a client token. */
async function secondary(settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  const { secrets, world } = server
  becomeSecondary(world)
  const token = null
  async function submitShares(keys: readonly string[]): Promise<Reply[]> {
    const { nonce } = (await secrets.get(attempt, { token })).body
    const replies: Reply[] = []
    for (const key of keys) replies.push(await secrets.post(update, { key, nonce }, { token }))
    return replies
  }
  return {
    ...server,
    handIn: submitShares,
    keys: unsealKeys(world).keys,
    thresholdKeys: unsealKeys(world).keys.slice(0, unsealKeys(world).threshold),
    read: () => secrets.get(attempt, { token }),
    start: (body: object = {}) => secrets.post(attempt, body, { token }),
    cancel: () => secrets.delete(attempt, { token }),
    deleteToken: (body: object) => secrets.post(deletion, body, { token }),
  }
}

/** Decodes a token as clients do: base64 without padding, XOR with the one-time password. */
function decode(encoded: string, otp: string): string {
  expect(encoded).toMatch(/^[\w+/]+$/)
  const password = Buffer.from(otp)
  const bytes = Buffer.from(encoded, 'base64').map((byte, at) => byte ^ (password[at] ?? 0))
  return Buffer.from(bytes).toString()
}

describe('behaviour/secrets#api-replication: GET generate-operation-token/attempt', () => {
  test('the status of a started generation does not return the one-time password again', async () => {
    const { read, start } = await secondary()
    expect(statusAndBody(await read())).toEqual({ status: 200, body: idle })
    const { otp, ...begun } = (await start()).body
    expect(otp).toMatch(/^[0-9A-Za-z]{26}$/)
    expect(statusAndBody(await read())).toEqual({ status: 200, body: begun })
  })
})

describe('behaviour/secrets#api-replication: POST generate-operation-token/attempt', () => {
  test.each(['POST', 'PUT'])('%s: nonce and one-time password', async (method) => {
    const { secrets } = await secondary()
    const reply = await secrets.request({ method, path: attempt, token: null })
    expect(statusAndBody(reply)).toEqual({
      status: 200,
      body: { ...started, otp: expect.stringMatching(/^[0-9A-Za-z]{26}$/) },
    })
  })

  // choice/secrets#own-otp
  test("a caller's own password is used, and not returned", async () => {
    const { start, handIn: submitShares, thresholdKeys: enough, world } = await secondary()
    const otp = 'A'.repeat(26)
    expect(statusAndBody(await start({ otp }))).toEqual({ status: 200, body: started })
    const encoded = (await submitShares(enough)).at(-1)?.body.encoded_token
    expect(world.table(operationTokens).has(decode(encoded, otp))).toBe(true)
  })

  test.each(['x', 'x'.repeat(25), 'x'.repeat(27), 'x'.repeat(28)])(
    'password %j is refused',
    async (otp) => {
      const { start, read } = await secondary()
      expect(statusAndBody(await start({ otp }))).toEqual(error(400, 'OTP string is wrong length'))
      expect((await read()).body).toEqual(idle)
    },
  )

  test.each([
    [
      'AAA!',
      'error parsing PGP key: error decoding given PGP key: illegal base64 data at input byte 3',
    ],
    [
      'aGVsbG8=',
      'error parsing PGP key: error parsing given PGP key: Error during parsing. This message / key probably does not conform to a valid OpenPGP format.',
    ],
  ])('PGP key %j is refused', async (pgp_key, message) => {
    const { start, read } = await secondary()
    expect(statusAndBody(await start({ pgp_key }))).toEqual(error(400, message))
    expect((await read()).body).toEqual(idle)
  })

  test('behaviour/secrets#api-limits: a second attempt is refused while one is in progress', async () => {
    const { start, read } = await secondary()
    await start()
    const before = await read()
    for (const body of [{}, { otp: 'x'.repeat(26) }]) {
      expect(statusAndBody(await start(body))).toEqual(
        error(400, 'root generation already in progress'),
      )
    }
    expect(statusAndBody(await read())).toEqual(statusAndBody(before))
  })
})

describe('behaviour/secrets#api-replication: POST generate-operation-token/update', () => {
  // choice/secrets#otp-length-in-updates
  test('progress, then a token that an ordinary decoder reads', async () => {
    const { start, handIn: submitShares, thresholdKeys: enough, world, read } = await secondary()
    const { otp, nonce } = (await start()).body
    const [first, second, third] = await submitShares(enough)
    expect(first && statusAndBody(first)).toEqual({
      status: 200,
      body: { ...updating, progress: 1 },
    })
    expect(second && statusAndBody(second)).toEqual({
      status: 200,
      body: { ...updating, progress: 2 },
    })
    expect(third && statusAndBody(third)).toEqual({
      status: 200,
      body: {
        ...updating,
        nonce,
        progress: 3,
        encoded_token: expect.any(String),
        complete: true,
      },
    })
    const token = decode(third?.body.encoded_token, otp)
    expect(token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    expect(() => checkOperationToken(world, token, promote)).not.toThrow()
    expect((await read()).body).toEqual(idle)
  })

  test.each([
    [{}, "'key' must be specified in request body as JSON"],
    [{ key: 'no key' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'aabb' }, 'invalid key: key is shorter than minimum 16 bytes'],
    [{ key: 'ab'.repeat(34) }, 'invalid key: key is longer than maximum 33 bytes'],
    [{ key: 'ab'.repeat(33) }, 'no root generation in progress'],
  ])('%j without an attempt', async (body, message) => {
    const { secrets } = await secondary()
    expect(statusAndBody(await secrets.post(update, body, { token: null }))).toEqual(
      error(400, message),
    )
  })

  test('a wrong nonce, and a share that was handed in before', async () => {
    const { secrets, start, handIn: submitShares, keys } = await secondary()
    const { nonce } = (await start()).body
    const [key = ''] = keys
    for (const wrong of [{}, { nonce: 'x' }]) {
      expect(statusAndBody(await secrets.post(update, { key, ...wrong }))).toEqual(
        error(
          400,
          `incorrect nonce supplied; nonce for this root generation operation is "${nonce}"`,
        ),
      )
    }
    const [, again] = await submitShares([key, Buffer.from(key, 'hex').toString('base64')])
    expect(again && statusAndBody(again)).toEqual(
      error(400, 'given key has already been provided during this generation operation'),
    )
  })

  test.each(['neutral', 'vendor'] as const)(
    'wrong shares at the threshold, %s',
    async (dialect) => {
      const {
        start,
        handIn: submitShares,
        thresholdKeys: enough,
        read,
        keys,
        world,
      } = await secondary({ dialect })
      await start()
      const before = statusAndBody(await read())
      const [a = '', b = ''] = keys
      const replies = await submitShares(['ab'.repeat(33), a, b])
      expect(replies.map(statusAndBody).at(-1)).toEqual(
        error(
          400,
          'root generation aborted: unable to authenticate: unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
        ),
      )
      expect(statusAndBody(await read())).toEqual(before)
      const unequal = await submitShares(['ab'.repeat(20), a, b])
      expect(unequal.map(statusAndBody).at(-1)).toEqual(
        error(400, 'failed to compute root key: all parts must be the same length'),
      )
      expect(world.table(operationTokens).size).toBe(0)
      expect((await submitShares(enough)).at(-1)?.body.complete).toBe(true)
    },
  )

  // choice/secrets#stored-seal-option
  test('recovery shares, where the primary has a stored-key seal', async () => {
    const {
      start,
      handIn: submitShares,
      thresholdKeys: enough,
    } = await secondary({ secrets: { seal: 'stored' } })
    await start()
    expect((await submitShares(enough)).at(-1)?.body.complete).toBe(true)
  })
})

describe('behaviour/secrets#api-operation-tokens, States and transitions: DELETE generate-operation-token/attempt', () => {
  test('clears progress; only then password or key can change', async () => {
    const { start, handIn: submitShares, cancel, read, keys } = await secondary()
    expect(statusAndBody(await cancel())).toEqual(noContent)
    const first = (await start()).body
    await submitShares(keys.slice(0, 2))
    expect(statusAndBody(await cancel())).toEqual(noContent)
    expect((await read()).body).toEqual(idle)
    const second = (await start()).body
    expect(second.otp).not.toBe(first.otp)
    expect(second.nonce).not.toBe(first.nonce)
    expect(second.progress).toBe(0)
  })
})

describe('behaviour/secrets#api-replication: POST operation-token/delete', () => {
  /** Starts a secondary with an operation token. */
  async function withToken() {
    const server = await secondary()
    const { otp } = (await server.start()).body
    const encoded = (await server.handIn(server.thresholdKeys)).at(-1)?.body.encoded_token
    return { ...server, token: decode(encoded, otp) }
  }

  test('deletes the token, once', async () => {
    const { deleteToken, token } = await withToken()
    expect(statusAndBody(await deleteToken({ dr_operation_token: token }))).toEqual(noContent)
    expect(statusAndBody(await deleteToken({ dr_operation_token: token }))).toEqual(
      error(403, 'invalid DR operation token'),
    )
  })

  test('deleting one token leaves the others valid', async () => {
    const {
      deleteToken,
      token,
      world,
      start,
      handIn: submitShares,
      thresholdKeys: enough,
    } = await withToken()
    const { otp } = (await start()).body
    const other = decode((await submitShares(enough)).at(-1)?.body.encoded_token, otp)
    await deleteToken({ dr_operation_token: token })
    expect(() => checkOperationToken(world, other, promote)).not.toThrow()
  })

  test.each([
    [{}, 400, 'missing dr_operation_token'],
    [{ dr_operation_token: '' }, 400, 'missing dr_operation_token'],
    [{ dr_operation_token: 'unknown' }, 403, 'invalid DR operation token'],
    [{ dr_operation_token: 'root' }, 403, 'invalid DR operation token'],
  ])('%j', async (body, status, message) => {
    const { deleteToken, token, world } = await withToken()
    expect(statusAndBody(await deleteToken(body))).toEqual(error(status, message))
    expect(() => checkOperationToken(world, token, promote)).not.toThrow()
  })

  // choice/secrets#batch-token-deletion
  test('a batch token of the primary may, where its policies let it', async () => {
    const { secrets, world } = await servedSecrets()
    const make = async (path: string) => {
      const name = path.replaceAll('/', '-')
      const policy = `path "${path}" { capabilities = ["update"] }`
      await secrets.post(`sys/policies/acl/${name}`, { policy })
      const created = await secrets.post('auth/token/create', { policies: [name], type: 'batch' })
      return created.body.auth.client_token
    }
    const [allowed, other] = [await make(deletion), await make(promote)]
    becomeSecondary(world)
    const ask = (dr_operation_token: string) =>
      secrets.post(deletion, { dr_operation_token }, { token: null })
    expect(statusAndBody(await ask(other))).toEqual(error(403, 'invalid DR operation token'))
    expect(statusAndBody(await ask(allowed))).toEqual(noContent)
  })
})

describe('behaviour/secrets#operation-tokens', () => {
  let owner: PgpOwner
  beforeAll(async () => {
    owner = await makePgpOwner()
  })

  test('no password; the token is in a message for the owner', async () => {
    const { start, read, handIn: submitShares, thresholdKeys: enough, world } = await secondary()
    const pgp = { ...started, pgp_fingerprint: owner.fingerprint }
    expect(statusAndBody(await start({ pgp_key: owner.publicKey }))).toEqual({
      status: 200,
      body: pgp,
    })
    expect((await read()).body).toEqual(pgp)
    const isDone = (await submitShares(enough)).at(-1)
    expect(isDone?.body).toEqual({
      ...updating,
      progress: 3,
      complete: true,
      pgp_fingerprint: owner.fingerprint,
      encoded_token: expect.stringMatching(/^([\w+/]{4})*([\w+/]{2}==|[\w+/]{3}=)?$/),
    })
    const token = await decryptMessage(owner, Buffer.from(isDone?.body.encoded_token, 'base64'))
    expect(() => checkOperationToken(world, token, promote)).not.toThrow()
  })

  // choice/secrets#own-otp
  test("a caller's one-time password takes precedence over the key", async () => {
    const { start, handIn: submitShares, thresholdKeys: enough, world } = await secondary()
    const otp = 'A'.repeat(26)
    const begun = await start({ otp, pgp_key: owner.publicKey })
    expect(statusAndBody(begun)).toEqual({ status: 200, body: started })
    const encoded = (await submitShares(enough)).at(-1)?.body.encoded_token
    expect(world.table(operationTokens).has(decode(encoded, otp))).toBe(true)
  })

  test('behaviour/secrets#api-limits: of two attempts at the same moment one is started', async () => {
    const { start, read } = await secondary()
    const body = { pgp_key: owner.publicKey }
    const replies = await Promise.all([start(body), start(body), start()])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(replies.map(statusAndBody)).toContainEqual(
      error(400, 'root generation already in progress'),
    )
    expect((await read()).body.started).toBe(true)
  })

  test('a cluster that leaves secondary mode while the key is read starts nothing', async () => {
    const { world } = await secondary()
    const input = { pgp_key: owner.publicKey }
    // The handler alone: over HTTP, a test cannot know when it has begun to read.
    const reply = runHandler(operationTokenOperations, attempt.slice('sys/'.length), world, input)
    leaveReplication(world)
    await expect(reply).rejects.toThrow('this cluster is not a DR secondary')
    expect(world.table(operationTokenAttempts).size).toBe(0)
  })
})

const calls = [
  ['GET', attempt],
  ['POST', attempt],
  ['DELETE', attempt],
  ['POST', update],
  ['POST', deletion],
] as const

describe('behaviour/secrets#operation-tokens: where there are operation tokens', () => {
  test.each(calls)('%s %s: only on a DR secondary', async (method, path) => {
    for (const mode of ['disabled', 'primary'] as const) {
      const { secrets, world } = await servedSecrets()
      if (mode === 'primary') {
        const body = { primary_cluster_addr: '' }
        world.write(() =>
          world.table(replications).put(drReplication, { mode, cluster_id: 'c1', ...body }),
        )
      }
      const payload = method === 'POST' ? {} : undefined
      expect(statusAndBody(await secrets.request({ method, path, payload, token: null }))).toEqual(
        error(400, 'this cluster is not a DR secondary'),
      )
    }
  })

  test.each(calls)('%s %s: not while sealed', async (method, path) => {
    const { secrets, world } = await secondary()
    seal(world)
    expect(statusAndBody(await secrets.request({ method, path, token: null }))).toEqual(
      error(503, 'Service is sealed'),
    )
  })

  test.each(calls)('%s %s: not in the community edition', async (method, path) => {
    const { secrets } = await servedSecrets({ secrets: { edition: 'community' } })
    expect(statusAndBody(await secrets.request({ method, path }))).toEqual(
      error(404, 'enterprise-only feature'),
    )
  })

  test.each(calls)('%s %s: not in namespaces', async (method, path) => {
    const { secrets, world } = await secondary()
    addNamespace(world, 'team/')
    const headers = { 'x-secrets-namespace': 'team' }
    expect(statusAndBody(await secrets.request({ method, path, headers }))).toEqual(
      error(400, 'operation unavailable in namespaces'),
    )
  })

  test('a verb that is not offered, any verb for a write, and a body that is not JSON', async () => {
    const { secrets } = await secondary()
    expect(statusAndBody(await secrets.get(update))).toEqual(error(400, 'EOF'))
    expect(statusAndBody(await secrets.patch(attempt))).toEqual(error(405))
    expect(statusAndBody(await secrets.post(attempt, '{"otp"}'))).toEqual(
      error(400, "failed to parse JSON input: invalid character '}' after object key"),
    )
  })

  test('behaviour/secrets#dr-gate: other verbs of the last path are gated like any other path', async () => {
    const { secrets } = await secondary()
    expect(statusAndBody(await secrets.get(deletion))).toEqual(
      error(400, 'path disabled in replication DR secondary mode'),
    )
    expect(statusAndBody(await (await servedSecrets()).secrets.get(deletion))).toEqual(
      error(405, 'unsupported operation'),
    )
  })
})

describe('behaviour/secrets#vendor-names: the vendor', () => {
  const more = { encoded_root_token: '', otp: '', otp_length: 28 }

  // choice/secrets#otp-length-in-updates
  test('the one-time password has 28 characters, and replies have two more members', async () => {
    const {
      start,
      read,
      handIn: submitShares,
      thresholdKeys: enough,
      world,
    } = await secondary({ dialect: 'vendor' })
    expect((await read()).body).toEqual({ ...idle, ...more })
    const begun = (await start()).body
    const { otp } = begun
    expect(begun).toEqual({ ...started, ...more, otp: expect.stringMatching(/^[0-9A-Za-z]{28}$/) })
    expect((await read()).body).toEqual({ ...started, ...more })
    const [first, , last] = await submitShares(enough)
    expect(first?.body).toEqual({ ...updating, ...more, progress: 1, otp_length: 0 })
    const token = decode(last?.body.encoded_token, otp)
    expect(last?.body).toEqual({
      ...updating,
      ...more,
      otp_length: 0,
      progress: 3,
      complete: true,
      encoded_token: expect.any(String),
    })
    expect(token).toMatch(/^hvs\.[0-9A-Za-z]{24}$/)
    expect(() => checkOperationToken(world, token, promote)).not.toThrow()
  })

  test('a sealed node answers 503 with the name of the product', async () => {
    const { read, world } = await secondary({ dialect: 'vendor' })
    seal(world)
    expect(statusAndBody(await read())).toEqual(error(503, 'Vault is sealed'))
  })
})
