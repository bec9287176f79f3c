import { quoteGo } from '../../../state/go/text.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { any, bool, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../../state/kernel/shape/values.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import {
  allocationFiles,
  type Entry,
  entryAt,
  pathSegments,
} from '../../../state/scheduler/client/files.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import { findAllocation } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import type { Allocation } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { hasEnded } from '../../../state/scheduler/cluster/model/allocation-status.ts'
import { groupOf } from '../../../state/scheduler/cluster/placement/feasibility.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requiresCapability, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import {
  bytesParameter,
  clientBoolParameter,
  originParameter,
  requiredBytesParameter,
  sliceReader,
} from './slices.ts'
import { requireClientAllocation, requireStreamedAllocation } from './statistics.ts'

const operation = operationsOf({
  spec: 'behaviour/scheduler#files',
  withoutLeader: true,
  tokenResolver: 'client',
})

const path = described(text, 'Path, relative to the folder of the allocation')

/** Description of a file or folder in replies. */
const infoShape = struct('AllocFileInfo', {
  Name: text,
  IsDir: bool,
  Size: int,
  FileMode: text,
  /** Time of the last change, in RFC 3339. */
  ModTime: text,
  /** Present only in replies about a single file. */
  ContentType: optional(text),
})

function fileInfo(entry: Entry): StoredOf<typeof infoShape> {
  const isFolder = entry.kind === 'folder'
  return {
    Name: entry.name,
    IsDir: isFolder,
    Size: isFolder ? 4096 : entry.read().bytes.length,
    FileMode: isFolder ? 'drwxrwxrwx' : '-rw-r--r--',
    ModTime: formatTimestamp(entry.modified),
  }
}

/**
 * Returns the media type that the reference detects for an entry. An entry whose name ends with
 * `.json` counts as JSON, any other file with content as plain text, and the rest as binary data.
 */
function entryContentType(entry: Entry): string {
  if (entry.name.endsWith('.json')) return 'application/json'
  const isEmpty = entry.kind === 'folder' || entry.read().bytes.length === 0
  return isEmpty ? 'application/octet-stream' : 'text/plain; charset=utf-8'
}

/**
 * Returns the query parameter `path`, or `defaultPath` if the parameter is missing. Throws a
 * refusal if there is no default either, or if the URL contains no allocation ID.
 */
function requirePath(context: SchedulerContext, id: string, defaultPath?: string): string {
  if (id === '') throw refuse('alloc-id-missing')
  const path = context.query.value('path') ?? defaultPath
  if (path === undefined) throw refuse('file-name-missing')
  return path
}

/**
 * Returns the file or folder at a path of an allocation. Throws a refusal if nothing is at the path
 * or if the path leads out of the allocation.
 */
function requireEntry(context: SchedulerContext, allocation: Allocation, at: string, call: string) {
  const parts = pathSegments(at)
  if (parts === undefined) throw refuse('path-outside')
  const entry = entryAt(allocationFiles(context.world, allocation), parts)
  if (entry !== undefined) return entry
  throw refuse('file-absent', { call, id: allocation.ID, path: parts.join('/') })
}

export const fileOperations = [
  operation.get('listAllocationFiles', '/client/fs/ls/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-fs')),
    summary: 'List a folder of an allocation.',
    query: parameters({ path }),
    reply: { 200: list(infoShape) },
    run: ({ context, params: { id } }) =>
      context.readUnindexed(() => {
        const at = requirePath(context, id, '/')
        const allocation = requireClientAllocation(context, id)
        const entry = requireEntry(context, allocation, at, 'open')
        if (entry.kind === 'folder') {
          const entries = [...entry.entries.values()]
          return entries.sort((a, b) => (a.name < b.name ? -1 : 1)).map(fileInfo)
        }
        throw refuse('folder-is-file', { id, path: pathSegments(at)?.join('/') ?? '' })
      }),
  }),
  operation.get('statAllocationFile', '/client/fs/stat/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-fs')),
    summary: 'Describe a file or folder of an allocation.',
    query: parameters({ path }),
    reply: { 200: infoShape },
    run: ({ context, params: { id } }) =>
      context.readUnindexed(() => {
        const at = requirePath(context, id)
        const entry = requireEntry(context, requireClientAllocation(context, id), at, 'stat')
        const Name = entry.name === '/' ? id : entry.name
        return { ...fileInfo(entry), Name, ContentType: entryContentType(entry) }
      }),
  }),
]

