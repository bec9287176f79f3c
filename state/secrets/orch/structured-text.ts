import { parseYaml } from '../../go/yaml.ts'
import { JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'

/** Text that cannot be taken, for any reason: callers have one message for all of them. */
export class StructureError extends Error {}

/**
 * The number of times that an alias may be used, counting what it repeats: beyond lies no honest
 * document.
 */
const maxAliases = 100

/**
 * Reads an object from JSON or YAML, with bounded work whatever the text: aliases that multiply,
 * deep nesting and long YAML are refused (issue 4, Bad input).
 *
 * @throws StructureError for text that is neither, or no object.
 */
export function readObject(text: string): JsonObject {
  const value = asJson(text) ?? asYaml(text)
  if (isJsonObject(value)) return value
  throw new StructureError('not an object')
}

/**
 * JSON, also without the braces around its members: such text is YAML, but tabs may indent it, which
 * the YAML parser does not take as Go's does.
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
    // The library throws errors of any class for what it finds late: too many aliases, merges of what
    // is no mapping, a depth that the stack does not hold.
    throw new StructureError(error instanceof Error ? error.message : 'not YAML')
  }
}
