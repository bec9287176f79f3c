import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  isDataDeleted,
  receiveUpload,
  requireUploadTarget,
} from '../../../state/platform/configuration-versions/configuration-version-machine.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { isModuleUpload, uploadModuleVersion } from '../../../state/platform/modules/versions.ts'
import { ContentWriter, contentOf, requireObject } from '../../../state/platform/objects.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { receivePolicySetFiles } from '../../../state/platform/policies/set-versions.ts'
import { receiveProviderFile } from '../../../state/platform/providers/versions.ts'
import { planForms, planJson } from '../../../state/platform/runs/plan-json.ts'
import { runLogOf } from '../../../state/platform/runs/run-log.ts'
import {
  type StateForm,
  stateText,
  stateVersionWithId,
} from '../../../state/platform/states/state-versions.ts'
import {
  receiveStateFile,
  requireStateUpload,
} from '../../../state/platform/states/upload-rules.ts'
import { stateInVendorDialect } from '../../../state/platform/states/vendor-form.ts'
import { currentLog } from '../../../state/platform/test-runs/current-log.ts'
import { testRunWithId } from '../../../state/platform/test-runs/test-runs.ts'
import { worldOf } from '../../http/journal-hooks/request-head.ts'
import { leaveUnanswered } from '../../http/journal-hooks/request-recording.ts'
import { originalVerb } from '../../http/sockets/extra-verbs.ts'
import type { PlatformDialect } from '../dialect.ts'
import { queryOf } from '../json-api/pagination.ts'
import { ArchiveCheck } from './archive-check.ts'
import { objectPath } from './object-url.ts'

/**
 * Gzip-compressed tar archive without files, as base64. Content of a configuration version without
 * an upload.
 */
const emptyArchive = 'H4sIAAAAAAAC/2NgGAWjYBSMVAAALq+17wAEAAA='

/**
 * Gzip-compressed tar archive with one empty file `main.tf`, as base64. Content of a module version
 * without an upload.
 */
const emptyModule =
  'H4sIAAAAAAACA8tNzMzTK0ljoCUwMDAwMDMxAdMGBgboNBa2uZGhEYOCAQMdQGlxSWIRgwFd7BoFo2AUjIJBBAAsVRVIAAYAAA=='

/**
 * Registers the object store, `/v1/object/<secret>`, which receives uploads and serves files and
 * logs without a token (behaviour/platform#authentication, behaviour/platform#log and
 * behaviour/platform#configuration-versions). Bodies are streamed, so the usual body limit does not
 * apply. All other paths below the prefix are answered with 404.
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
      // Clients that download a module first check that the module exists.
      if (verb === 'HEAD')
        return sendModule(world, requireObject(world, id, ['module']).subject, reply)
      if (verb !== 'GET') throw refuse('not-found')
      const object = requireObject(world, id, [
        'log',
        'download',
        'module',
        'state',
        'json-state',
        'errored-state',
        'file',
        ...planForms,
      ])
      if (object.kind === 'module') return sendModule(world, object.subject, reply)
      if (object.kind === 'state') return sendState(world, object.subject, 'raw', reply, dialect)
      if (object.kind === 'json-state')
        return sendState(world, object.subject, 'json', reply, dialect)
      if (object.kind === 'errored-state')
        return sendStateText(stateText(world, { id: object.subject }, 'raw'), reply, dialect)
      if (object.kind === 'log') return sendLog(world, object.subject, request, reply, dialect)
      const form = planForms.find((each) => each === object.kind)
      if (form !== undefined) {
        const plan = requireFound(planJson(world, object.subject, form, dialect.name))
        return reply.type('application/json').send(JSON.stringify(plan))
      }
      const version = versionWithId(world, object.subject)
      if (version !== undefined && isDataDeleted(version)) throw refuse('not-found')
      return sendContent(contentOf(world, object.subject), reply)
    }, request.record)
  })
}

/**
 * Pieces of an upload in base64. `usable` is false for an empty upload and, with the option
 * `validateArchives`, for an upload that is not an archive.
 */
