import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { compactVerify, importSPKI } from 'jose'
import { describe, expect, test } from 'vitest'
import { transitKeyTable } from '../../../../state/secrets/transit/keys.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-signing'

/** Decodes the bytes after the prefix of a signature. */
function bytesOf(signature: string, encoding: 'base64' | 'base64url' = 'base64'): Buffer {
  return Buffer.from(signature.replace(/^(service|vault):v\d+:/, ''), encoding)
}

const curves = ['ecdsa-p256', 'ecdsa-p384', 'ecdsa-p521']
const hashes = ['sha1', 'sha2-224', 'sha2-256', 'sha2-384', 'sha2-512', 'sha3-224', 'sha3-512']

/** Returns Node's name of a hash algorithm. */
const nodeName = (name: string) => name.replace(/^sha2-/, 'sha')

describe(`${title}: signatures that others verify`, () => {
  test.each(curves)('%s, by Node, in both forms', async (type) => {
    const { key, data } = await withTransit()
    const publicKey = createPublicKey((await key('k', { type })).keys[1].public_key)
    for (const hash of hashes) {
      const input = base64(`signed with ${hash}`)
      const der = await data(`sign/k/${hash}`, { input })
      const text = Buffer.from(input, 'base64')
      expect(verify(nodeName(hash), text, publicKey, bytesOf(der.signature))).toBe(true)
      expect(await data(`verify/k/${hash}`, { input, signature: der.signature })).toEqual({
        valid: true,
      })
      const form = { input, hash_algorithm: hash, marshaling_algorithm: 'jws' }
      const { signature } = await data('sign/k', form)
      const plain = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
      expect(verify(nodeName(hash), text, plain, bytesOf(signature, 'base64url'))).toBe(true)
      expect(await data('verify/k', { ...form, signature })).toEqual({ valid: true })
    }
  })

  test.each(['pss', 'pkcs1v15'])('rsa-2048, %s, by Node', async (signature_algorithm) => {
    const { key, data } = await withTransit()
    const publicKey = (await key('k', { type: 'rsa-2048' })).keys[1].public_key
    for (const hash_algorithm of hashes) {
      for (const salt_length of ['auto', 'hash', '7', '0', '-1']) {
        const input = base64(`signed with ${hash_algorithm}`)
        const form = { input, hash_algorithm, signature_algorithm, salt_length }
        const { signature } = await data('sign/k', form)
        const isPss = signature_algorithm === 'pss'
        const lengths = { auto: -2, hash: -1, 0: -2, '-1': -1, 7: 7 } as const
        const saltLength = lengths[salt_length as 'auto']
        const padded = isPss ? { key: publicKey, padding: 6, saltLength } : publicKey
        const text = Buffer.from(input, 'base64')
        expect(verify(nodeName(hash_algorithm), text, padded, bytesOf(signature))).toBe(true)
        expect(await data('verify/k', { ...form, signature })).toEqual({ valid: true })
        const other = { ...form, input: base64('other'), signature }
        expect(await data('verify/k', other)).toEqual({ valid: false })
      }
    }
  })

  test('ed25519, by Node; the input itself is signed', async () => {
    const { key, data } = await withTransit()
    const { keys } = await key('k', { type: 'ed25519' })
    const x = Buffer.from(keys[1].public_key, 'base64').toString('base64url')
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const input = base64('the text')
    const { signature } = await data('sign/k/sha2-512', { input })
    expect(verify(null, Buffer.from('the text'), publicKey, bytesOf(signature))).toBe(true)
    expect(await data('verify/k', { input, signature })).toEqual({ valid: true })
    expect(await data('verify/k', { input: '', signature })).toEqual({ valid: false })
  })

  test.each([
    ['ES256', 'ecdsa-p256', {}],
    ['ES384', 'ecdsa-p384', { hash_algorithm: 'sha2-384' }],
    ['ES512', 'ecdsa-p521', { hash_algorithm: 'sha2-512' }],
    ['PS256', 'rsa-2048', { salt_length: 'hash' }],
    ['RS512', 'rsa-2048', { signature_algorithm: 'pkcs1v15', hash_algorithm: 'sha2-512' }],
    [
      'RS512',
      'rsa-2048',
      { signature_algorithm: 'pkcs1v15', hash_algorithm: '', algorithm: 'sha2-512' },
    ],
    // The old name has no effect beside the default of the current one.
    ['RS256', 'rsa-2048', { signature_algorithm: 'pkcs1v15', algorithm: 'zz' }],
  ])('a token of the algorithm %s, by jose', async (alg, type, form) => {
    const { key, data } = await withTransit()
    const publicKey = (await key('k', { type })).keys[1].public_key
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signed = `${encode({ alg })}.${encode({ sub: 'ada' })}`
    const body = { ...form, input: base64(signed), marshaling_algorithm: 'jws' }
    const { signature } = await data('sign/k', body)
    const token = `${signed}.${signature.replace('service:v1:', '')}`
    const { payload } = await compactVerify(token, await importSPKI(publicKey, alg))
    expect(Buffer.from(payload).toString()).toBe('{"sub":"ada"}')
  })

  test('a prehashed input is signed as it is', async () => {
    const { key, data } = await withTransit()
    for (const type of [...curves, 'rsa-2048']) {
      const publicKey = (await key(type, { type })).keys[1].public_key
      const digest = createHash('sha256').update('the text').digest('base64')
      for (const signature_algorithm of ['pss', 'pkcs1v15']) {
        const form = { input: digest, prehashed: true, signature_algorithm }
        const { signature } = await data(`sign/${type}`, form)
        const isPss = type === 'rsa-2048' && signature_algorithm === 'pss'
        const padded = isPss ? { key: publicKey, padding: 6, saltLength: -2 } : publicKey
        expect(verify('sha256', Buffer.from('the text'), padded, bytesOf(signature))).toBe(true)
        expect(await data(`verify/${type}`, { ...form, signature })).toEqual({ valid: true })
      }
    }
    const bare = {
      input: base64('anything'),
      prehashed: true,
      hash_algorithm: 'none',
      signature_algorithm: 'pkcs1v15',
    }
    const { signature } = await data('sign/rsa-2048', bare)
    expect(await data('verify/rsa-2048', { ...bare, signature })).toEqual({ valid: true })
    const edited = { ...bare, input: base64('other'), signature }
    expect(await data('verify/rsa-2048', edited)).toEqual({ valid: false })
  })

  test('a signature made elsewhere verifies here', async () => {
    const { key, data, world } = await withTransit()
    for (const [type, hash] of [
      ['ecdsa-p256', 'sha256'],
      ['ecdsa-p521', 'sha512'],
    ] as const) {
      await key(type, { type })
      const row = [...world.table(transitKeyTable).rows()].find((each) => each.type === type)
      const secret = row?.versions[1]?.key ?? ''
      const created = sign(hash, Buffer.from('a'), secret).toString('base64')
      const name = hash.replace('sha', 'sha2-')
      const signature = `service:v1:${created}`
      const form = { input: base64('a'), hash_algorithm: name, signature }
      expect(await data(`verify/${type}`, form)).toEqual({ valid: true })
      expect(await data(`verify/${type}`, { ...form, input: '' })).toEqual({ valid: false })
    }
  })

  test('a derived pair signs with a key for each context, and returns the public key', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k', { type: 'ed25519', derived: true })
    const input = base64('a')
    const [one, two] = [base64('one'), base64('two')]
    const { signature, public_key } = await data('sign/k', { input, context: one })
    expect(Buffer.from(public_key, 'base64')).toHaveLength(32)
    expect(await data('verify/k', { input, signature, context: one })).toEqual({ valid: true })
    expect(await data('verify/k', { input, signature, context: two })).toEqual({ valid: false })
    const batch = { batch_input: [{ input, context: one }] }
    expect((await data('sign/k', batch)).batch_results).toEqual([
      { signature, key_version: 1, publickey: public_key, reference: '' },
    ])
    const missing =
      "error deriving key: missing 'context' for key derivation; the key was created using a derived key, which means additional, per-request information must be included in order to perform operations with the key"
    expect(statusAndBody(await secrets.post('transit/sign/k', { input }))).toEqual(
      multierrorReply(400, missing),
    )
    expect(statusAndBody(await secrets.post('transit/verify/k', { input, signature }))).toEqual(
      multierrorReply(400, missing),
    )
    expect(statusAndBody(await secrets.post('transit/sign/k', { input, context: '!' }))).toEqual(
      error(400, 'failed to base64-decode context'),
    )
  })

  test('equal seeds give equal signatures', async () => {
    const signatures = async () => {
      const { key, data } = await withTransit()
      const created: string[] = []
      for (const type of ['ecdsa-p384', 'rsa-2048']) {
        await key(type, { type })
        created.push((await data(`sign/${type}`, {})).signature)
      }
      return created
    }
    expect(await signatures()).toEqual(await signatures())
  })
})

