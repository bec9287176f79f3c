import { type ApiCoverage, evidenceOf } from '../http/declare/coverage.ts'
import { accessText } from './access.ts'
import type { SchedulerOperation } from './operation.ts'
import { outsideOperations, schedulerOperations } from './operations.ts'

/** Path prefix of the operations. */
export const apiPrefix = '/v1'

/** Returns the operations of the jobs API. */
export function schedulerCoverage(): ApiCoverage {
  return {
    operations: [...schedulerOperations.map(withPrefix), ...outsideOperations].map(
      ({ id, method, path, summary, spec, access }) => ({
        id,
        verb: method,
        path,
        summary,
        spec,
        evidence: evidenceOf(spec),
        access: accessText(access),
      }),
    ),
  }
}

function withPrefix(operation: SchedulerOperation): SchedulerOperation {
  return { ...operation, path: apiPrefix + operation.path }
}
