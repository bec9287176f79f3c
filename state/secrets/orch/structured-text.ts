import { parseYaml } from '../../go/yaml.ts'
import { JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/** Error for a string that `readObject` rejects. Callers replace the message with their own. */
export class StructureError extends Error {}

/**
 * Maximum number of alias expansions, including nested ones. Realistic documents need far fewer.
 */
const maxAliases = 100

/**
 * Parses an object from JSON or YAML in bounded time. For this purpose, the function rejects nested
 * aliases that multiply, deep nesting and long YAML.
 * @throws StructureError for any other string, and for values other than objects
 */
export function readObject(text: string): JsonObject {
  const value = asJson(text) ?? asYaml(text)
  if (isJsonObject(value)) return value
  throw new StructureError('not an object')
}

/**
 * Parses JSON, or the members of a JSON object without its braces. Such members are YAML, but may
 * be indented with tabs, which the YAML library rejects and Go's parser accepts.
 */
function asJson(text: string): Json | undefined {
  const first = text.trimStart().charAt(0)
  const wrappedText = first === '{' ? text : first === '"' ? `{${text}}` : undefined
  if (wrappedText === undefined) return undefined
  try {
    return parseJson(wrappedText)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function asYaml(text: string): Json {
  try {
    const document = parseYaml(text)
    if (document === undefined) throw new StructureError('too much')
    if (document.errors.length > 0) throw new StructureError('not YAML')
    return document.toJS({ maxAliasCount: maxAliases })
  } catch (error) {
    // The library throws errors of any class for late failures: too many aliases, merges of
    // non-mappings, a depth that exhausts the stack.
    throw new StructureError(error instanceof Error ? error.message : 'not YAML')
  }
}
