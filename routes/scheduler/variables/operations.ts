import { quoteGo } from '../../../state/go/text.ts'
import { list, map, text, typed, uint } from '../../../state/kernel/shape/kinds.ts'
import { embedded, secret, struct } from '../../../state/kernel/shape/members.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/variables/messages.ts'
import {
  conflictShape,
  variableMetadataShape,
  variableShape,
} from '../../../state/scheduler/variables/tables.ts'
import {
  deleteVariable,
  listVariables,
  putVariable,
  readVariable,
  type VariableRequest,
  type VariableWriteResult,
} from '../../../state/scheduler/variables/variables.ts'
import { forEach, requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { uintError } from '../query.ts'
import { pageOf, readObject } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#variables' })

/** A variable in a request body. The path of the variable comes from the URL. */
const inputShape = struct('VariableDecrypted', {
  ...embedded('VariableMetadata', { Namespace: text }),
  Items: secret(typed('VariableItems', map(text))),
})

const casShape = struct({ cas: uint })

/** Operations on variables: maps of keys and values, stored by namespace and path. */
export const variableOperations = [
  operation.get('listVariables', '/vars', {
    access: forEach(requiresAnyOf('variables:list')),
    summary: 'List the variables that the caller may list, without their items; can block.',
    reply: { 200: list(variableMetadataShape) },
    run({ context }) {
      const { world, caller, namespace } = context
      return context.read((options) => {
        const all = listVariables({ world, caller, namespace }, options.prefix).map(
          ({ Items: _, ...metadata }) => metadata,
        )
        const keyOf = ({ Namespace, Path }: (typeof all)[number]) => `${Namespace}.${Path}`
        const page = pageOf(all, keyOf, variableMetadataShape, { ...options, prefix: '' })
        return { index: dataIndex(world, 'variables'), body: page.items, nextToken: page.nextToken }
      })
    },
  }),
  operation.get('readVariable', '/var/:path', {
    wrongMethod: { status: 400, text: 'Invalid method' },
    access: within(requiresAnyOf('variables:read')),
    summary: 'Read a variable; can block.',
    reply: { 200: variableShape },
    run({ context, params: { path } }) {
      checkPath(path)
      return readObject(context, 'variables', () => readVariable(requestOf(context, path)))
    },
  }),
  operation.post('writeVariable', '/var/:path', {
    access: within(requiresAnyOf('variables:write')),
    summary: 'Write a variable; with `cas`, 409 if its ModifyIndex differs.',
    query: casShape,
    body: inputShape,
    reply: { 200: variableShape, 409: conflictShape },
    failures: [501],
    run({ context, params: { path }, body }) {
      checkPath(path)
      checkLocks(context)
      const { Namespace, Items } = body()
      if (Items === undefined || Items === null || Object.keys(Items).length === 0) {
        throw refuse('variable-items-missing')
      }
      const result = putVariable({
        ...requestOf(context, path, Namespace),
        items: Items,
        cas: casOf(context),
        reservedDirectory: context.dialect.isVendor ? 'nomad' : 'sched',
      })
      return conflictReply(context, result) ?? context.writeReply(writeResult(result))
    },
  }),
  operation.delete('deleteVariable', '/var/:path', {
    access: within(requiresAnyOf('variables:destroy')),
    summary: 'Delete a variable; with `cas`, 409 if its ModifyIndex differs.',
    query: casShape,
    reply: { 200: null, 204: null, 409: conflictShape },
    failures: [501],
    run({ context, params: { path } }) {
      checkPath(path)
      checkLocks(context)
      const result = deleteVariable({ ...requestOf(context, path), cas: casOf(context) })
      const { status: _, ...answer } = context.writeReply()
      return conflictReply(context, result) ?? { ...answer, status: 204 }
    },
  }),
]

function checkPath(path: string): void {
  if (path === '') throw refuse('variable-path-missing')
}

/**
 * Throws a refusal for lock operations, which are not supported (behaviour/scheduler#variables).
 */
function checkLocks({ query }: SchedulerContext): void {
  const hasLockParameters = ['lock-acquire', 'lock-renew', 'lock-release'].some((name) =>
    query.has(name),
  )
  if (hasLockParameters) throw refuse('variable-locks')
}

function requestOf(
  { world, caller, namespace }: SchedulerContext,
  path: string,
  bodyNamespace?: string | null,
): VariableRequest {
  return { world, caller, namespace: bodyNamespace || namespace, path }
}

function casOf({ query }: SchedulerContext): number | undefined {
  const value = query.value('cas')
  if (value === undefined) return undefined
  const why = uintError(value)
  if (why !== undefined) throw refuse('variable-cas-unreadable', { value: quoteGo(value), why })
  return Number(value)
}

/**
 * Returns the 409 reply if a write's check-and-set index did not match; undefined for other writes.
 */
function conflictReply({ dialect }: SchedulerContext, result: VariableWriteResult<unknown>) {
  if (!('conflict' in result)) return undefined
  const { conflict } = result
  return {
    status: 409,
    body: dialect.renameMembers(conflictShape, conflict),
    headers: dialect.encodeHeaders({ Index: String(conflict.ModifyIndex) }),
  }
}

function writeResult<Result>(result: VariableWriteResult<Result>): Result | undefined {
  return 'result' in result ? result.result : undefined
}
