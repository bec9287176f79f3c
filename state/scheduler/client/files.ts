import { posix } from 'node:path'
import { MILLISECOND } from '../../go/duration.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Allocation, TaskState } from '../cluster/model/allocation-shapes.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { type TaskOutput, taskLogs } from '../cluster/model/tables.ts'
import { groupOf } from '../cluster/placement/feasibility.ts'
import { taskKey } from '../cluster/tasks/task-instances.ts'
import type { OutputName } from '../cluster/tasks/task-output.ts'
import type { Task } from '../job/task-shape.ts'

/** The content of a file at one instant. */
export interface FileContent {
  readonly bytes: Buffer
  /**
   * Time at which the content grows next, in milliseconds since 1970; undefined if the content does
   * not grow any more.
   */
  readonly growsAt: number | undefined
  /** Time of the last write, in milliseconds since 1970; undefined if nothing was written. */
  readonly writtenAt: number | undefined
}

/**
 * Maximum output of one run of a task in bytes. The reference's log files have this size by
 * default.
 */
const maxRunBytes = 10 * 1024 * 1024

/**
 * Returns how many times a task writes its output in one run, including the first time. Returns 0
 * for empty output. A copy after the first one is written only if the total stays within
 * `maxRunBytes`.
 */
function countCopies({ text, repeat }: TaskOutput): number {
  if (text === '') return 0
  return Math.min(1 + repeat, Math.max(1, Math.floor(maxRunBytes / Buffer.byteLength(text))))
}

/**
 * Returns how many copies of its output a task has written `elapsed` milliseconds after the first
 * copy.
 */
function countPrintedCopies(output: TaskOutput, elapsed: number): number {
  const { every: interval } = output
  const all = countCopies(output)
  return interval > 0 ? Math.min(all, 1 + Math.floor(elapsed / interval)) : all
}

/** Returns the output of all runs of a task so far (behaviour/scheduler#files). */
export function taskLog(world: World, allocation: Allocation, task: string, output: OutputName) {
  const runs = world.table(taskLogs).get(taskKey(allocation.ID, task))?.runs ?? []
  const now = world.clock.now()
  // A run has no reported end if the node was lost. The run then ends with the last change of the
  // allocation, if the allocation has ended.
  const allocationEnd = hasEnded(allocation)
    ? Math.round(allocation.ModifyTime / MILLISECOND)
    : undefined
  let growsAt: number | undefined
  let writtenAt: number | undefined
  const pieces = runs.map(({ since, until, [output]: taskOutput }) => {
    const end = until ?? allocationEnd
    const copies = countPrintedCopies(taskOutput, Math.min(now, end ?? now) - since)
    if (copies > 0) writtenAt = since + (copies - 1) * taskOutput.every
    const isOver = end !== undefined || copies === 0 || copies >= countCopies(taskOutput)
    if (!isOver && taskOutput.every > 0) growsAt = Math.ceil(since + copies * taskOutput.every)
    return Buffer.from(taskOutput.text.repeat(copies))
  })
  return { bytes: Buffer.concat(pieces), growsAt, writtenAt }
}

/**
 * Returns the last start of a task in milliseconds since 1970, or undefined if the task never
 * started.
 */
export function startedAt(state: TaskState | undefined): number | undefined {
  // Imported rows of tasks that never started may have Go's zero time, which is before 1970.
  const at = parseTimestamp(state?.StartedAt ?? '')
  return at !== undefined && at > 0 ? at : undefined
}

/** Deletes the recorded output of an allocation's tasks. Must run inside a transaction. */
export function deleteTaskLogs(world: World, { ID }: Allocation): void {
  world.table(taskLogs).deleteAll(`${ID} `)
}

/** An entry of an allocation's directory (behaviour/scheduler#files). */
export type Entry = Folder | File

interface NamedEntry {
  readonly name: string
  /** Milliseconds since 1970. */
  readonly modified: number
}

interface Folder extends NamedEntry {
  readonly kind: 'folder'
  readonly entries: Map<string, Entry>
}

interface File extends NamedEntry {
  readonly kind: 'file'
  read(): FileContent
}

/** Output streams of a task. Each stream has a log file. */
const outputs = ['stderr', 'stdout'] as const

/**
 * Returns the root folder of an allocation's directory. The content of a file is computed when the
 * method `read` of the file is called.
 */
