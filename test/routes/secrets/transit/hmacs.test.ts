import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { transitKeyTable } from '../../../../state/secrets/transit/keys.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-signing'

describe(`${title}: HMACs`, () => {
  test.each([
    ['aes256-gcm96', {}],
    ['ecdsa-p256', {}],
    ['hmac', { key_size: 40 }],
  ])('keys of the type %s have one', async (type, more) => {
    const { key, data, world } = await withTransit()
    await key('k', { type, ...more })
    const [row] = world.table(transitKeyTable).rows()
    const secret = Buffer.from(row?.versions[1]?.hmac_key ?? '', 'base64')
    expect(secret).toHaveLength(type === 'hmac' ? 40 : 32)
    const input = base64('a')
    for (const [name, node] of [
      ['sha2-256', 'sha256'],
      ['sha1', 'sha1'],
      ['sha3-384', 'sha3-384'],
    ] as const) {
      const expected = createHmac(node, secret).update('a').digest('base64')
      const hmac = `service:v1:${expected}`
      expect(await data(`hmac/k/${name}`, { input })).toEqual({ hmac })
      expect(await data('hmac/k', { input, algorithm: name })).toEqual({ hmac })
      expect(await data(`verify/k/${name}`, { input, hmac })).toEqual({ valid: true })
      expect(await data('verify/k', { input, hmac, hash_algorithm: name })).toEqual({ valid: true })
      expect(await data('verify/k', { input, hmac, algorithm: name })).toEqual({
        valid: name === 'sha2-256',
      })
      expect(await data(`verify/k/${name}`, { input: '', hmac })).toEqual({ valid: false })
    }
    const { hmac } = await data('hmac/k', { input })
    expect(await data('verify/k', { input, hmac })).toEqual({ valid: true })
    expect(await data('verify/k', { input, hmac: 'service:v1:AAAA' })).toEqual({ valid: false })
  })

  test('an HMAC names its version, and key_version selects one', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k')
    const input = base64('a')
    const { hmac } = await data('hmac/k', { input })
    for (const _ of [2, 3]) await secrets.post('transit/keys/k/rotate')
    expect((await data('hmac/k', { input })).hmac).toMatch(/^service:v3:/)
    expect((await data('hmac/k', { input, key_version: 1 })).hmac).toBe(hmac)
    const refused = async (body: object, text: string, path = 'hmac') =>
      expect(statusAndBody(await secrets.post(`transit/${path}/k`, { input, ...body }))).toEqual(
        error(400, text),
      )
    await refused({ key_version: -1 }, 'key version does not exist (cannot be negative)')
    await refused({ key_version: 4 }, 'key version does not exist; latest key version is 3')
    await secrets.post('transit/keys/k/config', { min_decryption_version: 2 })
    await refused({ key_version: 1 }, 'no such key version')
    const tooOld = 'version is too old (disallowed by policy)'
    await refused({ hmac }, `cannot verify HMAC: ${tooOld}`, 'verify')
    await secrets.post('transit/keys/k/config', { min_encryption_version: 3 })
    await refused({ key_version: 2 }, `cannot generate HMAC: ${tooOld}`)
  })

  test.each([
    ['hmac/none', { input: '' }, 'encryption key not found'],
    ['verify/none', { hmac: '' }, 'encryption key not found'],
    ['hmac/k', {}, 'missing input for HMAC'],
    ['hmac/k', { input: '', algorithm: 'zz' }, "unsupported algorithm '\\x00'"],
    ['verify/k', { hmac: '', hash_algorithm: 'zz' }, "unsupported algorithm '\\x00'"],
    [
      'hmac/k',
      { input: '!' },
      'unable to decode input as base64: illegal base64 data at input byte 0',
    ],
    [
      'verify/k',
      { input: '!', hmac: '' },
      'unable to decode input as base64: illegal base64 data at input byte 0',
    ],
    ['verify/k', { hmac: 'AAAA' }, 'invalid HMAC to verify: no prefix'],
    ['verify/k', { hmac: 'service:v1' }, 'invalid HMAC: wrong number of fields'],
    ['verify/k', { hmac: 'vault:vx:AA' }, 'invalid HMAC: version number could not be decoded'],
    [
      'verify/k',
      { hmac: 'vault:v1:!' },
      'unable to decode verification HMAC as base64: illegal base64 data at input byte 0',
    ],
    ['verify/k', { hmac: 'vault:v2:AAAA' }, 'invalid HMAC: version is too new'],
  ])('%s %j is refused', async (path, body, text) => {
    const { key, secrets } = await withTransit()
    await key('k')
    expect(statusAndBody(await secrets.post(`transit/${path}`, body))).toEqual(error(400, text))
  })

  test('batches are answered with 200 even where items fail', async () => {
    const { key, data, secrets } = await withTransit()
    await key('k')
    const input = base64('a')
    const batch_input = [{ input, reference: 'r' }, {}, { input: '!' }]
    const { batch_results: created } = await data('hmac/k', { batch_input })
    expect(created).toEqual([
      { hmac: expect.stringMatching(/^service:v1:/), reference: 'r' },
      { error: 'missing input for HMAC', reference: '' },
      {
        error: 'unable to decode input as base64: illegal base64 data at input byte 0',
        reference: '',
      },
    ])
    const { hmac } = created[0]
    const verified = await data('verify/k', { batch_input: [{ input, hmac }, { hmac }] })
    expect(verified.batch_results).toEqual([
      { valid: true, reference: '' },
      { valid: false, error: 'missing input', reference: '' },
    ])
    expect(statusAndBody(await secrets.post('transit/hmac/k', { batch_input: 'a' }))).toEqual(
      multierrorReply(
        400,
        'failed to parse batch input: source data must be an array or slice, got string',
      ),
    )
  })
})

