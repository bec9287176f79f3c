import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

describe('behaviour/secrets#weak-typing, through endpoints', () => {
  test.each<[string, object, object]>([
    ['numbers as text', { max_versions: '3' }, { max_versions: 3 }],
    ['a whole number with a fraction of zero', { max_versions: 3.0 }, { max_versions: 3 }],
    ['booleans as text', { cas_required: 'true' }, { cas_required: true }],
    ['booleans as numbers', { cas_required: 1 }, { cas_required: true }],
    ['booleans as other words', { cas_required: 'F' }, { cas_required: false }],
    [
      'a duration as a number of seconds',
      { delete_version_after: 90 },
      { delete_version_after: '1m30s' },
    ],
    [
      'a duration as text of seconds',
      { delete_version_after: '90' },
      { delete_version_after: '1m30s' },
    ],
    ['a Go duration', { delete_version_after: '3h25m19s' }, { delete_version_after: '3h25m19s' }],
    ['a duration in days', { delete_version_after: '2d' }, { delete_version_after: '48h0m0s' }],
    ['an hour in full', { delete_version_after: '1h' }, { delete_version_after: '1h0m0s' }],
  ])('%s', async (_, input, read) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('secret/config', input))).toEqual(noContent)
    expect((await secrets.get('secret/config')).body.data).toMatchObject(read)
  })

  test.each<[string, unknown]>([
    ['a list', [1, 2]],
    ['a list of texts', ['1', '2']],
    ['a comma string', '1,2'],
  ])('versions as %s', async (_, versions) => {
    const { secrets } = await servedSecrets()
    for (let n = 0; n < 3; n++) await secrets.post('secret/data/a', { data: { n } })
    expect(statusAndBody(await secrets.post('secret/destroy/a', { versions }))).toEqual(noContent)
    const { versions: read } = (await secrets.get('secret/metadata/a')).body.data
    expect([1, 2, 3].map((number) => read[number].destroyed)).toEqual([true, true, false])
  })

  test('a single version can be sent as a number', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: {} })
    expect(statusAndBody(await secrets.post('secret/destroy/a', { versions: 1 }))).toEqual(
      noContent,
    )
    expect((await secrets.get('secret/metadata/a')).body.data.versions[1].destroyed).toBe(true)
  })

  test.each<[string, unknown]>([
    ['an object', { a: 'b', c: '1' }],
    ['an object of numbers', { a: 'b', c: 1 }],
    ['a list of pairs', ['a=b', 'c=1']],
    ['text with commas', 'a=b,c=1'],
  ])('text by key as %s', async (_, meta) => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.post('auth/token/create', { meta })
    expect(body.auth.metadata).toEqual({ a: 'b', c: '1' })
  })

  test.each<[string, unknown]>([
    ['a list', ['one', 'two']],
    ['a comma string', 'one, two'],
    ['a list with blanks', [' one', 'two ']],
  ])('texts as %s', async (_, allowed_policies) => {
    const { secrets } = await servedSecrets()
    await secrets.post('auth/token/roles/dev', { allowed_policies })
    const { data } = (await secrets.get('auth/token/roles/dev')).body
    expect(data.allowed_policies).toEqual(['one', 'two'])
  })

  test('numbers and booleans convert to text', async () => {
    const { secrets } = await servedSecrets()
    for (const [description, read] of [
      [3, '3'],
      [1.5, '1.5'],
      [true, '1'],
      [null, ''],
    ]) {
      await secrets.post('sys/mounts/kv/tune', { description })
      expect((await secrets.get('sys/mounts/kv/tune')).body.data.description).toBe(read)
    }
  })

  test('queries are texts that convert', async () => {
    const { secrets } = await servedSecrets()
    for (let n = 0; n < 2; n++) await secrets.post('secret/data/a', { data: { n } })
    for (const [version, n] of [
      ['1', 0],
      ['0x2', 1],
      ['', 1],
      ['-1', 1],
    ]) {
      const query = { version: String(version) }
      expect((await secrets.get('secret/data/a', { query })).body.data.data).toEqual({ n })
    }
  })

  test.each<[object, string]>([
    [
      { max_versions: 'x' },
      'input x for field "max_versions": cannot parse \'\' as int: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      { cas_required: 'maybe' },
      'input maybe for field "cas_required": cannot parse \'\' as bool: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      { delete_version_after: 'soon' },
      'input soon for field "delete_version_after": time: invalid duration "soon"',
    ],
    [
      { max_versions: { a: 1 } },
      "input map[a:1] for field \"max_versions\": '' expected type 'int', got unconvertible type 'map[string]interface {}', value: 'map[a:1]'",
    ],
  ])('%j does not convert and changes nothing', async (input, why) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('secret/config', { ...input }))).toEqual(
      error(400, `Field validation failed: error converting ${why}`),
    )
    expect((await secrets.get('secret/config')).body.data).toEqual({
      cas_required: false,
      delete_version_after: '0s',
      max_versions: 0,
    })
  })
})

describe('behaviour/secrets#durations', () => {
  test.each([
    [0, '2026-01-01T00:00:00Z'],
    [1, '2026-01-01T00:00:00.001Z'],
    [120, '2026-01-01T00:00:00.12Z'],
    [500, '2026-01-01T00:00:00.5Z'],
    [86_400_000, '2026-01-02T00:00:00Z'],
  ])('%d ms later is %s', async (by, text) => {
    const { secrets, clock } = await servedSecrets()
    clock.advance(by)
    const json = await secrets.post('secret/data/a', { data: {} })
    expect(json.body.data.created_time).toBe(text)
    const { body } = await secrets.get('secret/metadata/a')
    expect([body.data.created_time, body.data.updated_time]).toEqual([text, text])
    const created = await secrets.post('auth/token/create', { ttl: '1h' })
    const token = created.body.auth.client_token
    const seenToken = await secrets.post('auth/token/lookup', { token })
    expect(seenToken.body.data.issue_time).toBe(text)
  })
})

describe('behaviour/secrets#notation: ids', () => {
  test('are UUIDs, random text base62', async () => {
    const { secrets } = await servedSecrets()
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
    const { body } = await secrets.get('sys/mounts/secret')
    expect([body.request_id, body.data.uuid].every((id) => uuid.test(id))).toBe(true)
    const created = await secrets.post('auth/token/create')
    expect(created.body.auth.client_token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    expect(created.body.auth.accessor).toMatch(/^[0-9A-Za-z]{24}$/)
  })
})
