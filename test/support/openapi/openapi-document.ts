import { weakSeconds } from '../../../routes/secrets/fields/weak-types.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** What times in bodies look like: RFC 3339 in UTC. */
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** How documents are compiled. Most schemas are used a few times, which pays for no optimization. */
export const ajvOptions = { strict: false, allErrors: true, code: { optimize: false } } as const

/** The formats that documents name; a duration is what fields take as one: `90`, `1h30m`, nothing. */
export const formats = { 'date-time': timestamp, duration: isDuration }

function isDuration(text: string): boolean {
  try {
    weakSeconds(text)
    return true
  } catch {
    return false
  }
}

/** The bodies of a request or reply by media type. */
type ContentByType = Readonly<Record<string, { readonly schema: JsonSchema }>>

/** An operation of a document, as far as exchanges are compared with it. */
export interface DocumentedOperation {
  /** From the origin: `/v1/jobs/{id}`. */
  readonly path: string
  /** In lower case. */
  readonly method: string
  readonly operationId: string
  readonly tags?: readonly string[]
  /** Those of its path too. */
  readonly parameters: readonly object[]
  readonly body?: { readonly required: boolean; readonly content: ContentByType } | undefined
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: object }>
  >
}

/** The operations of a document by their ids. */
export function operationsIn(document: JsonSchema): ReadonlyMap<string, DocumentedOperation> {
  const paths: [string, Record<string, object>][] = Object.entries(Object(document['paths']))
  const parts = paths.flatMap(([path, { parameters = [], ...item }]) =>
    Object.entries(item).flatMap(([method, part]): DocumentedOperation[] => {
      const operation = Object(part)
      if (operation.operationId === undefined) return []
      const all = [...Object(parameters), ...(operation.parameters ?? [])]
      return [{ ...operation, path, method, parameters: all, body: operation.requestBody }]
    }),
  )
  return new Map(parts.map((part) => [part.operationId, part]))
}

/** References of the document called `document`, as seen from outside of it. */
export function withAbsoluteReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}
