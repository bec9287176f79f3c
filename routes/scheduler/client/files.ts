import { bool, int, list, text } from '../../../state/kernel/shape/kinds.ts'
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
import type { Allocation } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { can, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { requireClientAllocation } from './allocations.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#files', withoutLeader: true })

/** Path of a file or folder. */
export const path = described(text, 'From the folder of the allocation')

/** A file or folder in replies. */
const infoShape = struct('AllocFileInfo', {
  Name: text,
  IsDir: bool,
  Size: int,
  FileMode: text,
  /** RFC 3339. */
  ModTime: text,
  /** Only in replies about a single file. */
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

/** Returns the media type of a file as the reference detects it, limited to text types. */
function entryContentType(entry: Entry): string {
  if (entry.name.endsWith('.json')) return 'application/json'
  const isEmpty = entry.kind === 'folder' || entry.read().bytes.length === 0
  return isEmpty ? 'application/octet-stream' : 'text/plain; charset=utf-8'
}

/**
 * Returns the path of a request, or the fallback. Throws if the allocation, or a path that is
 * needed, is missing.
 */
export function requirePath(context: SchedulerContext, id: string, otherwise?: string): string {
  if (id === '') throw refuse('alloc-id-missing')
  const path = context.query.value('path') ?? otherwise
  if (path === undefined) throw refuse('file-name-missing')
  return path
}

/**
 * Returns the file or folder at a path of an allocation. Throws if it is missing or outside of the
 * allocation.
 */
export function requireEntry(
  context: SchedulerContext,
  allocation: Allocation,
  at: string,
  call: string,
): Entry {
  const parts = pathSegments(at)
  if (parts === undefined) throw refuse('path-outside')
  const entry = entryAt(allocationFiles(context.world, allocation), parts)
  if (entry !== undefined) return entry
  throw refuse('file-absent', { call, id: allocation.ID, path: parts.join('/') })
}

/** Operations on the files of allocations. */
export const fileOperations = [
  operation.get({
    id: 'listAllocationFiles',
    path: '/client/fs/ls/:id',
    access: within(can('read-fs')),
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
  operation.get({
    id: 'statAllocationFile',
    path: '/client/fs/stat/:id',
    access: within(can('read-fs')),
    summary: 'Tell about a file or folder of an allocation.',
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
