import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keyTypes } from '../../../../state/secrets/transit/types.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-keys'

/** A key that was created without any fields, as it is read. */
const defaults = {
  name: 'k',
  type: 'aes256-gcm96',
  derived: false,
  deletion_allowed: false,
  min_available_version: 0,
  min_decryption_version: 1,
  min_encryption_version: 0,
  latest_version: 1,
  exportable: false,
  allow_plaintext_backup: false,
  supports_encryption: true,
  supports_decryption: true,
  supports_signing: false,
  supports_derivation: true,
  auto_rotate_period: 0,
  imported_key: false,
  keys: { 1: testTime / 1000 },
}

describe(title, () => {
  test('a key is created, returned and listed, and does not change when created again', async () => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.list('transit/keys'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('transit/keys/k'))).toEqual(error(404))
    expect(statusAndBody(await secrets.post('transit/keys/k'))).toEqual(ok({ data: defaults }))
    expect(statusAndBody(await secrets.get('transit/keys/k'))).toEqual(ok({ data: defaults }))
    expect(statusAndBody(await secrets.post('transit/keys/k', { type: 'ed25519' }))).toEqual(
      ok({ data: defaults }),
    )
    expect(statusAndBody(await secrets.list('transit/keys'))).toEqual(ok({ data: { keys: ['k'] } }))
  })

  test.each([
    ['aes128-gcm96', [true, false, true], undefined],
    ['chacha20-poly1305', [true, false, true], undefined],
    ['ed25519', [false, true, true], 'ed25519'],
    ['ecdsa-p256', [false, true, false], 'P-256'],
    ['ecdsa-p384', [false, true, false], 'P-384'],
    ['ecdsa-p521', [false, true, false], 'P-521'],
    ['rsa-2048', [true, true, false], 'rsa-2048'],
  ])('a key of the type %s', async (type, [encrypts, signs, derives], name) => {
    const { key } = await withTransit()
    const rendered = await key('k', { type })
    expect(rendered).toMatchObject({
      type,
      supports_encryption: encrypts,
      supports_decryption: encrypts,
      supports_signing: signs,
      supports_derivation: derives,
    })
    if (name === undefined) return expect(rendered.keys).toEqual({ 1: testTime / 1000 })
    expect(rendered.keys).toEqual({
      1: { name, creation_time: '2026-01-01T00:00:00Z', public_key: expect.any(String) },
    })
    const { public_key } = rendered.keys[1]
    if (type === 'ed25519') expect(Buffer.from(public_key, 'base64')).toHaveLength(32)
    else
      expect(createPublicKey(public_key).asymmetricKeyType).toBe(
        type.startsWith('rsa') ? 'rsa' : 'ec',
      )
  })

  test('an HMAC key shows its size and no versions', async () => {
    const { key, secrets } = await withTransit()
    expect(await key('k', { type: 'hmac', key_size: 64 })).toMatchObject({ key_size: 64 })
    expect((await secrets.get('transit/keys/k')).body.data).not.toHaveProperty('keys')
  })

  test('a derived key shows its derivation; derived pairs have a public key for each context', async () => {
    const { key, secrets } = await withTransit()
    expect(await key('plain', { derived: true })).toMatchObject({
      derived: true,
      kdf: 'hkdf_sha256',
      convergent_encryption: false,
    })
    const convergent = await key('same', { derived: true, convergent_encryption: true })
    expect(convergent).toMatchObject({ convergent_encryption_version: -1 })
    const pair = await key('pair', { type: 'ed25519', derived: true })
    expect(pair.keys[1].public_key).toBe('')
    const publicKey = async (context: string) => {
      const { body } = await secrets.get('transit/keys/pair', { query: { context } })
      return body.data.keys[1].public_key
    }
    expect(await publicKey(base64('a'))).not.toBe(await publicKey(base64('b')))
    expect(Buffer.from(await publicKey(base64('a')), 'base64')).toHaveLength(32)
    expect(
      statusAndBody(await secrets.get('transit/keys/pair', { query: { context: '!' } })),
    ).toEqual(error(400, 'failed to base64-decode context'))
  })

  test.each([
    [{ type: 'zz' }, error(400, 'unknown key type zz')],
    [
      { convergent_encryption: true },
      error(400, 'convergent encryption requires derivation to be enabled'),
    ],
    [{ key_size: 32 }, error(400, 'key_size is not valid for algorithm aes256-gcm96')],
    [{ type: 'hmac', key_size: 31 }, error(400, 'invalid key_size 31')],
    [{ type: 'hmac', key_size: 513 }, error(400, 'invalid key_size 513')],
    [
      { auto_rotate_period: 3599 },
      error(400, 'auto rotate period must be 0 to disable or at least an hour'),
    ],
  ])('%j is refused', async (body, expected) => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post('transit/keys/k', body))).toEqual(expected)
    expect(statusAndBody(await secrets.get('transit/keys/k'))).toEqual(error(404))
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('an operation that the type lacks is refused, %s', async (dialect, status) => {
    const { secrets } = await withTransit({ dialect })
    const created = async (body: object) =>
      statusAndBody(await secrets.post('transit/keys/k', body))
    const text = 'key derivation and convergent encryption not supported for keys of type'
    for (const type of ['rsa-2048', 'ecdsa-p256', 'hmac']) {
      expect(await created({ type, derived: true })).toEqual(
        multierrorReply(status, `${text} ${type}`),
      )
    }
    expect(await created({ type: 'ed25519', derived: true, convergent_encryption: true })).toEqual(
      multierrorReply(status, 'convergent encryption not supported for keys of type ed25519'),
    )
    expect(await created({ type: 'hmac' })).toEqual(
      multierrorReply(status, 'invalid key size for HMAC key, must be between 32 and 512 bytes'),
    )
  })

  test('a key is deleted when it may be', async () => {
    const { secrets, key } = await withTransit()
    await key('k')
    expect(statusAndBody(await secrets.delete('transit/keys/k'))).toEqual(
      error(400, 'error deleting policy k: deletion is not allowed for this key'),
    )
    await secrets.post('transit/keys/k/config', { deletion_allowed: true })
    expect(statusAndBody(await secrets.delete('transit/keys/k'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('transit/keys/k'))).toEqual(
      error(400, 'error deleting policy k: could not delete key; not found'),
    )
  })

  test('automatic rotation of a key follows the clock of the world', async () => {
    const { secrets, key, clock } = await withTransit()
    await key('k', { auto_rotate_period: '2h' })
    const latest = async () => (await secrets.get('transit/keys/k')).body.data.latest_version
    clock.advance(3_600_000)
    expect(await latest()).toBe(1)
    await secrets.post('transit/keys/k/rotate')
    clock.advance(3_600_000)
    expect(await latest()).toBe(2)
    clock.advance(3_600_000)
    expect(await latest()).toBe(3)
    clock.advance(4 * 3_600_000)
    expect(await latest()).toBe(5)
    await secrets.post('transit/keys/k/config', { auto_rotate_period: 0 })
    clock.advance(24 * 3_600_000)
    expect(await latest()).toBe(5)
    await secrets.post('transit/keys/k/config', {
      auto_rotate_period: '1h',
      deletion_allowed: true,
    })
    await secrets.delete('transit/keys/k')
    clock.advance(24 * 3_600_000)
    expect(statusAndBody(await secrets.get('transit/keys/k'))).toEqual(error(404))
  })

  test('disabling an engine deletes its keys and ends their rotation', async () => {
    const { secrets, key, clock } = await withTransit()
    await key('k', { auto_rotate_period: '1h' })
    expect(statusAndBody(await secrets.delete('sys/mounts/transit'))).toEqual(noContent)
    clock.advance(3_600_000)
    await secrets.post('sys/mounts/transit', { type: 'transit' })
    expect(statusAndBody(await secrets.get('transit/keys/k'))).toEqual(error(404))
  })

  test('equal seeds give equal keys of every type', async () => {
    const publicKeys = async (seed: string) => {
      const { key, secrets } = await withTransit({ seed })
      const rendered: unknown[] = []
      for (const type of keyTypes.filter((each) => !/^rsa-[34]/.test(each))) {
        const { keys } = await key(type, { type, ...(type === 'hmac' && { key_size: 32 }) })
        rendered.push(keys)
      }
      const { body } = await secrets.post('transit/encrypt/aes256-gcm96', { plaintext: '' })
      return [...rendered, body.data]
    }
    const first = await publicKeys('one')
    expect(await publicKeys('one')).toEqual(first)
    expect(await publicKeys('two')).not.toEqual(first)
  })
})

