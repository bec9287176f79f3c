import { type ApiCoverage, coverOperations } from '../http/declare/coverage.ts'
import { meshOperations } from './operations.ts'

/** Path prefix of all operations. */
export const apiPrefix = '/v1'

export function meshCoverage(): ApiCoverage {
  return { operations: coverOperations(meshOperations, apiPrefix) }
}
