import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import {
  at,
  envelope,
  keyMetadata,
  noContent,
  notFoundReply,
  refusedReply,
  statusAndBody,
} from './kv-replies.ts'

const version = { created_time: at(), deletion_time: '', destroyed: false }

/** Returns the reply to reading key metadata. */
function metadata(changes: object = {}): object {
  return { status: 200, body: envelope({ data: keyMetadata(changes) }) }
}

/** Returns the reply to invalid custom metadata with these errors. */
function faulty(...faults: string[]): object {
  const lines = faults.map((fault) => `\t* custom_metadata validation failed: ${fault}\n`)
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return refusedReply(400, `${count} occurred:\n${lines.join('')}\n`)
}

const ignoredCas = {
  status: 200,
  body: envelope({
    warnings: [
      '"cas_required" set to false, but is mandated by backend config. This value will be ignored.',
    ],
  }),
}

describe('behaviour/secrets#api-kv2, GET metadata', () => {
  test('every field of a key with versions', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', {
      max_versions: 3,
      cas_required: true,
      delete_version_after: '3h25m19s',
      custom_metadata: { owner: 'ops' },
    })
    clock.advance(1000)
    for (const cas of [0, 1]) {
      await secrets.post('secret/data/app', { data: {}, options: { cas } })
    }
    clock.advance(1000)
    await secrets.post('secret/delete/app', { versions: [1] })
    await secrets.post('secret/destroy/app', { versions: [2] })

    const created_time = at(1000)
    const deletion_time = at(1000 + 12_319_000)
    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(
      metadata({
        cas_required: true,
        current_version: 2,
        custom_metadata: { owner: 'ops' },
        delete_version_after: '3h25m19s',
        max_versions: 3,
        updated_time: at(1000),
        versions: {
          1: { created_time, deletion_time: at(2000), destroyed: false },
          2: { created_time, deletion_time, destroyed: true },
        },
      }),
    )
  })

  test('a key made by a write has no settings', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/app', { data: {} })

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(
      metadata({ current_version: 1, versions: { 1: version } }),
    )
  })

  test('an absent key is 404', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.get('secret/metadata/none'))).toEqual(notFoundReply)
  })
})

describe('behaviour/secrets#api-kv2, POST metadata', () => {
  test('makes a key without versions', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/metadata/app', { max_versions: 0 }))).toEqual(
      noContent,
    )

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(metadata())
  })

  test('changes the sent members, and never updated_time', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 3, custom_metadata: { a: '1' } })
    clock.advance(1000)

    await secrets.put('secret/metadata/app', { cas_required: true, delete_version_after: 90 })

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(
      metadata({
        cas_required: true,
        custom_metadata: { a: '1' },
        delete_version_after: '1m30s',
        max_versions: 3,
      }),
    )
  })

  test('without a recognised field makes nothing (behaviour/secrets#key-value)', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/metadata/app', {}))).toEqual(noContent)
    expect(statusAndBody(await secrets.post('secret/metadata/app', { other: 1 }))).toEqual(
      noContent,
    )

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(notFoundReply)
  })

  // choice/secrets#empty-custom-metadata
  test('custom_metadata replaces all there was; empty or null clears', async () => {
    const { secrets } = await servedSecrets()
    const custom = async (custom_metadata: unknown) => {
      await secrets.post('secret/metadata/app', { custom_metadata })
      return (await secrets.get('secret/metadata/app')).body.data.custom_metadata
    }

    expect(await custom({ a: '1', b: '2' })).toEqual({ a: '1', b: '2' })
    expect(await custom({ c: '3' })).toEqual({ c: '3' })
    expect(await custom({})).toBe(null)
    expect(await custom({ d: '4' })).toEqual({ d: '4' })
    expect(await custom(null)).toBe(null)
  })

  test('numbers and booleans become texts, odd keys are keys', async () => {
    const { secrets } = await servedSecrets()
    const input = '{"custom_metadata":{"n":1.10,"t":true,"f":false,"__proto__":"p","1":"i"}}'
    await secrets.post('secret/metadata/app', input, {
      headers: { 'content-type': 'application/json' },
    })

    const { text } = await secrets.get('secret/metadata/app')

    expect(text).toContain('"custom_metadata":{"1":"i","__proto__":"p","f":"0","n":"1.10","t":"1"}')
  })

  test('cas_required false under an engine that requires it is kept with a warning', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { cas_required: true })

    expect(
      statusAndBody(await secrets.post('secret/metadata/app', { cas_required: false })),
    ).toEqual(ignoredCas)
    expect(
      statusAndBody(await secrets.post('secret/metadata/app', { cas_required: true })),
    ).toEqual(noContent)
    expect(statusAndBody(await secrets.post('secret/metadata/app', { max_versions: 1 }))).toEqual(
      noContent,
    )
  })

  // choice/secrets#negative-max-versions
  test.each([
    [{ max_versions: -1 }, "'max_versions' cannot be negative"],
    [
      { delete_version_after: '-5s' },
      'error converting input -5s for field "delete_version_after": cannot provide negative value \'-5\'',
    ],
    [
      { delete_version_after: 'soon' },
      'error converting input soon for field "delete_version_after": time: invalid duration "soon"',
    ],
    [
      { cas_required: 'maybe' },
      'error converting input maybe for field "cas_required": cannot parse \'\' as bool: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      { custom_metadata: 'x' },
      "error converting input x for field \"custom_metadata\": '' expected a map, got 'string'",
    ],
    [
      { custom_metadata: { a: { b: 1 } } },
      "custom_metadata validation failed: '' expected type 'string', got unconvertible type 'map[string]interface {}', value: 'map[b:1]'",
    ],
  ])('%j is refused and makes nothing', async (body, text) => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/metadata/app', body))).toEqual(
      refusedReply(400, text),
    )
    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(notFoundReply)
  })
})

