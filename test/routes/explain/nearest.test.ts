import { describe, expect, test } from 'vitest'
import { nearestTo } from '../../../routes/explain/nearest.ts'
import type { OperationAddress } from '../../../routes/http/journal-hooks/api-explanations.ts'

function address(method: string, path: string): OperationAddress {
  return { operation: `${method} ${path}`, method, path }
}

/** Returns the paths of the operations nearest to a request, nearest first. */
function nearestPaths(request: { method: string; path: string }, ...paths: string[]): string[] {
  return nearestTo(
    request,
    paths.map((path) => address('GET', path)),
  ).map(({ path }) => path)
}

/** Returns the differences between a request and the only operation. */
function differences(path: string, operationPath: string, method = 'GET') {
  return nearestTo({ method, path }, [address('GET', operationPath)])[0]?.differences
}

describe('behaviour/program#explanations: the nearest operations', () => {
  test('differ by another, a missing or a superfluous word', () => {
    expect(differences('/v1/health/servce/web', '/v1/health/service/:service')).toEqual([
      '"service" instead of "servce"',
    ])
    expect(differences('/v1/health', '/v1/health/state')).toEqual(['"state" is missing'])
    expect(differences('/v1/status/leader/now/x', '/v1/status/leader')).toEqual([
      '/v1/status/leader has no further segments: "now" is superfluous',
    ])
  })

  test('differ by the method after the words of the path', () => {
    expect(differences('/v1/lead', '/v1/leader', 'PUT')).toEqual([
      '"leader" instead of "lead"',
      'GET instead of PUT',
    ])
  })

  test('a misspelt long word is nearer than another word of the same edit distance', () => {
    const path = '/v1/connexion/abc'
    expect(
      nearestPaths({ method: 'GET', path }, '/v1/connexion/xyc', '/v1/connections/abc'),
    ).toEqual(['/v1/connections/abc', '/v1/connexion/xyc'])
  })

  test('a wrong word is nearer than a missing segment', () => {
    const request = { method: 'GET', path: '/a/word' }
    expect(nearestPaths(request, '/a/word/d', '/a/ward')).toEqual(['/a/ward', '/a/word/d'])
  })

  test('at most three are returned, and equally near ones in the order of the API', () => {
    const request = { method: 'GET', path: '/a/x' }
    expect(nearestPaths(request, '/a/1', '/a/2', '/a/3', '/a/4')).toEqual(['/a/1', '/a/2', '/a/3'])
  })
})
