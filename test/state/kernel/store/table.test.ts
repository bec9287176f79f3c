import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Table } from '../../../../state/kernel/store/open-table.ts'
import { fish, notes, testStore } from '../../../support/kernel.ts'

/** Returns a table with these keys. The text of each row is its key. */
function tableOf(...keys: string[]): Table<{ readonly text: string }> {
  const store = testStore()
  const table = store.table(notes)
  store.transact(() => {
    for (const key of keys) table.put(key, { text: key })
  })
  return table
}

const keysOf = (entries: Iterable<[string, unknown]>) => Array.from(entries, ([key]) => key)

describe('behaviour/program#store: reading a table', () => {
  test('rows are sorted by key in UTF-16 code units, regardless of insertion order', () => {
    const table = tableOf('b', 'a/b', 'ä', 'B', '10', '9', '')
    expect(keysOf(table.entries())).toEqual(['', '10', '9', 'B', 'a/b', 'b', 'ä'])
    expect([...table.rows('b')]).toEqual([{ text: 'b' }])
    expect(table.size).toBe(7)
  })

  test('keys that name members of every object are ordinary keys', () => {
    const table = tableOf('__proto__', 'constructor')
    expect(table.get('__proto__')).toEqual({ text: '__proto__' })
    expect(table.has('toString')).toBe(false)
    expect(table.get('toString')).toBeUndefined()
  })

  test('entries of a prefix are also read backwards, from its end or from the middle', () => {
    const table = tableOf('a', 'a/1', 'a/2', 'a/3', 'a0', 'b')
    expect(keysOf(table.entriesReversed(''))).toEqual(['b', 'a0', 'a/3', 'a/2', 'a/1', 'a'])
    expect(keysOf(table.entriesReversed('a/'))).toEqual(['a/3', 'a/2', 'a/1'])
    expect(keysOf(table.entriesReversed('a/', 'a/2'))).toEqual(['a/2', 'a/1'])
    expect(keysOf(table.entriesReversed('a/', 'a/25'))).toEqual(['a/2', 'a/1'])
    expect(keysOf(table.entriesReversed('a/', 'b'))).toEqual(['a/3', 'a/2', 'a/1'])
    expect(keysOf(table.entriesReversed('a/', 'a'))).toEqual([])
    expect(keysOf(table.entriesReversed('c'))).toEqual([])
  })

  test('entries of a prefix end where the prefix does, and can start in the middle', () => {
    const table = tableOf('a', 'a/1', 'a/2', 'a/3', 'a0', 'b')
    expect(keysOf(table.entries('a/'))).toEqual(['a/1', 'a/2', 'a/3'])
    expect(keysOf(table.entries('a/', 'a/2'))).toEqual(['a/2', 'a/3'])
    expect(keysOf(table.entries('a/', 'a/25'))).toEqual(['a/3'])
    expect(keysOf(table.entries('a/', 'b'))).toEqual([])
    expect(keysOf(table.entries('c'))).toEqual([])
  })

  test('a start before the prefix counts as the start of the prefix', () => {
    expect(keysOf(tableOf('a', 'b/1', 'b/2').entries('b/', 'a'))).toEqual(['b/1', 'b/2'])
  })

  test('floor and ceiling include the key itself', () => {
    const table = tableOf('b', 'd')
    expect(table.floor('a')).toBeUndefined()
    expect(table.floor('b')).toEqual(['b', { text: 'b' }])
    expect(table.floor('c')).toEqual(['b', { text: 'b' }])
    expect(table.ceiling('c')).toEqual(['d', { text: 'd' }])
    expect(table.ceiling('d')).toEqual(['d', { text: 'd' }])
    expect(table.ceiling('e')).toBeUndefined()
  })
})

describe('behaviour/program#figures: the names below a prefix', () => {
  test('leaves by name, folders once with their slash', () => {
    const table = tableOf('a', 'f/a', 'f/b', 'f/b/1', 'f/b/2/x', 'f/b-c', 'f/c/1', 'g/a')
    expect(table.children('f/')).toEqual(['a', 'b', 'b-c', 'b/', 'c/'])
    expect(table.children('')).toEqual(['a', 'f/', 'g/'])
    expect(table.children('nowhere/')).toEqual([])
  })

  test('match a scan of all keys', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '0', 'é'), maxLength: 8 })
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 40 }), key, (keys, prefix) => {
        const names = keys
          .filter((one) => one.startsWith(prefix))
          .map((one) => one.slice(prefix.length).replace(/\/.*$/s, '/'))
        expect(tableOf(...keys).children(prefix)).toEqual([...new Set(names)].sort())
      }),
    )
  })
})

describe('behaviour/program#store: writing a table', () => {
  test('outside a transaction is an error and changes nothing', () => {
    const table = tableOf('a')
    expect(() => table.put('b', { text: '' })).toThrow(
      'write to garden.notes outside a transaction',
    )
    expect(() => table.delete('a')).toThrow('write to garden.notes outside a transaction')
    expect(keysOf(table.entries())).toEqual(['a'])
  })

  test('deleting returns whether, and how many, rows existed', () => {
    const store = testStore()
    const table = store.table(fish)
    store.transact(() => {
      for (const key of ['a/1', 'a/2', 'b']) table.put(key, { name: key })
      expect(table.delete('a/1')).toBe(true)
      expect(table.delete('a/1')).toBe(false)
      expect(table.deleteAll('a/')).toBe(1)
      expect(table.deleteAll('a/')).toBe(0)
    })
    expect(keysOf(table.entries())).toEqual(['b'])
  })
})
