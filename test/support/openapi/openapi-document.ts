import type { AnySchema, ValidateFunction } from 'ajv'
import { weakSeconds } from '../../../routes/secrets/fields/weak-types.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** Format of times in bodies: RFC 3339 in UTC. */
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/

/** Compiler settings without optimization, because most schemas are only used a few times. */
export const ajvOptions = { strict: false, allErrors: true, code: { optimize: false } } as const

/**
 * Formats in documents. A duration is any text that duration fields accept: `90`, `1h30m`, or an
 * empty string.
 */
export const formats = { 'date-time': timestamp, duration: isDuration }

function isDuration(text: string): boolean {
  try {
    weakSeconds(text)
    return true
  } catch {
    return false
  }
}

/** Bodies of a request or reply by media type. */
type ContentByType = Readonly<Record<string, { readonly schema: JsonSchema }>>

/** Operation of a document, with the parts that tests compare with requests and replies. */
export interface DocumentedOperation {
  /** Path as in the document, such as `/v1/jobs/{id}`. */
  readonly path: string
  /** Method in lower case. */
  readonly method: string
  readonly operationId: string
  readonly tags?: readonly string[]
  /** Parameters of the operation and of its path. */
  readonly parameters: readonly object[]
  readonly body?: { readonly required: boolean; readonly content: ContentByType } | undefined
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: object }>
  >
}

/** Returns the operations of a document by their ids. */
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

/** Returns a schema with absolute references to the document named `document`. */
export function withAbsoluteReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}

/** Returns a compiler that compiles equal schemas once, such as those of most refusals. */
export function compilerOf(ajv: {
  compile(schema: AnySchema): ValidateFunction
}): (schema: JsonSchema) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(schema)
    compiled.set(text, validate)
    return validate
  }
}
