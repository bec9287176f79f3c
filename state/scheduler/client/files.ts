import { posix } from 'node:path'
import { MILLISECOND } from '../../go/duration.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { zeroTime } from '../cluster/allocations/allocations.ts'
import type { Allocation, TaskState } from '../cluster/model/allocation-shapes.ts'
import { groupOf } from '../cluster/placement/feasibility.ts'
import type { Task } from '../job/task-shape.ts'
import { type FileContent, startedAt, taskLog } from './logs.ts'

/** A folder or file in an allocation's directory (behaviour/scheduler#files). */
export type Entry = Folder | File

interface NamedEntry {
  readonly name: string
  /** Last change, in milliseconds since 1970. */
  readonly modified: number
}

export interface Folder extends NamedEntry {
  readonly kind: 'folder'
  /** By name. */
  readonly entries: Map<string, Entry>
}

export interface File extends NamedEntry {
  readonly kind: 'file'
  read(): FileContent
}

/** Outputs of a task, in the order of their files. */
const outputs = ['stderr', 'stdout'] as const

/** Returns the current contents of an allocation's directory. */
export function allocationFiles(world: World, allocation: Allocation): Folder {
  const createdAt = Math.round(allocation.CreateTime / MILLISECOND)
  const tree = new FileTree(createdAt)
  for (const name of ['data', 'logs', 'tmp']) tree.folder(`alloc/${name}`)
  for (const task of groupOf(allocation)?.Tasks ?? []) {
    const { Name } = task
    for (const name of ['local', 'private', 'secrets', 'tmp']) tree.folder(`${Name}/${name}`)
    const state = allocation.TaskStates?.[Name]
    const started = startedAt(state)
    if (started !== undefined) {
      for (const output of outputs) {
        const read = () => taskLog(world, allocation, Name, output)
        const path = `alloc/logs/${Name}.${output}.0`
        tree.file(path, read().written ?? started, read)
      }
    }
    if (isSetUp(state)) addRenderedFiles(tree, allocation, task, started ?? createdAt)
  }
  return tree.root
}

function isSetUp(state: TaskState | undefined): boolean {
  if (state === undefined) return false
  return (
    state.StartedAt !== zeroTime || state.Events?.some(({ Type }) => Type === 'Task Setup') === true
  )
}

/** Variables for folders in template paths, with either dialect's prefix. */
const folderVariables = /\$\{(?:SCHED|NOMAD)_(TASK|SECRETS|ALLOC)_DIR\}/g

const folderNames: Readonly<Record<string, string>> = {
  TASK: 'local',
  SECRETS: 'secrets',
  ALLOC: '../alloc',
}

/** Adds a task's rendered files: templates, unrendered, and the dispatch payload. */
function addRenderedFiles(tree: FileTree, allocation: Allocation, task: Task, at: number): void {
  const addFile = (path: string, bytes: Buffer) => {
    const content = { bytes, next: undefined, written: at }
    tree.file(posix.join(task.Name, path), at, () => content)
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
   * Returns the folder at a path and creates it if needed; undefined for paths outside the tree or
   * below a file.
   */
  folder(path: string): Folder | undefined {
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

  file(path: string, modified: number, read: () => FileContent): void {
    const name = posix.basename(path)
    this.folder(posix.dirname(path))?.entries.set(name, { kind: 'file', name, modified, read })
  }
}

/** Splits a path inside an allocation; undefined if it leads outside. */
export function pathSegments(path: string): readonly string[] | undefined {
  const clean = posix.join('.', path)
  const parts = clean.split('/').filter((part) => part !== '' && part !== '.')
  return parts[0] === '..' ? undefined : parts
}

/** Returns the entry at a path; undefined if there is none. */
export function entryAt(root: Folder, parts: readonly string[]): Entry | undefined {
  let at: Entry | undefined = root
  for (const part of parts) at = at?.kind === 'folder' ? at.entries.get(part) : undefined
  return at
}
