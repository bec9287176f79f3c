import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import {
  at,
  envelope,
  noContent,
  notFoundReply,
  refusedReply,
  statusAndBody,
  versionMetadata,
} from './kv-replies.ts'

/** Returns the state of a version in the specification's table. */
async function stateOf(secrets: SecretsClient, version: number): Promise<string> {
  const query = { version: String(version) }
  const { status, body } = await secrets.get('secret/data/app', { query })
  if (status === 200) return `active ${JSON.stringify(body.data.data)}`
  if (body.data === undefined) return 'none'
  const { destroyed, deletion_time } = body.data.metadata
  if (!destroyed) return 'deleted'
  return deletion_time === '' ? 'destroyed' : 'destroyed, deleted before'
}

function statesOf(secrets: SecretsClient, versions: readonly number[]): Promise<string[]> {
  return Promise.all(versions.map((version) => stateOf(secrets, version)))
}

/** Writes versions 1 to `count` with their number as data. */
async function writeVersions(secrets: SecretsClient, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    const { status } = await secrets.post('secret/data/app', { data: { n } })
    expect(status).toBe(200)
  }
}

describe('behaviour/secrets#api-kv2', () => {
  test('none → active by POST data; the version number increases', async () => {
    const { secrets } = await servedSecrets()
    expect(await stateOf(secrets, 1)).toBe('none')

    await writeVersions(secrets, 2)

    expect(await statesOf(secrets, [1, 2, 3])).toEqual(['active {"n":1}', 'active {"n":2}', 'none'])
  })

  test('active → deleted by DELETE data: the latest only, its data is kept', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 2)

    await secrets.delete('secret/data/app')
    expect(await statesOf(secrets, [1, 2])).toEqual(['active {"n":1}', 'deleted'])

    await secrets.post('secret/undelete/app', { versions: [2] })
    expect(await stateOf(secrets, 2)).toBe('active {"n":2}')
  })

  test('active → deleted by POST delete: the versions named', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 3)

    expect(statusAndBody(await secrets.post('secret/delete/app', { versions: [1, 3] }))).toEqual(
      noContent,
    )

    expect(await statesOf(secrets, [1, 2, 3])).toEqual(['deleted', 'active {"n":2}', 'deleted'])
  })

  test('deleted → active by POST undelete: data readable again', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 2)
    await secrets.post('secret/delete/app', { versions: [1, 2] })

    expect(statusAndBody(await secrets.post('secret/undelete/app', { versions: [1] }))).toEqual(
      noContent,
    )

    expect(await statesOf(secrets, [1, 2])).toEqual(['active {"n":1}', 'deleted'])
  })

  test('active or deleted → destroyed by POST destroy', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 3)
    await secrets.post('secret/delete/app', { versions: [1] })

    expect(statusAndBody(await secrets.post('secret/destroy/app', { versions: [1, 2] }))).toEqual(
      noContent,
    )

    expect(await statesOf(secrets, [1, 2, 3])).toEqual([
      'destroyed, deleted before',
      'destroyed',
      'active {"n":3}',
    ])
  })

  test('destroyed is final', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 1)
    await secrets.post('secret/destroy/app', { versions: [1] })

    for (const verb of ['undelete', 'delete', 'destroy']) {
      expect(statusAndBody(await secrets.post(`secret/${verb}/app`, { versions: [1] }))).toEqual(
        noContent,
      )
    }

    expect(await stateOf(secrets, 1)).toBe('destroyed')
  })

  test('any → none by a write beyond max_versions: the oldest version is deleted', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 2 })
    await writeVersions(secrets, 2)
    await secrets.post('secret/destroy/app', { versions: [1] })

    await writeVersions(secrets, 1)

    expect(await statesOf(secrets, [1, 2, 3])).toEqual(['none', 'active {"n":2}', 'active {"n":1}'])
    await secrets.post('secret/undelete/app', { versions: [1] })
    expect(await stateOf(secrets, 1)).toBe('none')
  })

  test('any → none by DELETE metadata: numbers start again from 1', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 3)
    await secrets.post('secret/delete/app', { versions: [2] })
    await secrets.post('secret/destroy/app', { versions: [3] })

    expect(statusAndBody(await secrets.delete('secret/metadata/app'))).toEqual(noContent)

    expect(await statesOf(secrets, [1, 2, 3])).toEqual(['none', 'none', 'none'])
    expect(statusAndBody(await secrets.get('secret/metadata/app'))).toEqual(notFoundReply)
    await writeVersions(secrets, 1)
    expect(await stateOf(secrets, 1)).toBe('active {"n":1}')
  })
})