describe('behaviour/secrets#custom-metadata', () => {
  test('64 keys, keys of 128 bytes and values of 512 are the most', async () => {
    const { secrets } = await servedSecrets()
    const keys = Array.from({ length: 63 }, (_, n) => [`key ${n}`, 'é'])
    const custom_metadata = Object.fromEntries([...keys, ['é'.repeat(64), 'é'.repeat(256)]])

    expect(statusAndBody(await secrets.post('secret/metadata/app', { custom_metadata }))).toEqual(
      noContent,
    )

    expect((await secrets.get('secret/metadata/app')).body.data.custom_metadata).toEqual(
      custom_metadata,
    )
  })

  test.each([
    [
      'too long a key',
      { ['k'.repeat(129)]: 'v' },
      [`length of key "${'k'.repeat(129)}" is 129 but must be 0 < len(key) <= 128`],
    ],
    ['an empty key', { '': 'v' }, ['length of key "" is 0 but must be 0 < len(key) <= 128']],
    [
      'too long a value',
      { k: 'é'.repeat(257) },
      ['length of value for key "k" is 514 but must be 0 < len(value) <= 512'],
    ],
    [
      'an empty value',
      { k: '' },
      ['length of value for key "k" is 0 but must be 0 < len(value) <= 512'],
    ],
    ['null', { k: null }, ['length of value for key "k" is 0 but must be 0 < len(value) <= 512']],
    ['an unprintable key', { 'a\tb': 'v' }, ['key "a\\tb" (a\tb) contains unprintable characters']],
    [
      'an unprintable value',
      { k: 'a\u00a0b' },
      ['value for key "k" contains unprintable characters'],
    ],
    [
      'several faults, in the order of the keys',
      { b: '\n', a: '' },
      [
        'length of value for key "a" is 0 but must be 0 < len(value) <= 512',
        'value for key "b" contains unprintable characters',
      ],
    ],
  ])('%s is refused by POST', async (_, custom_metadata, faults) => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/metadata/app', { custom_metadata }))).toEqual(
      faulty(...faults),
    )
    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(notFoundReply)
  })

  test('too many keys are the only reported mistake, for POST and PATCH', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 1 })
    const custom_metadata = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, '']))
    const answer = faulty('payload must contain at most 64 keys, provided 65')

    expect(statusAndBody(await secrets.post('secret/metadata/app', { custom_metadata }))).toEqual(
      answer,
    )
    expect(statusAndBody(await secrets.patch('secret/metadata/app', { custom_metadata }))).toEqual(
      answer,
    )
  })

  test('PATCH refuses faulty texts before it looks for the key', async () => {
    const { secrets } = await servedSecrets()

    expect(
      statusAndBody(
        await secrets.patch('secret/metadata/none', { custom_metadata: { a: '', b: null } }),
      ),
    ).toEqual(faulty('length of value for key "a" is 0 but must be 0 < len(value) <= 512'))
  })
})

