import { describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { secretsInfo } from '../../../../../state/secrets/service.ts'
import { error, noContent, statusAndBody } from '../../replies.ts'
import { hexShares, idle, numbers, opensService, rekeying, started } from './rekey-server.ts'

const wrongRoot =
  'failed to read root key: invalid key: failed to decrypt keys from storage: cipher: message authentication failed'

describe('behaviour/secrets#api-rekey: GET sys/rekey/init', () => {
  test('idle, started, and with shares handed in', async () => {
    const { secrets, start, handIn: submitShares, thresholdKeys: enough } = await rekeying()
    expect(statusAndBody(await secrets.get('sys/rekey/init'))).toEqual({ status: 200, body: idle })
    const created = await start()
    expect(statusAndBody(await secrets.get('sys/rekey/init'))).toEqual(statusAndBody(created))
    await submitShares(enough().slice(0, 2))
    expect((await secrets.get('sys/rekey/init')).body).toEqual({ ...created.body, progress: 2 })
  })
})

describe('behaviour/secrets#api-rekey: POST sys/rekey/init', () => {
  test.each(['POST', 'PUT'])('%s answers the status', async (method) => {
    const { secrets } = await rekeying()
    const reply = await secrets.request({ method, path: 'sys/rekey/init', payload: numbers })
    expect(statusAndBody(reply)).toEqual({ status: 200, body: started })
  })

  test('behaviour/secrets#bare-endpoints: numbers must not be texts', async () => {
    const { start } = await rekeying()
    expect(statusAndBody(await start({ secret_shares: '7', secret_threshold: '4' }))).toEqual(
      error(
        400,
        'failed to parse JSON input: json: cannot unmarshal string into Go struct field RekeyRequest.secret_shares of type int',
      ),
    )
    const reply = await start({ secret_shares: 7, secret_threshold: 4 })
    expect(reply.body).toEqual({ ...started, n: 7, t: 4 })
  })

  const bad: readonly (readonly [object, string])[] = [
    [
      { backup: true },
      'cannot request a backup of the new keys without providing PGP keys for encryption',
    ],
    [{ pgp_keys: ['x'] }, 'incorrect number of PGP keys for rekey'],
    [{ secret_threshold: 4 }, 'provided threshold greater than the total shares'],
  ]
  const badSeals: readonly (readonly [object, string])[] = [
    [{ secret_shares: 0, secret_threshold: 0 }, 'shares must be at least one'],
    [{ secret_threshold: 0 }, 'threshold must be at least one'],
    [{ secret_threshold: 1 }, 'threshold must be greater than one for multiple shares'],
    [{ secret_shares: 256 }, 'shares must be less than 256'],
    [
      { secret_shares: 1, secret_threshold: 1, pgp_keys: ['AAA!'] },
      'error decoding given PGP key: illegal base64 data at input byte 3',
    ],
    [
      { secret_shares: 1, secret_threshold: 1, pgp_keys: ['aGVsbG8='] },
      'error parsing given PGP key: Error during parsing. This message / key probably does not conform to a valid OpenPGP format.',
    ],
  ]

  test.each(bad)('%j is refused in both dialects', async (body, message) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { start, status } = await rekeying({ dialect })
      expect(statusAndBody(await start(body))).toEqual(error(400, message))
      expect(await status()).toEqual(idle)
    }
  })

  test.each(badSeals)('%j is 400, and 500 of the vendor', async (body, rule) => {
    for (const [dialect, code] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { start, status } = await rekeying({ dialect })
      expect(statusAndBody(await start(body))).toEqual(
        error(code, `invalid rekey seal configuration: ${rule}`),
      )
      expect(await status()).toEqual(idle)
    }
  })

  test('a field that cannot be converted, and a body that is not JSON', async () => {
    const { start, secrets } = await rekeying()
    expect(statusAndBody(await start({ secret_shares: 3.5 }))).toEqual(
      error(
        400,
        'failed to parse JSON input: json: cannot unmarshal number 3.5 into Go struct field RekeyRequest.secret_shares of type int',
      ),
    )
    expect(statusAndBody(await secrets.post('sys/rekey/init', '{"secret_shares"}'))).toEqual(
      error(400, "failed to parse JSON input: invalid character '}' after object key"),
    )
  })

  test('behaviour/secrets#api-limits: a second attempt is refused while one is in progress', async () => {
    const { start, status } = await rekeying()
    await start()
    const before = await status()
    expect(statusAndBody(await start({ secret_shares: 5 }))).toEqual(
      error(400, 'rekey already in progress'),
    )
    expect(await status()).toEqual(before)
  })
})

