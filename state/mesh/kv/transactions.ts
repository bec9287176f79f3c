import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { AccessNeed } from '../acl/authorization.ts'
import { type MeshCaller, requireAccess } from '../acl/callers.ts'
import { message } from '../messages.ts'
import { keyEntry, keysWithPrefix } from './keys.ts'
import type { KeyEntry } from './tables.ts'
import { acquireKey, deleteKey, deleteKeysWithPrefix, putKey, releaseKey } from './writes.ts'

/** One operation of a transaction (behaviour/mesh#transactions). */
export interface KeyOperation {
  readonly verb: string
  readonly key: string
  readonly value: Buffer
  readonly flags: number | string
  readonly index: number
  readonly session: string
  readonly namespace: string
}

/** A key in the results of a transaction. */
interface KeyResult {
  readonly entry: KeyEntry
  readonly showsValue: boolean
}

/** The failure of an operation. */
interface KeyFailure {
  /** Position of the operation, from 0. */
  readonly index: number
  readonly message: Message
}

/** Outcome of a transaction: either results or failures. */
export interface KeyOutcome {
  readonly results: readonly KeyResult[]
  readonly failures: readonly KeyFailure[]
  /** True if results were left out because the caller may not read them. */
  readonly filtered: boolean
  /** True if any operation ran. */
  readonly ran: boolean
}

/** Result of one operation: keys to return, or the reason for its failure. */
type VerbResult = readonly KeyEntry[] | Message

interface VerbRules {
  /**
   * Access that the operation requires. Reads require none, because their results are filtered
   * instead.
   */
  readonly access?: 'read' | 'write'
  /** True if the operation applies to all keys with a prefix. The prefix may be empty. */
  readonly isPrefix?: true
  readonly reads?: true
  readonly showsValue?: true
  run(world: World, operation: KeyOperation): VerbResult
}

const noEntries: VerbResult = []

function entriesOf(world: World, { namespace, key }: KeyOperation): readonly KeyEntry[] {
  return [keyEntry(world, namespace, key) ?? []].flat()
}

const staleMessage = (action: 'set' | 'delete', key: string) =>
  message('txn-stale', { deed: action, key })

/** Behavior of each verb. */
const verbs: Readonly<Record<string, VerbRules>> = {
  set: {
    access: 'write',
    run(world, operation) {
      putKey(world, operation.namespace, operation.key, operation)
      return entriesOf(world, operation)
    },
  },
  cas: {
    access: 'write',
    run(world, operation) {
      const { namespace, key, index: cas } = operation
      const succeeded = putKey(world, namespace, key, { ...operation, cas })
      return succeeded ? entriesOf(world, operation) : staleMessage('set', key)
    },
  },
  lock: {
    access: 'write',
    run(world, operation) {
      const { namespace, key, session } = operation
      const failure = acquireKey(world, namespace, key, operation, session)
      return failure === undefined ? entriesOf(world, operation) : lockFailure(failure, operation)
    },
  },
  unlock: {
    access: 'write',
    run(world, operation) {
      const { namespace, key, session } = operation
      if (session === '') return message('txn-session-missing')
      const succeeded = releaseKey(world, namespace, key, operation, session)
      return succeeded ? entriesOf(world, operation) : message('txn-not-held', { key })
    },
  },
  get: {
    reads: true,
    showsValue: true,
    run(world, operation) {
      const existing = entriesOf(world, operation)
      return existing.length > 0 ? existing : message('txn-absent', { key: operation.key })
    },
  },
  'get-or-empty': {
    reads: true,
    showsValue: true,
    run(world, operation) {
      const existing = entriesOf(world, operation)
      return existing.length > 0 ? existing : [emptyEntry(operation)]
    },
  },
  'get-tree': {
    reads: true,
    showsValue: true,
    run: (world, { namespace, key }) => keysWithPrefix(world, namespace, key),
  },
  delete: {
    access: 'write',
    run(world, { namespace, key }) {
      deleteKey(world, namespace, key)
      return noEntries
    },
  },
  'delete-cas': {
    access: 'write',
    run: (world, { namespace, key, index }) =>
      deleteKey(world, namespace, key, index) ? noEntries : staleMessage('delete', key),
  },
  'delete-tree': {
    access: 'write',
    isPrefix: true,
    run(world, { namespace, key }) {
      deleteKeysWithPrefix(world, namespace, key)
      return noEntries
    },
  },
  'check-index': {
    access: 'read',
    reads: true,
    run(world, operation) {
      const { key, index: expected } = operation
      const [found] = entriesOf(world, operation)
      if (found === undefined) return message('txn-index-absent', { key })
      const { modify_index: index } = found
      return index === expected
        ? [found]
        : message('txn-index-differs', { key, index, wanted: expected })
    },
  },
  'check-session': {
    access: 'read',
    reads: true,
    run(world, operation) {
      const { key, session: expected } = operation
      const [found] = entriesOf(world, operation)
      if (found === undefined) return message('txn-session-absent', { key })
      const { session = '' } = found
      return session === expected
        ? [found]
        : message('txn-session-differs', { key, session, wanted: expected })
    },
  },
  'check-not-exists': {
    access: 'write',
    reads: true,
    run(world, operation) {
      const existing = entriesOf(world, operation)
      return existing.length === 0 ? noEntries : message('txn-exists', { key: operation.key })
    },
  },
}

