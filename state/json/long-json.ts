import { setMember } from '../../state/kernel/json.ts'

/** Maximum number of bytes that are parsed together: half the maximum length of a string. */
export const maxTextLength = 256 * 1024 * 1024

const [quote, backslash, comma] = [...'"\\,'].map((each) => each.charCodeAt(0))
const opening = new Set([...'{['].map((each) => each.charCodeAt(0)))
const closing = new Set([...'}]'].map((each) => each.charCodeAt(0)))

/** A range of bytes; `end` is exclusive. */
type Span = readonly [start: number, end: number]

/**
 * Parses JSON that may exceed the maximum length of a string. Longer input is parsed in parts of an
 * object or array.
 * @param maxLength maximum number of bytes that are parsed together
 * @throws {SyntaxError} if the input is not JSON
 */
export function parseLongJson(bytes: Buffer, maxLength = maxTextLength): unknown {
  const text = trim(bytes)
  if (text.length <= maxLength) return JSON.parse(text.toString())
  const brackets = String.fromCharCode(text[0] ?? 0, text.at(-1) ?? 0)
  // A scalar has no parts, so it is parsed as a whole, regardless of its length.
  if (brackets !== '{}' && brackets !== '[]') return JSON.parse(text.toString())
  const parts = partsOf(text.subarray(1, -1), maxLength)
  if (brackets === '[]') {
    return parts.flatMap((part) =>
      part.length <= maxLength ? JSON.parse(`[${part}]`) : [parseLongJson(part, maxLength)],
    )
  }
  const object: Record<string, unknown> = {}
  for (const part of parts) {
    const members = part.length <= maxLength ? JSON.parse(`{${part}}`) : longMember(part, maxLength)
    for (const [name, value] of Object.entries(members)) setMember(object, name, value)
  }
  return object
}

/** Parses a single member that is too long. Returns an object with this member. */
function longMember(part: Buffer, maxLength: number): object {
  const text = trim(part)
  const end = text[0] === quote ? endOfString(text, 0) : 0
  const at = text.indexOf(':', end)
  if (end === 0 || at < 0 || trim(text.subarray(end, at)).length > 0) {
    throw new SyntaxError('a member has no name')
  }
  const name: string = JSON.parse(text.toString('utf8', 0, end))
  const member: Record<string, unknown> = {}
  setMember(member, name, parseLongJson(text.subarray(at + 1), maxLength))
  return member
}

/**
 * Splits the content of an object or array at its commas. The parts have at most the given length
 * if the members permit it.
 */
function partsOf(inner: Buffer, maxLength: number): readonly Buffer[] {
  const parts: Buffer[] = []
  if (trim(inner).length === 0) return parts
  let [start, end] = [0, 0]
  const flush = () => {
    if (end > start) parts.push(inner.subarray(start, end))
  }
  for (const [from, to] of memberSpans(inner)) {
    if (trim(inner.subarray(from, to)).length === 0) throw new SyntaxError('a value is missing')
    if (to - start > maxLength) {
      flush()
      start = from
    }
    end = to
  }
  flush()
  return parts
}

/** Yields the ranges of an object's members or an array's items. */
function* memberSpans(inner: Buffer): Generator<Span> {
  let [start, depth] = [0, 0]
  for (let at = 0; at < inner.length; at += 1) {
    const code = inner[at] ?? 0
    if (code === quote) at = endOfString(inner, at) - 1
    else if (opening.has(code)) depth += 1
    else if (closing.has(code)) depth -= 1
    else if (code === comma && depth === 0) {
      yield [start, at]
      start = at + 1
    }
  }
  yield [start, inner.length]
}

/** Returns the position after the end of the string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    at = bytes.indexOf('"', at + 1)
    if (at < 0) throw new SyntaxError('a text does not end')
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
}

function trim(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start])) start += 1
  while (end > start && isSpace(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
