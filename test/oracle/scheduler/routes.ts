import { outsideOperations, schedulerOperations } from '../../../routes/scheduler/operations.ts'
import type { ComparedRequest } from '../../../src/cli/compare/request.ts'

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']

/** Values of path parameters: an unknown ID, a malformed one, a prefix, a name, nothing. */
const ids = ['00000000-0000-4000-8000-000000000000', 'x', '0000', 'no such', '', 'a/b']

/** Paths of the product that the mock does not declare, next to those that it does. */
const furtherPaths = [
  '/nosuch',
  '/job',
  '/allocation/:id/nosuch',
  '/evaluation/:id/nosuch',
  '/deployment/:id/nosuch',
  '/node/:id/nosuch',
  '/client/allocation/:id/nosuch',
  '/client/fs/nosuch/:id',
  '/acl/nosuch',
  '/operator/nosuch',
  '/operator/keyring/nosuch',
  '/scaling/nosuch',
  '/status/nosuch',
  '/system/nosuch',
]

/** Paths that change the server for later requests, never answer, or differ for each request. */
const skipped =
  /^\/(?:system|event|acl\/bootstrap|agent|operator\/(?:keyring|scheduler)|client\/(?:gc|stats)|metrics)/

/**
 * Returns a request for each path, method and ID. None of the IDs exists, and no request has a
 * body, so nothing is changed.
 */
export function routeRequests(): readonly ComparedRequest[] {
  const declared = schedulerOperations.map(({ path }) => path)
  const paths = new Set([...declared, ...furtherPaths])
  const outside = new Set(outsideOperations.map(({ path }) => path))
  return [...paths]
    .filter((path) => !skipped.test(path) && !outside.has(path))
    .flatMap((path) => {
      const values = path.includes(':') ? ids : ['']
      return values.flatMap((id) =>
        methods.map((method) => {
          const filled = path.slice(1).replace(/:\w+/g, encodeURIComponent(id).replace('%2F', '/'))
          return { operation: `${method} ${path}`, method, path: filled, token: 'root' }
        }),
      )
    })
    .filter(({ path }) => !path.includes('//') && !path.endsWith('/a/b/'))
}
