import { describe, expect, test } from 'vitest'
import { empty } from '../../../routes/secrets/outcome.ts'
import { pathsOf } from '../../../routes/secrets/paths.ts'
import { rowsBelow } from '../../../routes/secrets/paths-below.ts'

const path = pathsOf('1-secrets.md › Conventions 6')
const read = { summary: 'Reads.', reply: { 204: null }, run: () => empty }
const patterns = ['*path', 'config', 'roles', 'roles/:name', 'mounts/*path/tune', 'mounts/*path']
const rows = patterns.map((pattern) => path(pattern, { read }))

/** What rows are at and below a path, as `pattern -> what is left of it`. */
function below(at: string): string[] {
  return rowsBelow(rows, at).map(({ row, segments }) => `${row.pattern} -> /${segments.join('/')}`)
}

describe('1-secrets.md, Conventions 6: the path that was asked about and those below it', () => {
  test('at the root every row is there, words first as in the router', () => {
    expect(below('')).toEqual([
      'config -> /config',
      'roles -> /roles',
      'roles/:name -> /roles/:name',
      'mounts/*path/tune -> /mounts/*path/tune',
      'mounts/*path -> /mounts/*path',
      '*path -> /*path',
    ])
  })

  test('a word has itself and what is below it, of rows with the same paths the first', () => {
    expect(below('roles')).toEqual(['roles -> /', 'roles/:name -> /:name'])
  })

  test('a name is taken in by its parameter, if it is one', () => {
    expect(below('roles/a')).toEqual(['roles/:name -> /', '*path -> /*path'])
    expect(below('roles/-a')).toEqual(['*path -> /', '*path -> /*path'])
    expect(below('roles/a/b')).toEqual(['*path -> /', '*path -> /*path'])
  })

  test('a rest takes in as much as there is, and goes on below', () => {
    expect(below('mounts/a/b')).toEqual([
      'mounts/*path/tune -> /tune',
      'mounts/*path/tune -> /*path/tune',
      'mounts/*path -> /',
      'mounts/*path -> /*path',
    ])
  })

  test('of two rows for a path the one that the router takes is there', () => {
    expect(below('mounts/a/tune')).toEqual([
      'mounts/*path/tune -> /',
      'mounts/*path/tune -> /tune',
      'mounts/*path/tune -> /*path/tune',
      'mounts/*path -> /*path',
    ])
  })

  test('empty names are names of a rest', () => {
    expect(below('mounts//a').at(0)).toBe('mounts/*path/tune -> /tune')
    expect(rowsBelow(rows.slice(1), 'nothing')).toEqual([])
  })
})
