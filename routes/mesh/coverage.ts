import { accessText } from '../http/declare/access.ts'
import { type ApiCoverage, evidenceOf } from '../http/declare/coverage.ts'
import { meshOperations } from './operations.ts'

/** Path prefix of all operations. */
export const apiPrefix = '/v1'

/** Returns the operations of the mesh API. */
export function meshCoverage(): ApiCoverage {
  return {
    operations: meshOperations.map(({ id, method, path, summary, spec, access }) => ({
      id,
      verb: method,
      path: `${apiPrefix}${path}`,
      summary,
      spec,
      evidence: evidenceOf(spec),
      access: accessText(access),
    })),
  }
}