describe('behaviour/secrets#api-kv2, PATCH metadata', () => {
  test('changes the sent members and merges custom metadata', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', {
      max_versions: 3,
      cas_required: true,
      custom_metadata: { keep: '1', change: '1', drop: '1' },
    })
    await secrets.post('secret/data/app', { data: {}, options: { cas: 0 } })
    clock.advance(1000)

    const patch = {
      delete_version_after: '10s',
      custom_metadata: { change: '2', drop: null, none: null, new: 'n' },
    }
    expect(statusAndBody(await secrets.patch('secret/metadata/app', patch))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(
      metadata({
        cas_required: true,
        current_version: 1,
        custom_metadata: { change: '2', keep: '1', new: 'n' },
        delete_version_after: '10s',
        max_versions: 3,
        versions: { 1: version },
      }),
    )
  })

  test('null puts a setting back to its default', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', {
      max_versions: 3,
      cas_required: true,
      delete_version_after: '10s',
      custom_metadata: { a: '1' },
    })

    const patch = {
      max_versions: null,
      cas_required: null,
      delete_version_after: null,
      custom_metadata: null,
    }
    expect(statusAndBody(await secrets.patch('secret/metadata/app', patch))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(metadata())
  })

  test('an empty patch changes nothing, nor does an empty one of custom metadata', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { custom_metadata: { a: '1' } })

    expect(statusAndBody(await secrets.patch('secret/metadata/app', {}))).toEqual(noContent)
    expect(
      statusAndBody(await secrets.patch('secret/metadata/app', { custom_metadata: {} })),
    ).toEqual(noContent)

    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(
      metadata({ custom_metadata: { a: '1' } }),
    )
  })

  test('behaviour/secrets#key-value: values that are not texts are refused if the key exists', async () => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { secrets } = await servedSecrets({ dialect })
      const patch = (custom_metadata: object) =>
        secrets.patch('secret/metadata/app', { custom_metadata })
      expect(statusAndBody(await patch({ a: 1 }))).toEqual(notFoundReply)
      await secrets.post('secret/metadata/app', { max_versions: 1 })
      for (const [value, kind] of [
        [1, 'number'],
        [1.5, 'number'],
        [true, 'bool'],
      ] as const) {
        expect(statusAndBody(await patch({ z: 'x', a: value }))).toEqual(
          refusedReply(
            status,
            `1 error occurred:\n\t* json: cannot unmarshal ${kind} into Go struct field KeyMetadata.custom_metadata of type string\n\n`,
          ),
        )
      }
    }
  })

  test('an absent key is 404 and stays absent', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.patch('secret/metadata/none', { max_versions: 1 }))).toEqual(
      notFoundReply,
    )
    expect(statusAndBody(await secrets.get('secret/metadata/none'))).toEqual(notFoundReply)
  })

  test('cas_required false under an engine that requires it brings the warning', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 1 })
    await secrets.post('secret/config', { cas_required: true })

    expect(
      statusAndBody(await secrets.patch('secret/metadata/app', { cas_required: false })),
    ).toEqual(ignoredCas)
  })

  // choice/secrets#negative-max-versions
  test('max_versions below zero is refused', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 1 })

    expect(statusAndBody(await secrets.patch('secret/metadata/app', { max_versions: -1 }))).toEqual(
      refusedReply(400, "'max_versions' cannot be negative"),
    )
  })
})

describe('behaviour/secrets#api-kv2, LIST metadata', () => {
  test('names are sorted, folders end with a slash, unreadable keys are included', async () => {
    const { secrets } = await servedSecrets()
    for (const path of ['b', 'a/x', 'a/y/z', 'a', 'destroyed', 'deleted']) {
      await secrets.post(`secret/data/${path}`, { data: {} })
    }
    await secrets.post('secret/metadata/bare', { max_versions: 1 })
    await secrets.delete('secret/data/deleted')
    await secrets.post('secret/destroy/destroyed', { versions: [1] })

    expect(statusAndBody(await secrets.list('secret/metadata'))).toEqual({
      status: 200,
      body: envelope({ data: { keys: ['a', 'a/', 'b', 'bare', 'deleted', 'destroyed'] } }),
    })
    expect((await secrets.list('secret/metadata/a')).body.data).toEqual({ keys: ['x', 'y/'] })
    expect((await secrets.list('secret/metadata/a/y/')).body.data).toEqual({ keys: ['z'] })
  })

  test('a missing or empty folder is 404', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list('secret/metadata'))).toEqual(notFoundReply)

    await secrets.post('secret/data/app', { data: {} })
    expect(statusAndBody(await secrets.list('secret/metadata/app'))).toEqual(notFoundReply)

    await secrets.delete('secret/metadata/app')
    expect(statusAndBody(await secrets.list('secret/metadata'))).toEqual(notFoundReply)
  })
})

describe('behaviour/secrets#api-kv2, DELETE metadata', () => {
  test('removes the key alone, and is 204 for an absent one', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: {} })
    await secrets.post('secret/data/a/b', { data: {} })

    expect(statusAndBody(await secrets.delete('secret/metadata/a'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('secret/metadata/a'))).toEqual(noContent)

    expect(statusAndBody(await secrets.get('secret/data/a'))).toEqual(notFoundReply)
    expect((await secrets.get('secret/data/a/b')).status).toBe(200)
  })
})
