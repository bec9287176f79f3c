import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import type { FileContent } from '../../../state/scheduler/client/files.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import type { StreamUpdate } from '../../http/blocking/streaming-body.ts'
import type { Query } from '../../http/query.ts'
import { intError } from '../query.ts'

interface Slice {
  /**
   * Offset in bytes of the first byte to read, counted from the start of the file or backwards from
   * its end.
   */
  readonly offset: number
  readonly origin: 'start' | 'end'
  readonly follow: boolean
}

/** Maximum size of a frame in bytes. */
const frameSize = 65_536

/**
 * Returns a function that reads a file that may grow. The first call returns the content from the
 * offset; each later call returns the content that was added since the previous call
 * (behaviour/scheduler#files).
 *
 * @param file name of the file in frames; undefined for plain text
 * @param read returns the current content and whether it is final
 */
export function sliceReader(
  { offset, origin, follow }: Slice,
  file: string | undefined,
  read: () => FileContent & { readonly ended: boolean },
): () => StreamUpdate {
  let at: number | undefined
  return () => {
    const { bytes, growsAt, ended } = read()
    const from = at ?? (origin === 'end' ? bytes.length - offset : offset)
    const start = Math.max(0, from)
    at = Math.max(start, bytes.length)
    const added = bytes.subarray(start)
    const pieces = file === undefined ? plainPieces(added) : encodeFrames(added, start, file)
    return { pieces, ended: ended || !follow, next: growsAt }
  }
}

function plainPieces(bytes: Buffer): readonly Buffer[] {
  return bytes.length === 0 ? [] : [bytes]
}

/**
 * Encodes bytes as frames, which are concatenated JSON objects. Each frame contains the offset of
 * its end.
 */
function encodeFrames(bytes: Buffer, start: number, File: string): readonly string[] {
  const frames: string[] = []
  for (let position = 0; position < bytes.length; position += frameSize) {
    const data = bytes.subarray(position, position + frameSize)
    const Offset = start + position + data.length
    frames.push(JSON.stringify({ Data: data.toString('base64'), File, Offset }))
  }
  return frames
}

/**
 * Parses a query parameter as a number of bytes; undefined if the parameter is missing. Throws a
 * refusal (400) for a malformed number.
 */
export function bytesParameter(query: Query, name: string): number | undefined {
  const text = query.value(name)
  return text === undefined ? undefined : bytesOf(name, text)
}

/**
 * Parses a required query parameter as a number of bytes. Throws a refusal (400) if the parameter
 * is missing or malformed.
 */
export function requiredBytesParameter(query: Query, name: string): number {
  return bytesOf(name, query.value(name) ?? '')
}

function bytesOf(name: string, text: string): number {
  const why = intError(text)
  if (why === undefined) return Number(text)
  const parseError = `strconv.ParseInt: parsing ${quoteGo(text)}: ${why}`
  throw refuse('parameter-unreadable', { name, why: parseError })
}

/**
 * Parses a boolean query parameter; undefined if the parameter is missing. Throws a refusal (400)
 * for a malformed value.
 */
export function clientBoolParameter(query: Query, name: string): boolean | undefined {
  const text = query.value(name)
  if (text === undefined) return undefined
  const value = parseGoBoolean(text)
  if (value !== undefined) return value
  const why = `strconv.ParseBool: parsing ${quoteGo(text)}: invalid syntax`
  throw refuse('truth-unreadable', { name, why })
}

/**
 * Returns whether offsets are counted from the start of the file (the default) or from its end.
 * Throws a refusal (400) for an unknown value.
 */
export function originParameter(query: Query): Slice['origin'] {
  const origin = query.value('origin') ?? 'start'
  if (origin === 'start' || origin === 'end') return origin
  throw refuse('origin-invalid')
}