interface UploadedContent {
  readonly pieces: readonly string[]
  readonly usable: boolean
}

/**
 * Returns the function that stores the content of an upload. Throws a refusal if the address
 * accepts no upload.
 */
function uploadTarget(world: World, id: string): (content: UploadedContent) => unknown {
  if (isModuleUpload(world, id)) return ({ pieces }) => uploadModuleVersion(world, id, pieces)
  const object = requireObject(world, id, [
    'upload',
    'state-upload',
    'json-state-upload',
    'file-upload',
  ])
  if (object.kind === 'upload') {
    requireUploadTarget(world, object)
    return (content) => receiveUpload(world, object, content)
  }
  if (object.kind === 'file-upload') {
    const isOfPolicies = object.subject.startsWith('polsetver-')
    const receive = isOfPolicies ? receivePolicySetFiles : receiveProviderFile
    return ({ pieces }) => receive(world, object, pieces)
  }
  requireStateUpload(world, object)
  return ({ pieces }) => receiveStateFile(world, object, pieces)
}

/** Sends a file of a state version. Throws 404 if the state version or the file does not exist. */
function sendState(
  world: World,
  id: string,
  form: StateForm,
  reply: FastifyReply,
  dialect: PlatformDialect,
): FastifyReply {
  const version = requireFound(stateVersionWithId(world, id))
  if (version.status.startsWith('backing_data')) throw refuse('not-found')
  return sendStateText(stateText(world, version, form), reply, dialect)
}

/**
 * Sends the text of a state, with the vendor's names in the vendor dialect. Throws 404 if the text
 * is undefined.
 */
function sendStateText(
  text: string | undefined,
  reply: FastifyReply,
  { name }: PlatformDialect,
): FastifyReply {
  const content = requireFound(text)
  return reply
    .type('application/json')
    .send(name === 'vendor' ? stateInVendorDialect(content) : content)
}

/**
 * Receives an upload (behaviour/platform#uploads) and stores the content for the object at the
 * address. Throws a refusal if the address accepts no upload or the upload is too large.
 */
function upload(world: World, id: string, request: FastifyRequest, reply: FastifyReply) {
  // The address is checked before the body is read, so that no client sends 512 MiB in vain. The
  // address is checked again after the upload.
  const store = uploadTarget(world, id)
  const { maxUploadBytes, validateArchives } = optionsOf(world)
  const announcedLength = Number(request.headers['content-length'] ?? 0)
  // A limit of 0 refuses empty uploads as well.
  if (maxUploadBytes === 0 || announcedLength > maxUploadBytes) throw refuse('upload-too-large')
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
    store(content)
    return reply.code(200).send()
  })
}

/**
 * Passes a body to the writer and to the archive check, in chunks as the body arrives.
 *
 * @returns false if the client disconnected before the end
 * @throws Refusal for a body above the size limit of the writer
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
  const query = queryOf(request.url)
  const log = Buffer.from(logOf(world, runId, dialect))
  const offset = byteParameter(query, 'offset') ?? 0
  const end = offset + (byteParameter(query, 'limit') ?? log.length)
  return reply.type('text/plain; charset=utf-8').send(log.subarray(offset, end))
}

/** Returns the log of a test run, a plan or an apply. Throws 404 for another id. */
function logOf(world: World, id: string, { name }: PlatformDialect): string {
  const ofRun = runLogOf(world, id, name)
  return ofRun ?? currentLog(world, requireFound(testRunWithId(world, id)), name)
}

/** Parses a number of bytes from the query. An invalid number counts as missing. */
function byteParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Sends the archive of a module version; without an upload, an archive with one empty file. */
function sendModule(world: World, version: string, reply: FastifyReply): FastifyReply {
  return sendContent(contentOf(world, version), reply, emptyModule)
}

/**
 * Sends the uploaded files of a version, or the archive `fallback` if there was no upload. Answers
 * HEAD with the headers alone.
 */
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
