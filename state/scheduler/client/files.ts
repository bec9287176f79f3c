import { posix } from 'node:path'
import { MILLISECOND } from '../../go/duration.ts'
import type { World } from '../../kernel/world.ts'
import type { Allocation, TaskState } from '../cluster/allocation-shapes.ts'
import { zeroTime } from '../cluster/allocations.ts'
import { groupOf } from '../cluster/feasibility.ts'
import type { Task } from '../job/task-shape.ts'
import { type Content, logOf, startOf } from './logs.ts'

/** A folder or file below an allocation (behaviour/scheduler#files). */
export type Entry = Folder | File

interface Named {
  readonly name: string
  /** When it was made or changed, in milliseconds since 1970. */
  readonly modified: number
}

export interface Folder extends Named {
  readonly kind: 'folder'
  /** By name. */
  readonly entries: Map<string, Entry>
}

export interface File extends Named {
  readonly kind: 'file'
  read(): Content
}

/** Outputs, in the order of their files. */
const outputs = ['stderr', 'stdout'] as const

/** Everything below an allocation as it is now. */
export function filesOf(world: World, allocation: Allocation): Folder {
  const made = Math.round(allocation.CreateTime / MILLISECOND)
  const tree = new Tree(made)
  for (const name of ['data', 'logs', 'tmp']) tree.folder(`alloc/${name}`)
  for (const task of groupOf(allocation)?.Tasks ?? []) {
    const { Name } = task
    for (const name of ['local', 'private', 'secrets', 'tmp']) tree.folder(`${Name}/${name}`)
    const state = allocation.TaskStates?.[Name]
    const started = startOf(state)
    if (started !== undefined) {
      for (const output of outputs) {
        const read = () => logOf(world, allocation, Name, output)
        const path = `alloc/logs/${Name}.${output}.0`
        tree.file(path, read().written ?? started, read)
      }
    }
    if (isSetUp(state)) rendered(tree, allocation, task, started ?? made)
  }
  return tree.root
}

function isSetUp(state: TaskState | undefined): boolean {
  if (state === undefined) return false
  return (
    state.StartedAt !== zeroTime || state.Events?.some(({ Type }) => Type === 'Task Setup') === true
  )
}

/** Variables that stand for folders in paths of templates, whichever the prefix of their names. */
const folderVariables = /\$\{(?:SCHED|NOMAD)_(TASK|SECRETS|ALLOC)_DIR\}/g

const folders: Readonly<Record<string, string>> = {
  TASK: 'local',
  SECRETS: 'secrets',
  ALLOC: '../alloc',
}

/** Puts what a task is given where it is rendered: templates as they are, and what it was dispatched with. */
function rendered(tree: Tree, allocation: Allocation, task: Task, at: number): void {
  const put = (path: string, bytes: Buffer) => {
    const content = { bytes, next: undefined, written: at }
    tree.file(posix.join(task.Name, path), at, () => content)
  }
  for (const { DestPath, EmbeddedTmpl } of task.Templates ?? []) {
    const path = DestPath.replaceAll(folderVariables, (_, name: string) => folders[name] ?? '')
    put(path, Buffer.from(EmbeddedTmpl))
  }
  const file = task.DispatchPayload?.File
  const payload = allocation.Job?.Payload
  if (file && payload) put(`local/${file}`, Buffer.from(payload, 'base64'))
}

class Tree {
  readonly root: Folder
  readonly #made: number

  constructor(made: number) {
    this.#made = made
    this.root = { kind: 'folder', name: '/', modified: made, entries: new Map() }
  }

  /** The folder of a path, made where it is not there; undefined outside, and below a file. */
  folder(path: string): Folder | undefined {
    let at = this.root
    for (const name of partsOf(path) ?? ['..']) {
      if (name === '..') return undefined
      const next = at.entries.get(name) ?? {
        kind: 'folder' as const,
        name,
        modified: this.#made,
        entries: new Map<string, Entry>(),
      }
      if (next.kind === 'file') return undefined
      at.entries.set(name, next)
      at = next
    }
    return at
  }

  file(path: string, modified: number, read: () => Content): void {
    const name = posix.basename(path)
    this.folder(posix.dirname(path))?.entries.set(name, { kind: 'file', name, modified, read })
  }
}

/** The names in a path below an allocation; undefined for one that leads out of it. */
export function partsOf(path: string): readonly string[] | undefined {
  const clean = posix.join('.', path)
  const parts = clean.split('/').filter((part) => part !== '' && part !== '.')
  return parts[0] === '..' ? undefined : parts
}

/** What there is at a path; undefined for nothing. */
export function entryAt(root: Folder, parts: readonly string[]): Entry | undefined {
  let at: Entry | undefined = root
  for (const part of parts) at = at?.kind === 'folder' ? at.entries.get(part) : undefined
  return at
}
