import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  receiveUpload,
  requireUploadTarget,
} from '../../../state/platform/configuration-versions/configuration-version-machine.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { isModuleUpload, uploadModuleVersion } from '../../../state/platform/modules/versions.ts'
import { ContentWriter, contentOf, requireObject } from '../../../state/platform/objects.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { currentLog } from '../../../state/platform/test-runs/current-log.ts'
import { testRunWithId } from '../../../state/platform/test-runs/test-runs.ts'
import { worldOf } from '../../http/journal-hooks/request-head.ts'
import { leaveUnanswered } from '../../http/journal-hooks/request-recording.ts'
import { originalVerb } from '../../http/sockets/extra-verbs.ts'
import type { PlatformDialect } from '../dialect.ts'
import { queryOf } from '../json-api/pagination.ts'
import { objectPath } from './object-url.ts'

const blockSize = 512

/**
 * Check whether bytes that arrive in chunks form a gzip-compressed tar archive, for the option
 * `validateArchives` (behaviour/platform#configuration-versions). At most one block of the archive
 * is held in memory.
 */
class ArchiveCheck {
  readonly #gunzip = createGunzip()
  readonly #blocks = new TarBlocks()
  readonly #result: Promise<boolean>

  /**
   * Creates a check for one archive.
   *
   * @param maxBytes maximum size of the unpacked archive; a larger one is invalid
   */
  constructor(maxBytes: number) {
    let length = 0
    this.#result = new Promise((resolve) => {
      this.#gunzip.once('error', () => resolve(false))
      this.#gunzip.once('end', () => resolve(this.#blocks.isComplete))
      this.#gunzip.on('data', (bytes: Buffer) => {
        length += bytes.length
        if (length <= maxBytes && this.#blocks.read(bytes)) return
        resolve(false)
        this.#gunzip.destroy()
      })
    })
  }

  /** Adds bytes. The promise resolves when more can be added. */
  async add(bytes: Uint8Array): Promise<void> {
    if (this.#gunzip.destroyed || this.#gunzip.write(bytes)) return
    const drained = new Promise((resolve) => this.#gunzip.once('drain', resolve))
    await Promise.race([this.#result, drained])
  }

  /** Returns whether the bytes form a complete archive. */
  end(): Promise<boolean> {
    if (!this.#gunzip.destroyed) this.#gunzip.end()
    return this.#result
  }
}

/**
 * Scanner of the blocks of a tar archive. Headers must have valid checksums, and files their full
 * length.
 */
class TarBlocks {
  /** Incomplete header from the previous chunk. */
  #partialBlock = Buffer.alloc(0)
  /** Remaining bytes of the current file, including the padding of its last block. */
  #bytesToSkip = 0
  #hasStarted = false
  #hasEnded = false

  /** Whether the archive may end after the bytes read so far. */
  get isComplete(): boolean {
    return this.#hasStarted && this.#bytesToSkip === 0 && this.#partialBlock.length === 0
  }

  /**
   * Reads bytes. Returns false if they are not part of an archive. Anything may follow the end of
   * the archive.
   */
  read(bytes: Buffer): boolean {
    let rest = Buffer.concat([this.#partialBlock, bytes])
    this.#partialBlock = Buffer.alloc(0)
    while (rest.length > 0 && !this.#hasEnded) {
      if (this.#bytesToSkip === 0 && rest.length < blockSize) {
        this.#partialBlock = rest
        return true
      }
      if (this.#bytesToSkip === 0) {
        if (!this.#readHeader(rest.subarray(0, blockSize))) return false
        rest = rest.subarray(blockSize)
      }
      const skipped = Math.min(this.#bytesToSkip, rest.length)
      this.#bytesToSkip -= skipped
      rest = rest.subarray(skipped)
    }
    return true
  }

  #readHeader(block: Buffer): boolean {
    this.#hasStarted = true
    this.#hasEnded = block.every((byte) => byte === 0)
    if (this.#hasEnded) return true
    // The checksum counts its own field as spaces.
    const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
    const size = parseOctal(block, 124, 12)
    if (size === undefined || parseOctal(block, 148, 8) !== sum) return false
    this.#bytesToSkip = Math.ceil(size / blockSize) * blockSize
    return true
  }
}

/** Parses an octal number, or returns undefined if there is none. */
function parseOctal(block: Buffer, start: number, length: number): number | undefined {
  const text = block
    .toString('latin1', start, start + length)
    .replaceAll('\0', ' ')
    .trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

/** Gzip-compressed tar archive without files, as base64. Content of a version without an upload. */
const emptyArchive = 'H4sIAAAAAAAC/2NgGAWjYBSMVAAALq+17wAEAAA='

/**
 * Gzip-compressed tar archive with one empty file `main.tf`, as base64. Content of a module version
 * without an upload.
 */
const emptyModule =
  'H4sIAAAAAAACA8tNzMzTK0ljoCUwMDAwMDMxAdMGBgboNBa2uZGhEYOCAQMdQGlxSWIRgwFd7BoFo2AUjIJBBAAsVRVIAAYAAA=='

/**
 * Registers the object store, `/v1/object/<secret>`, which receives uploads and serves logs without
 * a token (behaviour/platform#authentication, behaviour/platform#log and
 * behaviour/platform#configuration-versions). Bodies are streamed, so the usual body limit does not
 * apply. All other paths below the prefix are 404.
 */
export function objectRoutes(app: FastifyInstance, dialect: PlatformDialect): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.all(objectPath, () => {
    throw refuse('not-found')
  })
  app.all<{ Params: { '*': string } }>(`${objectPath}/*`, (request, reply) => {
    const world = worldOf(request)
    const id = request.params['*'].replace(/\/$/, '')
    const verb = originalVerb(request.raw)
    return world.request(() => {
      if (verb === 'PUT') return upload(world, id, request, reply)
      // Clients that download a module first check that it exists.
      if (verb === 'HEAD')
        return sendModule(world, requireObject(world, id, ['module']).subject, reply)
      if (verb !== 'GET') throw refuse('not-found')
      const object = requireObject(world, id, ['log', 'download', 'module'])
      if (object.kind === 'module') return sendModule(world, object.subject, reply)
      if (object.kind === 'log') return sendLog(world, object.subject, request, reply, dialect)
      return sendContent(contentOf(world, object.subject), reply)
    }, request.record)
  })
}

/**
 * Receives the files of a configuration version (behaviour/platform#uploads) or of a module
 * version.
 */
function upload(world: World, id: string, request: FastifyRequest, reply: FastifyReply) {
  // The address is checked before the body is read, so that no client sends 512 MiB in vain, and
  // again after the upload.
  const object = isModuleUpload(world, id) ? undefined : requireObject(world, id, ['upload'])
  if (object !== undefined) requireUploadTarget(world, object)
  const { maxUploadBytes, validateArchives } = optionsOf(world)
  const announced = Number(request.headers['content-length'] ?? 0)
  // A limit of 0 refuses empty uploads as well.
  if (maxUploadBytes === 0 || announced > maxUploadBytes) throw refuse('upload-too-large')
  const contentWriter = new ContentWriter(maxUploadBytes)
  const check = validateArchives ? new ArchiveCheck(maxUploadBytes) : undefined
  const received = async () => {
    if (!(await readBody(request, contentWriter, check))) return undefined
    const pieces = contentWriter.end()
    const usable = pieces.length > 0 && (check === undefined || (await check.end()))
    return { pieces, usable }
  }
  return defer(received, (content) => {
    if (content === undefined) return leaveUnanswered(request, reply)
    if (object === undefined) uploadModuleVersion(world, id, content.pieces)
    else receiveUpload(world, object, content)
    return reply.code(200).send()
  })
}

/**
 * Passes a body to the writer and to the archive check in chunks as it arrives.
 *
 * @returns false if the client disconnected before the end
 */
async function readBody(
  { body }: FastifyRequest,
  contentWriter: ContentWriter,
  check: ArchiveCheck | undefined,
): Promise<boolean> {
  if (!(body instanceof Readable)) return true
  try {
    // Destroying the stream would close the connection before the response is sent.
    for await (const bytes of body.iterator({ destroyOnReturn: false })) {
      if (!contentWriter.add(bytes)) throw refuse('upload-too-large')
      await check?.add(bytes)
    }
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) return false
    // The rest of the body is read and discarded, so that the client receives the response.
    body.resume()
    throw error
  }
}

/** Sends a range of a run's current log, counted in bytes (behaviour/platform#log). */
function sendLog(
  world: World,
  runId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: PlatformDialect,
): FastifyReply {
  const run = requireFound(testRunWithId(world, runId))
  const query = queryOf(request.url)
  const log = Buffer.from(currentLog(world, run, dialect.name))
  const offset = byteParameter(query, 'offset') ?? 0
  const end = offset + (byteParameter(query, 'limit') ?? log.length)
  return reply.type('text/plain; charset=utf-8').send(log.subarray(offset, end))
}

/** Parses a number of bytes from the query. An invalid one counts as missing. */
function byteParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Sends the archive of a module version. */
function sendModule(world: World, version: string, reply: FastifyReply): FastifyReply {
  return sendContent(contentOf(world, version), reply, emptyModule)
}

/** Sends the uploaded files of a version, or a default if there was no upload. */
function sendContent(pieces: readonly string[], reply: FastifyReply, fallback = emptyArchive) {
  const content = pieces.length > 0 ? pieces : [fallback]
  const length = content.reduce((sum, piece) => sum + Buffer.byteLength(piece, 'base64'), 0)
  reply.type('application/octet-stream').header('content-length', length)
  if (reply.request.method === 'HEAD') return reply.send()
  return reply.send(Readable.from(decodePieces(content)))
}

/** Yields the pieces as bytes, one after the other, as fast as the client reads them. */
function* decodePieces(pieces: readonly string[]): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece, 'base64')
}
