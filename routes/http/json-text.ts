import type { FastifyReply } from 'fastify'

/**
 * JSON that is written already. What a row looks like is worked out once, and replies join the texts
 * of their rows.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** JSON that is sent again and again: its bytes are worked out once, too. */
export class CachedJson extends JsonText {
  #bytes: Buffer | undefined

  /** The text in UTF-8. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}

/** A list of values that are JSON texts. */
export function jsonList(items: readonly string[]): JsonText {
  return new JsonText(`[${items.join(',')}]`)
}

const asIs = (text: string): string => text

/** Sends JSON that is written; with a serializer of its own Fastify leaves the content type as it is. */
export function sendJson(
  reply: FastifyReply,
  text: string,
  mediaType = 'application/json',
): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asIs).send(text)
}

/** Strings, marks, and runs of anything else: what JSON is made of. */
const jsonPart = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/**
 * The same JSON in lines, by four spaces a level, as Go indents it. Numbers stay as they are written,
 * also those that no number of ours is exact for.
 */
export function indentJson(json: string): string {
  const parts = json.match(jsonPart) ?? []
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
