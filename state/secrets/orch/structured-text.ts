import { parseYaml } from '../../go/yaml.ts'
import { JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/** Error for a string that `readObject` rejects. Callers replace its message with their own. */
export class StructureError extends Error {}

/**
 * Maximum number of expanded YAML aliases, including nested aliases. Realistic documents have far
 * fewer.
 */
const maxAliases = 100

/**
 * Parses an object from JSON or YAML. To limit the parsing time, rejects YAML that is too long, is
 * nested too deeply or expands too many aliases.
 * @throws StructureError for any other string, and for values other than objects
 */
export function readObject(text: string): JsonObject {
  const value = asJson(text) ?? asYaml(text)
  if (isJsonObject(value)) return value
  throw new StructureError('not an object')
}

/**
 * Parses a JSON object, with or without its outer braces. Text without the braces is also YAML, but
 * Go's parser accepts tabs as indentation, which the YAML library rejects. Returns undefined for
 * other strings, including other JSON values.
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
    // While the library converts the document, it throws errors of various classes. The causes are
    // too many aliases, merges of values other than mappings, and a depth that overflows the stack.
    throw new StructureError(error instanceof Error ? error.message : 'not YAML')
  }
}