describe(`${title}, rotate, config and trim`, () => {
  test('rotating adds a version', async () => {
    const { secrets, key, clock } = await withTransit()
    await key('k')
    clock.advance(60_000)
    const { body } = await secrets.post('transit/keys/k/rotate')
    const keys = { 1: testTime / 1000, 2: testTime / 1000 + 60 }
    expect(body.data).toEqual({ ...defaults, latest_version: 2, keys })
    expect(statusAndBody(await secrets.post('transit/keys/none/rotate'))).toEqual(
      error(400, 'key not found'),
    )
  })

  test('settings are changed one by one; a permission cannot be withdrawn', async () => {
    const { secrets, key } = await withTransit()
    await key('k')
    await secrets.post('transit/keys/k/rotate')
    const config = async (body: object) => {
      return (await secrets.post('transit/keys/k/config', body)).body.data
    }
    const second = { min_decryption_version: 2, keys: { 2: testTime / 1000 } }
    expect(await config({ min_decryption_version: 2 })).toEqual({
      ...defaults,
      ...second,
      latest_version: 2,
    })
    expect(await config({ exportable: true, allow_plaintext_backup: true })).toMatchObject({
      exportable: true,
      allow_plaintext_backup: true,
    })
    expect(await config({ exportable: false, allow_plaintext_backup: false })).toMatchObject({
      ...second,
      exportable: true,
      allow_plaintext_backup: true,
    })
    expect(await config({ min_encryption_version: 2, auto_rotate_period: '1h' })).toMatchObject({
      min_encryption_version: 2,
      auto_rotate_period: 3600,
    })
  })

  test.each([
    ['neutral', 'Service'],
    ['vendor', 'Vault'],
  ] as const)('version 0 becomes 1, %s', async (dialect, product) => {
    const { secrets, key } = await withTransit({ dialect })
    await key('k')
    const reply = await secrets.post('transit/keys/k/config', { min_decryption_version: 0 })
    expect(reply.body).toMatchObject({
      data: { min_decryption_version: 1 },
      warnings: [`since ${product} 0.3, transit key numbering starts at 1; forcing minimum to 1`],
    })
  })

  test.each([
    [{ min_decryption_version: -1 }, 'min decryption version cannot be negative'],
    [
      { min_decryption_version: 4 },
      'cannot set min decryption version of 4, latest key version is 3',
    ],
    [{ min_encryption_version: -1 }, 'min encryption version cannot be negative'],
    [
      { min_encryption_version: 4 },
      'cannot set min encryption version of 4, latest key version is 3',
    ],
    [
      { min_encryption_version: 1, min_decryption_version: 3 },
      'cannot set min encryption/decryption values; min encryption version of 1 must be greater than or equal to min decryption version of 3',
    ],
    [{ auto_rotate_period: 5 }, 'auto rotate period must be 0 to disable or at least an hour'],
    [
      { min_encryption_version: 1, min_decryption_version: 1 },
      'min encryption version should not be less than min available version',
    ],
    [
      { min_decryption_version: 1 },
      'min decryption version should not be less then min available version',
    ],
  ])('settings %j are refused', async (body, text) => {
    const { secrets, key } = await withTransit()
    await key('k')
    for (const _ of [2, 3]) await secrets.post('transit/keys/k/rotate')
    const versions = { min_decryption_version: 2, min_encryption_version: 3 }
    await secrets.post('transit/keys/k/config', versions)
    await secrets.post('transit/keys/k/trim', { min_available_version: 2 })
    const before = (await secrets.get('transit/keys/k')).body.data
    expect(statusAndBody(await secrets.post('transit/keys/k/config', body))).toEqual(
      error(400, text),
    )
    expect((await secrets.get('transit/keys/k')).body.data).toEqual(before)
  })

  test('settings of an unknown key are refused', async () => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post('transit/keys/none/config', {}))).toEqual(
      error(400, 'no existing key named none could be found'),
    )
  })

  test('trimming throws versions away for good', async () => {
    const { secrets, key, data } = await withTransit()
    await key('k')
    const { ciphertext } = await data('encrypt/k', { plaintext: base64('a') })
    await secrets.post('transit/keys/k/rotate')
    const trim = async (body: object, name = 'k') =>
      statusAndBody(await secrets.post(`transit/keys/${name}/trim`, body))
    expect(await trim({ min_available_version: 2 }, 'none')).toEqual(error(400, 'invalid key name'))
    expect(await trim({})).toEqual(error(400, 'missing min_available_version'))
    const refused: [number, string][] = [
      [-1, 'minimum available version cannot be decremented'],
      [1, 'minimum available version cannot be set when minimum encryption version is not set'],
    ]
    for (const [min_available_version, text] of refused) {
      expect(await trim({ min_available_version })).toEqual(error(400, text))
    }
    await secrets.post('transit/keys/k/config', { min_encryption_version: 2 })
    const later: [number, string][] = [
      [3, 'minimum available version cannot be greater than minmum encryption version'],
      [2, 'minimum available version cannot be greater than minimum decryption version'],
      [0, 'minimum available version should be positive'],
    ]
    for (const [min_available_version, text] of later) {
      expect(await trim({ min_available_version })).toEqual(error(400, text))
    }
    await secrets.post('transit/keys/k/config', { min_decryption_version: 2 })
    expect(await trim({ min_available_version: 2 })).toMatchObject({
      status: 200,
      body: { data: { min_available_version: 2, keys: { 2: testTime / 1000 } } },
    })
    expect(statusAndBody(await secrets.post('transit/decrypt/k', { ciphertext }))).toEqual(
      error(400, 'ciphertext or signature version is disallowed by policy (too old)'),
    )
  })
})
