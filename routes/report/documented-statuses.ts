import type { OperationStatuses } from '../http/openapi/operation-statuses.ts'

/** Function that returns the documented statuses of an operation of a service, in order. */
export type DocumentedStatuses = (service: string, operation: string) => readonly number[]

/**
 * Returns a look-up of the documented statuses of operations.
 *
 * @param statusesOf returns the statuses of a service, which the look-up keeps
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
