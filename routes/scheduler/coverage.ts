import { type ApiCoverage, evidenceOf } from '../http/coverage.ts'
import { schedulerChoices } from './choices.ts'
import { schedulerOperations } from './operations.ts'

/** Path below which everything is. */
export const apiPrefix = '/v1'

/** Returns what the jobs API serves and what it decided by itself. */
export function schedulerCoverage(): ApiCoverage {
  return {
    operations: schedulerOperations.map(({ id, method, path, summary, spec }) => ({
      id,
      verb: method,
      path: `${apiPrefix}${path}`,
      summary,
      spec,
      evidence: evidenceOf(spec),
    })),
    choices: schedulerChoices,
  }
}
