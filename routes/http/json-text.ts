import type { FastifyReply } from 'fastify'
import { endOfString } from '../../state/json/json.ts'

/**
 * JSON that is already serialized. The JSON of a row is produced once, and replies join the JSON of
 * their rows.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** JSON that is sent repeatedly, so that its bytes are also cached. */
export class CachedJson extends JsonText {
  #bytes: Buffer | undefined

  /** Text encoded as UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}

/** Returns a JSON array of items that are JSON texts. */
export function jsonList(items: readonly string[]): JsonText {
  return new JsonText(`[${items.join(',')}]`)
}

const asIs = (text: string): string => text

/**
 * Sends JSON that is already serialized. The custom serializer keeps Fastify from changing the
 * content type.
 */
export function sendJson(
  reply: FastifyReply,
  text: string,
  mediaType = 'application/json',
): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asIs).send(text)
}

/**
 * Pattern of the punctuation of JSON, of the start of a string, and of a run of other characters.
 */
const jsonPart = /["{}[\],:]|[^\s"{}[\],:]+/g

/** Returns the tokens of JSON: strings, punctuation, numbers and words. */
function jsonPartsOf(json: string): readonly string[] {
  const parts: string[] = []
  jsonPart.lastIndex = 0
  for (let match = jsonPart.exec(json); match !== null; match = jsonPart.exec(json)) {
    const [part] = match
    if (part === '"') {
      jsonPart.lastIndex = endOfString(json, match.index) + 1
      parts.push(json.slice(match.index, jsonPart.lastIndex))
    } else parts.push(part)
  }
  return parts
}

/**
 * Indents JSON by four spaces per level, as Go does. Numbers keep their spelling, even those that a
 * double cannot represent.
 */
export function indentJson(json: string): string {
  const parts = jsonPartsOf(json)
  let text = ''
  let depth = 0
  const newline = () => `\n${' '.repeat(4 * depth)}`
  for (const [at, part] of parts.entries()) {
    const isOpening = part === '{' || part === '['
    const isClosing = part === '}' || part === ']'
    const before = parts[at - 1]
    if (isClosing) {
      depth--
      text += before === '{' || before === '[' ? part : newline() + part
      continue
    }
    if (before === '{' || before === '[' || before === ',') text += newline()
    text += part === ':' ? ': ' : part
    if (isOpening) depth++
  }
  return text
}
