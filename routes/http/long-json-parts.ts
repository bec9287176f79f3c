import { setMember } from '../../state/kernel/json.ts'

/** Bytes that are parsed at once: half of what a text can hold. */
export const longestText = 256 * 1024 * 1024

const [quote, backslash, comma] = [...'"\\,'].map((each) => each.charCodeAt(0))
const opening = new Set([...'{['].map((each) => each.charCodeAt(0)))
const closing = new Set([...'}]'].map((each) => each.charCodeAt(0)))

/** A part of bytes; the end does not belong to it. */
type Span = readonly [start: number, end: number]

/**
 * Parses JSON that may be longer than any text can be: what is too long is parsed in parts of an
 * object or array.
 *
 * @param longest bytes that are parsed at once
 * @throws {SyntaxError} for what is not JSON
 */
export function parseLongJson(bytes: Buffer, longest = longestText): unknown {
  const text = trimmed(bytes)
  if (text.length <= longest) return JSON.parse(text.toString())
  const ends = String.fromCharCode(text[0] ?? 0, text.at(-1) ?? 0)
  // What has no parts is what it is, also if that is too long.
  if (ends !== '{}' && ends !== '[]') return JSON.parse(text.toString())
  const parts = partsOf(text.subarray(1, -1), longest)
  if (ends === '[]') {
    return parts.flatMap((part) =>
      part.length <= longest ? JSON.parse(`[${part}]`) : [parseLongJson(part, longest)],
    )
  }
  const whole: Record<string, unknown> = {}
  for (const part of parts) {
    const members = part.length <= longest ? JSON.parse(`{${part}}`) : longMember(part, longest)
    for (const [name, value] of Object.entries(members)) setMember(whole, name, value)
  }
  return whole
}

/** A member that is too long by itself, as an object of its own. */
function longMember(part: Buffer, longest: number): object {
  const text = trimmed(part)
  const end = text[0] === quote ? endOfText(text, 0) : 0
  const at = text.indexOf(':', end)
  if (end === 0 || at < 0 || trimmed(text.subarray(end, at)).length > 0) {
    throw new SyntaxError('a member has no name')
  }
  const name: string = JSON.parse(text.toString('utf8', 0, end))
  const member: Record<string, unknown> = {}
  setMember(member, name, parseLongJson(text.subarray(at + 1), longest))
  return member
}

/** What stands between the outer commas, as much as can be parsed at once in one part. */
function partsOf(inner: Buffer, longest: number): readonly Buffer[] {
  const parts: Buffer[] = []
  let [start, end] = [0, 0]
  const close = () => {
    if (end > start) parts.push(inner.subarray(start, end))
  }
  for (const [from, to] of membersIn(inner)) {
    if (trimmed(inner.subarray(from, to)).length === 0) throw new SyntaxError('a value is missing')
    if (to - start > longest) {
      close()
      start = from
    }
    end = to
  }
  close()
  return parts
}

/** Where the members of an object or the items of an array stand. */
function* membersIn(inner: Buffer): Generator<Span> {
  let [start, depth] = [0, 0]
  for (let at = 0; at < inner.length; at += 1) {
    const code = inner[at] ?? 0
    if (code === quote) at = endOfText(inner, at) - 1
    else if (opening.has(code)) depth += 1
    else if (closing.has(code)) depth -= 1
    else if (code === comma && depth === 0) {
      yield [start, at]
      start = at + 1
    }
  }
  yield [start, inner.length]
}

/** The place after a text that begins here. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    at = bytes.indexOf('"', at + 1)
    if (at < 0) throw new SyntaxError('a text does not end')
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at + 1
  }
}

function trimmed(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start])) start += 1
  while (end > start && isSpace(bytes[end - 1])) end -= 1
  return bytes.subarray(start, end)
}

function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