describe('behaviour/secrets#kv2-delete', () => {
  test.each([
    ['delete', 'No version number provided'],
    ['undelete', 'No version number provided'],
    ['destroy', 'no version number provided'],
  ])('%s without versions is refused', async (verb, text) => {
    const { secrets } = await servedSecrets()

    for (const body of [{}, { versions: [] }, { versions: '' }, { versions: null }]) {
      expect(statusAndBody(await secrets.post(`secret/${verb}/app`, body))).toEqual(
        refusedReply(400, text),
      )
    }
  })

  test.each(['delete', 'undelete', 'destroy'])(
    '%s takes weakly typed lists and skips versions that do not exist',
    async (verb) => {
      const { secrets } = await servedSecrets()
      await writeVersions(secrets, 2)

      for (const versions of [[7, -1, 0], '8', 9, ['10', 11]]) {
        expect(statusAndBody(await secrets.post(`secret/${verb}/app`, { versions }))).toEqual(
          noContent,
        )
        expect(statusAndBody(await secrets.post(`secret/${verb}/none`, { versions }))).toEqual(
          noContent,
        )
      }

      expect(await statesOf(secrets, [1, 2])).toEqual(['active {"n":1}', 'active {"n":2}'])
      expect(statusAndBody(await secrets.get('secret/metadata/none'))).toEqual(notFoundReply)
    },
  )

  test('a comma string names several versions', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 3)

    await secrets.post('secret/delete/app', { versions: '1,3' })

    expect(await statesOf(secrets, [1, 2, 3])).toEqual(['deleted', 'active {"n":2}', 'deleted'])
  })

  test('versions that are not numbers are refused', async () => {
    const { secrets } = await servedSecrets()

    expect(statusAndBody(await secrets.post('secret/delete/app', { versions: ['x'] }))).toEqual(
      refusedReply(
        400,
        'Field validation failed: error converting input [x] for field "versions": 1 error(s) decoding:\n\n* cannot parse \'[0]\' as int: strconv.ParseInt: parsing "x": invalid syntax',
      ),
    )
  })

  test('delete and destroy keep an earlier deletion time', async () => {
    const { secrets, clock } = await servedSecrets()
    await writeVersions(secrets, 1)
    await secrets.post('secret/delete/app', { versions: [1] })
    clock.advance(5000)
    await secrets.post('secret/delete/app', { versions: [1] })
    await secrets.post('secret/destroy/app', { versions: [1] })

    expect((await secrets.get('secret/metadata/app')).body.data.versions).toEqual({
      1: { created_time: at(), deletion_time: at(), destroyed: true },
    })
  })

  test('delete, undelete and destroy do not change updated_time', async () => {
    const { secrets, clock } = await servedSecrets()
    await writeVersions(secrets, 1)
    clock.advance(1000)
    for (const verb of ['delete', 'undelete', 'destroy']) {
      await secrets.post(`secret/${verb}/app`, { versions: [1] })
    }

    expect((await secrets.get('secret/metadata/app')).body.data.updated_time).toBe(at())
  })
})

describe('behaviour/secrets#kv2-pruning', () => {
  /** Writes this many versions and returns the stored ones. */
  async function keptAfter(secrets: SecretsClient, count: number) {
    await writeVersions(secrets, count)
    const { versions, oldest_version } = (await secrets.get('secret/metadata/app')).body.data
    return { kept: Object.keys(versions).map(Number), oldest_version }
  }

  test('ten versions are kept by default; oldest_version is 0 until the tenth', async () => {
    const { secrets } = await servedSecrets()

    expect(await keptAfter(secrets, 9)).toEqual({
      kept: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      oldest_version: 0,
    })
    expect((await keptAfter(secrets, 1)).oldest_version).toBe(1)
    expect(await keptAfter(secrets, 2)).toEqual({
      kept: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      oldest_version: 3,
    })
    expect(await statesOf(secrets, [2, 3])).toEqual(['none', 'active {"n":3}'])
  })

  test("the engine's number applies if the key has none", async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { max_versions: 2 })

    expect(await keptAfter(secrets, 5)).toEqual({ kept: [4, 5], oldest_version: 4 })
  })

  test.each([
    ['smaller', 2],
    ['larger', 4],
  ])("the key's number wins, be it the %s one", async (_, max_versions) => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { max_versions: 3 })
    await secrets.post('secret/metadata/app', { max_versions })

    const { kept } = await keptAfter(secrets, 6)

    expect(kept).toEqual([3, 4, 5, 6].slice(-max_versions))
  })

  test('a smaller number takes effect at the next write or patch, for all that is too old', async () => {
    const { secrets } = await servedSecrets()
    await writeVersions(secrets, 6)
    await secrets.post('secret/metadata/app', { max_versions: 2 })
    expect((await secrets.get('secret/metadata/app')).body.data.oldest_version).toBe(0)
    expect(await stateOf(secrets, 1)).toBe('active {"n":1}')

    await secrets.patch('secret/data/app', { data: { p: 1 } })

    expect(await statesOf(secrets, [5, 6, 7])).toEqual([
      'none',
      'active {"n":6}',
      'active {"n":6,"p":1}',
    ])
    expect((await secrets.get('secret/metadata/app')).body.data.oldest_version).toBe(6)
  })

  test('a larger maximum keeps the versions that still exist', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { max_versions: 1 })
    await writeVersions(secrets, 3)
    await secrets.post('secret/metadata/app', { max_versions: 3 })

    expect(await keptAfter(secrets, 1)).toEqual({ kept: [3, 4], oldest_version: 3 })
    expect(await keptAfter(secrets, 2)).toEqual({ kept: [4, 5, 6], oldest_version: 4 })
  })
})

