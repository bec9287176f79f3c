import { decrypt, generateKey, type PrivateKey, type PublicKey, readMessage } from 'openpgp'
import { combine } from 'shamir-secret-sharing'
import { beforeAll, describe, expect, test } from 'vitest'
import { understudy } from '../../../support/understudy.ts'

const fresh = () => understudy({ secrets: { initialized: false } })
const asked = { secret_shares: 5, secret_threshold: 3 }

interface KeyPair {
  readonly privateKey: PrivateKey
  readonly publicKey: PublicKey
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** What is in a message, for the owner of a key. */
async function opened(owner: KeyPair, message: Buffer): Promise<string> {
  const { data } = await decrypt({
    message: await readMessage({ binaryMessage: Uint8Array.from(message) }),
    decryptionKeys: owner.privateKey,
    format: 'binary',
  })
  return Buffer.from(data as Uint8Array).toString()
}

describe('1-secrets-decisions.md section 3: GET sys/init', () => {
  test.each([true, false])('initialized %s', async (initialized) => {
    const { secrets } = await understudy({ secrets: { initialized } })
    const reply = await secrets.get('sys/init', { token: null })
    expect([reply.status, reply.body]).toEqual([200, { initialized }])
  })
})

describe('1-secrets-decisions.md section 3: POST sys/init', () => {
  test('from nothing to a written secret', async () => {
    const { secrets, as } = await fresh()
    expect((await secrets.get('secret/data/a')).status).toBe(503)

    const made = await secrets.put('sys/init', asked, { token: null })

    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      keys: Array(5).fill(expect.stringMatching(/^[0-9a-f]{66}$/)),
      keys_base64: Array(5).fill(expect.stringMatching(/^[\w+/]{44}$/)),
      root_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
    })
    const { keys, keys_base64, root_token } = made.body
    expect(keys_base64).toEqual(
      keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
    )
    const shares = keys.map((key: string) => Uint8Array.from(Buffer.from(key, 'hex')))
    expect(await combine(shares.slice(0, 3))).toEqual(await combine(shares.slice(2)))

    const root = as(root_token)
    const sealed = await root.get('sys/mounts')
    expect([sealed.status, sealed.body]).toEqual([503, { errors: ['Service is sealed'] }])
    for (const key of keys.slice(1, 4)) await root.post('sys/unseal', { key })
    expect((await root.post('secret/data/a', { data: { x: 1 } })).status).toBe(200)
    expect((await secrets.get('secret/data/a')).status).toBe(403)
  })

  test.each([
    [{}, 'shares must be at least one'],
    [{ secret_shares: 5 }, 'threshold must be at least one'],
    [
      { secret_shares: 5, secret_threshold: 1 },
      'threshold must be greater than one for multiple shares',
    ],
    [{ secret_shares: 256, secret_threshold: 3 }, 'shares must be less than 256'],
    [{ secret_shares: 3, secret_threshold: 256 }, 'threshold must be less than 256'],
    [{ secret_shares: 3, secret_threshold: 4 }, 'threshold cannot be larger than shares'],
    [
      { ...asked, pgp_keys: ['!'] },
      'count mismatch between number of provided PGP keys and number of shares',
    ],
    [
      { secret_shares: 1, secret_threshold: 1, pgp_keys: ['AAA!'] },
      'error decoding given PGP key: illegal base64 data at input byte 3',
    ],
    [
      { secret_shares: 1, secret_threshold: 1, pgp_keys: ['aGVsbG8='] },
      'error parsing given PGP key: Error during parsing. This message / key probably does not conform to a valid OpenPGP format.',
    ],
  ])('%j is refused, initialised or not', async (body, rule) => {
    const errors = [`invalid seal configuration: ${rule}`]
    for (const { secrets } of [await fresh(), await understudy()]) {
      const reply = await secrets.post('sys/init', body, { token: null })
      expect([reply.status, reply.body]).toEqual([400, { errors }])
    }
  })

