import { runPageStep } from '../../state/filter/errors.ts'
import { compileFilter } from '../../state/filter/filter.ts'
import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { Capability } from '../../state/scheduler/acl/rules.ts'
import { type DataKind, dataIndex } from '../../state/scheduler/indexes.ts'
import { sortNamespaces } from '../../state/scheduler/jobs/listing.ts'
import { paddedNumber } from '../../state/scheduler/keys.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { allNamespaces } from '../../state/scheduler/namespaces.ts'
import type { Answer } from '../http/declare/operation.ts'
import { requireCapability } from './access.ts'
import type { Reading, SchedulerContext } from './operation.ts'
import type { ReadOptions } from './query.ts'

/**
 * Compiles the filter expression of a list to a predicate; undefined if the expression is empty.
 * Error messages have the wording of paginated lists.
 */
export function compileListFilter<T extends object>(
  expression: string,
  shape: StructShape,
): ((item: T) => boolean) | undefined {
  if (expression === '') return undefined
  const filter = runPageStep('create result paginator', () => compileFilter(expression, shape))
  return (item) => runPageStep('read result page', () => filter.matches(item))
}

/** A page of a list that is ordered by the keys of its entries. */
interface KeyedPage<Item> {
  readonly items: readonly Item[]
  /** Key of the first entry on the next page; undefined for the last page. */
  readonly nextToken: string | undefined
}

/**
 * Returns the requested page of a list. The prefix and the filter are applied before entries are
 * counted. A page token is the key of the first entry on the page (behaviour/scheduler#list-jobs).
 *
 * @param all entries in the order of their keys
 */
export function pageOf<Item extends object>(
  all: Iterable<Item>,
  keyOf: (item: Item) => string,
  shape: StructShape,
  { prefix, nextToken, perPage, filter, reverse }: ReadOptions,
): KeyedPage<Item> {
  const matches = compileListFilter<Item>(filter, shape) ?? (() => true)
  const ordered = reverse ? [...all].reverse() : all
  const items: Item[] = []
  for (const item of ordered) {
    const key = keyOf(item)
    const isBefore = nextToken !== '' && (reverse ? key > nextToken : key < nextToken)
    if (isBefore || !key.startsWith(prefix) || !matches(item)) continue
    if (perPage > 0 && items.length === perPage) return { items, nextToken: key }
    items.push(item)
  }
  return { items, nextToken: undefined }
}

interface CreatedRow {
  readonly CreateIndex: number
}

/**
 * Returns a page of a list in order of creation, as in the reference. Page tokens are
 * `<CreateIndex>.<ID>`. With a prefix the list is in order of ID, and page tokens are IDs.
 */
export function pageByCreation<Item extends CreatedRow & { readonly ID: string }>(
  all: readonly Item[],
  shape: StructShape,
  options: ReadOptions,
): KeyedPage<Item> {
  return pageInOrder(all, ({ ID }) => ID, options.prefix !== '', shape, options)
}

/** Returns a page of a list, in order of ID if `byId` is set, otherwise in order of creation. */
export function pageInOrder<Item extends CreatedRow>(
  all: readonly Item[],
  idOf: (item: Item) => string,
  byId: boolean,
  shape: StructShape,
  options: ReadOptions,
): KeyedPage<Item> {
  // IDs are ASCII, so this order equals byte order.
  const compareIds = (a: Item, b: Item) => (idOf(a) < idOf(b) ? -1 : 1)
  if (byId) return pageOf([...all].sort(compareIds), idOf, shape, options)
  const ordered = [...all].sort((a, b) => a.CreateIndex - b.CreateIndex || compareIds(a, b))
  const keyOf = (item: Item) => `${paddedNumber(item.CreateIndex)}.${idOf(item)}`
  const page = pageOf(ordered, keyOf, shape, {
    ...options,
    nextToken: keyOfToken(options.nextToken),
  })
  return { items: page.items, nextToken: page.nextToken?.replace(/^0+(?=\d)/, '') }
}

