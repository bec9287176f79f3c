import { describe, expect, test } from 'vitest'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'
import { base64, withTransit } from './transit.ts'

const title = 'behaviour/secrets#transit-batches'

describe.each([
  ['neutral', 400],
  ['vendor', 500],
] as const)(`${title} (%s)`, (dialect, multierror) => {
  test('items are answered in their order, with their references', async () => {
    const { key, data } = await withTransit({ dialect })
    await key('k')
    const plaintexts = ['a', 'b'].map(base64)
    const { batch_results: sealed } = await data('encrypt/k', {
      batch_input: [{ plaintext: plaintexts[0], reference: 'r' }, { plaintext: plaintexts[1] }],
    })
    const item = { ciphertext: expect.stringMatching(/^(service|vault):v1:/), key_version: 1 }
    expect(sealed).toEqual([
      { ...item, reference: 'r' },
      { ...item, reference: '' },
    ])
    expect(await data('decrypt/k', { batch_input: sealed })).toEqual({
      batch_results: [
        { plaintext: plaintexts[0], reference: 'r' },
        { plaintext: plaintexts[1], reference: '' },
      ],
    })
    expect((await data('rewrap/k', { batch_input: sealed })).batch_results).toEqual([
      { ...item, reference: 'r' },
      { ...item, reference: '' },
    ])
  })

  test('a failed item makes the status 400, or the requested status', async () => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k')
    const batch_input = [{ plaintext: '!' }, { plaintext: '', key_version: 1 }]
    const results = [
      { error: 'illegal base64 data at input byte 0', reference: '' },
      { ciphertext: expect.any(String), key_version: 1, reference: '' },
    ]
    const expected = ok({ data: { batch_results: results } })
    const failed = (body: object) => ({ ...expected, ...body })
    const errors = { body: { ...expected.body, errors: [] } }
    const send = async (body: object) =>
      statusAndBody(await secrets.post('transit/encrypt/k', body))
    expect(await send({ batch_input })).toEqual(failed({ status: 400, ...errors }))
    expect(await send({ batch_input, partial_failure_response_code: 207 })).toEqual(
      failed({ status: 207 }),
    )
    expect(await send({ batch_input, partial_failure_response_code: 700 })).toMatchObject({
      status: 400,
      body: {
        warnings: [
          'invalid HTTP response code override from partial_failure_response_code, reverting to 400',
        ],
      },
    })
    const bad = { batch_input: [{ plaintext: '!' }], partial_failure_response_code: 207 }
    expect((await send(bad)).status).toBe(400)
    const broken = { batch_input: [{ ciphertext: '' }, { ciphertext: 'x' }] }
    const decrypted = await secrets.post('transit/decrypt/k', broken)
    expect(decrypted.status).toBe(400)
    expect(decrypted.body.data.batch_results).toEqual([
      { plaintext: '', error: 'missing ciphertext to decrypt', reference: '' },
      { plaintext: '', error: 'invalid ciphertext: no prefix', reference: '' },
    ])
  })

  test('a batch of which every item fails still makes a key', async () => {
    const { secrets } = await withTransit({ dialect })
    const bad = await secrets.post('transit/encrypt/none', { batch_input: [{ plaintext: '!' }] })
    expect(bad.status).toBe(400)
    expect((await secrets.get('transit/keys/none')).status).toBe(200)
    const some = { batch_input: [{ plaintext: '!' }, { plaintext: '' }] }
    await secrets.post('transit/encrypt/some', some)
    expect((await secrets.get('transit/keys/some')).status).toBe(200)
  })

  test('the status of a batch counts the faults of its items as the product does', async () => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k')
    await key('rsa', { type: 'rsa-2048' })
    const ciphertext = `vault:v1:${base64('x'.repeat(256))}`
    const rewrap = await secrets.post('transit/rewrap/k', {
      batch_input: [{ ciphertext: 'x', reference: 'a' }, { reference: 'b' }],
    })
    expect(statusAndBody(rewrap)).toEqual(
      ok({
        data: {
          batch_results: [
            { error: 'invalid ciphertext: no prefix', reference: 'a' },
            { error: 'missing ciphertext to decrypt', reference: 'b' },
          ],
        },
      }),
    )
    const associated = await secrets.post('transit/encrypt/rsa', {
      batch_input: [{ plaintext: '', associated_data: base64('a') }],
    })
    expect(associated.status).toBe(200)
    expect(associated.body.data.batch_results[0].error).toContain('non-AEAD')
    const garbage = await secrets.post('transit/decrypt/rsa', { batch_input: [{ ciphertext }] })
    expect(garbage.status).toBe(multierror)
    expect(garbage.body.data.batch_results[0].error).toContain('failed to RSA decrypt')
    const mixed = { batch_input: [{ ciphertext }, { ciphertext: 'x' }] }
    expect((await secrets.post('transit/decrypt/rsa', mixed)).status).toBe(400)
    expect((await secrets.post('transit/rewrap/rsa', mixed)).status).toBe(multierror)
  })

  test('an invalid batch is refused as a whole', async () => {
    const { key, secrets } = await withTransit({ dialect })
    await key('k')
    const send = async (batch_input: unknown, path = 'encrypt') =>
      statusAndBody(await secrets.post(`transit/${path}/k`, { batch_input }))
    expect(await send([])).toEqual(error(400, 'missing batch input to process'))
    expect(await send([{ plaintext: '', context: base64('a') }, { plaintext: '' }])).toEqual(
      error(400, 'context should be set either in all the request blocks or in none'),
    )
    const unreadable = (text: string) =>
      multierrorReply(multierror, `failed to parse batch input: ${text}`)
    expect(await send([{}])).toEqual(unreadable("'[0].plaintext' missing plaintext to encrypt"))
    expect(await send([{}], 'decrypt')).toEqual(
      unreadable("'[0].ciphertext' missing ciphertext to decrypt"),
    )
    expect(
      await send([{ plaintext: 1 }, { plaintext: '', key_version: 'x', context: [] }]),
    ).toEqual(
      unreadable(
        [
          "'[0].plaintext' expected type 'string', got unconvertible type 'json.Number'",
          "'[1].context' expected type 'string', got unconvertible type '[]interface {}'",
          "'[1].key_version' expected type 'int', got unconvertible type 'string'",
        ].join('\n'),
      ),
    )
    expect(await send('a')).toEqual(unreadable('source data must be an array or slice, got string'))
    expect(await send([true])).toEqual(unreadable("[0] expected a map, got 'bool'"))
    expect(await send([null])).toEqual(unreadable("[0] expected a map, got '<nil>'"))
    expect(await send([{ plaintext: {} }])).toEqual(
      unreadable(
        "'[0].plaintext' expected type 'string', got unconvertible type 'map[string]interface {}'",
      ),
    )
    expect((await send([{ plaintext: '', context: null }])).status).toBe(200)
  })
})
