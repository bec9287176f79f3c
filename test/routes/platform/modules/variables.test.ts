import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { modules } from '../../../../state/platform/modules/modules.ts'
import { variablesOf } from '../../../../state/platform/variables/variables.ts'
import { type PlatformClient, platform, testsOfModule } from '../../../support/platform/platform.ts'
import { addCallers, extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'

const vars = `${testsOfModule}/vars`

/** Returns a document that creates or changes a variable. */
function body(attributes: object, type = 'vars') {
  return { data: { type, attributes } }
}

function moduleId(world: World): string {
  const [module] = world.table(modules).rows()
  return module?.id ?? ''
}

async function create(api: PlatformClient, attributes: object = {}) {
  const reply = await api.post(vars, body({ key: 'region', category: 'env', ...attributes }))
  expect(reply.status).toBe(201)
  return reply.body.data
}

describe('behaviour/platform#api-variables: attributes', () => {
  test('POST returns 201 with every attribute and no relationships', async () => {
    const { platform: api } = await platform()
    const input = {
      key: 'region',
      value: 'eu-1',
      description: 'where',
      category: 'env',
      sensitive: false,
    }
    const reply = await api.post(vars, body(input))
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/),
          type: 'vars',
          attributes: {
            ...input,
            hcl: false,
            'created-at': '2026-01-01T00:00:00.000Z',
            'version-id': expect.stringMatching(/^[0-9a-f]{64}$/),
          },
          links: { self: `/api/v2/vars/${reply.body.data.id}` },
        },
      },
    ])
    expect(reply.headers['content-type']).toBe('application/vnd.api+json; charset=utf-8')
    expect(await api.get(`${vars}/${reply.body.data.id}`)).toMatchObject({
      status: 200,
      body: reply.body,
    })
  })

  test.each([
    ['left out', {}, { value: '', description: null, sensitive: false }],
    [
      'null',
      { value: null, description: null, sensitive: null },
      { value: '', description: null, sensitive: false },
    ],
    ['blank', { value: '', description: '' }, { value: '', description: '', sensitive: false }],
  ])(
    'behaviour/platform#variables, defaults: an attribute that is %s',
    async (_how, input, expectedValue) => {
      const { platform: api } = await platform()
      expect((await create(api, input)).attributes).toMatchObject(expectedValue)
    },
  )

  test('behaviour/platform#variables: sensitive values are null in every reply, and stored', async () => {
    const { platform: api, world } = await platform()
    const made = await create(api, { value: 'secret', sensitive: true })
    expect(made.attributes).toMatchObject({ sensitive: true, value: null })
    const one = `${vars}/${made.id}`
    const changed = await api.patch(one, body({ value: 'other', description: 'd' }))
    expect(changed.body.data.attributes).toMatchObject({ value: null, description: 'd' })
    expect((await api.get(one)).body.data.attributes.value).toBeNull()
    expect((await api.get(vars)).body.data[0].attributes.value).toBeNull()
    const [variable] = variablesOf(world, moduleId(world))
    expect(variable?.value).toBe('other')
  })

  test('behaviour/platform#vendor-names: hcl in a request is ignored, whatever its value', async () => {
    const { platform: api } = await platform()
    const { id, attributes } = await create(api, { hcl: 'yes' })
    expect(attributes.hcl).toBe(false)
    const changed = await api.patch(`${vars}/${id}`, body({ hcl: true }))
    expect([changed.status, changed.body.data.attributes.hcl]).toEqual([200, false])
  })

  test('behaviour/platform#vendor-names, Vendor: hcl is stored and returned', async () => {
    const { platform: api } = await platform({ dialect: 'vendor', options: { storeHcl: true } })
    const { id, attributes } = await create(api, { hcl: true })
    expect(attributes.hcl).toBe(true)
    const kept = await api.patch(`${vars}/${id}`, body({ value: 'v', hcl: null }))
    expect(kept.body.data.attributes.hcl).toBe(true)
    const changed = await api.patch(`${vars}/${id}`, body({ hcl: false }))
    expect(changed.body.data.attributes.hcl).toBe(false)
    const wrong = await api.patch(`${vars}/${id}`, body({ hcl: 'no' }))
    expect([wrong.status, wrong.body]).toEqual([422, invalid(['hcl', 'Hcl must be true or false'])])
  })
})