  test('happens once; that is said before the key for the root token is looked at', async () => {
    const { secrets } = await understudy()
    for (const body of [asked, { ...asked, root_token_pgp_key: '!' }]) {
      const reply = await secrets.post('sys/init', body, { token: null })
      expect([reply.status, reply.body]).toEqual([
        400,
        { errors: ['Service is already initialized'] },
      ])
    }
  })

  test.each([
    ['!', 'error decoding given PGP key: illegal base64 data at input byte 0'],
    [
      'aGVsbG8=',
      'error parsing given PGP key: Error during parsing. This message / key probably does not conform to a valid OpenPGP format.',
    ],
  ])('root_token_pgp_key %j is refused and nothing is initialised', async (key, message) => {
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', { ...asked, root_token_pgp_key: key })
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
    expect((await secrets.get('sys/init')).body).toEqual({ initialized: false })
  })

  test('recovery shares belong to other seals', async () => {
    const { secrets } = await fresh()
    const errors = ['parameters specific to auto unseal seals present']
    for (const more of [
      { recovery_shares: 1 },
      { recovery_threshold: 1 },
      { recovery_pgp_keys: ['x'] },
    ]) {
      const reply = await secrets.post('sys/init', { ...asked, ...more })
      expect([reply.status, reply.body]).toEqual([400, { errors }])
    }
  })

  test('a body that is no JSON', async () => {
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', '{"secret_shares"}', { token: null })
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: ["failed to parse JSON input: invalid character '}' after object key"] },
    ])
  })

  test('the vendor says Vault', async () => {
    const { secrets } = await understudy({ dialect: 'vendor' })
    const reply = await secrets.post('sys/init', asked)
    expect(reply.body).toEqual({ errors: ['Vault is already initialized'] })
  })
})

describe('1-secrets-decisions.md section 5, PGP: POST sys/init with keys', () => {
  const owners: KeyPair[] = []
  const publicKeys: string[] = []

  beforeAll(async () => {
    const userIDs = [{ name: 'Ada', email: 'ada@example.org' }]
    for (const type of ['curve25519', 'ecc'] as const) {
      // Made in the world's future: its clock stands still long before.
      const owner = await generateKey({ type, userIDs, format: 'object' })
      owners.push(owner)
      publicKeys.push(base64(owner.publicKey.write()))
    }
  })

  test('each share goes to its owner, as the hex text; the token to its own', async () => {
    const { secrets, as } = await fresh()
    const [first, second] = owners
    if (first === undefined || second === undefined) throw new Error('two owners are needed')
    const body = { secret_shares: 2, secret_threshold: 2, pgp_keys: publicKeys }
    const made = await secrets.post('sys/init', { ...body, root_token_pgp_key: publicKeys[1] })
    expect(made.status).toBe(200)
    const { keys, keys_base64, root_token } = made.body
    expect(keys_base64).toEqual(
      keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
    )
    const shares = [
      await opened(first, Buffer.from(keys[0], 'hex')),
      await opened(second, Buffer.from(keys[1], 'hex')),
    ]
    for (const share of shares) expect(share).toMatch(/^[0-9a-f]{66}$/)
    await expect(opened(first, Buffer.from(keys[1], 'hex'))).rejects.toThrow()
    for (const key of shares) await secrets.post('sys/unseal', { key })
    const token = await opened(second, Buffer.from(root_token, 'base64'))
    expect((await as(token).get('sys/mounts')).status).toBe(200)
  })

  test('a key that can only sign is refused before anything is made', async () => {
    const signer = await generateKey({
      userIDs: [{ name: 'Signer' }],
      subkeys: [],
      format: 'object',
    })
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', {
      ...asked,
      root_token_pgp_key: base64(signer.publicKey.write()),
    })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toEqual([
      expect.stringMatching(/^error setting up encryption for PGP message: Could not find valid/),
    ])
    expect((await secrets.get('sys/init')).body).toEqual({ initialized: false })
  })
})
