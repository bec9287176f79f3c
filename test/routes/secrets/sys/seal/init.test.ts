import { generateKey } from 'openpgp'
import { combine } from 'shamir-secret-sharing'
import { beforeAll, describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { decryptMessage, makePgpOwner, type PgpOwner } from '../../../../support/secrets/pgp.ts'
import { servedSecrets } from '../../../../support/secrets/secrets.ts'

const fresh = () => servedSecrets({ secrets: { initialized: false } })
const asked = { secret_shares: 5, secret_threshold: 3 }

describe('behaviour/secrets#seal: GET sys/init', () => {
  test.each([true, false])('initialized %s', async (initialized) => {
    const { secrets } = await servedSecrets({ secrets: { initialized } })
    const reply = await secrets.get('sys/init', { token: null })
    expect([reply.status, reply.body]).toEqual([200, { initialized }])
  })
})

describe('behaviour/secrets#seal: POST sys/init', () => {
  test.each([true, false])('option `start` bare, initialised at once: %s', async (initialized) => {
    const { secrets, as } = await servedSecrets({ secrets: { initialized, start: 'bare' } })
    let root = secrets
    if (!initialized) {
      const { keys, root_token } = (await secrets.put('sys/init', asked, { token: null })).body
      for (const key of keys.slice(0, 3)) await secrets.put('sys/unseal', { key })
      root = as(root_token)
    }
    expect(Object.keys((await root.get('sys/mounts')).body.data)).toEqual([
      'cubbyhole/',
      'identity/',
      'sys/',
    ])
    expect(Object.keys((await root.get('sys/auth')).body.data)).toEqual(['token/'])
    expect((await root.list('sys/policies/acl')).body.data.keys).toEqual(['default', 'root'])
  })

  test('mounts of fixtures also exist in a bare world', async () => {
    const { secrets } = await servedSecrets({
      secrets: { start: 'bare' },
      document: { secrets: { mounts: { team: { type: 'kv' } } } },
    })
    expect(Object.keys((await secrets.get('sys/mounts')).body.data)).toEqual([
      'cubbyhole/',
      'identity/',
      'sys/',
      'team/',
    ])
  })

  test('a fresh node is initialised and unsealed, and then stores a secret', async () => {
    const { secrets, as } = await fresh()
    expect((await secrets.get('secret/data/a')).status).toBe(503)

    const created = await secrets.put('sys/init', asked, { token: null })

    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      keys: Array(5).fill(expect.stringMatching(/^[0-9a-f]{66}$/)),
      keys_base64: Array(5).fill(expect.stringMatching(/^[\w+/]{44}$/)),
      root_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
    })
    const { keys, keys_base64, root_token } = created.body
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
    for (const { secrets } of [await fresh(), await servedSecrets()]) {
      const reply = await secrets.post('sys/init', body, { token: null })
      expect([reply.status, reply.body]).toEqual([400, { errors }])
    }
  })

  test('works once; a second call is refused before the PGP key for the root token is parsed', async () => {
    const { secrets } = await servedSecrets()
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

  test.each([
    [{ recovery_shares: 1 }, 'recovery_shares'],
    [{ recovery_threshold: 1 }, 'recovery_threshold'],
    [
      { recovery_shares: 5, recovery_threshold: 3, recovery_pgp_keys: ['x'] },
      'recovery_shares,recovery_threshold,recovery_pgp_keys',
    ],
  ])('recovery shares belong to other seals: %j', async (more, names) => {
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', { ...asked, ...more })
    const errors = [`parameters ${names} not applicable to seal type shamir`]
    expect([reply.status, reply.body]).toEqual([400, { errors }])
  })

  test('a body that is not JSON is refused', async () => {
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', '{"secret_shares"}', { token: null })
    expect([reply.status, reply.body]).toEqual([
      400,
      { errors: ["failed to parse JSON input: invalid character '}' after object key"] },
    ])
  })

  test('texts of the vendor name Vault', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const reply = await secrets.post('sys/init', asked)
    expect(reply.body).toEqual({ errors: ['Vault is already initialized'] })
  })
})

