import { type ApiCoverage, type CoveredOperation, evidenceOf } from '../http/coverage.ts'
import type { DialectName } from '../http/dialect.ts'
import { platformChoices } from './choices.ts'
import { discoveryCoverage } from './discovery.ts'
import { platformOperations } from './operations.ts'

/** Path below which everything but objects is. */
export const apiPrefix = '/api/v2'

/** The object store's routes, which stand outside the API. */
const objectCoverage: readonly CoveredOperation[] = [
  {
    id: 'uploadObject',
    verb: 'PUT',
    path: '/v1/object/:secret',
    summary: 'Upload the files of a configuration version or the archive of a module version.',
    spec: '2-platform.md, Endpoints; 2-platform-decisions.md sections 3 and 5.2',
    evidence: 'spec',
  },
  {
    id: 'downloadObject',
    verb: 'GET',
    path: '/v1/object/:secret',
    summary: "Read what there is of a run's log, or download a version's files.",
    spec: '2-platform-decisions.md sections 2.5 and 3',
    evidence: 'decision',
  },
]

/** Returns what the platform API serves in a dialect and what it decided by itself. */
export function platformCoverage(dialect: DialectName = 'neutral'): ApiCoverage {
  const operations = platformOperations.map(({ id, method, path, summary, spec }) => ({
    id,
    verb: method,
    path: `${apiPrefix}${path}`,
    summary,
    spec,
    evidence: evidenceOf(spec),
  }))
  return {
    operations: [
      ...operations,
      ...objectCoverage,
      ...(dialect === 'vendor' ? [discoveryCoverage] : []),
    ],
    choices: platformChoices,
  }
}
