import { gunzipSync } from 'node:zlib'
import { type Archive, readTar } from '../../kernel/archives/tar-reader.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { contentOf } from '../objects.ts'

/** Limit on bytes that are read. A larger archive counts as unreadable (behaviour/platform#log). */
const maxBytes = 8 * 1024 * 1024

/** Maximum overhead of gzip for incompressible data, in bytes. */
const overhead = 64 * 1024

/**
 * Reads the uploaded files of a configuration version (behaviour/platform#test-files). Returns
 * undefined if there are none, or if they are not a gzip-compressed tar archive within the limits.
 */
export function readArchive(world: World, version: string): Archive | undefined {
  const pieces = contentOf(world, version)
  const size = pieces.reduce((sum, chunk) => sum + Buffer.byteLength(chunk, 'base64'), 0)
  if (size === 0 || size > maxBytes + overhead) return undefined
  const bytes = gunzip(Buffer.concat(pieces.map((chunk) => Buffer.from(chunk, 'base64'))))
  return bytes && readTar(bytes)
}

function gunzip(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    return undefined
  }
}
