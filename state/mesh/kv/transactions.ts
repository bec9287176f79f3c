import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { AccessNeed } from '../acl/authorization.ts'
import type { MeshCaller } from '../acl/callers.ts'
import { message } from '../messages.ts'
import { accessProblem, type TxnOperation } from '../transactions.ts'
import { keyEntry, keysWithPrefix } from './keys.ts'
import type { KeyEntry } from './tables.ts'
import { acquireKey, deleteKey, deleteKeysWithPrefix, putKey, releaseKey } from './writes.ts'

/** An operation on keys in a transaction (behaviour/mesh#transactions). */
interface KeyOperation {
  readonly verb: string
  readonly key: string
  readonly value: Buffer
  readonly flags: number | string
  readonly index: number
  readonly session: string
  readonly namespace: string
}

/** Result of one operation: keys to return, or the reason for its failure. */
type VerbResult = readonly KeyEntry[] | Message

interface VerbRules {
  /**
   * Access to `key` that the caller needs. Left out for reads that filter their results instead.
   */
  readonly access?: 'read' | 'write'
  /**
   * True if `key` is a prefix, so that the caller needs access to all keys that begin with it. The
   * prefix may be empty.
   */
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
  message('txn-stale', { action, key })

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
      const hasSucceeded = putKey(world, namespace, key, { ...operation, cas })
      return hasSucceeded ? entriesOf(world, operation) : staleMessage('set', key)
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
      const hasSucceeded = releaseKey(world, namespace, key, operation, session)
      return hasSucceeded ? entriesOf(world, operation) : message('txn-not-held', { key })
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
 * Returns whether a verb only reads keys. Returns true for an unknown verb, which writes nothing.
 */
export function isKeyRead(verb: string): boolean {
  return rulesOf(verb).reads === true
}

/** Converts an operation on keys to an operation that `runTransaction` runs. */
export function keyTxnOperation(operation: KeyOperation): TxnOperation {
  const rules = rulesOf(operation.verb)
  const { showsValue = false } = rules
  return {
    findRefusal: (caller) => refusalMessage(operation, caller),
    run(world) {
      const verbResult = rules.run(world, operation)
      if (!isEntries(verbResult)) return verbResult
      return verbResult.map((row) => ({
        object: { kind: 'KV', row, showsValue },
        ...(showsValue && { need: keyReadNeed(row) }),
      }))
    },
  }
}

/**
 * Rules for unknown verbs. `refusalMessage` refuses an operation with an unknown verb before any
 * operation of the transaction runs.
 */
const unknownVerb: VerbRules = { reads: true, run: () => noEntries }

function rulesOf(verb: string): VerbRules {
  return (Object.hasOwn(verbs, verb) ? verbs[verb] : undefined) ?? unknownVerb
}

function isEntries(verbResult: VerbResult): verbResult is readonly KeyEntry[] {
  return Array.isArray(verbResult)
}

/** Returns the reason why an operation must not run; undefined if it may run. */
function refusalMessage({ verb, key, namespace }: KeyOperation, caller: MeshCaller) {
  const rules = rulesOf(verb)
  const { access, isPrefix = false } = rules
  if (key === '' && !isPrefix) return message('txn-key-missing')
  if (rules === unknownVerb) return message('txn-verb-unknown', { noun: 'KV', verb })
  if (access === undefined) return undefined
  return accessProblem(caller, { resource: 'key', access, name: key, namespace, isPrefix })
}

function keyReadNeed({ key: name, namespace }: KeyEntry): AccessNeed {
  return { resource: 'key', access: 'read', name, namespace }
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
