import { createDecipheriv } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { transitKeyTable } from '../../../../state/secrets/transit/keys.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-encryption'

const ciphers = ['aes256-gcm96', 'aes128-gcm96', 'chacha20-poly1305']

describe(title, () => {
  test.each([...ciphers, 'rsa-2048'])(
    '%s: decrypting an encryption returns the plaintext',
    async (type) => {
      const { key, data, secrets } = await withTransit()
      await key('k', { type })
      for (const plaintext of [base64('a'), base64('x'.repeat(100)), '']) {
        const sealed = await data('encrypt/k', { plaintext })
        expect(sealed).toEqual({
          ciphertext: expect.stringMatching(/^service:v1:[A-Za-z0-9+/]+=*$/),
          key_version: 1,
        })
        expect(await data('decrypt/k', { ciphertext: sealed.ciphertext })).toEqual({ plaintext })
        const again = await secrets.put('transit/encrypt/k', { plaintext })
        expect(again.body.data.ciphertext).not.toBe(sealed.ciphertext)
      }
    },
  )

  test('a ciphertext has a nonce of 12 bytes, the encrypted bytes and a tag of 16', async () => {
    const { key, data, world } = await withTransit()
    await key('k')
    const { ciphertext } = await data('encrypt/k', {
      plaintext: base64('the text'),
      associated_data: base64('besides'),
    })
    const [row] = world.table(transitKeyTable).rows()
    const sealed = Buffer.from(ciphertext.slice('service:v1:'.length), 'base64')
    expect(sealed).toHaveLength(12 + 8 + 16)
    const secret = Buffer.from(row?.versions[1]?.key ?? '', 'base64')
    const opening = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12))
    opening.setAuthTag(sealed.subarray(-16)).setAAD(Buffer.from('besides'))
    const opened = opening.update(sealed.subarray(12, -16), undefined, 'utf8')
    expect(opened + opening.final('utf8')).toBe('the text')
  })

  test.each(['neutral', 'vendor'] as const)('both prefixes are accepted, %s', async (dialect) => {
    const { key, data } = await withTransit({ dialect })
    await key('k')
    const { ciphertext } = await data('encrypt/k', { plaintext: base64('a') })
    const [prefix, rest] = ciphertext.split(/:(.*)/)
    expect(prefix).toBe(dialect === 'vendor' ? 'vault' : 'service')
    for (const other of ['service', 'vault']) {
      expect(await data('decrypt/k', { ciphertext: `${other}:${rest}` })).toEqual({
        plaintext: base64('a'),
      })
    }
    const zero = ciphertext.replace(':v1:', ':v0:')
    expect(await data('decrypt/k', { ciphertext: zero })).toEqual({ plaintext: base64('a') })
  })

  test('versions: old ones decrypt, those below the minimum do not, rewrap brings up', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k')
    const { ciphertext } = await data('encrypt/k', { plaintext: base64('a') })
    await secrets.post('transit/keys/k/rotate')
    expect(await data('decrypt/k', { ciphertext })).toEqual({ plaintext: base64('a') })
    const rewrapped = await data('rewrap/k', { ciphertext })
    expect(rewrapped).toEqual({ ciphertext: expect.stringMatching(/^service:v2:/), key_version: 2 })
    expect(await data('rewrap/k', { ciphertext, key_version: 1 })).toMatchObject({ key_version: 1 })
    expect(await data('encrypt/k', { plaintext: '', key_version: 1 })).toMatchObject({
      key_version: 1,
    })
    await secrets.post('transit/keys/k/config', { min_decryption_version: 2 })
    expect(statusAndBody(await secrets.post('transit/decrypt/k', { ciphertext }))).toEqual(
      error(400, 'ciphertext or signature version is disallowed by policy (too old)'),
    )
    expect(
      statusAndBody(await secrets.post('transit/encrypt/k', { plaintext: '', key_version: 1 })),
    ).toEqual(error(400, 'no such key version'))
    await secrets.post('transit/keys/k/config', { min_decryption_version: 1 })
    expect(await data('decrypt/k', { ciphertext })).toEqual({ plaintext: base64('a') })
  })

  test.each(ciphers)('%s: a derived key needs a context, its own', async (type) => {
    const { key, data, secrets } = await withTransit()
    await key('k', { type, derived: true })
    const plaintext = base64('a')
    const { ciphertext } = await data('encrypt/k', { plaintext, context: base64('one') })
    expect(await data('decrypt/k', { ciphertext, context: base64('one') })).toEqual({ plaintext })
    const cipher = type.startsWith('chacha') ? 'chacha20poly1305' : 'cipher'
    expect(
      statusAndBody(
        await secrets.post('transit/decrypt/k', { ciphertext, context: base64('two') }),
      ),
    ).toEqual(error(400, `${cipher}: message authentication failed`))
    const missing =
      "missing 'context' for key derivation; the key was created using a derived key, which means additional, per-request information must be included in order to perform operations with the key"
    expect(statusAndBody(await secrets.post('transit/decrypt/k', { ciphertext }))).toEqual(
      error(400, missing),
    )
    expect(statusAndBody(await secrets.post('transit/encrypt/k', { plaintext }))).toEqual(
      error(400, missing),
    )
  })

  test.each(ciphers)(
    '%s: convergent keys encrypt equal plaintexts to equal ciphertexts',
    async (type) => {
      const { key, data, secrets } = await withTransit()
      await key('k', { type, derived: true, convergent_encryption: true })
      const sealed = async (text: string, context: string, key_version = 0) => {
        const body = { plaintext: base64(text), context: base64(context), key_version }
        return (await data('encrypt/k', body)).ciphertext
      }
      const first = await sealed('a', 'one')
      expect(await sealed('a', 'one')).toBe(first)
      expect(await sealed('b', 'one')).not.toBe(first)
      expect(await sealed('a', 'two')).not.toBe(first)
      expect(await data('decrypt/k', { ciphertext: first, context: base64('one') })).toEqual({
        plaintext: base64('a'),
      })
      await secrets.post('transit/keys/k/rotate')
      expect(await sealed('a', 'one')).not.toBe(first)
      expect(await sealed('a', 'one', 1)).toBe(first)
    },
  )

  test('the context of a key that is not derived counts for nothing', async () => {
    const { key, data } = await withTransit()
    await key('k')
    const { ciphertext } = await data('encrypt/k', { plaintext: '', context: base64('a') })
    expect(await data('decrypt/k', { ciphertext })).toEqual({ plaintext: '' })
  })

  test('encrypting creates a missing key, which is derived if there is a context', async () => {
    const { data, secrets } = await withTransit()
    await data('encrypt/plain', { plaintext: '' })
    await data('encrypt/derived', { plaintext: '', context: base64('a'), type: 'aes128-gcm96' })
    const body = { plaintext: '', context: base64('a'), convergent_encryption: true }
    await data('encrypt/same', body)
    const reply = async (name: string) => (await secrets.get(`transit/keys/${name}`)).body.data
    expect(await reply('plain')).toMatchObject({ type: 'aes256-gcm96', derived: false })
    expect(await reply('derived')).toMatchObject({ type: 'aes128-gcm96', derived: true })
    expect(await reply('same')).toMatchObject({ convergent_encryption: true })
  })

  test('making a key takes the capability create', async () => {
    const { secrets, key, as } = await withTransit()
    await key('old')
    const policy = 'path "transit/encrypt/*" { capabilities = ["update"] }'
    await secrets.post('sys/policies/acl/only', { policy })
    const created = await secrets.post('auth/token/create', { policies: ['only'] })
    const limited = as(created.body.auth.client_token)
    expect((await limited.post('transit/encrypt/old', { plaintext: '' })).status).toBe(200)
    expect(statusAndBody(await limited.post('transit/encrypt/new', { plaintext: '' }))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  test.each([
    [{ plaintext: '', type: 'ecdsa-p256' }, 'key type ecdsa-p256 not supported for this operation'],
    [{ plaintext: '', type: 'rsa-2048' }, 'unknown key type rsa-2048'],
    [{ plaintext: '', type: 'zz' }, 'unknown key type zz'],
    [
      { plaintext: '', convergent_encryption: true },
      'convergent encryption requires derivation to be enabled, so context is required',
    ],
    [{}, 'missing plaintext to encrypt'],
  ])('%j makes no key', async (body, text) => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post('transit/encrypt/new', body))).toEqual(error(400, text))
    expect(statusAndBody(await secrets.get('transit/keys/new'))).toEqual(error(404))
  })

  test.each([
    [{ plaintext: '!' }, 'illegal base64 data at input byte 0'],
    [
      { plaintext: '', key_version: 2 },
      'requested version for encryption is higher than the latest key version',
    ],
  ])('%j is refused and makes a key', async (body, text) => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post('transit/encrypt/new', body))).toEqual(error(400, text))
    expect((await secrets.get('transit/keys/new')).status).toBe(200)
  })

  test('rewrapping does not know associated data', async () => {
    const { secrets, key, data } = await withTransit()
    await key('k')
    const { ciphertext } = await data('encrypt/k', {
      plaintext: '',
      associated_data: base64('a'),
    })
    const rewrap = (body: object) => secrets.post('transit/rewrap/k', body)
    expect(statusAndBody(await rewrap({ ciphertext, associated_data: base64('a') }))).toEqual(
      error(400, 'cipher: message authentication failed'),
    )
    const { ciphertext: plain } = await data('encrypt/k', { plaintext: '' })
    expect((await rewrap({ ciphertext: plain, associated_data: 'x' })).body.warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [associated_data]',
    ])
  })

  test('with disable_upsert no key is made', async () => {
    const { secrets } = await withTransit()
    const config = 'transit/config/keys'
    expect(statusAndBody(await secrets.get(config))).toEqual(
      ok({ data: { disable_upsert: false } }),
    )
    expect(statusAndBody(await secrets.post(config, { disable_upsert: true }))).toEqual(
      ok({ data: { disable_upsert: true } }),
    )
    expect(statusAndBody(await secrets.get(config))).toEqual(ok({ data: { disable_upsert: true } }))
    expect(statusAndBody(await secrets.post('transit/encrypt/new', { plaintext: '' }))).toEqual(
      error(400, 'encryption key not found'),
    )
    expect(statusAndBody(await secrets.post(config, {}))).toEqual(
      ok({ data: { disable_upsert: false } }),
    )
  })

  test('the size of the cache is only kept', async () => {
    const { secrets } = await withTransit()
    expect((await secrets.get('transit/cache-config')).body.data).toEqual({ size: 0 })
    expect(statusAndBody(await secrets.post('transit/cache-config', { size: 9 }))).toEqual(
      error(400, 'size must be 0 or a value greater or equal to 10'),
    )
    const sized = await secrets.post('transit/cache-config', { size: 10 })
    expect(statusAndBody(sized)).toEqual(ok({ data: { size: 10 } }))
    expect((await secrets.get('transit/cache-config')).body.data).toEqual({ size: 10 })
    expect((await secrets.post('transit/cache-config')).body.data).toEqual({ size: 0 })
    expect((await secrets.get('transit/cache-config')).body.data).toEqual({ size: 0 })
  })

  test.each([
    [{ plaintext: '', key_version: -1 }, 'requested version for encryption is negative'],
    [
      { plaintext: '', key_version: 3 },
      'requested version for encryption is higher than the latest key version',
    ],
    [
      { plaintext: '', key_version: 1 },
      'requested version for encryption is less than the minimum encryption key version',
    ],
    [{ plaintext: 'AAA' }, 'illegal base64 data at input byte 0'],
    [{ plaintext: '', context: 'A' }, 'illegal base64 data at input byte 0'],
  ])('encrypting %j is refused', async (body, text) => {
    const { secrets, key } = await withTransit()
    await key('k')
    await secrets.post('transit/keys/k/rotate')
    await secrets.post('transit/keys/k/config', { min_encryption_version: 2 })
    expect(statusAndBody(await secrets.post('transit/encrypt/k', body))).toEqual(error(400, text))
  })

  test.each([
    [{}, 'missing ciphertext to decrypt'],
    [{ ciphertext: 'v1:AAAA' }, 'invalid ciphertext: no prefix'],
    [{ ciphertext: 'service:v1' }, 'invalid ciphertext: wrong number of fields'],
    [{ ciphertext: 'service:vx:AA' }, 'invalid ciphertext: version number could not be decoded'],
    [{ ciphertext: 'service:v2:AAAA' }, 'invalid ciphertext: version is too new'],
    [
      { ciphertext: 'service:v-1:AAAA' },
      'ciphertext or signature version is disallowed by policy (too old)',
    ],
    [{ ciphertext: 'service:v1:!' }, 'invalid ciphertext: could not decode base64'],
    [{ ciphertext: 'service:v1:AAAA' }, 'invalid ciphertext length'],
    [
      { ciphertext: `service:v1:${base64('x'.repeat(27))}` },
      'cipher: message authentication failed',
    ],
    [
      { ciphertext: `service:v1:${base64('x'.repeat(40))}` },
      'cipher: message authentication failed',
    ],
    [{ ciphertext: 'service:v1:AAAA', context: '!' }, 'illegal base64 data at input byte 0'],
  ])('decrypting and rewrapping %j is refused', async (body, text) => {
    const { secrets, key } = await withTransit()
    await key('k')
    for (const path of ['decrypt', 'rewrap']) {
      expect(statusAndBody(await secrets.post(`transit/${path}/k`, body))).toEqual(error(400, text))
    }
  })

  test('keys that cannot encrypt and unknown keys are refused', async () => {
    const { secrets, key } = await withTransit()
    await key('k', { type: 'ed25519' })
    expect(statusAndBody(await secrets.post('transit/encrypt/k', { plaintext: '' }))).toEqual(
      error(400, 'message encryption not supported for key type ed25519'),
    )
    expect(statusAndBody(await secrets.post('transit/decrypt/k', { ciphertext: 'x' }))).toEqual(
      error(400, 'message decryption not supported for key type ed25519'),
    )
    for (const path of ['decrypt', 'rewrap']) {
      expect(
        statusAndBody(await secrets.post(`transit/${path}/none`, { ciphertext: 'x' })),
      ).toEqual(error(400, 'encryption key not found'))
    }
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('associated data: invalid input, %s', async (dialect, status) => {
    const { secrets, key, data } = await withTransit({ dialect })
    await key('k')
    await key('pair', { type: 'rsa-2048' })
    const plaintext = base64('a')
    const sealed = await data('encrypt/k', { plaintext, associated_data: base64('b') })
    expect(await data('decrypt/k', { ...sealed, associated_data: base64('b') })).toEqual({
      plaintext,
    })
    expect(statusAndBody(await secrets.post('transit/decrypt/k', sealed))).toEqual(
      error(400, 'cipher: message authentication failed'),
    )
    expect(
      statusAndBody(await secrets.post('transit/encrypt/k', { plaintext, associated_data: '!' })),
    ).toEqual(
      multierrorReply(
        status,
        'unable to get associated_data/additional_data from factory[0]: illegal base64 data at input byte 0',
      ),
    )
    expect(
      statusAndBody(
        await secrets.post('transit/encrypt/pair', { plaintext, associated_data: base64('b') }),
      ),
    ).toEqual(error(400, "'[0].associated_data' provided for non-AEAD cipher suite rsa-2048"))
    const long = { plaintext: base64('x'.repeat(191)) }
    expect(statusAndBody(await secrets.post('transit/encrypt/pair', long))).toEqual(
      multierrorReply(
        status,
        'failed to RSA encrypt the plaintext: crypto/rsa: message too long for RSA key size',
      ),
    )
    const ciphertext = `vault:v1:${base64('x'.repeat(256))}`
    expect(statusAndBody(await secrets.post('transit/decrypt/pair', { ciphertext }))).toEqual(
      multierrorReply(status, 'failed to RSA decrypt the ciphertext: crypto/rsa: decryption error'),
    )
  })

  test('data keys are random, returned encrypted, and as plaintext on request', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k')
    const created = await data('datakey/plaintext/k', {})
    expect(Buffer.from(created.plaintext, 'base64')).toHaveLength(32)
    expect(created.key_version).toBe(1)
    expect(await data('decrypt/k', { ciphertext: created.ciphertext })).toEqual({
      plaintext: created.plaintext,
    })
    for (const bits of [128, 512]) {
      const { plaintext } = await data('datakey/plaintext/k', { bits })
      expect(Buffer.from(plaintext, 'base64')).toHaveLength(bits / 8)
    }
    expect(await data('datakey/wrapped/k', {})).toEqual({
      ciphertext: expect.stringMatching(/^service:v1:/),
      key_version: 1,
    })
    const refused = async (path: string, body: object) =>
      statusAndBody(await secrets.post(`transit/datakey/${path}`, body))
    expect(await refused('other/k', {})).toEqual(
      error(400, "Invalid path, must be 'plaintext' or 'wrapped'"),
    )
    expect(await refused('plaintext/k', { bits: 64 })).toEqual(error(400, 'invalid bit length'))
    expect(await refused('plaintext/k', { context: '!' })).toEqual(
      error(400, 'failed to base64-decode context'),
    )
    expect(await refused('plaintext/none', {})).toEqual(error(400, 'encryption key not found'))
  })
})
