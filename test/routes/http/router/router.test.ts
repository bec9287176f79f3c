import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Method } from '../../../../routes/http/declare/operation.ts'
import { createRouter, type OrderStrategy, verbsAt } from '../../../../routes/http/router/router.ts'
import type { Router } from '../../../../routes/http/router/routes.ts'

const at = (method: Method, path: string) => ({ method, path })
type TestRouter = Router<ReturnType<typeof at>>

function routerOf(operations: readonly ReturnType<typeof at>[], order: OrderStrategy): TestRouter {
  return createRouter(operations, order, ({ method }) => method)
}

/** Returns the matched operation and its parameters on one line. */
function found(router: TestRouter, method: string, path: string): string {
  const routed = router.find(path, method)
  const operation = routed?.route.operations.get(method)
  if (routed === undefined || operation === undefined) return 'none'
  const { params } = routed
  return `${operation.method} ${operation.path} ${JSON.stringify(params)}`
}

describe('behaviour/program#worlds: finding an operation of an API', () => {
  const router = routerOf(
    [
      at('GET', '/'),
      at('GET', '/things'),
      at('PUT', '/things/:id'),
      at('GET', '/things/:id'),
      at('GET', '/things/new'),
      at('GET', '/things/:thing/parts/:part'),
      at('POST', '/things/new/parts/:part'),
      at('GET', '/files/*'),
      at('GET', '/files/:name/info'),
    ],
    'tree',
  )

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
  ])('%s %s matches %s', (method, path, expected) => {
    expect(found(router, method, path)).toBe(expected)
  })

  test.each([
    ['/things/7', ['GET', 'PUT']],
    ['/things/new', ['GET', 'PUT']],
    ['/things/new/parts/1', ['GET', 'POST']],
    ['/files/x/y', ['GET']],
    ['/things/', []],
    ['/nowhere', []],
  ])('a 405 lists the verbs: %s supports %j', (path, methods) => {
    expect(verbsAt(router, path)).toEqual(methods)
  })

  test('parameters round-trip, whatever they contain', () => {
    const value = fc.string({ minLength: 1 })
    fc.assert(
      fc.property(value, value, (thing, part) => {
        const path = `/things/${encodeURIComponent(thing)}/parts/${encodeURIComponent(part)}`
        expect(router.find(path, 'GET')?.params).toEqual({ thing, part })
      }),
    )
  })
})

