import type { JsonSchema } from '../../state/kernel/schema.ts'

/** Function that returns the documented statuses of an operation of a service, in order. */
export type DocumentedStatuses = (service: string, operation: string) => readonly number[]

/**
 * Returns a look-up of the statuses that the documents of the APIs contain. Each document is built
 * when it is first needed.
 */
export function documentedStatuses(
  documentOf: (service: string) => JsonSchema | undefined,
): DocumentedStatuses {
  const known = new Map<string, ReadonlyMap<string, readonly number[]>>()
  return (service, operation) => {
    const statuses = known.get(service) ?? statusesOf(documentOf(service) ?? {})
    known.set(service, statuses)
    return statuses.get(operation) ?? []
  }
}

function statusesOf({ paths }: JsonSchema): ReadonlyMap<string, readonly number[]> {
  const statuses = new Map<string, readonly number[]>()
  for (const item of Object.values<object>(Object(paths))) {
    for (const part of Object.values<{ operationId?: string; responses?: object }>(Object(item))) {
      if (part.operationId === undefined) continue
      const numbers = Object.keys(part.responses ?? {}).map(Number)
      statuses.set(part.operationId, numbers.filter(Number.isInteger))
    }
  }
  return statuses
}