describe('behaviour/secrets#delete-version-after', () => {
  async function deletionTime(secrets: SecretsClient, version = 1): Promise<string> {
    const query = { version: String(version) }
    return (await secrets.get('secret/data/app', { query })).body.data.metadata.deletion_time
  }

  test('the time is stamped at creation and holds to the millisecond', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', { delete_version_after: '30s' })
    const reply = await secrets.post('secret/data/app', { data: { a: 1 } })
    const metadata = versionMetadata(1, { deletion_time: at(30_000) })
    expect(statusAndBody(reply)).toEqual({ status: 200, body: envelope({ data: metadata }) })

    clock.advance(29_999)
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual({
      status: 200,
      body: envelope({ data: { data: { a: 1 }, metadata } }),
    })

    clock.advance(1)
    expect(statusAndBody(await secrets.get('secret/data/app'))).toEqual({
      status: 404,
      body: envelope({ data: { data: null, metadata }, errors: [] }),
    })
  })

  test.each([
    ["the engine's when the key has none", '20s', undefined, 20],
    ["the key's when the engine has none", undefined, '20s', 20],
    ["the engine's when it is smaller", '10s', '20s', 10],
    ["the key's when it is smaller", '20s', '10s', 10],
  ])('a version becomes %s', async (_, engine, key, seconds) => {
    const { secrets } = await servedSecrets()
    if (engine) await secrets.post('secret/config', { delete_version_after: engine })
    if (key) await secrets.post('secret/metadata/app', { delete_version_after: key })
    await writeVersions(secrets, 1)

    expect(await deletionTime(secrets)).toBe(at(seconds * 1000))
  })

  test('a negative time turns it off for the engine, even if keys have one', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { delete_version_after: '-1s' })
    await secrets.post('secret/metadata/app', { delete_version_after: '10s' })
    await writeVersions(secrets, 1)

    expect(await deletionTime(secrets)).toBe('')
  })

  test('a change concerns later versions only; zero clears', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/config', { delete_version_after: '10s' })
    await writeVersions(secrets, 1)
    await secrets.post('secret/config', { delete_version_after: 0 })
    await writeVersions(secrets, 1)

    expect(await deletionTime(secrets, 1)).toBe(at(10_000))
    expect(await deletionTime(secrets, 2)).toBe('')
  })

  test('a version can be deleted before its time', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', { delete_version_after: '30s' })
    await writeVersions(secrets, 1)
    clock.advance(1000)

    await secrets.delete('secret/data/app')

    expect(await stateOf(secrets, 1)).toBe('deleted')
    expect(await deletionTime(secrets)).toBe(at(1000))
  })

  test('undelete restarts the time', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', { delete_version_after: '30s' })
    await writeVersions(secrets, 1)
    clock.advance(40_000)
    expect(await stateOf(secrets, 1)).toBe('deleted')

    await secrets.post('secret/undelete/app', { versions: [1] })

    expect(await stateOf(secrets, 1)).toBe('active {"n":1}')
    expect(await deletionTime(secrets)).toBe(at(70_000))
    clock.advance(30_000)
    expect(await stateOf(secrets, 1)).toBe('deleted')
  })

  test('undelete clears the time once nothing asks for one', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/metadata/app', { delete_version_after: '30s' })
    await writeVersions(secrets, 1)
    await secrets.post('secret/metadata/app', { delete_version_after: 0 })

    await secrets.post('secret/undelete/app', { versions: [1] })

    expect(await deletionTime(secrets)).toBe('')
  })

  test('a patched version has a time of its own', async () => {
    const { secrets, clock } = await servedSecrets()
    await secrets.post('secret/metadata/app', { delete_version_after: '30s' })
    await writeVersions(secrets, 1)
    clock.advance(10_000)
    await secrets.patch('secret/data/app', { data: { p: 1 } })

    expect(await deletionTime(secrets, 2)).toBe(at(40_000))
    clock.advance(20_000)
    expect(await statesOf(secrets, [1, 2])).toEqual(['deleted', 'active {"n":1,"p":1}'])
  })
})
