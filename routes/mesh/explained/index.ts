import type { Address, Explains } from '../http/explains.ts'
import { meshCoverage } from './coverage.ts'

/** What a request is refused for before its operation looks at it. */
const checks: Explains['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed'] },
  {
    name: 'namespace',
    rules: [
      'namespaces-unsupported-in-header',
      'namespaces-unsupported-in-query',
      'other-partition',
    ],
  },
  { name: 'datacenter', rules: ['other-datacenter'] },
  {
    name: 'consistency',
    rules: ['stale-and-consistent', 'cached-and-consistent', 'bad-max-stale', 'bad-cache-control'],
  },
  { name: 'token', rules: ['acl-disabled', 'token-unknown', 'bootstrap-wanted'] },
  { name: 'access', rules: ['right-missing', 'right-missing-without-token'] },
  { name: 'body', rules: ['body-unreadable', 'body-empty', 'wrong-type', 'unknown-field'] },
]

/** The last parameter of a path takes the rest of it, slashes included. */
function addresses(): readonly Address[] {
  return meshCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)$/, '*$1'),
  }))
}

/** What the mesh API knows of its refusals (CONTROL section 4). */
export const explained: Explains = {
  checks,
  spec: '3a-mesh-decisions.md › section 1',
  addresses,
}
