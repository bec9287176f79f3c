import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SchedulerCaller } from '../acl/callers.ts'
import { nextIndex } from '../indexes.ts'
import { namespacePrefix } from '../keys.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { nanosecondsNow } from '../records/store.ts'
import { refuse } from './messages.ts'
import { type Conflict, type Variable, variableKey, variables } from './tables.ts'

export interface VariableRequest {
  readonly world: World
  readonly caller: SchedulerCaller
  readonly namespace: string
  readonly path: string
}

/** Result of a write with a condition. `conflict` means that nothing was written. */
export type VariableWriteResult<Result> =
  | { readonly result: Result }
  | { readonly conflict: Conflict }

/**
 * Returns the variables that the caller may list, ordered by namespace and path
 * (behaviour/scheduler#variables). The namespace `*` means all namespaces.
 */
export function listVariables(
  { world, caller, namespace }: Omit<VariableRequest, 'path'>,
  prefix: string,
): readonly Variable[] {
  const keyPrefix = namespace === '*' ? '' : namespacePrefix(namespace)
  return Array.from(world.table(variables).rows(keyPrefix)).filter(
    ({ Namespace, Path }) =>
      Path.startsWith(prefix) && caller.mayAccessVariable(Namespace, Path, 'list'),
  )
}

/**
 * Returns a variable that the caller may read.
 *
 * @throws Refusal 403 without read access, 404 for an unknown variable
 */
export function readVariable({ world, caller, namespace, path }: VariableRequest): Variable {
  if (!caller.mayAccessVariable(namespace, path, 'read')) throw requestRefusal('permission-denied')
  const row = world.table(variables).get(variableKey(namespace, path))
  if (row === undefined) throw refuse('variable-not-found')
  return row
}

interface VariableWrite extends VariableRequest {
  readonly items: Readonly<Record<string, string>>
  /**
   * ModifyIndex that the variable must have. 0 means that the variable must not exist; undefined
   * means no condition.
   */
  readonly cas: number | undefined
  /** Top-level directory that is reserved for the scheduler. */
  readonly reservedDirectory: string
}

/**
 * Creates or replaces a variable. If `cas` is not the current ModifyIndex, returns a conflict and
 * writes nothing.
 *
 * @throws Refusal 403 without write access; 400 for an invalid path, namespace or size
 */
export function putVariable(request: VariableWrite): VariableWriteResult<Variable> {
  const { world, caller, namespace, path, items, cas, reservedDirectory } = request
  if (!caller.mayAccessVariable(namespace, path, 'write')) throw requestRefusal('permission-denied')
  checkVariable(namespace, path, items, reservedDirectory)
  const table = world.table(variables)
  const key = variableKey(namespace, path)
  const before = table.get(key)
  if (cas !== undefined && cas !== (before?.ModifyIndex ?? 0)) {
    return { conflict: buildConflict(request, before) }
  }
  return {
    result: world.write(() => {
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
 * Deletes a variable if it exists. If `cas` is not the current ModifyIndex, returns a conflict and
 * deletes nothing.
 *
 * @param cas as in `VariableWrite`
 * @throws Refusal 403 without the right to delete
 */
export function deleteVariable(
  request: VariableRequest & Pick<VariableWrite, 'cas'>,
): VariableWriteResult<undefined> {
  const { world, caller, namespace, path, cas } = request
  if (!caller.mayAccessVariable(namespace, path, 'destroy'))
    throw requestRefusal('permission-denied')
  const table = world.table(variables)
  const key = variableKey(namespace, path)
  const before = table.get(key)
  if (cas !== undefined && cas !== (before?.ModifyIndex ?? 0)) {
    return { conflict: buildConflict(request, before) }
  }
  if (before !== undefined) world.write(() => table.delete(key))
  return { result: undefined }
}

/**
 * Returns the stored variable that prevents a conditional write, without the content if the caller
 * may not read the variable. If no variable exists, returns a variable whose indexes and times are
 * 0.
 */
function buildConflict({ caller, namespace, path }: VariableRequest, before: Variable | undefined) {
  if (before === undefined) {
    const [CreateIndex, ModifyIndex, CreateTime, ModifyTime] = [0, 0, 0, 0]
    return { Namespace: namespace, Path: path, CreateIndex, ModifyIndex, CreateTime, ModifyTime }
  }
  if (caller.mayAccessVariable(namespace, path, 'read')) return before
  const { Items: _, ...metadata } = before
  return metadata
}

/** Maximum sum of the lengths of all item names and values, in bytes. */
const maxBytes = 65_536

const validPathPattern = /^[a-zA-Z0-9\-_~/]{1,128}$/

function checkVariable(
  namespace: string,
  path: string,
  items: VariableWrite['items'],
  reservedDirectory: string,
): void {
  if (namespace === '*') throw refuse('variable-namespace-wildcard')
  const texts = Object.entries(items).flat()
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > maxBytes) {
    throw refuse('variable-too-large')
  }
  if (!validPathPattern.test(path)) throw refuse('variable-path-invalid', { path: quoteGo(path) })
  const [top, next, ...rest] = path.split('/')
  if (top !== reservedDirectory) return
  if (next === undefined) throw refuse('variable-path-top', { word: reservedDirectory })
  if (next === 'jobs' || (next === 'job-templates' && rest.length === 1)) return
  throw refuse(next === 'job-templates' ? 'variable-path-templates' : 'variable-path-reserved', {
    word: reservedDirectory,
  })
}
