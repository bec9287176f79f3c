/** A JSON Schema as a plain constant. Compiled on first use (routes/http). */
export type JsonSchema = { readonly [keyword: string]: unknown }