export function allocationFiles(world: World, allocation: Allocation): Folder {
  const createdAt = Math.round(allocation.CreateTime / MILLISECOND)
  const tree = new FileTree(createdAt)
  for (const name of ['data', 'logs', 'tmp']) tree.ensureFolder(`alloc/${name}`)
  for (const task of groupOf(allocation)?.Tasks ?? []) {
    const { Name } = task
    for (const name of ['local', 'private', 'secrets', 'tmp']) tree.ensureFolder(`${Name}/${name}`)
    const state = allocation.TaskStates?.[Name]
    const started = startedAt(state)
    if (started !== undefined) {
      for (const output of outputs) {
        const read = () => taskLog(world, allocation, Name, output)
        const path = `alloc/logs/${Name}.${output}.0`
        tree.addFile(path, read().writtenAt ?? started, read)
      }
    }
    if (isSetUp(state)) addRenderedFiles(tree, allocation, task, started ?? createdAt)
  }
  return tree.root
}

function isSetUp(state: TaskState | undefined): boolean {
  return (
    startedAt(state) !== undefined ||
    state?.Events?.some(({ Type }) => Type === 'Task Setup') === true
  )
}

/**
 * Variables for folders in the destination paths of templates. Job files may use the prefix of
 * either dialect.
 */
const folderVariables = /\$\{(?:SCHED|NOMAD)_(TASK|SECRETS|ALLOC)_DIR\}/g

const folderNames: Readonly<Record<string, string>> = {
  TASK: 'local',
  SECRETS: 'secrets',
  ALLOC: '../alloc',
}

/**
 * Adds the files that a client renders for a task: templates, whose content is the unrendered
 * source, and the dispatch payload.
 */
function addRenderedFiles(tree: FileTree, allocation: Allocation, task: Task, at: number): void {
  const addFile = (path: string, bytes: Buffer) => {
    const content = { bytes, growsAt: undefined, writtenAt: at }
    tree.addFile(posix.join(task.Name, path), at, () => content)
  }
  for (const { DestPath, EmbeddedTmpl } of task.Templates ?? []) {
    const path = DestPath.replaceAll(folderVariables, (_, name: string) => folderNames[name] ?? '')
    addFile(path, Buffer.from(EmbeddedTmpl))
  }
  const file = task.DispatchPayload?.File
  const payload = allocation.Job?.Payload
  if (file && payload) addFile(`local/${file}`, Buffer.from(payload, 'base64'))
}

class FileTree {
  readonly root: Folder
  readonly #createdAt: number

  constructor(createdAt: number) {
    this.#createdAt = createdAt
    this.root = { kind: 'folder', name: '/', modified: createdAt, entries: new Map() }
  }

  /**
   * Returns the folder at a path, and creates missing folders. Returns undefined for a path that
   * leads out of the tree or through a file.
   */
  ensureFolder(path: string): Folder | undefined {
    let at = this.root
    for (const name of pathSegments(path) ?? ['..']) {
      if (name === '..') return undefined
      const next = at.entries.get(name) ?? {
        kind: 'folder' as const,
        name,
        modified: this.#createdAt,
        entries: new Map<string, Entry>(),
      }
      if (next.kind === 'file') return undefined
      at.entries.set(name, next)
      at = next
    }
    return at
  }

  addFile(path: string, modified: number, read: () => FileContent): void {
    const name = posix.basename(path)
    this.ensureFolder(posix.dirname(path))?.entries.set(name, {
      kind: 'file',
      name,
      modified,
      read,
    })
  }
}

/**
 * Splits a path inside an allocation into segments. Returns undefined for a path that leads out of
 * the allocation's directory.
 */
export function pathSegments(path: string): readonly string[] | undefined {
  const normalizedPath = posix.join('.', path)
  const parts = normalizedPath.split('/').filter((part) => part !== '' && part !== '.')
  return parts[0] === '..' ? undefined : parts
}

/**
 * Finds an entry by the segments that `pathSegments` returns; undefined if no entry has the path.
 */
export function entryAt(root: Folder, parts: readonly string[]): Entry | undefined {
  let at: Entry | undefined = root
  for (const part of parts) at = at?.kind === 'folder' ? at.entries.get(part) : undefined
  return at
}
