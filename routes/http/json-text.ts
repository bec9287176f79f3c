import type { FastifyReply } from 'fastify'
import { endOfString } from '../../state/json/json.ts'
import type { InParts } from '../../state/kernel/parts.ts'

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

/** JSON that is sent repeatedly. The bytes of long JSON are cached as well. */
export class CachedJson extends JsonText {
  #bytes: Buffer | undefined

  /** Text in UTF-8, encoded at the first access. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}

/**
 * Long JSON that is rendered in parts, after the transaction of its request. The rendered values
 * must be immutable, as rows are.
 */
export class JsonInParts {
  readonly render: () => InParts<string>

  constructor(render: () => InParts<string>) {
    this.render = render
  }
}

/** Maximum number of items of a list that is rendered without pauses. */
export const longListLength = 50

/**
 * Returns a JSON array of items. The array is rendered in parts if the list or an item is long.
 *
 * @param jsonOf renders an item; called again for the items up to the first long item
 */
export function jsonListOf<T>(
  items: readonly T[],
  jsonOf: (item: T) => string | JsonInParts,
): JsonText | JsonInParts {
  const inParts = new JsonInParts(() => renderList(items, jsonOf))
  if (items.length > longListLength) return inParts
  const texts: string[] = []
  for (const item of items) {
    const json = jsonOf(item)
    if (json instanceof JsonInParts) return inParts
    texts.push(json)
  }
  return jsonList(texts)
}

function* renderList<T>(
  items: readonly T[],
  jsonOf: (item: T) => string | JsonInParts,
): InParts<string> {
  const texts: string[] = []
  for (const item of items) {
    const json = jsonOf(item)
    texts.push(json instanceof JsonInParts ? yield* json.render() : json)
    yield
  }
  return jsonList(texts).text
}

/** Joins JSON texts into a JSON array. */
export function jsonList(items: readonly string[]): JsonText {
  return new JsonText(`[${items.join(',')}]`)
}

/**
 * Maximum number of characters of a reply that is sent as a string instead of bytes. Node writes a
 * string in one call together with the head of the reply; bytes need a costlier call with two
 * buffers. Longer strings exceed the buffer in which Node encodes strings without an allocation.
 */
const maxTextLength = 5_000

const asIs = (text: string): string => text

/**
 * Sends JSON that is already serialized. The custom serializer keeps Fastify from changing the
 * content type.
 */
export function sendJson(
  reply: FastifyReply,
  json: string | Buffer,
  mediaType = 'application/json',
): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asIs).send(json)
}

/** Sends JSON that is already serialized and will be sent again: as text or, if long, as bytes. */
export function sendCachedJson(
  reply: FastifyReply,
  body: CachedJson,
  mediaType = 'application/json',
): FastifyReply {
  return sendJson(reply, body.text.length <= maxTextLength ? body.text : body.bytes, mediaType)
}

/**
 * Returns a short text of a reply unchanged. Returns a long text as bytes, encoded between two
 * pauses.
 */
export function* encodeText(text: string): InParts<string | Buffer> {
  if (text.length <= maxTextLength) return text
  yield
  const bytes = Buffer.from(text)
  yield
  return bytes
}

/**
 * Pattern of one token of JSON: a punctuation character, the quote that begins a string, or a run
 * of other characters.
 */
const jsonToken = /["{}[\],:]|[^\s"{}[\],:]+/g

/** Yields the tokens of JSON: strings, punctuation, numbers and words. */
function* jsonTokensOf(json: string): Generator<string, void, undefined> {
  // A pattern keeps the position of its last match. Other generators run while this one pauses, so
  // each generator needs its own copy.
  const pattern = new RegExp(jsonToken)
  for (let match = pattern.exec(json); match !== null; match = pattern.exec(json)) {
    const [token] = match
    if (token === '"') {
      pattern.lastIndex = endOfString(json, match.index) + 1
      yield json.slice(match.index, pattern.lastIndex)
    } else yield token
  }
}

/** Number of tokens that are indented between two pauses. */
const tokensPerPart = 2_000

/**
 * Indents JSON by four spaces per level, as Go does. Numbers keep their spelling, even those that a
 * double cannot represent. Long JSON is indented in parts.
 */
export function* indentJson(json: string): InParts<string> {
  const indented: string[] = []
  let texts: string[] = []
  let depth = 0
  let previousToken = ''
  const newline = () => `\n${' '.repeat(4 * depth)}`
  for (const token of jsonTokensOf(json)) {
    const isAfterOpening = previousToken === '{' || previousToken === '['
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth--
    if (isClosing ? !isAfterOpening : isAfterOpening || previousToken === ',') texts.push(newline())
    texts.push(token === ':' ? ': ' : token)
    if (token === '{' || token === '[') depth++
    previousToken = token
    if (texts.length < tokensPerPart) continue
    indented.push(texts.join(''))
    texts = []
    yield
  }
  return indented.join('') + texts.join('')
}