/** Throws a refusal for files that only the task may read. */
function refuseSecretPath(allocation: Allocation, at: string): void {
  const [task, folder = ''] = pathSegments(at) ?? []
  const { Tasks } = groupOf(allocation) ?? {}
  if (!Tasks?.some(({ Name }) => Name === task)) return
  const kind = folder.toLowerCase()
  if (kind === 'secrets') throw refuse('file-secret', { path: at })
  if (kind === 'private') throw refuse('file-private', { path: at })
}

/**
 * Throws a refusal if there is no file at a path or if only the task may read the file. Unlike in
 * `requireEntry`, the status for a missing file is 400.
 */
function requireReadableFile(context: SchedulerContext, allocation: Allocation, at: string): void {
  refuseSecretPath(allocation, at)
  try {
    const entry = requireEntry(context, allocation, at, 'stat')
    if (entry.kind === 'folder') throw refuse('file-is-folder', { path: quoteGo(at) })
  } catch (error) {
    throw error instanceof Refusal ? refuse('stream-impossible', { why: error.reason }) : error
  }
}

/**
 * Returns the current content of a file and whether the content is final. A file that does not
 * exist is empty, and its content is final.
 */
function currentContent({ world }: SchedulerContext, id: string, at: string) {
  const allocation = findAllocation(world, id)
  const entry = allocation && entryAt(allocationFiles(world, allocation), pathSegments(at) ?? [])
  if (allocation === undefined || entry?.kind !== 'file') {
    return { bytes: Buffer.alloc(0), growsAt: undefined, writtenAt: undefined, ended: true }
  }
  return { ...entry.read(), ended: hasEnded(allocation) }
}

/**
 * Returns a reply whose body is the text that `read` returns. As in the reference, refusals are
 * also sent with the status 200, even for missing rights.
 */
function textReply({ dialect }: SchedulerContext, read: () => Buffer): Answer {
  try {
    return { status: 200, body: read().toString() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { status: 200, body: dialect.renderMessage(error.reason) }
  }
}

/**
 * Parses the parameters of a stream. As in the reference, the status for malformed parameters is
 * 500.
 */
function streamParameters({ query }: SchedulerContext) {
  try {
    const follow = clientBoolParameter(query, 'follow') ?? true
    return { follow, offset: bytesParameter(query, 'offset') ?? 0 }
  } catch (error) {
    throw error instanceof Refusal ? refuse('stream-unreadable', { why: error.reason }) : error
  }
}

/** Operations that return the content of files, whole or as a stream. */
export const fileContentOperations = [
  operation.get('catAllocationFile', '/client/fs/cat/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-fs')),
    summary: 'Read a file of an allocation; errors have the status 200.',
    query: parameters({ path }),
    reply: { 200: any },
    run: ({ context, params: { id } }) =>
      textReply(context, () => {
        const at = requirePath(context, id)
        requireReadableFile(context, requireClientAllocation(context, id), at)
        return currentContent(context, id, at).bytes
      }),
  }),
  operation.get('readAllocationFileAt', '/client/fs/readat/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-fs')),
    summary: 'Read a part of a file of an allocation; errors have the status 200.',
    query: parameters({
      path,
      offset: described(int, 'Offset in bytes from the start of the file'),
      limit: described(int, 'Maximum number of bytes'),
    }),
    reply: { 200: any },
    run: ({ context, params: { id } }) =>
      textReply(context, () => {
        const at = requirePath(context, id)
        const offset = requiredBytesParameter(context.query, 'offset')
        const limit = bytesParameter(context.query, 'limit') ?? 0
        requireReadableFile(context, requireClientAllocation(context, id), at)
        const { bytes } = currentContent(context, id, at)
        return bytes.subarray(offset, limit > 0 ? offset + limit : undefined)
      }),
  }),
  operation.get('streamAllocationFile', '/client/fs/stream/:id', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-fs')),
    summary: 'Read a file of an allocation as frames, and follow it until the allocation ends.',
    query: parameters({
      path,
      follow: described(bool, 'Whether to follow the file; false returns only the current content'),
      origin: described(text, '`start` or `end`'),
      offset: described(int, 'Offset in bytes from `origin`'),
    }),
    reply: { 200: any },
    run({ context, params: { id } }) {
      const at = requirePath(context, id)
      const slice = { ...streamParameters(context), origin: originParameter(context.query) }
      requireReadableFile(context, requireStreamedAllocation(context, id, 403), at)
      const readSlice = sliceReader(slice, at, () => currentContent(context, id, at))
      return context.stream('application/json', readSlice)
    },
  }),
]
