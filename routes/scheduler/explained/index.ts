import type { Address, Explains } from '../http/explains.ts'
import { schedulerCoverage } from './coverage.ts'

/** What a request is refused for before its operation looks at it. */
const checks: Explains['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed'] },
  { name: 'leader', rules: ['no-leader'] },
  { name: 'region', rules: ['region-unknown'] },
  {
    name: 'query',
    rules: ['stale-no-bool', 'per-page-no-number', 'parameter-no-bool', 'parameter-no-uint'],
  },
  { name: 'token', rules: ['acls-disabled', 'token-secret-unknown', 'token-expired'] },
  { name: 'access', rules: ['permission-denied'] },
  { name: 'body', rules: ['body-empty', 'body-mistyped', 'body-unreadable', 'body-too-deep'] },
]

/** The first parameter of a path may hold slashes. */
function addresses(): readonly Address[] {
  return schedulerCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)/, '*$1'),
  }))
}

/** What the jobs API knows of its refusals (CONTROL section 4). */
export const explained: Explains = {
  checks,
  spec: '3b-scheduler-decisions.md › section 1',
  addresses,
}
