import type { FileContent } from '../../../state/scheduler/client/logs.ts'
import type { StreamUpdate } from '../../http/blocking/streaming-body.ts'

/** What part of a file is asked for. */
export interface Slice {
  /** Bytes from where the part begins; from the end: before it. */
  readonly offset: number
  readonly origin: 'start' | 'end'
  readonly follow: boolean
}

/** The most bytes of a frame. */
const frameSize = 65_536

/**
 * Looks at a file that may grow, each time for what has come since (behaviour/scheduler#files).
 *
 * @param file as frames call it; undefined for plain text
 * @param read the content now, and whether nobody will write to it any more
 */
export function sliceReader(
  { offset, origin, follow }: Slice,
  file: string | undefined,
  read: () => FileContent & { readonly ended: boolean },
): () => StreamUpdate {
  let at: number | undefined
  return () => {
    const { bytes, next, ended } = read()
    const from = at ?? (origin === 'end' ? bytes.length - offset : offset)
    const start = Math.max(0, from)
    at = Math.max(start, bytes.length)
    const added = bytes.subarray(start)
    const pieces = file === undefined ? plainPieces(added) : encodeFrames(added, start, file)
    return { pieces, ended: ended || !follow, next }
  }
}

function plainPieces(bytes: Buffer): readonly Buffer[] {
  return bytes.length === 0 ? [] : [bytes]
}

/** Frames: JSON objects one after another, each with the offset of its end. */
function encodeFrames(bytes: Buffer, start: number, File: string): readonly string[] {
  const frames: string[] = []
  for (let position = 0; position < bytes.length; position += frameSize) {
    const data = bytes.subarray(position, position + frameSize)
    const Offset = start + position + data.length
    frames.push(JSON.stringify({ Data: data.toString('base64'), File, Offset }))
  }
  return frames
}