describe(`${title}: versions`, () => {
  test('the latest version signs by default, older versions on request while the key allows them', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    const input = base64('a')
    const old = (await data('sign/k', { input })).signature
    await secrets.post('transit/keys/k/rotate')
    expect(await data('sign/k', { input })).toEqual({
      signature: expect.stringMatching(/^service:v2:/),
      key_version: 2,
    })
    expect(await data('sign/k', { input, key_version: 1 })).toMatchObject({ key_version: 1 })
    expect(await data('verify/k', { input, signature: old })).toEqual({ valid: true })
    await secrets.post('transit/keys/k/config', { min_decryption_version: 2 })
    expect(
      statusAndBody(await secrets.post('transit/verify/k', { input, signature: old })),
    ).toEqual(error(400, 'ciphertext or signature version is disallowed by policy (too old)'))
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('versions that may not sign, %s', async (dialect, status) => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k', { type: 'ecdsa-p256' })
    await secrets.post('transit/keys/k/rotate')
    await secrets.post('transit/keys/k/config', { min_encryption_version: 2 })
    const refused: [number, string][] = [
      [-1, 'requested version for signing is negative'],
      [3, 'requested version for signing is higher than the latest key version'],
      [1, 'requested version for signing is less than the minimum encryption key version'],
    ]
    for (const [key_version, text] of refused) {
      expect(statusAndBody(await secrets.post('transit/sign/k', { key_version }))).toEqual(
        multierrorReply(status, text),
      )
    }
  })
})

