import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { codeAt } from '../../../../state/secrets/totp/codes.ts'
import { qrCode } from '../../../../state/secrets/totp/qr-code.ts'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

/** The key of the test vectors of RFC 6238 for SHA1. */
const rfcKey = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

async function serverWithTotp(settings: TestSettings = {}): Promise<TestSecrets> {
  const created = await servedSecrets(settings)
  await created.secrets.post('sys/mounts/totp', { type: 'totp' })
  return created
}

const generated = { generate: true, issuer: 'Acme Inc', account_name: 'a@b' }

describe('behaviour/secrets#totp', () => {
  test.each([
    [59, 'SHA1', 20, '94287082'],
    [1_111_111_109, 'SHA1', 20, '07081804'],
    [20_000_000_000, 'SHA1', 20, '65353130'],
    [59, 'SHA256', 32, '46119246'],
    [59, 'SHA512', 64, '90693936'],
  ] as const)('codes are those of RFC 6238 at %i s with %s', (seconds, algorithm, length, code) => {
    const bytes = '1234567890'.repeat(7).slice(0, length)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
    const bits = Array.from(Buffer.from(bytes), (byte) => byte.toString(2).padStart(8, '0')).join(
      '',
    )
    const parts = bits.match(/.{1,5}/g) ?? []
    const key = parts.map((part) => alphabet[Number.parseInt(part.padEnd(5, '0'), 2)]).join('')
    expect(codeAt({ key, algorithm, digits: 8, period: 30 }, seconds * 1000)).toBe(code)
  })

  test('a generated key is returned once, as a URL and an image', async () => {
    const { secrets } = await serverWithTotp()
    const { data } = (await secrets.post('totp/keys/app', generated)).body
    expect(data.url).toMatch(
      /^otpauth:\/\/totp\/Acme%20Inc:a@b\?algorithm=SHA1&digits=6&issuer=Acme%20Inc&period=30&secret=[A-Z2-7]{32}$/,
    )
    const image = Buffer.from(data.barcode, 'base64')
    expect(image.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([200, 200])
    const at = image.indexOf('IDAT')
    const pixels = inflateSync(image.subarray(at + 4, at + 4 + image.readUInt32BE(at - 4)))
    expect(pixels).toHaveLength(200 * 201)
    expect(new Set(pixels)).toEqual(new Set([0, 255]))
    expect(statusAndBody(await secrets.get('totp/keys/app'))).toEqual(
      ok({
        data: { account_name: 'a@b', algorithm: 'SHA1', digits: 6, issuer: 'Acme Inc', period: 30 },
      }),
    )
    const plain = await secrets.post('totp/keys/plain', { ...generated, qr_size: 0 })
    expect(Object.keys(plain.body.data)).toEqual(['url'])
    const kept = await secrets.post('totp/keys/kept', { ...generated, exported: false })
    expect(statusAndBody(kept)).toEqual(noContent)
    expect((await secrets.list('totp/keys')).body.data).toEqual({ keys: ['app', 'kept', 'plain'] })
    expect(statusAndBody(await secrets.delete('totp/keys/kept'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('totp/keys/kept'))).toEqual(error(404))
  })

  // A decoder (jsQR 1.4.0) has read this code, and codes of every size up to version 40.
  test('the QR code of a URL is one that decoders read, and has a longest text', () => {
    const settings = `algorithm=SHA1&digits=6&issuer=Acme&period=30&secret=${rfcKey}`
    const modules = qrCode(`otpauth://totp/Acme:ann?${settings}`)
    expect(createHash('sha256').update(JSON.stringify(modules)).digest('hex')).toBe(
      'd0408a0b9e71e96fc5492eee5e9bd0e8be35437a8cd5121ca20ee90a516cf2bb',
    )
    expect(qrCode('x'.repeat(2331))).toHaveLength(177)
    expect(qrCode('x'.repeat(2332))).toBeUndefined()
  })

  test('a key is replaced, and one in a URL brings its settings', async () => {
    const { secrets } = await serverWithTotp()
    await secrets.post('totp/keys/app', { key: rfcKey })
    const url = `otpauth://totp/Acme:a@b?secret=${rfcKey}&digits=8&period=60&algorithm=SHA256`
    expect(statusAndBody(await secrets.post('totp/keys/app', { url }))).toEqual(noContent)
    expect((await secrets.get('totp/keys/app')).body.data).toEqual({
      account_name: 'a@b',
      algorithm: 'SHA256',
      digits: 8,
      issuer: 'Acme',
      period: 60,
    })
    expect((await secrets.get('totp/code/app')).body.data.code).toMatch(/^\d{8}$/)
  })

  test('codes follow the clock of the world, and each counts once', async () => {
    const { secrets, clock } = await serverWithTotp()
    await secrets.post('totp/keys/app', { key: rfcKey })
    const validate = async (code: string) =>
      statusAndBody(await secrets.post('totp/code/app', { code }))
    const { code } = (await secrets.get('totp/code/app')).body.data
    expect(code).toBe(
      codeAt({ key: rfcKey, algorithm: 'SHA1', digits: 6, period: 30 }, clock.now()),
    )
    expect(await validate('0000000')).toEqual(ok({ data: { valid: false } }))
    clock.advance(30_000)
    expect(await validate(code)).toEqual(ok({ data: { valid: true } }))
    expect(await validate(code)).toEqual(
      error(400, 'code already used; wait until the next time period'),
    )
    clock.advance(89_999)
    expect((await validate(code)).status).toBe(400)
    clock.advance(1)
    expect(await validate(code)).toEqual(ok({ data: { valid: false } }))
    const next = (await secrets.get('totp/code/app')).body.data.code
    expect(next).not.toBe(code)
    await secrets.post('totp/keys/strict', { key: rfcKey, skew: 0 })
    clock.advance(30_000)
    const late = await secrets.post('totp/code/strict', { code: next })
    expect(late.body.data).toEqual({ valid: false })
  })

  test('mistakes are refused, and nothing is stored', async () => {
    const { secrets } = await serverWithTotp()
    for (const [body, why] of [
      [{}, 'the key value is required'],
      [{ key: 'A1' }, 'invalid key value: illegal base32 data at input byte 1'],
      [{ generate: true, issuer: 'a' }, 'the account_name value is required for generated keys'],
      [{ generate: true, account_name: 'a' }, 'the issuer value is required for generated keys'],
      [{ key: rfcKey, algorithm: 'MD5' }, 'the algorithm value is not valid'],
      [{ key: rfcKey, digits: 7 }, 'the digits value can only be 6 or 8'],
      [{ key: rfcKey, period: 0 }, 'the period value must be greater than zero'],
      [{ key: rfcKey, skew: 2 }, 'the skew value must be 0 or 1'],
      [{ ...generated, qr_size: -1 }, 'the qr_size value must be greater than or equal to zero'],
      [{ ...generated, key_size: 0 }, 'the key_size value must be greater than zero'],
      [{ ...generated, key: rfcKey }, 'a key should not be passed if generate is true'],
      [{ ...generated, url: 'x' }, 'a url should not be passed if generate is true'],
      [{ url: 'otpauth://[/' }, 'an error occurred while parsing url string'],
      [{ url: 'x' }, 'the key value is required'],
      [
        { url: 'otpauth://totp/a?period=zz' },
        'an error occurred while parsing period value in url',
      ],
    ] as const) {
      expect(statusAndBody(await secrets.post('totp/keys/x', body))).toEqual(error(400, why))
    }
    const unknown = error(400, 'unknown key: x')
    expect(statusAndBody(await secrets.get('totp/code/x'))).toEqual(unknown)
    expect(statusAndBody(await secrets.post('totp/code/x', { code: '1' }))).toEqual(unknown)
    expect(statusAndBody(await secrets.post('totp/code/x', {}))).toEqual(
      error(400, 'the code value is required'),
    )
    expect((await secrets.list('totp/keys')).status).toBe(404)
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('an image that is too small stores no key (%s)', async (dialect, status) => {
    const { secrets } = await serverWithTotp({ dialect })
    const reply = await secrets.post('totp/keys/app', { ...generated, qr_size: 10 })
    expect(statusAndBody(reply)).toEqual(
      multierrorReply(
        status,
        'failed to generate QR code image: can not scale barcode to an image smaller than 45x45',
      ),
    )
    expect((await secrets.list('totp/keys')).status).toBe(404)
  })
})
