import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  receiveUpload,
  requireUploadTarget,
} from '../../../state/platform/configuration-versions/configuration-version-machine.ts'
import { refuse } from '../../../state/platform/messages.ts'
import { isModuleUpload, uploadModuleVersion } from '../../../state/platform/modules/versions.ts'
import { ContentWriter, contentOf, requireObject } from '../../../state/platform/objects.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { currentLog } from '../../../state/platform/test-runs/current-log.ts'
import { testRunWithId } from '../../../state/platform/test-runs/test-runs.ts'
import { worldOf } from '../../http/journal-hooks/request-head.ts'
import { leaveUnanswered } from '../../http/journal-hooks/request-recording.ts'
import { originalVerb } from '../../http/sockets/extra-verbs.ts'
import type { PlatformDialect } from '../dialect.ts'
import { queryOf } from '../json-api/query.ts'
import { ArchiveCheck } from './archive-check.ts'
import { objectPath } from './object-url.ts'

/** A gzip of a tar archive without files: what a version holds that nobody uploaded to. */
const emptyArchive = 'H4sIAAAAAAAC/2NgGAWjYBSMVAAALq+17wAEAAA='

/** The same with one empty file `main.tf`: the archive of a module's version without one. */
const emptyModule =
  'H4sIAAAAAAACA8tNzMzTK0ljoCUwMDAwMDMxAdMGBgboNBa2uZGhEYOCAQMdQGlxSWIRgwFd7BoFo2AUjIJBBAAsVRVIAAYAAA=='

/**
 * Where uploads go and logs are read: `/v1/object/<secret>`, without a token (behaviour/platform#authentication, behaviour/platform#log and behaviour/platform#configuration-versions).
 * Bodies are taken as they stream in, so the limit of other bodies does
 * not hold here. Whatever else is asked for below that path is not found.
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
      // Who downloads a module looks first whether it is there.
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

/** Takes the files of a configuration version (behaviour/platform#uploads) or of a module version. */
function upload(
  world: World,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Deferred<FastifyReply> {
  // Looked at first, so that nobody sends 512 MiB in vain, and again when all have come.
  const object = isModuleUpload(world, id) ? undefined : requireObject(world, id, ['upload'])
  if (object !== undefined) requireUploadTarget(world, object)
  const { maxUploadBytes, validateArchives } = optionsOf(world)
  if (Number(request.headers['content-length'] ?? 0) > maxUploadBytes)
    throw refuse('upload-too-large')
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
 * Hands a body on as it streams in.
 *
 * @returns false when the client went away before its end
 */
async function readBody(
  { body }: FastifyRequest,
  contentWriter: ContentWriter,
  check: ArchiveCheck | undefined,
): Promise<boolean> {
  if (!(body instanceof Readable)) return true
  try {
    // A stream that is destroyed takes the connection with it, and the answer.
    for await (const bytes of body.iterator({ destroyOnReturn: false })) {
      if (!contentWriter.add(bytes)) throw refuse('upload-too-large')
      await check?.add(bytes)
    }
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) return false
    // What still comes is read and forgotten, so that the client gets to see the answer.
    body.resume()
    throw error
  }
}

/** A slice of what a run has logged so far, counted in bytes (behaviour/platform#log). */
function sendLog(
  world: World,
  runId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: PlatformDialect,
): FastifyReply {
  const run = testRunWithId(world, runId)
  if (run === undefined) throw refuse('not-found')
  const query = queryOf(request.url)
  const log = Buffer.from(currentLog(world, run, dialect.name))
  const offset = byteParameter(query, 'offset') ?? 0
  const end = offset + (byteParameter(query, 'limit') ?? log.length)
  return reply.type('text/plain; charset=utf-8').send(log.subarray(offset, end))
}

/** A number of bytes; what is none counts as left out. */
function byteParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The archive of a module's version. */
function sendModule(world: World, version: string, reply: FastifyReply): FastifyReply {
  return sendContent(contentOf(world, version), reply, emptyModule)
}

/** The files of a version as they were uploaded; something else where nobody did. */
function sendContent(
  pieces: readonly string[],
  reply: FastifyReply,
  fallback = emptyArchive,
): FastifyReply {
  const content = pieces.length > 0 ? pieces : [fallback]
  const length = content.reduce((sum, piece) => sum + Buffer.byteLength(piece, 'base64'), 0)
  reply.type('application/octet-stream').header('content-length', length)
  if (reply.request.method === 'HEAD') return reply.send()
  return reply.send(Readable.from(decodePieces(content)))
}

/** One piece after the other, as the client takes them. */
function* decodePieces(pieces: readonly string[]): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece, 'base64')
}