describe(`${title}: what is refused`, () => {
  test.each([
    [{ hash_algorithm: 'zz' }, 'invalid hash algorithm "zz"'],
    [{ marshaling_algorithm: 'zz' }, 'invalid marshaling type "zz"'],
    [{ salt_length: 'zz' }, "salt length neither 'auto', 'hash', nor an int: zz"],
    [{ salt_length: '-2' }, 'salt length is invalid: -2'],
    [
      { hash_algorithm: 'none' },
      'hash_algorithm=none requires both prehashed=true and signature_algorithm=pkcs1v15',
    ],
    [{ input: '!' }, 'unable to decode input as base64: illegal base64 data at input byte 0'],
  ])('signing and verifying %j', async (body, text) => {
    const { key, secrets } = await withTransit()
    await key('k', { type: 'rsa-2048' })
    const signature = 'service:v1:AAAA'
    expect(statusAndBody(await secrets.post('transit/sign/k', body))).toEqual(error(400, text))
    expect(statusAndBody(await secrets.post('transit/verify/k', { ...body, signature }))).toEqual(
      error(400, text),
    )
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('combinations that RSA lacks, %s', async (dialect, status) => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k', { type: 'rsa-2048' })
    const signing = async (body: object) =>
      statusAndBody(await secrets.post('transit/sign/k', body))
    const pkcs1 = { signature_algorithm: 'pkcs1v15', prehashed: true }
    const unhashed = multierrorReply(status, 'crypto/rsa: input must be hashed with given hash')
    expect(await signing({ prehashed: true })).toEqual(unhashed)
    expect(await signing(pkcs1)).toEqual(unhashed)
    const input = base64('x'.repeat(246))
    expect(await signing({ ...pkcs1, hash_algorithm: 'none', input })).toEqual(
      multierrorReply(status, 'crypto/rsa: message too long for RSA key size'),
    )
    const unknown = multierrorReply(status, 'unsupported rsa signature algorithm zz')
    expect(await signing({ signature_algorithm: 'zz' })).toEqual(unknown)
    expect(await signing({ salt_length: '223' })).toEqual(
      multierrorReply(status, 'requested salt length 223 is invalid'),
    )
    const signature = `vault:v1:${base64('x'.repeat(256))}`
    const verifying = async (body: object) =>
      statusAndBody(await secrets.post('transit/verify/k', { ...body, signature }))
    expect(await verifying({ signature_algorithm: 'zz' })).toEqual(unknown)
    expect(await verifying({ salt_length: '223' })).toEqual(
      error(400, 'requested salt length 223 is invalid'),
    )
    const invalid = { status: 200, body: expect.objectContaining({ data: { valid: false } }) }
    expect(await verifying({})).toEqual(invalid)
    expect(await verifying(pkcs1)).toEqual(invalid)
    expect(await verifying({ signature_algorithm: 'pkcs1v15' })).toEqual(invalid)
    const short = { signature: 'vault:v1:AAAA' }
    expect(statusAndBody(await secrets.post('transit/verify/k', short))).toEqual(invalid)
  })

  test('unknown keys and those that do not sign', async () => {
    const { key, secrets } = await withTransit()
    await key('k')
    const signature = 'service:v1:AAAA'
    const refused = async (path: string, text: string) =>
      expect(statusAndBody(await secrets.post(`transit/${path}`, { signature }))).toEqual(
        error(400, text),
      )
    await refused('sign/none', 'signing key not found')
    await refused('verify/none', 'signature verification key not found')
    await refused('sign/k', 'key type aes256-gcm96 does not support signing')
    await refused('verify/k', 'key type aes256-gcm96 does not support verification')
  })

  test.each([
    ['v1:AAAA', 'invalid signature: no prefix'],
    ['service:v1', 'invalid signature: wrong number of fields'],
    ['service:vx:AAAA', 'invalid signature: version number could not be decoded'],
    ['service:v2:AAAA', 'invalid signature: version is too new'],
    ['service:v0:AAAA', 'ciphertext or signature version is disallowed by policy (too old)'],
    ['service:v1:!', 'invalid base64 signature value'],
    ['service:v1:AAAA', 'supplied signature is invalid'],
    ['service:v1:MAYCAQECAQEA', 'supplied signature contains extra data'],
  ])('%s is an invalid signature', async (signature, text) => {
    const { key, secrets } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    expect(statusAndBody(await secrets.post('transit/verify/k', { signature }))).toEqual(
      error(400, text),
    )
  })

  test('wrong signatures of the right form are not valid', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    expect(await data('verify/k', { signature: 'service:v1:MAYCAQECAQE=' })).toEqual({
      valid: false,
    })
    const jws = { marshaling_algorithm: 'jws' }
    for (const [length, fill] of [
      [64, 0],
      [64, 0xff],
      [3, 1],
      [0, 0],
    ]) {
      const created = Buffer.alloc(length ?? 0, fill).toString('base64url')
      const body = { ...jws, signature: `service:v1:${created}` }
      expect(await data('verify/k', body)).toEqual({ valid: false })
    }
    const body = { ...jws, signature: 'service:v1:a+b/' }
    expect(statusAndBody(await secrets.post('transit/verify/k', body))).toEqual(
      error(400, 'invalid base64 signature value'),
    )
  })
})

