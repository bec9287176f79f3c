import { describe, expect, test } from 'vitest'
import { apiNames } from '../src/api-names.ts'
import { messagesOf, modulesWithMessages, tablesOf } from './support/documentation/messages.ts'
import { extentOf, missingOf } from './support/documentation/product-areas.ts'

describe('behaviour/program#what-it-is: documents say how much there is', () => {
  test('an area is there by the operations it needs', () => {
    const served = ['GET /v1/kv/:key', 'PUT /v1/kv/:key']
    expect(
      extentOf({ name: 'a', requiredOperations: ['GET /v1/kv/', 'PUT /v1/kv/'] }, served),
    ).toBe('yes')
    expect(
      extentOf({ name: 'a', requiredOperations: ['GET /v1/kv/', 'PUT /v1/txn'] }, served),
    ).toBe('partly')
    expect(
      extentOf({ name: 'a', requiredOperations: ['GET /v1/kv/'], limitation: 'locks' }, served),
    ).toBe('partly')
    expect(
      extentOf({ name: 'a', requiredOperations: ['PUT /v1/txn'], limitation: 'locks' }, served),
    ).toBe('no')
  })

  test('a partial implementation lists its missing parts', () => {
    const half = { name: 'a', requiredOperations: ['GET /v1/kv/', 'PUT /v1/txn'] }
    expect(missingOf(half, ['GET /v1/kv/:key'])).toBe('PUT /v1/txn')
    expect(missingOf({ ...half, limitation: 'locks' }, ['GET /v1/kv/:key'])).toBe('locks')
    expect(missingOf(half, [])).toBe('')
  })

  test.each(apiNames)('%s: every table of texts stands in the reference', async (api) => {
    const modules = modulesWithMessages(api)
    const tables = await Promise.all(modules.map(tablesOf))
    expect(modules.filter((_, at) => tables[at]?.length === 0)).toEqual([])
    const rules = new Set(tables.flat().flatMap((table) => Object.keys(table)))
    expect(new Set((await messagesOf(api)).map(({ rule }) => rule))).toEqual(rules)
    expect(rules.size).toBeGreaterThan(0)
  })
})