describe("behaviour/program#worlds: the order of Go's routers", () => {
  const router = routerOf(
    [
      at('GET', '/jobs'),
      at('POST', '/jobs'),
      at('GET', '/job/:id'),
      at('GET', '/job/:id/versions'),
      at('POST', '/job/:id/plan'),
      at('GET', '/acl/token/:id'),
      at('GET', '/acl/token/self'),
      at('PUT', '/acl/policy/:id'),
      at('GET', '/acl/policy/name/:name'),
      at('PUT', '/job/:id/versions/:tag/tag'),
      at('GET', '/service/:name'),
      at('DELETE', '/service/:name/:id'),
    ],
    'mux',
  )

  test.each([
    ['GET', '/jobs', 'GET /jobs {}'],
    ['GET', '/jobs/', 'none'],
    ['GET', '/job/a', 'GET /job/:id {"id":"a"}'],
    ['GET', '/job/', 'GET /job/:id {"id":""}'],
    ['GET', '/job', 'none'],
    ['GET', '/job/a/b/c', 'GET /job/:id {"id":"a/b/c"}'],
    ['GET', '/job/a/b/versions', 'GET /job/:id/versions {"id":"a/b"}'],
    ['GET', '/job/versions', 'GET /job/:id {"id":"versions"}'],
    ['GET', '/job//versions', 'GET /job/:id/versions {"id":""}'],
    ['GET', '/job/a/plan', 'none'],
    ['GET', '/acl/token/self', 'GET /acl/token/self {}'],
    ['GET', '/acl/token/selfish', 'GET /acl/token/:id {"id":"selfish"}'],
    ['PUT', '/acl/policy/name/x', 'none'],
    ['GET', '/acl/policy/name/x', 'GET /acl/policy/name/:name {"name":"x"}'],
    ['GET', '/__proto__/x', 'none'],
    ['PUT', '/job/a/versions/b/tag', 'PUT /job/:id/versions/:tag/tag {"tag":"b","id":"a"}'],
    ['PUT', '/job/a/c/versions/b/tag', 'PUT /job/:id/versions/:tag/tag {"tag":"b","id":"a/c"}'],
    ['GET', '/job/a/versions/b/c/tag', 'GET /job/:id {"id":"a/versions/b/c/tag"}'],
    ['GET', '/job/a/tag', 'GET /job/:id {"id":"a/tag"}'],
    ['GET', '/service/a', 'GET /service/:name {"name":"a"}'],
    ['DELETE', '/service/a/b', 'DELETE /service/:name/:id {"id":"b","name":"a"}'],
    ['DELETE', '/service/a/b/c', 'DELETE /service/:name/:id {"id":"c","name":"a/b"}'],
    ['GET', '/service/a/b', 'none'],
  ])('%s %s matches %s', (method, path, expected) => {
    expect(found(router, method, path)).toBe(expected)
  })

  test('a path matches whatever the verb, which is checked afterwards', () => {
    const place = router.find('/job/a/plan', 'DELETE')?.route
    expect([place?.path, ...(place?.operations.keys() ?? [])]).toEqual(['/job/:id/plan', 'POST'])
  })
})

describe("behaviour/secrets#conventions: an engine's patterns", () => {
  const router = routerOf(
    [
      at('GET', 'config'),
      at('GET', 'data/*path'),
      at('PUT', 'mounts/*path/tune'),
      at('GET', 'mounts/*path'),
      at('GET', 'roles/:name'),
      at('GET', 'roles/fixed'),
      at('GET', 'before/fixed'),
      at('GET', 'before/:name'),
    ],
    'mounts',
  )

  test.each([
    ['GET', 'config', 'GET config {}'],
    ['GET', 'config/', 'none'],
    ['GET', 'data/a/b', 'GET data/*path {"path":"a/b"}'],
    ['GET', 'data/a/', 'GET data/*path {"path":"a/"}'],
    ['GET', 'data/', 'GET data/*path {"path":""}'],
    ['GET', 'data/a\nb', 'GET data/*path {"path":"a\\nb"}'],
    ['GET', 'data', 'none'],
    ['GET', 'data/a.', 'none'],
    ['GET', 'data/a./', 'none'],
    ['PUT', 'mounts/a/b/tune', 'PUT mounts/*path/tune {"path":"a/b"}'],
    ['PUT', 'mounts/tune', 'none'],
    ['GET', 'mounts/tune', 'GET mounts/*path {"path":"tune"}'],
    ['GET', 'roles/a-b.c', 'GET roles/:name {"name":"a-b.c"}'],
    ['GET', 'roles/a/', 'none'],
    ['GET', 'roles/-a', 'none'],
    ['GET', 'roles/a/b', 'none'],
    ['GET', 'roles/fixed', 'GET roles/:name {"name":"fixed"}'],
    ['GET', 'before/fixed', 'GET before/fixed {}'],
    ['GET', 'constructor', 'none'],
  ])('%s %s matches %s', (method, path, expected) => {
    expect(found(router, method, path)).toBe(expected)
  })

  test('patterns that begin with a literal precede all others', () => {
    const keys = routerOf([at('GET', '*path'), at('GET', 'config')], 'mounts')
    expect(found(keys, 'GET', 'config')).toBe('GET config {}')
    expect(found(keys, 'GET', 'configs')).toBe('GET *path {"path":"configs"}')
  })
})
