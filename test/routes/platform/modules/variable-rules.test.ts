import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform, testsOfModule } from '../../../support/platform/platform.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const vars = `${testsOfModule}/vars`
const env = { key: 'region', category: 'env' }

function body(attributes: unknown, type: unknown = 'vars') {
  return { data: { type, attributes } }
}

/**
 * Asserts that a POST, and a PATCH of an existing variable, fail with the same reply and change
 * nothing.
 */
async function refusedBoth(api: PlatformClient, attributes: object, expected: object) {
  const made = await api.post(vars, body({ key: 'first', category: 'env', value: 'v' }))
  const before = (await api.get(vars)).body
  for (const reply of [
    await api.post(vars, body({ ...env, ...attributes })),
    await api.patch(`${vars}/${made.body.data.id}`, body(attributes)),
  ]) {
    expect([reply.status, reply.body]).toEqual([422, expected])
  }
  expect((await api.get(vars)).body).toEqual(before)
}

const blankCategory = [
  ['category', "Category can't be blank"],
  ['category', 'Category is not included in the list'],
] as const
const longKey = ['key', 'Key is too long (maximum is 128 characters)'] as const

describe('behaviour/platform#variables: rules of variables', () => {
  // choice/platform#variable-blank-key choice/platform#variable-lengths
  test.each([
    ['blank', { key: '' }, [['key', "Key can't be blank"]]],
    ['white space', { key: ' \t' }, [['key', "Key can't be blank"]]],
    ['null', { key: null }, [['key', "Key can't be blank"]]],
    ['a digit first', { key: '1st' }, [['key', 'Key is invalid']]],
    ['a hyphen', { key: 'a-b' }, [['key', 'Key is invalid']]],
    ['a letter beyond ASCII', { key: 'é' }, [['key', 'Key is invalid']]],
    ['a line feed last', { key: 'a\n' }, [['key', 'Key is invalid']]],
    ['129 characters', { key: 'k'.repeat(129) }, [longKey]],
    ['too long and invalid', { key: '-'.repeat(129) }, [['key', 'Key is invalid'], longKey]],
    ['category null', { category: null }, blankCategory],
    ['category blank', { category: '' }, blankCategory],
    [
      'category unknown',
      { category: 'infra' },
      [['category', 'Category is not included in the list']],
    ],
    [
      'description of 513 characters',
      { description: 'd'.repeat(513) },
      [['description', 'Description is too long (maximum is 512 characters)']],
    ],
    [
      'value of 256 KiB and a byte',
      { value: 'v'.repeat(256 * 1024 + 1) },
      [['value', 'Value is too long (maximum is 256 KB)']],
    ],
    [
      'value of 256 KiB in characters, more in bytes',
      { value: 'é'.repeat(128 * 1024) + 'v' },
      [['value', 'Value is too long (maximum is 256 KB)']],
    ],
    [
      'everything at once',
      { key: '', category: 'x', description: 'd'.repeat(513), value: 'v'.repeat(256 * 1024 + 1) },
      [
        ['key', "Key can't be blank"],
        ['value', 'Value is too long (maximum is 256 KB)'],
        ['description', 'Description is too long (maximum is 512 characters)'],
        ['category', 'Category is not included in the list'],
      ],
    ],
  ] as const)('%s is rejected', async (_what, attributes, faults) => {
    const { platform: api } = await platform()
    await refusedBoth(api, attributes, invalid(...faults))
  })

  // choice/platform#variable-lengths
  test.each([
    ['key', { key: 'k'.repeat(128) }],
    ['key of all allowed characters', { key: '_aZ09' }],
    ['description', { description: 'd'.repeat(512) }],
    ['description of characters that JavaScript counts twice', { description: '🙂'.repeat(512) }],
    ['value', { value: 'é'.repeat(128 * 1024) }],
  ])('the longest %s is accepted', async (_what, attributes) => {
    const { platform: api } = await platform()
    const reply = await api.post(vars, body({ ...env, ...attributes }))
    expect([reply.status, reply.body.data.attributes]).toMatchObject([201, attributes])
  })

  test('a POST without key and category is refused for both members', async () => {
    const { platform: api } = await platform()
    const expected = invalid(['key', "Key can't be blank"], ...blankCategory)
    for (const input of [
      { data: {} },
      { data: { type: 'vars' } },
      body({}),
      body({ value: 'v' }, ''),
    ]) {
      const reply = await api.post(vars, input)
      expect([reply.status, reply.body]).toEqual([422, expected])
    }
  })

  test('keys are unique in a module, and case matters', async () => {
    const { platform: api } = await platform()
    await api.post(vars, body(env))
    const other = await api.post(vars, body({ ...env, key: 'Region' }))
    expect(other.status).toBe(201)
    const taken = invalid(['key', 'Key has already been taken'])
    for (const reply of [
      await api.post(vars, body(env)),
      await api.patch(`${vars}/${other.body.data.id}`, body({ key: 'region' })),
    ]) {
      expect([reply.status, reply.body]).toEqual([422, taken])
    }
    const same = await api.patch(`${vars}/${other.body.data.id}`, body({ key: 'Region' }))
    expect(same.status).toBe(200)
  })

  // choice/platform#variable-becomes-sensitive
  test('a sensitive variable stays sensitive and keeps its key', async () => {
    const { platform: api } = await platform()
    const made = await api.post(vars, body(env))
    const one = `${vars}/${made.body.data.id}`
    const both = await api.patch(one, body({ key: 'zone', sensitive: true }))
    expect(both.body.data.attributes).toMatchObject({ key: 'zone', sensitive: true, value: null })
    const open = ['sensitive', 'Sensitive cannot be changed from true to false'] as const
    const renamed = ['key', 'Key cannot be changed on a sensitive variable'] as const
    for (const [attributes, faults] of [
      [{ sensitive: false }, [open]],
      [{ key: 'other' }, [renamed]],
      [{ key: 'other', sensitive: false }, [renamed, open]],
    ] as const) {
      const reply = await api.patch(one, body(attributes))
      expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    }
    const allowed = await api.patch(one, body({ key: 'zone', sensitive: true, value: 'new' }))
    expect([allowed.status, allowed.body.data.attributes.value]).toEqual([200, null])
  })

  test.each([
    ['key', 5, 'Key must be a string'],
    ['value', 5, 'Value must be a string'],
    ['value', {}, 'Value must be a string'],
    ['description', ['d'], 'Description must be a string'],
    ['category', true, 'Category must be a string'],
    ['sensitive', 'true', 'Sensitive must be true or false'],
    ['sensitive', 1, 'Sensitive must be true or false'],
  ])('behaviour/platform#coercion: %s of a wrong type (%j)', async (name, value, detail) => {
    const { platform: api } = await platform()
    await refusedBoth(api, { [name]: value }, invalid([name, detail]))
  })
})

