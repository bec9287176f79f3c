import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import {
  at,
  envelope,
  notFoundReply,
  refusedReply,
  statusAndBody,
  versionMetadata,
} from './kv-replies.ts'

const data = {
  text: 'x',
  number: 1,
  none: null,
  list: [{ a: 1 }],
  empty: {},
  one: { leaf: 1, two: { leaf: 2, three: { leaf: 3 } } },
}

const leaves = { text: null, number: null, none: null, list: null, empty: null }

describe('behaviour/secrets#api-kv2, GET subkeys', () => {
  test.each([
    [undefined, { ...leaves, one: { leaf: null, two: { leaf: null, three: { leaf: null } } } }],
    ['0', { ...leaves, one: { leaf: null, two: { leaf: null, three: { leaf: null } } } }],
    ['1', { ...leaves, one: null }],
    ['2', { ...leaves, one: { leaf: null, two: null } }],
    ['3', { ...leaves, one: { leaf: null, two: { leaf: null, three: null } } }],
    ['4', { ...leaves, one: { leaf: null, two: { leaf: null, three: { leaf: null } } } }],
  ])('with depth %s', async (depth, subkeys) => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', { data })

    const reply = await secrets.get('secret/subkeys/app', depth ? { query: { depth } } : {})

    expect(statusAndBody(reply)).toEqual({
      status: 200,
      body: envelope({ data: { subkeys, metadata: versionMetadata(1) } }),
    })
  })

  test('of a version by number, with custom metadata', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', { data: { old: 1 } })
    await secrets.post('secret/data/app', { data: { new: 1 } })
    await secrets.post('secret/metadata/app', { custom_metadata: { a: 'b' } })

    const reply = await secrets.get('secret/subkeys/app', { query: { version: '1' } })

    const metadata = versionMetadata(1, { custom_metadata: { a: 'b' } })
    expect(statusAndBody(reply)).toEqual({
      status: 200,
      body: envelope({ data: { subkeys: { old: null }, metadata } }),
    })
  })

  test('an empty secret has no subkeys', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', { data: {} })

    expect((await secrets.get('secret/subkeys/app')).body.data.subkeys).toEqual({})
  })

  test('an absent key, a key with only metadata and an unknown version are 404, as for reads', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/bare', { max_versions: 1 })
    await secrets.post('secret/data/app', { data: {} })

    expect(statusAndBody(await secrets.get('secret/subkeys/none'))).toEqual(notFoundReply)
    expect(statusAndBody(await secrets.get('secret/subkeys/bare'))).toEqual(notFoundReply)
    const unknown = await secrets.get('secret/subkeys/app', { query: { version: '2' } })
    expect(statusAndBody(unknown)).toEqual(notFoundReply)
  })

  test('404 with metadata for a deleted and for a destroyed version', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', { data })
    await secrets.delete('secret/data/app')
    const deletion_time = at()
    const gone = (changes: object) => ({
      status: 404,
      body: envelope({
        data: { subkeys: null, metadata: versionMetadata(1, { deletion_time, ...changes }) },
        errors: [],
      }),
    })

    expect(statusAndBody(await secrets.get('secret/subkeys/app'))).toEqual(gone({}))

    await secrets.post('secret/destroy/app', { versions: [1] })
    expect(statusAndBody(await secrets.get('secret/subkeys/app'))).toEqual(
      gone({ destroyed: true }),
    )
  })

  test('a depth that is not a number is refused', async () => {
    const { secrets } = await servedSecrets()

    expect(
      statusAndBody(await secrets.get('secret/subkeys/app', { query: { depth: 'x' } })),
    ).toEqual(
      refusedReply(
        400,
        'Field validation failed: error converting input x for field "depth": cannot parse \'\' as int: strconv.ParseInt: parsing "x": invalid syntax',
      ),
    )
  })
})
