import { meshOperations } from '../../../routes/mesh/operations.ts'
import type { ComparedRequest } from '../../../src/cli/compare/request.ts'
import {
  asRoot,
  fixtureAccessor,
  fixtureName,
  openFixture,
  setUpRequests,
  unknownId,
} from './fixture.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']

/** Values of path parameters: an unknown ID, names, a malformed one, nothing. */
const ids = [unknownId, 'x', 'mesh-1', 'no such', '', 'a/b', 'a%2Fb', 'a/', '%C3%A9', '*']

/** Paths of the product that the mock does not declare, next to those that it does. */
const furtherPaths = [
  ...['/nosuch', '/acl', '/acl/nosuch', '/acl/policy/name', '/kv', '/session', '/session/nosuch'],
  ...['/agent', '/agent/nosuch', '/catalog', '/catalog/nosuch', '/health', '/health/nosuch'],
  ...['/status', '/status/nosuch', '/operator/nosuch', '/txn/x', '/acl/policies/', '/namespaces'],
  ...['//kv/a', '/kv//a', '/kv/./a', '/kv/../status/leader', '/health/service', '/namespace/x'],
]

/** Requests that make an object with a generated ID, so that later replies would differ. */
const skipped = /^(?:PUT \/session\/create|PUT \/acl\/bootstrap)$/

const declaredPaths = [
  ...new Set(
    meshOperations.map(({ path }) => path).filter((path) => !path.startsWith('/namespace')),
  ),
]

/** Returns a request for each path, method and ID. */
export function routeSequences(): readonly (readonly ComparedRequest[])[] {
  const sequences = [...declaredPaths, ...furtherPaths].map((path) => {
    const values = path.includes(':') ? ids : ['']
    const requests = values.flatMap((id) =>
      methods
        .filter((method) => !skipped.test(`${method} ${path}`))
        .map((method) => {
          const filled = path.slice(1).replace(/:\w+/g, id.replaceAll(' ', '%20'))
          return { operation: `${method} ${path}`, method, path: filled, token: 'root' }
        }),
    )
    return [...requests, asRoot('clean up', 'DELETE', 'kv/?recurse')]
  })
  return sequences
}

/** Path parameters of objects that exist. */
const existing: Readonly<Record<string, string>> = {
  '/acl/policy/:id': '$policy',
  '/acl/policy/name/:name': fixtureName,
  '/acl/role/:id': '$role',
  '/acl/role/name/:name': fixtureName,
  '/acl/templated-policy/name/:name': 'builtin/service',
  '/acl/token/:accessor': fixtureAccessor,
  '/agent/token/:kind': 'replication',
  '/catalog/service/:service': 'consul',
  '/health/service/:service': 'consul',
  '/health/state/:state': 'any',
  '/kv/:key': 'a',
}

/** Queries whose effect does not depend on the operation. */
const queries = [
  ...[
    'dc=dc1',
    'dc=dc2',
    'dc=',
    'dc=DC1',
    'dc=dc1&dc=dc2',
    'stale',
    'consistent',
    'leader',
    'cached',
  ],
  ...['stale&consistent', 'cached&consistent', 'stale&cached', 'max_stale=1s', 'max_stale=x'],
  ...[
    'max_stale=1s&consistent',
    'index=x',
    'index=-1',
    'index=0',
    'index=1&wait=x',
    'wait=x',
    'wait=1',
  ],
  ...['pretty', 'pretty=false', 'ns=default', 'ns=', 'partition=default', 'partition=', 'filter=x'],
  ...['filter=', 'node-meta=x', 'near=_agent', 'token=', `token=${unknownId}`, 'token=x&dc=dc2'],
  ...['ns=x&dc=dc2', 'dc=dc2&stale&consistent', 'peer=x', 'peer=', 'sg=x', 'merge-central-config'],
]

/** Returns a request for each operation and query, about objects that exist, without a body. */
export function querySequences(): readonly (readonly ComparedRequest[])[] {
  const operations = meshOperations.filter(
    ({ method, path }) => declaredPaths.includes(path) && !skipped.test(`${method} ${path}`),
  )
  const sequences = operations.map(({ method, path }) => {
    const id = existing[path] ?? (path.includes('/session/') ? '$session' : 'mesh-1')
    const filled = path.slice(1).replace(/:\w+/g, id)
    const requests = queries.map((query) => {
      const request = { method, path: `${filled}?${query}`, token: 'root' }
      return { operation: `${method} ${path}?${query}`, ...request }
    })
    return [
      ...setUpRequests,
      ...openFixture,
      ...requests,
      asRoot('clean up', 'DELETE', 'kv/?recurse'),
    ]
  })
  return sequences
}