describe(`${title}: batches`, () => {
  test('are answered with 200 even where items fail', async () => {
    const { key, data } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    const input = base64('a')
    const batch_input = [{ input, reference: 'r' }, { input: '!' }, {}]
    const { batch_results: signed } = await data('sign/k', { batch_input })
    const unreadable = 'unable to decode input as base64: illegal base64 data at input byte 0'
    expect(signed).toEqual([
      { signature: expect.stringMatching(/^service:v1:/), key_version: 1, reference: 'r' },
      { key_version: 0, error: unreadable, reference: '' },
      { key_version: 0, error: 'missing input', reference: '' },
    ])
    const { signature } = signed[0]
    const verified = await data('verify/k', {
      batch_input: [
        { input, signature },
        { input: base64('b'), signature, reference: 's' },
        { input, signature: 'x' },
      ],
    })
    expect(verified.batch_results).toEqual([
      { valid: true, reference: '' },
      { valid: false, reference: 's' },
      { valid: false, error: 'invalid signature: no prefix', reference: '' },
    ])
  })

  test.each([
    [
      [{ signature: '' }, { hmac: '' }],
      "elements of batch_input must all provide 'signature' or all provide 'hmac'",
    ],
    [[{ signature: '' }, {}], "some elements of batch_input are missing 'signature'"],
    [[{ hmac: '' }, {}], "some elements of batch_input are missing 'hmac'"],
    [[{}, {}], "no batch_input elements have 'signature' or 'hmac'"],
    [[], 'missing batch input to process'],
  ])('verifying %j is refused', async (batch_input, text) => {
    const { key, secrets } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    expect(statusAndBody(await secrets.post('transit/verify/k', { batch_input }))).toEqual(
      error(400, text),
    )
  })

  test('verifying needs a signature or an HMAC; if both are sent, the signature counts', async () => {
    const { key, secrets } = await withTransit()
    await key('k', { type: 'ecdsa-p256' })
    expect(statusAndBody(await secrets.post('transit/verify/k', {}))).toEqual(
      error(400, "neither a 'signature' nor an 'hmac' were given to verify"),
    )
    const both = { signature: 'x', hmac: 'service:v1:AAAA' }
    expect(statusAndBody(await secrets.post('transit/verify/k', both))).toEqual(
      error(400, 'invalid signature: no prefix'),
    )
  })
})

test(`${title}: a signature of another key is not valid`, async () => {
  const { key, data } = await withTransit()
  await key('k', { type: 'ecdsa-p256' })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const created = sign('sha256', Buffer.from('a'), privateKey).toString('base64')
  const body = { input: base64('a'), signature: `service:v1:${created}` }
  expect(await data('verify/k', body)).toEqual({ valid: false })
})