describe('behaviour/platform#errors: documents about variables', () => {
  test.each([
    ['no body', '', 'data is required'],
    ['no JSON', '{', 'JSON body is invalid'],
    ['no data', {}, 'data is required'],
    ['data of a wrong type', { data: [] }, 'data is required'],
    ['attributes of a wrong type', body([]), 'attributes must be an object'],
    ['attributes null', body(null), 'attributes must be an object'],
    ['another type', body(env, 'varsets'), 'type must be vars'],
    ['a type of a wrong type', body(env, 5), 'type must be vars'],
  ] as const)('%s', async (_what, input, detail) => {
    const { platform: api } = await platform()
    const made = await api.post(vars, body({ ...env, key: 'first' }))
    for (const reply of [
      await api.post(vars, input),
      await api.patch(`${vars}/${made.body.data.id}`, input),
    ]) {
      expect([reply.status, reply.body]).toEqual([422, failure(422, detail)])
    }
  })

  test('a PATCH requires the type, a POST does not; ids are ignored', async () => {
    const { platform: api } = await platform()
    const made = await api.post(vars, { data: { id: 'var-x', attributes: env } })
    expect([made.status, made.body.data.id]).not.toEqual([201, 'var-x'])
    const one = `${vars}/${made.body.data.id}`
    for (const data of [{ attributes: {} }, { type: '', attributes: {} }]) {
      const reply = await api.patch(one, { data })
      expect([reply.status, reply.body]).toEqual([422, failure(422, 'type is required')])
    }
    const reply = await api.patch(one, { data: { id: 'var-y', type: 'vars' } })
    expect([reply.status, reply.body.data.id]).toEqual([200, made.body.data.id])
  })

  test('behaviour/platform#order-of-checks: path before content type before body; behaviour/platform#media-types: strictContentType', async () => {
    const { platform: api } = await platform({ options: { strictContentType: true } })
    const plain = { headers: { 'content-type': 'application/json' } }
    const nowhere = await api.post(vars.replace('network', 'nowhere'), '{', plain)
    expect([nowhere.status, nowhere.body]).toEqual([404, failure(404)])
    const wrongType = await api.post(vars, '{', plain)
    expect([wrongType.status, wrongType.body]).toEqual([
      415,
      {
        errors: [
          {
            status: '415',
            title: 'invalid content type',
            detail: 'content-type must be application/vnd.api+json',
          },
        ],
      },
    ])
    const made = await api.post(vars, body(env))
    const one = `${vars}/${made.body.data.id}`
    expect((await api.delete(one, undefined, plain)).status).toBe(415)
    expect((await api.delete(one)).status).toBe(204)
  })
})