/**
 * Returns whether all operations are reads or unknown. In this case, the reply has the form of a
 * read.
 */
export function onlyReads(operations: readonly KeyOperation[]): boolean {
  return operations.every(({ verb }) => rulesOf(verb).reads === true)
}

/**
 * Runs operations in order and commits all of them or none. After a failure the remaining
 * operations still run, so that every failure is reported.
 */
export function runTransaction(
  world: World,
  operations: readonly KeyOperation[],
  caller: MeshCaller,
): KeyOutcome {
  const refusals = operations.flatMap((operation, index) => {
    const message = refusalMessage(operation, caller)
    return message === undefined ? [] : [{ index, message }]
  })
  const noResults = { results: [], filtered: false }
  if (refusals.length > 0) return { ...noResults, failures: refusals, ran: false }
  // Error that rolls back the writes that precede a failure.
  const rollback = new Error('undone')
  const results: KeyResult[] = []
  const failures: KeyFailure[] = []
  let filtered = false
  try {
    world.write(() => {
      for (const [index, operation] of operations.entries()) {
        const rules = rulesOf(operation.verb)
        const verbResult = rules.run(world, operation)
        if (!isEntries(verbResult)) {
          failures.push({ index, message: verbResult })
          continue
        }
        const { showsValue = false } = rules
        for (const entry of verbResult) {
          if (!showsValue || mayRead(caller, entry)) results.push({ entry, showsValue })
          else filtered = true
        }
      }
      if (failures.length > 0) throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
    return { ...noResults, failures, ran: true }
  }
  return { results, failures, filtered, ran: true }
}

/** Rules for an unknown verb, which is refused before any operation runs. */
const unknownVerb: VerbRules = { reads: true, run: () => noEntries }

function rulesOf(verb: string): VerbRules {
  return (Object.hasOwn(verbs, verb) ? verbs[verb] : undefined) ?? unknownVerb
}

function isEntries(verbResult: VerbResult): verbResult is readonly KeyEntry[] {
  return Array.isArray(verbResult)
}

/** Returns the reason why an operation must not run, if there is one. */
function refusalMessage({ verb, key, namespace }: KeyOperation, caller: MeshCaller) {
  const rules = rulesOf(verb)
  const { access, isPrefix = false } = rules
  if (key === '' && !isPrefix) return message('txn-key-missing')
  if (rules === unknownVerb) return message('txn-verb-unknown', { verb })
  if (access === undefined) return undefined
  const need: AccessNeed = { resource: 'key', access, name: key, namespace, isPrefix: isPrefix }
  try {
    requireAccess(caller, need)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.reason
    throw error
  }
}

function mayRead(caller: MeshCaller, { key: name, namespace }: KeyEntry): boolean {
  return caller.may({ resource: 'key', access: 'read', name, namespace })
}

type LockFailure = NonNullable<ReturnType<typeof acquireKey>>

function lockFailure(failure: LockFailure, { key, session: id }: KeyOperation): Message {
  switch (failure) {
    case 'held':
      return message('txn-held', { key })
    case 'delayed':
      return message('txn-delayed', { key })
    case 'session missing':
      return message('txn-session-missing')
    case 'session unknown':
      return message('txn-session-unknown', { id })
  }
}

function emptyEntry({ key, namespace, flags, session, index }: KeyOperation): KeyEntry {
  const entry = { namespace, key, value: '', flags, create_index: 0, modify_index: index }
  return session === '' ? entry : { ...entry, session }
}
