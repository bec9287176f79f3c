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
export class KeptJson extends JsonText {
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
