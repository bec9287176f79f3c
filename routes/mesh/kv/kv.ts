import { greatest } from '../../../state/kernel/lists.ts'
import { text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { keyEntry, keysIndex, keysWithPrefix, prefixIndex } from '../../../state/mesh/kv/keys.ts'
import type { KeyEntry } from '../../../state/mesh/kv/tables.ts'
import {
  acquireKey,
  deleteKey,
  deleteKeysWithPrefix,
  type KeyWrite,
  putKey,
  releaseKey,
} from '../../../state/mesh/kv/writes.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { allNamespaces } from '../../../state/mesh/namespaces/namespaces.ts'
import { linksToFormerSite } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { jsonList, jsonListOf } from '../../http/json-text.ts'
import {
  filteringLists,
  namespaceOf,
  requireRight,
  requires,
  rightChecker,
  withTarget,
} from '../access.ts'
import { digitsParameter } from '../decode.ts'
import { type MeshContext, operationsOf, type Read, type Reading } from '../operation.ts'
import { AbsentKeyIndexes } from './absence.ts'
import { entryJson, exactUint, keyNames, valueBytes } from './view.ts'

/** Maximum size of a value in bytes (behaviour/mesh#kv). */
const maxValueSize = 524_288

/** Value of `?ns=` that stands for all namespaces. */
const everyNamespace = '*'

/** Returns the namespace of a request. Throws a refusal for the wildcard. */
function requireSingleNamespace(context: MeshContext): string {
  const namespace = namespaceOf(context)
  if (namespace !== everyNamespace) return namespace
  throw refuse('key-of-every-namespace')
}

/**
 * Parses a query parameter that is an unsigned number; undefined if the parameter is missing. For a
 * malformed number, throws a refusal (500) with the message of Go's parser.
 */
function uintParameter(context: MeshContext, name: string): number | undefined {
  const digits = digitsParameter(context.query, name)
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Parses `flags`, 0 by default. A number that a double cannot represent stays text. Throws a
 * refusal (500) for a malformed number.
 */
function flagsParameter(context: MeshContext): number | string {
  return exactUint(digitsParameter(context.query, 'flags') ?? '0')
}

/** Throws a refusal if more than one of these query parameters is present. */
function refuseConflict({ query }: MeshContext, names: readonly string[]): void {
  if (names.filter((name) => query.has(name)).length > 1) {
    throw refuse('flags-in-conflict', { query: query.encode() })
  }
}

function readKey(context: MeshContext, key: string): Read<200 | 404> {
  const { world, query } = context
  if (key === '') throw refuse('key-missing')
  context.requireOwnDatacenter()
  const namespace = requireSingleNamespace(context)
  const absentIndexes = new AbsentKeyIndexes(context, namespace, key)
  return () => {
    const existing = keyEntry(world, namespace, key)
    if (existing === undefined) {
      absentIndexes.recordAttempt()
      return {
        index: absentIndexes.initialIndex,
        indexAtTimeout: absentIndexes.lastIndex,
        status: 404,
      }
    }
    absentIndexes.end()
    const index = existing.modify_index
    if (!query.has('raw')) return { index, body: jsonList([entryJson(world, existing)]) }
    return { index, body: valueBytes(existing), headers: rawHeaders }
  }
}

/** Headers of a raw value, which keep browsers from rendering the value as a page. */
const rawHeaders = {
  'content-type': 'text/plain',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
}

/**
 * Returns the keys that begin with `prefix`, without the keys that the caller may not read. Also
 * returns the index of the read, which is undefined if there never was a key with the prefix.
 */
function listKeys(context: MeshContext, namespace: string, prefix: string) {
  const { world } = context
  const isReadable = rightChecker(context, 'key:read')
  const isWildcard = namespace === everyNamespace
  const names = isWildcard ? allNamespaces(world).map(({ name }) => name) : [namespace]
  const existing = names.flatMap((name) => keysWithPrefix(world, name, prefix))
  const visible = existing.filter((entry) =>
    isReadable({ name: entry.key, namespace: entry.namespace }),
  )
  const maxPrefixIndex = () => greatest(names.map((name) => prefixIndex(world, name, prefix) ?? 0))
  const index =
    prefix === '' ? keysIndex(world, isWildcard ? undefined : namespace) : maxPrefixIndex()
  return {
    index: index === 0 ? undefined : index,
    visible,
    isFiltered: visible.length < existing.length,
  }
}

function readKeys(
  context: MeshContext,
  prefix: string,
  toReply: (visible: readonly KeyEntry[]) => Pick<Reading<200 | 404>, 'status' | 'body'>,
): Read<200 | 404> {
  context.requireOwnDatacenter()
  const namespace = namespaceOf(context)
  const indexScope = namespace === everyNamespace ? undefined : namespace
  const absentIndexes = new AbsentKeyIndexes(context, indexScope, prefix)
  return () => {
    const { index, visible, isFiltered } = listKeys(context, namespace, prefix)
    if (index === undefined) absentIndexes.recordAttempt()
    return { index: index ?? absentIndexes.lastIndex, isFiltered, ...toReply(visible) }
  }
}

/**
 * Stores a value, or performs the lock operation that the query requests (behaviour/mesh#locks).
 * Returns whether the value was stored. Throws a refusal if the lock operation names no session, or
 * an unknown one.
 */
function writeKey(
  { world, query }: MeshContext,
  namespace: string,
  key: string,
  keyWrite: KeyWrite,
) {
  if (query.has('acquire')) {
    const id = query.value('acquire') ?? ''
    const failure = acquireKey(world, namespace, key, keyWrite, id)
    if (failure === 'session missing') throw refuse('session-missing')
    if (failure === 'session unknown') throw refuse('session-unknown', { id })
    return failure === undefined
  }
  if (!query.has('release')) return putKey(world, namespace, key, keyWrite)
  const id = query.value('release')
  if (id === undefined) throw refuse('session-missing')
  return releaseKey(world, namespace, key, keyWrite, id)
}

const operation = operationsOf({ spec: 'behaviour/mesh#kv' })

const readAccess = filteringLists(
  ({ query }) => query.has('keys') || query.has('recurse'),
  withTarget(
    (scope) => ({ name: scope.params['key'] ?? '', namespace: namespaceOf(scope) }),
    requires('key:read'),
  ),
)

/**
 * Access whose right the operation itself checks, because invalid parameters are reported before a
 * missing right.
 */
const writeAccess = insideOperation(requires('key:write'))

export const kvOperations = [
  operation.get('readKey', '/kv/:key', {
    access: readAccess,
    summary: 'Read a key, all keys below a prefix (recurse), or their names (keys); can block.',
    query: parameters({
      recurse: described(text, 'All keys with the prefix; the value is ignored'),
      keys: described(text, 'Only the names of the keys with the prefix; the value is ignored'),
      separator: described(text, 'Names end after the first separator that follows the prefix'),
      seperator: described(text, 'Misspelt name of `separator`, which the product still accepts'),
      raw: described(text, 'Only the value, as bytes; the value of the parameter is ignored'),
    }),
    reply: { 200: {}, 404: null },
    secrets: { reply: ['*/Value'], wholeReplyParameter: 'raw' },
    run({ context, params: { key } }) {
      const { world, query } = context
      context.checkReadParameters()
      if (query.has('keys')) {
        const separator = query.value('separator') ?? query.value('seperator') ?? ''
        return context.read(
          readKeys(context, key, (visible) =>
            visible.length === 0 && key !== ''
              ? { status: 404 }
              : { body: keyNames(visible, key, separator) },
          ),
        )
      }
      if (!query.has('recurse')) return context.read(readKey(context, key))
      return context.read(
        readKeys(context, key, (visible) =>
          visible.length === 0
            ? { status: 404 }
            : { body: jsonListOf(visible, (entry) => entryJson(world, entry)) },
        ),
      )
    },
  }),
  operation.put('putKey', '/kv/:key', {
    access: writeAccess,
    summary: 'Store a value.',
    rawBody: true,
    secrets: { body: [''] },
    query: parameters({
      flags: described(uint, 'Number that is stored with the value'),
      cas: described(uint, 'Required ModifyIndex of the key; 0 means that the key must not exist'),
      acquire: described(text, 'Session that acquires the lock of the key'),
      release: described(text, 'Session that releases the lock of the key'),
    }),
    failures: [413],
    reply: { 200: { type: 'boolean' } },
    run({ context, params: { key } }) {
      if (key === '') throw refuse('key-missing')
      refuseConflict(context, ['cas', 'acquire', 'release'])
      const flags = flagsParameter(context)
      const cas = uintParameter(context, 'cas')
      const { body: value } = context
      if (value.length > maxValueSize) {
        const rule = linksToFormerSite(context.world)
          ? 'value-too-large-before-1.21'
          : 'value-too-large'
        throw refuse(rule, { size: value.length, largest: maxValueSize })
      }
      context.requireOwnDatacenter()
      // Each of the next two calls can be the first to resolve the caller's token. The call that
      // does so throws a refusal if the token is unknown.
      const namespace = requireSingleNamespace(context)
      requireRight(context, 'key:write', { name: key, namespace })
      return ok(writeKey(context, namespace, key, { value, flags, cas }))
    },
  }),
  operation.delete('deleteKey', '/kv/:key', {
    access: writeAccess,
    summary: 'Delete a key, or all keys below a prefix (recurse).',
    query: parameters({
      recurse: described(text, 'All keys with the prefix; the value is ignored'),
      cas: described(uint, 'Required ModifyIndex of the key'),
    }),
    reply: { 200: { type: 'boolean' } },
    run({ context, params: { key } }) {
      const { world, query } = context
      refuseConflict(context, ['recurse', 'cas'])
      const recurse = query.has('recurse')
      if (key === '' && !recurse) throw refuse('key-missing')
      const cas = uintParameter(context, 'cas')
      context.requireOwnDatacenter()
      const namespace = requireSingleNamespace(context)
      requireRight(context, 'key:write', { name: key, namespace, isPrefix: recurse })
      if (!recurse) return ok(deleteKey(world, namespace, key, cas))
      deleteKeysWithPrefix(world, namespace, key)
      return ok(true)
    },
  }),
]
