import type { Content } from '../../../state/scheduler/client/logs.ts'
import type { StreamUpdate } from '../../http/follow.ts'

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
export function slicesOf(
  { offset, origin, follow }: Slice,
  file: string | undefined,
  read: () => Content & { readonly ended: boolean },
): () => StreamUpdate {
  let at: number | undefined
  return () => {
    const { bytes, next, ended } = read()
    const from = at ?? (origin === 'end' ? bytes.length - offset : offset)
    const begin = Math.max(0, from)
    at = Math.max(begin, bytes.length)
    const fresh = bytes.subarray(begin)
    const pieces = file === undefined ? plain(fresh) : framed(fresh, begin, file)
    return { pieces, ended: ended || !follow, next }
  }
}

function plain(bytes: Buffer): readonly Buffer[] {
  return bytes.length === 0 ? [] : [bytes]
}

/** Frames: JSON objects one after another, each with the offset of its end. */
function framed(bytes: Buffer, begin: number, File: string): readonly string[] {
  const frames: string[] = []
  for (let start = 0; start < bytes.length; start += frameSize) {
    const data = bytes.subarray(start, start + frameSize)
    const Offset = begin + start + data.length
    frames.push(JSON.stringify({ Data: data.toString('base64'), File, Offset }))
  }
  return frames
}
