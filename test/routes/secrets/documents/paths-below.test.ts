import { describe, expect, test } from 'vitest'
import { createRouter } from '../../../../routes/http/router/router.ts'
import { routesBelow } from '../../../../routes/secrets/documents/paths-below.ts'
import { emptyOutcome } from '../../../../routes/secrets/envelope/outcome.ts'
import { operationsOf } from '../../../../routes/secrets/operation.ts'

const patterns = ['*path', 'config', 'roles', 'roles/:name', 'mounts/*path/tune', 'mounts/*path']
const operations = patterns.map((path, at) =>
  operationsOf({ spec: 'behaviour/secrets#api-help' }).read(`read${at}`, path, {
    summary: 'Reads.',
    run: () => emptyOutcome,
  }),
)
const { routes: places } = createRouter(operations, 'mounts', ({ verb }) => verb)

/** Returns the routes at and below a path, as `pattern -> rest of the pattern`. */
function below(at: string): string[] {
  return routesBelow(places, at).map(
    ({ route: place, segments }) => `${place.path} -> /${segments.join('/')}`,
  )
}

describe('behaviour/secrets#api-help: the path that was asked about and those below it', () => {
  // choice/secrets#help-relative-paths
  test('the root lists every path, literal segments first as in the router', () => {
    expect(below('')).toEqual([
      'config -> /config',
      'roles -> /roles',
      'roles/:name -> /roles/:name',
      'mounts/*path/tune -> /mounts/*path/tune',
      'mounts/*path -> /mounts/*path',
      '*path -> /*path',
    ])
  })

  test('a word finds itself and the paths below it; of places with equal paths, the first', () => {
    expect(below('roles')).toEqual(['roles -> /', 'roles/:name -> /:name'])
  })

  test('a name is taken in by its parameter, if it is one', () => {
    expect(below('roles/a')).toEqual(['roles/:name -> /', '*path -> /*path'])
    expect(below('roles/-a')).toEqual(['*path -> /', '*path -> /*path'])
    expect(below('roles/a/b')).toEqual(['*path -> /', '*path -> /*path'])
  })

  // choice/secrets#help-relative-paths
  test('a wildcard matches all remaining segments, and the paths below it are listed', () => {
    expect(below('mounts/a/b')).toEqual([
      'mounts/*path/tune -> /tune',
      'mounts/*path/tune -> /*path/tune',
      'mounts/*path -> /',
      'mounts/*path -> /*path',
    ])
  })

  test('of two places for a path the one that the router takes is there', () => {
    expect(below('mounts/a/tune')).toEqual([
      'mounts/*path/tune -> /',
      'mounts/*path/tune -> /tune',
      'mounts/*path/tune -> /*path/tune',
      'mounts/*path -> /*path',
    ])
  })

  test('empty names are names of a rest', () => {
    expect(below('mounts//a').at(0)).toBe('mounts/*path/tune -> /tune')
    expect(routesBelow(places.slice(1), 'nothing')).toEqual([])
  })
})
