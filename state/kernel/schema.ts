/** A JSON Schema as a plain constant. Compiled where it is used, on first use (routes/http). */
export type JsonSchema = { readonly [keyword: string]: unknown }