describe('behaviour/secrets#api-rekey: DELETE sys/rekey/init', () => {
  test('clears settings and progress; without an attempt it does nothing', async () => {
    const { secrets, start, status, handIn: submitShares, thresholdKeys: enough } = await rekeying()
    expect(statusAndBody(await secrets.delete('sys/rekey/init'))).toEqual(noContent)
    await start()
    const { nonce } = await status()
    await submitShares(enough().slice(0, 1))
    expect(statusAndBody(await secrets.delete('sys/rekey/init'))).toEqual(noContent)
    expect(await status()).toEqual(idle)
    const again = await start({ secret_shares: 4 })
    expect(again.body).toEqual({ ...started, n: 4 })
    expect(again.body.nonce).not.toBe(nonce)
  })
})

describe('behaviour/secrets#api-rekey: POST sys/rekey/update', () => {
  test('a share below the threshold returns the status; the last one returns the new keys', async () => {
    const server = await rekeying()
    const { start, handIn: submitShares, status, world } = server
    const { keys: old } = unsealKeys(world)
    await start()
    const { nonce } = await status()
    const [first, second, third] = await submitShares(server.thresholdKeys())
    expect([first?.status, first?.body]).toEqual([200, { ...started, nonce, progress: 1 }])
    expect([second?.status, second?.body]).toEqual([200, { ...started, nonce, progress: 2 }])
    expect([third?.status, third?.body]).toEqual([
      200,
      {
        nonce,
        complete: true,
        keys: hexShares(3),
        keys_base64: Array(3).fill(expect.stringMatching(/^[\w+/]{44}$/)),
        pgp_fingerprints: null,
        backup: false,
        verification_required: false,
      },
    ])
    const { keys, keys_base64 } = third?.body ?? {}
    expect(keys_base64).toEqual(
      keys.map((key: string) => Buffer.from(key, 'hex').toString('base64')),
    )
    expect(keys.some((key: string) => old.includes(key))).toBe(false)
    expect(unsealKeys(world)).toEqual({ keys, threshold: 2 })
    // behaviour/program#fresh-world: `/_mock/info` shows the valid shares.
    expect(secretsInfo(world)).toMatchObject({ unsealKeys: keys, threshold: 2 })
    expect(await status()).toEqual({ ...idle, required: 2 })
    expect(await opensService(server, old)).toBe(false)
    expect(await opensService(server, keys.slice(1))).toBe(true)
    // The next rekey accepts the new shares, in base64.
    await start({ secret_shares: 1, secret_threshold: 1 })
    const last = (await submitShares(keys_base64.slice(0, 2))).at(-1)
    expect(last?.body).toMatchObject({
      complete: true,
      keys: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    })
  })

  test.each([
    [{}, "'key' must be specified in request body as JSON"],
    [{ nonce: 'x' }, "'key' must be specified in request body as JSON"],
    [{ key: 'no key' }, "'key' must be a valid hex or base64 string"],
    [{ key: 'aabb' }, 'key is shorter than minimum 16 bytes'],
    [{ key: 'ab'.repeat(34) }, 'key is longer than maximum 33 bytes'],
    [{ key: 'ab'.repeat(33) }, 'no barrier rekey in progress'],
  ])('%j without an attempt', async (body, message) => {
    const { secrets } = await rekeying()
    for (const path of ['update', 'verify']) {
      const expected =
        path === 'verify' && message.startsWith('no barrier') ? 'no rekey in progress' : message
      expect(statusAndBody(await secrets.post(`sys/rekey/${path}`, body))).toEqual(
        error(400, expected),
      )
    }
  })

  test('a wrong nonce and a share that was handed in before', async () => {
    const { secrets, start, handIn: submitShares, status, thresholdKeys: enough } = await rekeying()
    await start()
    const [key = ''] = enough()
    const { nonce } = await status()
    for (const wrong of [{}, { nonce: 'x' }]) {
      expect(statusAndBody(await secrets.post('sys/rekey/update', { key, ...wrong }))).toEqual(
        error(400, `incorrect nonce supplied; nonce for this rekey operation is "${nonce}"`),
      )
    }
    const [, again] = await submitShares([key, Buffer.from(key, 'hex').toString('base64')])
    expect(again && statusAndBody(again)).toEqual(
      error(400, 'given key has already been provided during this generation operation'),
    )
    expect((await status()).progress).toBe(1)
  })

  test.each([
    ['neutral', 400],
    ['vendor', 500],
  ] as const)('wrong shares at the threshold, %s', async (dialect, code) => {
    const {
      start,
      handIn: submitShares,
      status,
      thresholdKeys: enough,
      world,
    } = await rekeying({ dialect })
    await start()
    const before = await status()
    const { keys } = unsealKeys(world)
    const [a = '', b = ''] = enough()
    const wrong = await submitShares(['ab'.repeat(33), a, b])
    expect(wrong.map(statusAndBody).at(-1)).toEqual(error(code, wrongRoot))
    expect(await status()).toEqual(before)
    const unequal = await submitShares(['ab'.repeat(20), a, b])
    expect(unequal.map(statusAndBody).at(-1)).toEqual(
      error(code, 'failed to compute root key: all parts must be the same length'),
    )
    const alteredShare = (a.startsWith('00') ? '01' : '00') + a.slice(2)
    const repeated = await submitShares([alteredShare, a, b])
    expect(repeated.map(statusAndBody).at(-1)).toEqual(
      error(code, 'failed to compute root key: duplicate part detected'),
    )
    expect(await status()).toEqual(before)
    expect(unsealKeys(world).keys).toEqual(keys)
    expect((await submitShares(enough())).at(-1)?.body.complete).toBe(true)
  })

  test('during verification it is over', async () => {
    const { secrets, start, handIn: submitShares, thresholdKeys: enough } = await rekeying()
    await start({ require_verification: true })
    const [key = ''] = enough()
    const { nonce, verification_nonce } = (await submitShares(enough())).at(-1)?.body ?? {}
    expect(statusAndBody(await secrets.post('sys/rekey/update', { key, nonce }))).toEqual(
      error(
        400,
        `rekey operation already finished; verification must be performed; nonce for the verification operation is "${verification_nonce}"`,
      ),
    )
  })
})

describe('behaviour/secrets#rekey: events that end an attempt', () => {
  // choice/secrets#rekey-ends-with-term
  test('sealing ends the attempt', async () => {
    const { secrets, start, status, thresholdKeys: enough } = await rekeying()
    await start()
    await secrets.post('sys/seal')
    expect(statusAndBody(await secrets.get('sys/rekey/init'))).toEqual(
      error(503, 'Service is sealed'),
    )
    for (const key of enough()) await secrets.post('sys/unseal', { key })
    expect(await status()).toEqual(idle)
  })

  // choice/secrets#rekey-ends-with-term
  test('stepping down ends the attempt', async () => {
    const { secrets, start, status } = await rekeying()
    await start()
    await secrets.post('sys/step-down')
    expect(await status()).toEqual(idle)
  })

  // choice/secrets#rekey-ends-with-term
  test('a demotion to a DR secondary cancels the attempt', async () => {
    const { secrets, start, status } = await rekeying()
    await start()
    await secrets.post('sys/replication/dr/primary/enable')
    expect((await status()).started).toBe(true)
    await secrets.post('sys/replication/dr/primary/demote')
    await secrets.post('sys/replication/dr/secondary/disable')
    expect(await status()).toEqual(idle)
  })
})
