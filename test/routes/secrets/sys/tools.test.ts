import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: sys/tools',
  (dialect) => {
    test.each([
      ['', {}, 'base64', 32],
      ['', { bytes: 5, format: 'hex' }, 'hex', 5],
      ['', { bytes: '131072' }, 'base64', 131_072],
      ['/7', { bytes: 5 }, 'base64', 7],
      ['/all/9', {}, 'base64', 9],
      // Not the name of a source, so the segment is ignored (the open fork).
      ['/-a', { bytes: 5 }, 'base64', 5],
      ['/-a/b', {}, 'base64', 32],
    ] as const)('random%s %j: %s of %i bytes', async (path, body, format, length) => {
      const { secrets } = await servedSecrets({ dialect })
      const reply = await secrets.post(`sys/tools/random${path}`, body)
      expect(statusAndBody(reply)).toEqual(ok({ data: { random_bytes: expect.any(String) } }))
      expect(Buffer.from(reply.body.data.random_bytes, format)).toHaveLength(length)
    })

    test('random/seal warns that no seal gives any', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const reply = await secrets.post('sys/tools/random/seal', { bytes: 5 })
      const warnings = ['no seal/entropy augmentation available, using platform entropy source']
      expect(statusAndBody(reply)).toEqual(
        ok({ data: { random_bytes: expect.any(String) }, warnings }),
      )
      expect(Buffer.from(reply.body.data.random_bytes, 'base64')).toHaveLength(5)
    })

    test('random bytes differ each time, and are equal for equal seeds', async () => {
      const draw = async () => {
        const { secrets } = await servedSecrets({ dialect })
        const one = (await secrets.post('sys/tools/random')).body.data.random_bytes
        return [one, (await secrets.post('sys/tools/random')).body.data.random_bytes]
      }
      const [first, second] = await draw()
      expect(first).not.toBe(second)
      expect(await draw()).toEqual([first, second])
    })

    // choice/secrets#random-sources
    test('random bytes of every source come from one generator', async () => {
      const draw = async (path: string) => {
        const { secrets } = await servedSecrets({ dialect })
        return (await secrets.post(`sys/tools/random${path}`, { bytes: 8 })).body.data.random_bytes
      }
      const sources = ['', '/platform', '/seal', '/all']
      expect(new Set(await Promise.all(sources.map(draw))).size).toBe(1)
    })

    test.each([
      ['/x', {}, 'error parsing url-set byte count: strconv.Atoi: parsing "x": invalid syntax'],
      [
        '/seal/99999999999999999999',
        {},
        'error parsing url-set byte count: strconv.Atoi: parsing "99999999999999999999": value out of range',
      ],
      [
        '/all/-a/b',
        {},
        'error parsing url-set byte count: strconv.Atoi: parsing "-a/b": invalid syntax',
      ],
      ['', { bytes: 0 }, '"bytes" cannot be less than 1'],
      ['', { bytes: 131_073 }, '"bytes" should be less than 131072'],
      ['', { format: 'zz' }, 'unsupported encoding format "zz"; must be "hex" or "base64"'],
      ['/zz/5', {}, 'unsupported entropy source "zz"; must be "platform" or "seal", or "all"'],
      ['/zz/0', { format: 'zz' }, '"bytes" cannot be less than 1'],
    ])('random%s %j is refused', async (path, body, text) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(`sys/tools/random${path}`, body))).toEqual(
        error(400, text),
      )
    })

    const input = Buffer.from('ada').toString('base64')
    const sum = (name: string, format: 'hex' | 'base64' = 'hex', content = 'ada') =>
      createHash(name).update(content).digest(format)
    test.each([
      ['', { input }, sum('sha256')],
      ['', {}, sum('sha256', 'hex', '')],
      ['', { input, algorithm: 'sha3-384', format: 'base64' }, sum('sha3-384', 'base64')],
      ['/sha2-224', { input, algorithm: 'sha2-512' }, sum('sha224')],
    ])('hash%s %j', async (path, body, expected) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(`sys/tools/hash${path}`, body))).toEqual(
        ok({ data: { sum: expected } }),
      )
    })

    test.each([
      ['x', 0],
      ['AAA', 0],
      ['AAAAx', 4],
      ['AAAA=', 4],
      ['AA=', 3],
      ['AA=A', 2],
      ['A===', 1],
    ])('%j is invalid base64 from byte %i on, as Go counts', async (input, at) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post('sys/tools/hash', { input }))).toEqual(
        error(400, `unable to decode input as base64: illegal base64 data at input byte ${at}`),
      )
    })

    test.each([
      [
        '',
        { input: 'a*' },
        'unable to decode input as base64: illegal base64 data at input byte 1',
      ],
      ['', { algorithm: 'zz' }, 'unsupported algorithm zz'],
      ['/md5', {}, 'unsupported algorithm md5'],
      ['/md5', { format: 'zz' }, 'unsupported encoding format zz; must be "hex" or "base64"'],
    ])('hash%s %j is refused', async (path, body, text) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post(`sys/tools/hash${path}`, body))).toEqual(
        error(400, text),
      )
    })

    test('the policy default gives hashes, not random bytes; neither is read', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const created = await secrets.post('auth/token/create', { policies: ['default'] })
      const client = as(created.body.auth.client_token)
      expect((await client.post('sys/tools/hash', {})).status).toBe(200)
      expect(statusAndBody(await client.post('sys/tools/random', {}))).toEqual(
        multierrorReply(403, 'permission denied'),
      )
      expect(statusAndBody(await secrets.get('sys/tools/random'))).toEqual(
        multierrorReply(405, 'unsupported operation'),
      )
    })
  },
)
