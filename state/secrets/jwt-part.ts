import { JsonError, parseJson } from '../json/json.ts'
import { isJsonObject, type JsonObject } from '../kernel/json.ts'

/** Decodes a part of a JWT: a JSON object in base64url. Returns undefined for other strings. */
export function jsonObjectIn(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString())
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
