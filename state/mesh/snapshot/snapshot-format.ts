import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { quoteGo } from '../../go/text.ts'
import { packTar } from '../../kernel/archives/archive-writer.ts'
import { readTar } from '../../kernel/archives/tar-reader.ts'
import { refuse } from '../messages.ts'

/** Maximum size of an uncompressed archive, in bytes. */
const maxBytes = 32 * 1024 * 1024

/**
 * First bytes of the file `state.bin`: a MessagePack map whose member `LastIndex` is a 64-bit
 * number.
 */
const statePrefix = Buffer.concat([
  Buffer.from([0x81, 0xa9]),
  Buffer.from('LastIndex\xcf', 'latin1'),
])

/**
 * Type of the only record in `state.bin`. The record types of the product are all smaller numbers.
 */
const recordType = 228

/** MessagePack marker of a byte array whose length is a 32-bit number. */
const longBytesMarker = 0xc6

const indexSize = 8
const lengthSize = 4
const contentStart = statePrefix.length + indexSize + 2 + lengthSize

/** The server that creates an archive, with the index and the time of its state. */
interface SnapshotSource {
  readonly index: number
  /** Instant of the snapshot, in milliseconds since 1970. */
  readonly at: number
  readonly serverId: string
  readonly serverAddress: string
}

const digestOf = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex')

/**
 * Packs content into an uncompressed archive. Once the archive is compressed, the snapshot command
 * of the product accepts it.
 */
export function packSnapshot(source: SnapshotSource, content: Buffer): Buffer {
  const { index, at, serverId, serverAddress } = source
  const numbers = Buffer.alloc(indexSize + 2 + lengthSize)
  numbers.writeBigUInt64BE(BigInt(index))
  numbers.writeUInt8(recordType, indexSize)
  numbers.writeUInt8(longBytesMarker, indexSize + 1)
  numbers.writeUInt32BE(content.length, indexSize + 2)
  const state = Buffer.concat([statePrefix, numbers, content])
  // MessagePack list with one string of fewer than 32 bytes.
  const peers = Buffer.from(
    `\x91${String.fromCharCode(0xa0 + serverAddress.length)}${serverAddress}`,
    'latin1',
  )
  const meta = `${JSON.stringify({
    Version: 1,
    ID: `2-${index}-${at}`,
    Index: index,
    Term: 2,
    Peers: peers.toString('base64'),
    Configuration: { Servers: [{ Suffrage: 0, ID: serverId, Address: serverAddress }] },
    ConfigurationIndex: 1,
    Size: state.length,
  })}\n`
  const checksums = `${digestOf(meta)}  meta.json\n${digestOf(state)}  state.bin\n`
  return packTar({ 'meta.json': meta, 'state.bin': state, SHA256SUMS: checksums })
}

/**
 * Decompresses an archive and returns its content. Throws a refusal for bytes that are not an
 * archive, do not match their checksums, or were not written by this mock.
 */
export function unpackSnapshot(archive: Buffer): Buffer {
  const files = filesOf(decompress(archive))
  for (const name of files.keys()) {
    if (!expectedFiles.has(name)) {
      throw refuse('snapshot-unreadable', {
        problem: `unexpected file ${quoteGo(name)} in snapshot`,
      })
    }
  }
  const problem = checksumProblem(files)
  if (problem !== undefined) {
    throw refuse('snapshot-unreadable', {
      problem: `failed checking integrity of snapshot: ${problem}`,
    })
  }
  const state = files.get('state.bin') ?? Buffer.alloc(0)
  const isOwn =
    state.length >= contentStart &&
    state.subarray(0, statePrefix.length).equals(statePrefix) &&
    state[statePrefix.length + indexSize] === recordType &&
    state[statePrefix.length + indexSize + 1] === longBytesMarker &&
    state.readUInt32BE(contentStart - lengthSize) === state.length - contentStart
  if (!isOwn) throw refuse('snapshot-foreign')
  return state.subarray(contentStart)
}

const expectedFiles: ReadonlySet<string> = new Set(['meta.json', 'state.bin', 'SHA256SUMS'])

function decompress(archive: Buffer): Buffer {
  const problem =
    archive.length === 0
      ? 'EOF'
      : archive.length < 10
        ? 'unexpected EOF'
        : archive.readUInt16BE() === 0x1f8b
          ? undefined
          : 'gzip: invalid header'
  if (problem !== undefined) throw refuse('snapshot-not-compressed', { problem })
  try {
    return gunzipSync(archive, { maxOutputLength: maxBytes })
  } catch {
    throw refuse('snapshot-unreadable', { problem: 'failed reading snapshot: unexpected EOF' })
  }
}

function filesOf(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const files = bytes.length === 0 ? new Map<string, Buffer>() : readTar(bytes)?.files
  if (files !== undefined) return files
  const text = bytes.length < 512 ? 'unexpected EOF' : 'archive/tar: invalid tar header'
  throw refuse('snapshot-unreadable', { problem: `failed reading snapshot: ${text}` })
}

/**
 * Compares the files of an archive with its list of checksums. Returns a description of the first
 * problem; undefined if all files match.
 */
function checksumProblem(files: ReadonlyMap<string, Buffer>): string | undefined {
  const checksums = files.get('SHA256SUMS')?.toString('latin1') ?? ''
  const seen = new Set<string>()
  for (const line of checksums.split('\n')) {
    if (line === '') continue
    const [digest, name = ''] = line.split('  ')
    if (name !== 'meta.json' && name !== 'state.bin')
      return `list missing hash for ${quoteGo(name)}`
    if (digest !== digestOf(files.get(name) ?? '')) return `hash check failed for ${quoteGo(name)}`
    seen.add(name)
  }
  const missing = ['meta.json', 'state.bin'].find((name) => !seen.has(name))
  return missing === undefined ? undefined : `file missing for ${quoteGo(missing)}`
}