describe('behaviour/secrets#pgp: POST sys/init with keys', () => {
  let first: PgpOwner
  let second: PgpOwner
  let publicKeys: string[]

  beforeAll(async () => {
    first = await makePgpOwner('curve25519')
    second = await makePgpOwner('ecc')
    publicKeys = [first.publicKey, second.publicKey]
  })

  test('each share is encrypted to its PGP key, as hex text; the root token to its own key', async () => {
    const { secrets, as } = await fresh()
    const body = { secret_shares: 2, secret_threshold: 2, pgp_keys: publicKeys }
    const created = await secrets.post('sys/init', { ...body, root_token_pgp_key: publicKeys[1] })
    expect(created.status).toBe(200)
    const { keys, keys_base64, root_token } = created.body
    expect(keys_base64).toEqual(
      keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
    )
    const shares = [
      await decryptMessage(first, Buffer.from(keys[0], 'hex')),
      await decryptMessage(second, Buffer.from(keys[1], 'hex')),
    ]
    for (const share of shares) expect(share).toMatch(/^[0-9a-f]{66}$/)
    await expect(decryptMessage(first, Buffer.from(keys[1], 'hex'))).rejects.toThrow()
    for (const key of shares) await secrets.post('sys/unseal', { key })
    const token = await decryptMessage(second, Buffer.from(root_token, 'base64'))
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
      root_token_pgp_key: Buffer.from(signer.publicKey.write()).toString('base64'),
    })
    expect(reply.status).toBe(400)
    expect(reply.body.errors).toEqual([
      expect.stringMatching(/^error setting up encryption for PGP message: Could not find valid/),
    ])
    expect((await secrets.get('sys/init')).body).toEqual({ initialized: false })
  })

  // choice/secrets#pgp-time
  test.each([
    ['made in times to come', new Date('2080-01-01T00:00:00Z'), 0],
    ['that has long expired', new Date('2001-01-01T00:00:00Z'), 60],
  ])('a key %s is as good as any', async (_, date, keyExpirationTime) => {
    const userIDs = [{ name: 'Ada' }]
    const { publicKey } = await generateKey({ userIDs, date, keyExpirationTime, format: 'object' })
    const { secrets } = await fresh()
    const reply = await secrets.post('sys/init', {
      secret_shares: 1,
      secret_threshold: 1,
      pgp_keys: [Buffer.from(publicKey.write()).toString('base64')],
    })
    expect(reply.status).toBe(200)
  })
})

describe('behaviour/secrets#api-rekey: POST sys/init with a stored-key seal', () => {
  const stored = () => servedSecrets({ secrets: { initialized: false, seal: 'stored' } })
  const recovery = { recovery_shares: 5, recovery_threshold: 3 }

  // choice/secrets#stored-seal-init
  test('gives recovery keys and no others, and the node unseals itself', async () => {
    const { secrets, as, world } = await stored()
    const created = await secrets.post('sys/init', { ...recovery, stored_shares: 1 })
    expect([created.status, created.body]).toEqual([
      200,
      {
        keys: [],
        keys_base64: [],
        recovery_keys: Array(5).fill(expect.stringMatching(/^[0-9a-f]{66}$/)),
        recovery_keys_base64: Array(5).fill(expect.stringMatching(/^[\w+/]{44}$/)),
        root_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
      },
    ])
    const { recovery_keys, recovery_keys_base64, root_token } = created.body
    expect(recovery_keys_base64).toEqual(
      recovery_keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
    )
    expect(unsealKeys(world)).toEqual({ keys: recovery_keys, threshold: 3 })
    expect((await as(root_token).post('secret/data/a', { data: { x: 1 } })).status).toBe(200)
  })

  // choice/secrets#stored-seal-init
  test.each([
    [{}, 'invalid recovery configuration: shares must be at least one'],
    [
      { recovery_shares: 5, recovery_threshold: 1 },
      'invalid recovery configuration: threshold must be greater than one for multiple shares',
    ],
    [
      { ...recovery, recovery_pgp_keys: ['!'] },
      'invalid recovery configuration: count mismatch between number of provided PGP keys and number of shares',
    ],
    [
      { recovery_shares: 1, recovery_threshold: 1, recovery_pgp_keys: ['!'] },
      'invalid recovery configuration: error decoding given PGP key: illegal base64 data at input byte 0',
    ],
    [
      { ...recovery, ...asked },
      'parameters secret_shares,secret_threshold not applicable to seal type transit',
    ],
    [{ ...recovery, pgp_keys: ['x'] }, 'parameters pgp_keys not applicable to seal type transit'],
  ])('%j is refused', async (body, message) => {
    const { secrets } = await stored()
    const reply = await secrets.post('sys/init', body)
    expect([reply.status, reply.body]).toEqual([400, { errors: [message] }])
    expect((await secrets.get('sys/init')).body).toEqual({ initialized: false })
  })

  test('recovery shares to PGP keys', async () => {
    const { secrets, world } = await stored()
    const owner = await makePgpOwner('curve25519')
    const created = await secrets.post('sys/init', {
      recovery_shares: 1,
      recovery_threshold: 1,
      recovery_pgp_keys: [owner.publicKey],
    })
    const [message] = created.body.recovery_keys
    expect([await decryptMessage(owner, Buffer.from(message, 'hex'))]).toEqual(
      unsealKeys(world).keys,
    )
  })
})
