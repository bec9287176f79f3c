import { gunzipSync } from 'node:zlib'
import { type Archive, readTar } from '../../kernel/archives/tar-reader.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { contentOf } from '../objects.ts'

/** Maximum uncompressed size in bytes. Larger archives are treated as unreadable. */
const maxBytes = 8 * 1024 * 1024

/** Maximum number of bytes that gzip adds to incompressible data. */
const gzipOverhead = 64 * 1024

/**
 * Returns the uploaded files of a configuration version or a module version
 * (behaviour/platform#test-files). Returns undefined if nothing was uploaded, or if the upload is
 * not a gzip-compressed tar archive within the size limit.
 */
export function readArchive(world: World, version: string): Archive | undefined {
  const pieces = contentOf(world, version)
  const size = pieces.reduce((sum, chunk) => sum + Buffer.byteLength(chunk, 'base64'), 0)
  if (size === 0 || size > maxBytes + gzipOverhead) return undefined
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