/**
 * Returns the key that a page token names. As in the reference, a token that does not begin with an
 * index is compared as text, so `zz` sorts after all entries.
 */
function keyOfToken(token: string): string {
  const [, index, rest = ''] = /^(\d{1,20})(\..*)?$/s.exec(token) ?? []
  return index === undefined ? token : `${index.padStart(paddedNumber(0).length, '0')}${rest}`
}

/**
 * Value of the parameter `namespace` that stands for all namespaces in lists
 * (behaviour/scheduler#conventions).
 */
const wildcard = '*'

/** Returns the requested namespaces (one or all) in which the caller has a capability, sorted. */
export function namespacesWith(
  { caller, namespace, world }: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const names = namespace === wildcard ? allNamespaces(world).map(({ Name }) => Name) : [namespace]
  return sortNamespaces(names.filter((name) => caller.may(name, capability)))
}

/**
 * Returns the namespaces from which a list takes its entries. Throws a refusal if the caller has
 * the capability in none of the requested namespaces (behaviour/scheduler#namespace).
 */
export function listedNamespaces(
  context: SchedulerContext,
  capability: Capability,
): readonly string[] {
  const { caller, namespace } = context
  if (namespace !== wildcard) requireCapability(context, namespace, capability)
  else if (!caller.mayInAnyNamespace(capability)) throw refuse('permission-denied')
  return namespacesWith(context, capability)
}

interface IndexedRow {
  readonly ModifyIndex: number
}

/** Answers a blocking read that wakes on any change to data of the kind. */
export function readData(
  context: SchedulerContext,
  kind: DataKind,
  read: (options: ReadOptions) => unknown,
): Answer | Deferred<Answer> {
  return context.read((options) => ({ index: dataIndex(context.world, kind), body: read(options) }))
}

/**
 * Answers a blocking read of a list that contains only some rows of a table. The index in the reply
 * is that of the whole table, but a wait ends only if a row that was read changes.
 */
export function readFilteredList(
  context: SchedulerContext,
  kind: DataKind,
  read: () => unknown,
): Answer | Deferred<Answer> {
  const { world } = context
  return context.read(() => ({
    index: world.unobserved(() => dataIndex(world, kind)),
    body: read(),
  }))
}

/**
 * Answers a blocking read of an object. The index in the reply is the object's ModifyIndex. If
 * `read` throws a refusal because the object does not exist, the answer is a 404 with the last
 * index of all data of the kind (behaviour/scheduler#conventions: 404s have read headers as well).
 */
export function readObject<T extends IndexedRow>(
  context: SchedulerContext,
  kind: DataKind,
  read: () => T,
): Answer | Deferred<Answer> {
  const kindIndex = () => dataIndex(context.world, kind)
  return context.read(() => readObjectOrAbsence(kindIndex, read, ({ ModifyIndex }) => ModifyIndex))
}

/**
 * Answers as `readObject` does, but `find` returns undefined if the object does not exist.
 *
 * @param absentMessage message of the 404
 * @param render returns the body for an object; by default, objects are sent unchanged
 */
export function readFoundObject<T extends IndexedRow>(
  context: SchedulerContext,
  kind: DataKind,
  find: () => T | undefined,
  absentMessage: Message,
  render: (found: T) => object = (found) => found,
): Answer | Deferred<Answer> {
  return context.read(() => {
    const found = find()
    if (found !== undefined) return { index: found.ModifyIndex, body: render(found) }
    return { index: dataIndex(context.world, kind), absentMessage }
  })
}

/**
 * Reads an object. If `read` throws a refusal of the kind `absent`, returns a 404 with read
 * headers. `indexIfAbsent` is called only in this case, so that a wait for an existing object does
 * not end when other objects change.
 */
export function readObjectOrAbsence<T>(
  indexIfAbsent: () => number,
  read: () => T,
  indexOf: (found: T) => number,
): Reading {
  try {
    const body = read()
    return { index: indexOf(body), body }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'absent') throw error
    return { index: indexIfAbsent(), absentMessage: error.reason }
  }
}
