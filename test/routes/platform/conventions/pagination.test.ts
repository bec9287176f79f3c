import { describe, expect, test } from 'vitest'
import { platform } from '../../../support/platform/platform.ts'
import { failure } from '../../../support/platform/platform-errors.ts'

const section = 'behaviour/platform#pagination'
const teams = 'organizations/example-org/teams'
const origin = 'http://localhost:80/api/v2'

/** Returns a server whose organization has this many teams, named `t000` and so on. */
async function withTeams(count: number) {
  const server = await platform()
  // Two teams already exist, and their names sort first and last.
  for (let number = 0; number < count - 2; number += 1) {
    const name = `e${String(number).padStart(3, '0')}`
    await server.platform.post(teams, { data: { attributes: { name } } })
  }
  return server
}

function link(number: number, size: number, more = ''): string {
  return `${origin}/${teams}?${more}page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`
}

describe(`${section}: pages`, () => {
  test('the first page of several, with default values', async () => {
    const { platform: api } = await withTeams(45)
    const reply = await api.get(teams)
    expect(reply.body.data).toHaveLength(20)
    expect([reply.body.links, reply.body.meta]).toEqual([
      {
        self: link(1, 20),
        first: link(1, 20),
        prev: null,
        next: link(2, 20),
        last: link(3, 20),
      },
      {
        pagination: {
          'current-page': 1,
          'page-size': 20,
          'prev-page': null,
          'next-page': 2,
          'total-pages': 3,
          'total-count': 45,
        },
      },
    ])
  })

  test('pages contain every item exactly once and link to their neighbours', async () => {
    const { platform: api } = await withTeams(7)
    const page = async (number: number) => {
      const query = { 'page[number]': String(number), 'page[size]': '3' }
      return (await api.get(teams, { query })).body
    }
    const middle = await page(2)
    expect(middle.links).toEqual({
      self: link(2, 3),
      first: link(1, 3),
      prev: link(1, 3),
      next: link(3, 3),
      last: link(3, 3),
    })
    const last = await page(3)
    expect(last.links).toMatchObject({ prev: link(2, 3), next: null })
    expect(last.meta.pagination).toEqual({
      'current-page': 3,
      'page-size': 3,
      'prev-page': 2,
      'next-page': null,
      'total-pages': 3,
      'total-count': 7,
    })
    const all = [...(await page(1)).data, ...middle.data, ...last.data]
    const names = all.map(({ attributes }) => attributes.name)
    expect(names).toEqual(['developers', 'e000', 'e001', 'e002', 'e003', 'e004', 'owners'])
  })

  test('links can be followed, and keep other query parameters', async () => {
    const { platform: api } = await withTeams(7)
    const query = { q: 'e0', 'filter[names]': 'e000,e001,e002', 'page[size]': '2' }
    const first = (await api.get(teams, { query })).body
    expect(first.links.next).toBe(link(2, 2, 'q=e0&filter%5Bnames%5D=e000%2Ce001%2Ce002&'))
    const next = (await api.get(first.links.next.slice('http://localhost:80'.length))).body
    expect(next.data).toMatchObject([{ attributes: { name: 'e002' } }])
    expect(next.links.prev).toBe(first.links.self)
  })

  test('links use the host and world of the request', async () => {
    const { platform: api, worlds } = await platform()
    worlds.create({ id: 'other' })
    const headers = { host: 'mock.test:8080' }
    const reply = await api.get('/_world/other/api/v2/organizations/example-org/teams', { headers })
    expect(reply.body.links.self).toBe(
      `http://mock.test:8080/_world/other/api/v2/${teams}?page%5Bnumber%5D=1&page%5Bsize%5D=20`,
    )
  })

  test.each([
    ['999', '100', 999, 100],
    ['2', '20', 2, 20],
  ])('past the end: page %s of size %s is empty', async (number, size, current, length) => {
    const { platform: api } = await withTeams(3)
    const query = { 'page[number]': number, 'page[size]': size }
    const reply = await api.get(teams, { query })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: [],
        links: {
          self: link(current, length),
          first: link(1, length),
          prev: null,
          next: null,
          last: link(1, length),
        },
        meta: {
          pagination: {
            'current-page': current,
            'page-size': length,
            'prev-page': null,
            'next-page': null,
            'total-pages': 1,
            'total-count': 3,
          },
        },
      },
    ])
  })

  test('an empty list has one page', async () => {
    const { platform: api } = await platform()
    const reply = await api.get(teams, { query: { q: 'nothing' } })
    expect(reply.body).toMatchObject({
      data: [],
      meta: {
        pagination: {
          'current-page': 1,
          'prev-page': null,
          'next-page': null,
          'total-pages': 1,
          'total-count': 0,
        },
      },
    })
  })

  test.each([
    ['101', 100],
    ['5000', 100],
    ['100', 100],
    ['1', 1],
    ['0', 20],
    ['-5', 20],
    ['abc', 20],
    ['', 20],
    ['1.5', 20],
    ['1e1', 20],
    ['0x10', 20],
    ['99999999999999999999', 20],
  ])('page[size]=%s is %i', async (size, expected) => {
    const { platform: api } = await platform()
    const reply = await api.get(teams, { query: { 'page[size]': size } })
    expect([reply.status, reply.body.meta.pagination['page-size']]).toEqual([200, expected])
  })

  test.each([
    ['0', 1],
    ['-1', 1],
    ['abc', 1],
    ['', 1],
    ['2.0', 1],
    ['7', 7],
  ])('page[number]=%s is %i', async (number, expected) => {
    const { platform: api } = await platform()
    const reply = await api.get(teams, { query: { 'page[number]': number } })
    expect([reply.status, reply.body.meta.pagination['current-page']]).toEqual([200, expected])
  })

  test('brackets may be sent unencoded', async () => {
    const { platform: api } = await withTeams(3)
    const reply = await api.get(`${teams}?page[number]=2&page[size]=2`)
    expect(reply.body.meta.pagination).toMatchObject({ 'current-page': 2, 'page-size': 2 })
    expect(reply.body.data).toHaveLength(1)
  })

  test('a question mark in the query is an ordinary character', async () => {
    const { platform: api } = await withTeams(3)
    const reply = await api.get(`${teams}?q=e?&filter[x]=1&page[size]=1`)
    expect(reply.body.links.self).toBe(link(1, 1, 'q=e%3F&filter%5Bx%5D=1&'))
    expect(reply.body.meta.pagination['page-size']).toBe(1)
  })

  // choice/platform#query-repeated
  test('the first value of a repeated page size is used, and a repeated filter is refused', async () => {
    const { platform: api } = await withTeams(3)
    const pages = await api.get(`${teams}?page[size]=1&page[size]=2`)
    expect(pages.body.meta.pagination['page-size']).toBe(1)
    const filters = await api.get(`${teams}?q=a&q=b`)
    expect([filters.status, filters.body]).toEqual([
      422,
      failure(422, 'query parameter q must be string'),
    ])
  })
})
