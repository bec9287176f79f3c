import { JsonError, parseJson } from '../json/json.ts'
import type { Json } from '../json/value.ts'

/**
 * The first value of a text, as Go's decoder of streams reads it: what follows does not matter.
 *
 * @throws JsonError with that decoder's text
 */
export function parseFirstJson(body: string): Json {
  const end = endOfValue(body)
  try {
    return parseJson(end === undefined ? body : body.slice(0, end))
  } catch (error) {
    // The same fault has another text when it is the early end of a stream.
    throw error instanceof JsonError ? new JsonError(streamFault(error.message, body)) : error
  }
}

/**
 * A fault of a text as Go's decoder of streams tells it: an early end has names of its own there, `EOF`
 * before anything came, else `unexpected EOF`.
 *
 * @param message of the JsonError that the text gave
 */
export function streamFault(message: string, body: string): string {
  if (/^[ \t\r\n]*$/.test(body)) return 'EOF'
  // A fault at the very end is another one when something follows.
  return faultOf(`${body}\0`) === message ? message : 'unexpected EOF'
}

function faultOf(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}

/** A word or number at the start; it ends at whatever cannot be part of it. */
const wordOrNumber =
  /^[ \t\r\n]*(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE]))/

/** Where the first value ends, if it does. */
function endOfValue(body: string): number | undefined {
  const start = body.search(/\S/)
  if (body[start] === '"') {
    const end = endOfText(body, start)
    return end < 0 ? undefined : end + 1
  }
  if (body[start] !== '{' && body[start] !== '[') return wordOrNumber.exec(body)?.[0].length
  let depth = 0
  for (let at = start; at < body.length; at++) {
    const character = body[at]
    if (character === '"') {
      at = endOfText(body, at)
      if (at < 0) return undefined
    } else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function endOfText(body: string, start: number): number {
  for (let at = start + 1; at < body.length; at++) {
    if (body[at] === '"') return at
    if (body[at] === '\\') at += 1
  }
  return -1
}
