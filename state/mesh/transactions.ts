import type { Message } from '../kernel/message.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { World } from '../kernel/worlds/world.ts'
import type { AccessNeed } from './acl/authorization.ts'
import { type MeshCaller, requireAccess } from './acl/callers.ts'
import type { CatalogCheck, CatalogNode, CatalogService } from './catalog/tables.ts'
import type { KeyEntry } from './kv/tables.ts'

export type TxnObject =
  | { readonly kind: 'KV'; readonly row: KeyEntry; readonly showsValue: boolean }
  | { readonly kind: 'Node'; readonly row: CatalogNode }
  | { readonly kind: 'Service'; readonly row: CatalogService }
  | { readonly kind: 'Check'; readonly row: CatalogCheck }

/**
 * Object that an operation returns, with the access that the caller needs to receive the object.
 * Without `need`, every caller receives the object.
 */
export interface TxnResult {
  readonly object: TxnObject
  readonly need?: AccessNeed
}

/** Result of one operation: objects to return, or the reason for its failure. */
export type OperationResult = readonly TxnResult[] | Message

/** One operation of a transaction (behaviour/mesh#transactions). */
export interface TxnOperation {
  /** Returns the reason why the transaction must not run, if there is one. */
  findRefusal(caller: MeshCaller): Message | undefined
  run(world: World): OperationResult
}

interface TxnFailure {
  /** Position of the operation in the request, from 0. */
  readonly index: number
  readonly message: Message
}

/** Outcome of a transaction. If any operation failed, `results` is empty. */
export interface TxnOutcome {
  readonly results: readonly TxnObject[]
  readonly failures: readonly TxnFailure[]
  /** True if results were left out because the caller may not read them. */
  readonly isFiltered: boolean
  /** False if no operation ran, because `findRefusal` refused at least one operation. */
  readonly hasRun: boolean
}

/**
 * Runs operations in order and commits all of them or none. If `findRefusal` refuses an operation,
 * no operation runs. After a failure, the remaining operations still run, so that every failure is
 * reported. Leaves out results that the caller may not read.
 */
export function runTransaction(
  world: World,
  operations: readonly TxnOperation[],
  caller: MeshCaller,
): TxnOutcome {
  const refusals = operations.flatMap((operation, index) => {
    const message = operation.findRefusal(caller)
    return message === undefined ? [] : [{ index, message }]
  })
  const noResults = { results: [], isFiltered: false }
  if (refusals.length > 0) return { ...noResults, failures: refusals, hasRun: false }
  // Error that rolls back the writes of all operations if one operation fails.
  const rollback = new Error('undone')
  const results: TxnObject[] = []
  const failures: TxnFailure[] = []
  let isFiltered = false
  try {
    world.write(() => {
      for (const [index, operation] of operations.entries()) {
        const operationResult = operation.run(world)
        if (!isResults(operationResult)) {
          failures.push({ index, message: operationResult })
          continue
        }
        for (const { object, need } of operationResult) {
          if (need === undefined || caller.may(need)) results.push(object)
          else isFiltered = true
        }
      }
      if (failures.length > 0) throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
    return { ...noResults, failures, hasRun: true }
  }
  return { results, failures, isFiltered, hasRun: true }
}

function isResults(operationResult: OperationResult): operationResult is readonly TxnResult[] {
  return Array.isArray(operationResult)
}

/**
 * Runs `check`. Returns the message of the refusal that `check` throws; undefined if it throws
 * nothing. Rethrows other exceptions.
 */
export function reasonOfRefusal(check: () => void): Message | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

/** Returns the message of the refusal (403) if the caller lacks access; otherwise undefined. */
export function accessProblem(caller: MeshCaller, need: AccessNeed): Message | undefined {
  return reasonOfRefusal(() => requireAccess(caller, need))
}
