import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Method } from '../../../routes/http/operation.ts'
import { createRouter } from '../../../routes/http/router.ts'

const at = (method: Method, path: string) => ({ method, path })

/** The operation found and its parameters, as one line. */
function found(router: ReturnType<typeof createRouter>, method: string, path: string): string {
  const routed = router.find(method, path)
  if (routed === undefined) return 'none'
  const { operation, params } = routed
  return `${operation.method} ${operation.path} ${JSON.stringify(params)}`
}

describe('DESIGN section 2: finding an operation of an API', () => {
  const router = createRouter([
    at('GET', '/'),
    at('GET', '/things'),
    at('PUT', '/things/:id'),
    at('GET', '/things/:id'),
    at('GET', '/things/new'),
    at('GET', '/things/:thing/parts/:part'),
    at('POST', '/things/new/parts/:part'),
    at('GET', '/files/*'),
    at('GET', '/files/:name/info'),
  ])

  test.each([
    ['GET', '/', 'GET / {}'],
    ['GET', '', 'GET / {}'],
    ['GET', '/things', 'GET /things {}'],
    ['GET', '/things/7', 'GET /things/:id {"id":"7"}'],
    ['PUT', '/things/7', 'PUT /things/:id {"id":"7"}'],
    ['GET', '/things/new', 'GET /things/new {}'],
    ['PUT', '/things/new', 'PUT /things/:id {"id":"new"}'],
    ['GET', '/things/new/parts/2', 'GET /things/:thing/parts/:part {"thing":"new","part":"2"}'],
    ['POST', '/things/new/parts/2', 'POST /things/new/parts/:part {"part":"2"}'],
    ['GET', '/things/a%2Fb%20c', 'GET /things/:id {"id":"a/b c"}'],
    ['GET', '/things/100%', 'GET /things/:id {"id":"100%"}'],
    ['GET', '/files/a/b', 'GET /files/* {"*":"a/b"}'],
    ['GET', '/files/', 'GET /files/* {"*":""}'],
    ['GET', '/files/a/info', 'GET /files/:name/info {"name":"a"}'],
    ['GET', '/things/__proto__', 'GET /things/:id {"id":"__proto__"}'],
    ['POST', '/things/7', 'none'],
    ['GET', '/things/', 'none'],
    ['GET', '/things//parts/1', 'none'],
    ['GET', '/nothing', 'none'],
    ['GET', '/constructor', 'none'],
  ])('%s %s is %s', (method, path, expected) => {
    expect(found(router, method, path)).toBe(expected)
  })

  test.each([
    ['/things/7', ['GET', 'PUT']],
    ['/things/new', ['GET', 'PUT']],
    ['/things/new/parts/1', ['GET', 'POST']],
    ['/files/x/y', ['GET']],
    ['/things/', []],
    ['/nowhere', []],
  ])('405: %s takes %j', (path, methods) => {
    expect(router.methodsAt(path)).toEqual(methods)
  })

  test('parameters come back as they were put in, whatever they hold', () => {
    const value = fc.string({ minLength: 1 })
    fc.assert(
      fc.property(value, value, (thing, part) => {
        const path = `/things/${encodeURIComponent(thing)}/parts/${encodeURIComponent(part)}`
        expect(router.find('GET', path)?.params).toEqual({ thing, part })
      }),
    )
  })
})
