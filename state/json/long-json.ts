import { setMember } from '../kernel/json.ts'
import { type InParts, runParts } from '../kernel/parts.ts'

/** Maximum number of bytes that are parsed at once: half the maximum length of a string. */
const maxTextLength = 256 * 1024 * 1024

/** Number of bytes that are read or parsed between two pauses. */
const bytesPerPart = 256 * 1024

/** A parsed JSON value, together with the bytes from which it was parsed. */
export class ParsedJson {
  readonly bytes: Buffer
  readonly value: unknown

  constructor(bytes: Buffer, value: unknown) {
    this.bytes = bytes
    this.value = value
  }
}

/**
 * Parses JSON that may exceed the maximum length of a string. An object or array that is longer
 * than `maxLength` is parsed in parts.
 *
 * @param maxLength maximum number of bytes that are parsed at once
 * @throws {SyntaxError} if the input is not JSON
 */
export function parseLongJson(bytes: Buffer, maxLength = maxTextLength): unknown {
  return runParts(parseJsonInParts(bytes, maxLength))
}

/**
 * Parses JSON in parts of a fixed size, with pauses. For text that is not JSON, returns the text,
 * so that the caller's parser throws the usual message for it. The text is then a string, or bytes
 * if it is longer than `maxTextLength`.
 */
export function* readLongJson(bytes: Buffer): InParts<ParsedJson | Buffer | string> {
  try {
    return new ParsedJson(bytes, yield* parseJsonInParts(bytes))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return bytes.length > maxTextLength ? bytes : bytes.toString()
  }
}

/**
 * Parses JSON as `parseLongJson` does, with pauses.
 *
 * @throws {SyntaxError} if the input is not JSON
 */
export function* parseJsonInParts(
  bytes: Buffer,
  maxLength: number = bytesPerPart,
): InParts<unknown> {
  const text = trim(bytes)
  if (text.length <= maxLength) return JSON.parse(text.toString())
  const brackets = String.fromCharCode(text[0] ?? 0, text.at(-1) ?? 0)
  // A scalar has no parts, so it is parsed as a whole, regardless of its length.
  if (brackets !== '{}' && brackets !== '[]') return JSON.parse(text.toString())
  const root = yield* findLongContainers(text, maxLength)
  if (root?.end !== text.length - 1) throw new SyntaxError('the text does not end')
  return yield* parseContainer(text, root, maxLength)
}

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  ...'"\\,{}[]',
].map((each) => each.charCodeAt(0))

/** An object or array that is too long to be parsed at once. Positions are those of bytes. */
interface LongContainer {
  /** Position of the opening bracket. */
  readonly start: number
  /** Position of the closing bracket. */
  end: number
  /** Positions of the commas between the members or items. */
  readonly commas: number[]
  /** Long values of members, or long items, in order. */
  readonly longChildren: LongContainer[]
}

/**
 * Maximum depth at which objects and arrays are parsed in parts; deeper objects and arrays are
 * parsed as a whole.
 */
const maxDepth = 8

/**
 * Returns the first long object or array of a text, with all long objects and arrays inside it;
 * undefined if the text contains none. Pauses between parts. Throws a `SyntaxError` for a bracket
 * or string without its counterpart.
 */
function* findLongContainers(text: Buffer, maxLength: number): InParts<LongContainer | undefined> {
  const found: LongContainer[] = []
  const open: LongContainer[] = []
  let depth = 0
  let pauseAt = bytesPerPart
  for (let at = 0; at < text.length; at += 1) {
    const code = text[at]
    if (code === quote) at = endOfString(text, at) - 1
    else if (code === openBrace || code === openBracket) {
      if (depth < maxDepth) open.push({ start: at, end: at, commas: [], longChildren: [] })
      depth += 1
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1
      const closed = depth < maxDepth ? open.pop() : undefined
      if (closed !== undefined) {
        closed.end = at
        const siblings = open.at(-1)?.longChildren ?? found
        if (at - closed.start >= maxLength) siblings.push(closed)
      }
      if (depth < 0) throw new SyntaxError('a bracket is not open')
    } else if (code === comma && depth <= maxDepth) open.at(-1)?.commas.push(at)
    if (at >= pauseAt) {
      pauseAt = at + bytesPerPart
      yield
    }
  }
  return found[0]
}

/**
 * Parses a long object or array in parts, with pauses. Throws a `SyntaxError` if it is not JSON.
 */
function* parseContainer(
  text: Buffer,
  { start, end, commas, longChildren }: LongContainer,
  maxLength: number,
): InParts<unknown> {
  const isObject = text[start] === openBrace
  if (text[end] !== (isObject ? closeBrace : closeBracket)) throw new SyntaxError('a wrong bracket')
  const object: Record<string, unknown> = {}
  const list: unknown[] = []
  const addParsed = (source: string, value?: { readonly parsed: unknown }) => {
    const parsed: object = JSON.parse(isObject ? `{${source}}` : `[${source}]`)
    for (const [name, member] of Object.entries(parsed)) {
      const result = value === undefined ? member : value.parsed
      if (isObject) setMember(object, name, result)
      else list.push(result)
    }
  }
  let nextChild = 0
  let [from, partStart] = [start + 1, start + 1]
  const flush = (to: number) => {
    if (to > partStart) addParsed(text.toString('utf8', partStart, to - 1))
  }
  for (const to of [...commas, end]) {
    const isBlank = firstNonSpace(text, from, to) === to
    if (isBlank && commas.length > 0) throw new SyntaxError('a value is missing')
    const child = longChildren[nextChild]
    if (child !== undefined && child.start < to) {
      flush(from)
      if (firstNonSpace(text, child.end + 1, to) < to) throw new SyntaxError('a comma is missing')
      const parsed = yield* parseContainer(text, child, maxLength)
      // With null in place of the long value, the native parser can check the text before that
      // value.
      addParsed(`${text.toString('utf8', from, child.start)}null`, { parsed })
      nextChild += 1
      partStart = to + 1
    } else if (to - partStart > maxLength) {
      flush(from)
      partStart = from
      yield
    }
    from = to + 1
  }
  flush(end + 1)
  return isObject ? object : list
}

/**
 * Length in bytes up to which strings are read byte by byte, because a native search is slow to
 * start.
 */
const shortStringLength = 64

/**
 * Returns the position after the end of the string that begins at `start`. Throws a SyntaxError if
 * the string does not end.
 */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < start + shortStringLength; at += 1) {
    const code = bytes[at]
    if (code === quote) return at + 1
    if (code === backslash) break
  }
  for (let at = start; ; ) {
    at = bytes.indexOf('"', at + 1)
    if (at < 0) throw new SyntaxError('a text does not end')
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
}

function trim(bytes: Buffer): Buffer {
  const start = firstNonSpace(bytes, 0, bytes.length)
  let end = bytes.length
  while (end > start && isSpace(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

/**
 * Returns the position of the first byte of a range that is not white space, or the end of the
 * range.
 */
function firstNonSpace(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(bytes[at])) at += 1
  return at
}

function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
