import { validate } from '@readme/openapi-parser'

/** Parts of an OpenAPI document that tests read. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, OpenApiPath>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** Path item of a document: its operations by method, and members such as `parameters`. */
type OpenApiPath = Readonly<Record<string, unknown>>

/**
 * Returns the methods that a path item declares, in lower case; empty if the path item is
 * undefined.
 */
export function methodsOf(path: OpenApiPath | undefined): string[] {
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
  return methods.filter((method) => path?.[method] !== undefined)
}

/**
 * Returns the errors and warnings of an OpenAPI validator about a document; empty if it is valid.
 */
export async function validationErrors(document: OpenApiDocument): Promise<readonly string[]> {
  // The validator resolves references in place, so it gets a copy.
  const copy: Parameters<typeof validate>[0] = JSON.parse(JSON.stringify(document))
  const result = await validate(copy)
  const errors = result.valid ? [] : result.errors
  return [...errors, ...result.warnings].map(({ message }) => message)
}
