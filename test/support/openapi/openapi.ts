import { validate } from '@readme/openapi-parser'

/** The parts of an OpenAPI document that tests look into. */
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

/** What a document says of a path: its operations by method, and some things besides. */
type OpenApiPath = Readonly<Record<string, unknown>>

/** The methods of a path that a document has. */
export function methodsOf(path: OpenApiPath | undefined): string[] {
  const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
  return methods.filter((method) => path?.[method] !== undefined)
}

/** What a validator of OpenAPI documents has to say against one; nothing when it is valid. */
export async function faultsOf(document: OpenApiDocument): Promise<readonly string[]> {
  // The validator resolves references in what it is given.
  const copy: Parameters<typeof validate>[0] = JSON.parse(JSON.stringify(document))
  const result = await validate(copy)
  const errors = result.valid ? [] : result.errors
  return [...errors, ...result.warnings].map(({ message }) => message)
}
