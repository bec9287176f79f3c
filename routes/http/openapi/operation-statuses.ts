import type { OperationDeclaration } from '../declare/operation.ts'
import { failuresOf } from './openapi-operations.ts'

/**
 * Statuses that an API's OpenAPI document lists for each operation, in ascending order, by
 * operation id.
 */
export type OperationStatuses = ReadonlyMap<string, readonly number[]>

/** Members of an operation that determine its statuses. */
type StatusDeclaration = Pick<OperationDeclaration<string, unknown>, 'id' | 'reply' | 'failures'>

/**
 * Returns the statuses that the document of an API has for each operation. Building the document
 * for this purpose would take a hundred times as long.
 *
 * @param commonFailures returns the failure statuses that follow from the API's conventions
 * @param repliesOf returns the replies of an operation by status; only the statuses are used
 */
export function statusesOf<O extends StatusDeclaration>(
  operations: readonly O[],
  commonFailures: (operation: O) => readonly number[],
  repliesOf: (operation: O) => object = ({ reply }) => reply,
): OperationStatuses {
  return new Map(
    operations.map((operation) => {
      const replies = Object.keys(repliesOf(operation)).map(Number)
      return [operation.id, failuresOf(operation, [...commonFailures(operation), ...replies])]
    }),
  )
}
