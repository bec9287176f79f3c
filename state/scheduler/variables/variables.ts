import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SchedulerCaller } from '../acl/callers.ts'
import { nextIndex } from '../indexes.ts'
import { namespacePrefix } from '../keys.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { nanosecondsNow } from '../records/versions.ts'
import { refuse } from './messages.ts'
import { type Conflict, type Variable, variableKey, variables } from './tables.ts'

/** Which variable is meant, by whom. */
export interface VariableRequest {
  readonly world: World
  readonly caller: SchedulerCaller
  readonly namespace: string
  readonly path: string
}

/** What comes of a write with a condition. */
export type VariableWriteResult<Result> =
  | { readonly done: Result }
  | { readonly conflict: Conflict }

/**
 * The variables of a namespace (`*`: of all) that the caller may list, in the order of namespace and
 * path (behaviour/scheduler#variables).
 */
export function listVariables(
  { world, caller, namespace }: Omit<VariableRequest, 'path'>,
  prefix: string,
): readonly Variable[] {
  const keyPrefix = namespace === '*' ? '' : namespacePrefix(namespace)
  return Array.from(world.table(variables).rows(keyPrefix)).filter(
    ({ Namespace, Path }) => Path.startsWith(prefix) && caller.mayVariable(Namespace, Path, 'list'),
  )
}

/**
 * A variable.
 *
 * @throws Refusal 403, 404
 */
export function readVariable({ world, caller, namespace, path }: VariableRequest): Variable {
  if (!caller.mayVariable(namespace, path, 'read')) throw requestRefusal('permission-denied')
  const row = world.table(variables).get(variableKey(namespace, path))
  if (row === undefined) throw refuse('variable-not-found')
  return row
}

/** What is written, and under which condition. */
interface VariableWrite extends VariableRequest {
  readonly items: Readonly<Record<string, string>>
  /** The ModifyIndex that it must have; 0: it must not exist; undefined: whatever it is. */
  readonly cas: number | undefined
  /** The top-level directory that is the scheduler's own. */
  readonly reservedDirectory: string
}

/**
 * Writes a variable, unless another one stands there than is expected.
 *
 * @throws Refusal 403; 400 for paths, namespaces and sizes that cannot be
 */
export function putVariable(request: VariableWrite): VariableWriteResult<Variable> {
  const { world, caller, namespace, path, items, cas, reservedDirectory: ownDirectory } = request
  if (!caller.mayVariable(namespace, path, 'write')) throw requestRefusal('permission-denied')
  checkVariable(namespace, path, items, ownDirectory)
  const table = world.table(variables)
  const key = variableKey(namespace, path)
  const before = table.get(key)
  if (cas !== undefined && cas !== (before?.ModifyIndex ?? 0)) {
    return { conflict: buildConflict(request, before) }
  }
  return {
    done: world.write(() => {
      const [index, now] = [nextIndex(world), nanosecondsNow(world)]
      const row: Variable = {
        Namespace: namespace,
        Path: path,
        CreateIndex: before?.CreateIndex ?? index,
        ModifyIndex: index,
        CreateTime: before?.CreateTime ?? now,
        ModifyTime: now,
        Items: items,
      }
      table.put(key, row)
      return row
    }),
  }
}

/**
 * Deletes a variable, if there is one, unless another one stands there than is expected.
 *
 * @param cas as for writes
 * @throws Refusal 403
 */
export function deleteVariable(
  request: VariableRequest & Pick<VariableWrite, 'cas'>,
): VariableWriteResult<undefined> {
  const { world, caller, namespace, path, cas } = request
  if (!caller.mayVariable(namespace, path, 'destroy')) throw requestRefusal('permission-denied')
  const table = world.table(variables)
  const key = variableKey(namespace, path)
  const before = table.get(key)
  if (cas !== undefined && cas !== (before?.ModifyIndex ?? 0)) {
    return { conflict: buildConflict(request, before) }
  }
  if (before !== undefined) world.write(() => table.delete(key))
  return { done: undefined }
}

/** What stands in the way: without its content for who may not read it, and empty for nothing. */
function buildConflict(
  { caller, namespace, path }: VariableRequest,
  before: Variable | undefined,
): Conflict {
  if (before === undefined) {
    const [CreateIndex, ModifyIndex, CreateTime, ModifyTime] = [0, 0, 0, 0]
    return { Namespace: namespace, Path: path, CreateIndex, ModifyIndex, CreateTime, ModifyTime }
  }
  if (caller.mayVariable(namespace, path, 'read')) return before
  const { Items: _, ...metadata } = before
  return metadata
}

/** The size of names and values together, in bytes. */
const maxBytes = 65_536

const validPath = /^[a-zA-Z0-9\-_~/]{1,128}$/

function checkVariable(
  namespace: string,
  path: string,
  items: VariableWrite['items'],
  message: string,
): void {
  if (namespace === '*') throw refuse('variable-namespace-wildcard')
  const texts = Object.entries(items).flat()
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > maxBytes) {
    throw refuse('variable-too-large')
  }
  if (!validPath.test(path)) throw refuse('variable-path-invalid', { path: quoteGo(path) })
  const [top, next, ...rest] = path.split('/')
  if (top !== message) return
  if (next === undefined) throw refuse('variable-path-top', { word: message })
  if (next === 'jobs' || (next === 'job-templates' && rest.length === 1)) return
  throw refuse(next === 'job-templates' ? 'variable-path-templates' : 'variable-path-reserved', {
    word: message,
  })
}
