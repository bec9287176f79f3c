import { quoteGo } from '../../../state/go/text.ts'
import { formatGoValue } from '../../../state/json/go-value.ts'
import { JsonError, parseJson } from '../../../state/json/json.ts'
import { isJsonObject, type Json, JsonNumber, setMember } from '../../../state/kernel/json.ts'
import { parseMap, WeakTypeError, weakList } from './weak-types.ts'

/** Header values by canonical name (`Content-Type`). */
export type Headers = { [name: string]: string[] }

/**
 * Headers from an object of texts and lists of texts, from such an object as JSON text or as base64
 * of it, or from a list of `name:value` (behaviour/secrets#cloud-login).
 */
export function weakHeaders(value: Json): Headers {
  const map = parseMap(value) ?? (typeof value === 'string' ? decodeMap(value) : undefined)
  const headers: Headers = {}
  if (map) {
    for (const [name, values] of Object.entries(map)) {
      for (const text of headerValues(name, values)) addHeader(headers, name, text)
    }
    return headers
  }
  for (const pair of weakList(value)) {
    const text = typeof pair === 'string' ? pair : ''
    const colon = text.indexOf(':')
    if (colon < 1) throw new WeakTypeError(`invalid key pair ${quoteGo(text)}`)
    addHeader(headers, text.slice(0, colon), text.slice(colon + 1))
  }
  return headers
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function decodeMap(text: string): { [name: string]: Json } {
  if (text === '') throw new WeakTypeError("'data' being decoded is nil")
  const json = base64.test(text) ? Buffer.from(text, 'base64').toString() : text
  try {
    const value = parseJson(json)
    if (value === null) return {}
    if (isJsonObject(value)) return value
    throw new WeakTypeError(
      `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  } catch (error) {
    if (error instanceof JsonError) throw new WeakTypeError(error.message)
    throw error
  }
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'bool' : 'number'
}

function headerValues(name: string, values: Json): string[] {
  if (!Array.isArray(values)) {
    const text = headerText(values)
    if (text !== undefined) return [text]
    throw new WeakTypeError(`unrecognized type for ${formatAsText(values)}`)
  }
  return values.map((value) => {
    const text = headerText(value)
    if (text !== undefined) return text
    const shown = formatGoValue(values)
    throw new WeakTypeError(`received non-string value for header key:${name}, val:${shown}`)
  })
}

function headerText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return String(value)
  return undefined
}

/** Go's `%s`, which marks what is no text. */
function formatAsText(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  return typeof value === 'boolean' ? `%!s(bool=${value})` : formatGoValue(value)
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function addHeader(headers: Headers, name: string, value: string): void {
  const canonical = token.test(name)
    ? name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
    : name
  const known = Object.hasOwn(headers, canonical) ? headers[canonical] : undefined
  if (known) known.push(value)
  else setMember(headers, canonical, [value])
}