describe('behaviour/platform#api-endpoints: P/vars', () => {
  test('behaviour/platform#variables: the list is paginated, oldest first', async () => {
    const { platform: api } = await platform()
    const keys = Array.from({ length: 22 }, (_, index) => `z${99 - index}`)
    for (const key of keys) await create(api, { key })
    const first = await api.get(vars)
    expect(first.status).toBe(200)
    expect(first.body.data.map(keyOf)).toEqual(keys.slice(0, 20))
    expect(first.body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': 22,
    })
    const pastLastPage = await api.get(vars, {
      query: { 'page[number]': '999', 'page[size]': '100' },
    })
    expect([pastLastPage.status, pastLastPage.body.data]).toEqual([200, []])
    expect(pastLastPage.body.meta.pagination).toMatchObject({
      'current-page': 999,
      'total-count': 22,
    })
    const second = await api.get(`${vars}/`, { query: { 'page[number]': '2' } })
    expect(second.body.data.map(keyOf)).toEqual(keys.slice(20))
  })

  test('behaviour/platform#variables: an empty PATCH creates a new version and changes nothing else', async () => {
    const { platform: api, clock } = await platform()
    const made = await create(api, { value: 'v', description: 'd' })
    clock.advance(1000)
    for (const input of [{ data: { type: 'vars' } }, body({}), body({ unknown: 1 })]) {
      const before = (await api.get(`${vars}/${made.id}`)).body.data
      const reply = await api.patch(`${vars}/${made.id}`, input)
      const { 'version-id': version, ...rest } = reply.body.data.attributes
      const { 'version-id': old, ...same } = before.attributes
      expect([reply.status, rest]).toEqual([200, same])
      expect(version).toMatch(/^[0-9a-f]{64}$/)
      expect(version).not.toBe(old)
    }
  })

  test.each([
    ['key', 'zone'],
    ['value', 'eu-2'],
    ['description', 'there'],
    ['category', 'env'],
    ['sensitive', true],
  ])('PATCH changes only %s', async (name, value) => {
    const { platform: api } = await platform()
    const made = await create(api, { value: 'eu-1', description: 'where' })
    const reply = await api.patch(`${vars}/${made.id}`, body({ [name]: value }))
    expect([reply.status, reply.body.data]).toEqual([
      200,
      {
        ...made,
        attributes: {
          ...made.attributes,
          ...(name === 'sensitive' ? { value: null } : {}),
          [name]: value,
          'version-id': expect.any(String),
        },
      },
    ])
  })

  // choice/platform#variable-null-description
  test('behaviour/platform#coercion: null in a PATCH clears texts and leaves booleans unchanged', async () => {
    const { platform: api } = await platform()
    const made = await create(api, { value: 'v', description: 'd', sensitive: false })
    const input = body({ value: null, description: null, sensitive: null })
    const reply = await api.patch(`${vars}/${made.id}`, input)
    expect(reply.body.data.attributes).toMatchObject({
      value: '',
      description: null,
      sensitive: false,
    })
  })

  test('behaviour/platform#variables: DELETE returns 204 without a body; a second one is 404', async () => {
    const { platform: api } = await platform()
    const { id } = await create(api)
    const reply = await api.delete(`${vars}/${id}`)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([204, '', undefined])
    for (const repeated of [api.delete(`${vars}/${id}`), api.get(`${vars}/${id}`)]) {
      expect(await repeated).toMatchObject({ status: 404, body: failure(404) })
    }
    expect((await api.get(vars)).body.data).toEqual([])
    // The key is free again, and so is its position in the list.
    expect((await create(api)).attributes.key).toBe('region')
  })

  test('behaviour/platform#variables: unknown ids and those of other modules are 404', async () => {
    const { platform: api } = await platform({ options: { autoProvision: true } })
    const { id } = await create(api)
    const other = vars.replace('/network/', '/storage/')
    expect((await api.get(other)).body.data).toEqual([])
    for (const path of [`${vars}/var-NoTaReAlId`, `${other}/${id}`]) {
      for (const reply of [
        await api.get(path),
        await api.patch(path, body({ value: 'v' })),
        await api.delete(path),
      ]) {
        expect([reply.status, reply.body]).toEqual([404, failure(404)])
      }
    }
    expect((await api.get(`${vars}/${id}`)).status).toBe(200)
    // Keys only need to be unique within a module.
    expect((await api.post(other, body({ key: 'region', category: 'env' }))).status).toBe(201)
  })
})

describe('behaviour/platform#api-authentication; behaviour/platform#authentication', () => {
  const { ownersTeam, developersTeam, organization, outsider, expired } = extraTokens

  test.each([
    ['an owner', 'owner-token', 201],
    ['the owners team', ownersTeam, 201],
    ['a site admin', 'site-admin-token', 201],
    ['a member', 'member-token', 404],
    ['another team', developersTeam, 404],
    ['the organization', organization, 404],
    ['a stranger', outsider, 404],
    ['an expired token', expired, 401],
    ['an unknown token', 'unknown', 401],
    ['nobody', null, 401],
  ])('%s', async (_who, token, status) => {
    const { platform: api, world } = await platform()
    addCallers(world)
    const made = await create(api, { key: 'first' })
    const one = `${vars}/${made.id}`
    const isAccepted = status === 201
    const replies = [
      await api.post(vars, body({ key: 'k', category: 'env' }), { token }),
      await api.get(vars, { token }),
      await api.get(one, { token }),
      await api.patch(one, body({}), { token }),
      await api.delete(one, undefined, { token }),
    ]
    expect(replies.map((reply) => reply.status)).toEqual(
      isAccepted ? [201, 200, 200, 200, 204] : Array(5).fill(status),
    )
    if (!isAccepted) {
      for (const reply of replies) expect(reply.body).toEqual(failure(status))
      expect(variablesOf(world, moduleId(world))).toHaveLength(1)
    }
  })
})

function keyOf(variable: { attributes: { key: string } }): string {
  return variable.attributes.key
}
