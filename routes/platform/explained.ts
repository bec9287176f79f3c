import type { DialectName } from '../http/dialect.ts'
import type { Explains } from '../http/explains.ts'
import { platformCoverage } from './coverage.ts'

/** What a request is refused for before its operation looks at it. */
const checks: Explains['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed'] },
  { name: 'token', rules: ['unauthorized'] },
  { name: 'rate limit', rules: ['rate-exceeded'] },
  { name: 'content type', rules: ['content-type-unknown'] },
  { name: 'subject', rules: ['not-found'] },
  {
    name: 'body',
    rules: ['body-unreadable', 'data-missing', 'type-missing', 'type-wrong', 'attributes-missing'],
  },
]

/** What the platform API knows of its refusals (CONTROL section 4). */
export function explainedIn(dialect: DialectName): Explains {
  return {
    checks,
    spec: '2-platform-decisions.md › section 1',
    addresses: () =>
      platformCoverage(dialect).operations.map(({ id, verb, path }) => ({
        operation: id,
        method: verb,
        path,
      })),
  }
}
