import { JsonError, parseJson } from '../json/json.ts'
import { isJsonObject, type JsonObject } from '../kernel/json.ts'

/** Reads a part of a JWT: a JSON object as base64url. Undefined for what is none. */
export function jsonObjectIn(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString())
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
