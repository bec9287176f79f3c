/** A JSON Schema as a plain constant. routes/http compiles a schema when it is first used. */
export type JsonSchema = { readonly [keyword: string]: unknown }
