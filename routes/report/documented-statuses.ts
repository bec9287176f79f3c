import type { OperationStatuses } from '../http/openapi/operation-statuses.ts'

/**
 * Function that returns the documented statuses of an operation in ascending order; empty for an
 * unknown operation.
 */
export type DocumentedStatuses = (service: string, operation: string) => readonly number[]

/**
 * Returns a function that looks up documented statuses and caches the statuses of each service.
 *
 * @param statusesOf called once per service; undefined for an unknown service
 */
export function documentedStatuses(
  statusesOf: (service: string) => OperationStatuses | undefined,
): DocumentedStatuses {
  const known = new Map<string, OperationStatuses>()
  return (service, operation) => {
    const statuses = known.get(service) ?? statusesOf(service) ?? new Map()
    known.set(service, statuses)
    return statuses.get(operation) ?? []
  }
}
