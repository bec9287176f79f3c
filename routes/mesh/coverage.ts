import { type ApiCoverage, coverOperations } from '../http/declare/coverage.ts'
import { meshOperations } from './operations.ts'

/** Path prefix of all operations. */
export const apiPrefix = '/v1'

/** Returns the operations of the mesh API. */
export function meshCoverage(): ApiCoverage {
  return { operations: coverOperations(meshOperations, apiPrefix) }
}