describe(`${title}: hashes and random bytes`, () => {
  const sum = (name: string, format: 'hex' | 'base64') =>
    createHash(name).update('ada').digest(format)

  test.each([
    ['', {}, sum('sha256', 'hex')],
    ['/sha3-512', {}, sum('sha3-512', 'hex')],
    ['', { algorithm: 'sha2-384', format: 'base64' }, sum('sha384', 'base64')],
  ])('hash%s %j', async (path, body, expected) => {
    const { data } = await withTransit()
    expect(await data(`hash${path}`, { input: base64('ada'), ...body })).toEqual({ sum: expected })
  })

  test.each([
    ['', {}, 'input missing'],
    ['', { input: '!' }, 'unable to decode input as base64: illegal base64 data at input byte 0'],
    ['', { input: '', algorithm: 'zz' }, 'unsupported algorithm zz'],
    [
      '/zz',
      { input: '', format: 'zz' },
      'unsupported encoding format zz; must be "hex" or "base64"',
    ],
  ])('hash%s %j is refused', async (path, body, text) => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post(`transit/hash${path}`, body))).toEqual(error(400, text))
  })

  test.each([
    ['', {}, 32],
    ['/7', {}, 7],
    ['/platform', { bytes: 5 }, 5],
    ['/all/9', {}, 9],
  ])('random%s %j', async (path, body, length) => {
    const { secrets } = await withTransit()
    const reply = await secrets.post(`transit/random${path}`, { ...body, format: 'hex' })
    expect(statusAndBody(reply)).toEqual(ok({ data: { random_bytes: expect.any(String) } }))
    expect(reply.body.data.random_bytes).toHaveLength(2 * length)
  })

  test('random bytes are refused as those of sys/tools', async () => {
    const { secrets } = await withTransit()
    expect(statusAndBody(await secrets.post('transit/random/zz/5'))).toEqual(
      error(400, 'unsupported entropy source "zz"; must be "platform" or "seal", or "all"'),
    )
  })
})
