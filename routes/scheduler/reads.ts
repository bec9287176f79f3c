import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import { type DataKind, dataIndex } from '../../state/scheduler/indexes.ts'
import type { Answer } from '../http/declare/operation.ts'
import type { Reading, SchedulerContext } from './operation.ts'
import type { ReadOptions } from './query.ts'

/** An object with the index of its last change. */
interface IndexedRow {
  readonly ModifyIndex: number
}

/** Answers a blocking read of one kind of data. */
export function readData(
  context: SchedulerContext,
  kind: DataKind,
  read: (options: ReadOptions) => unknown,
): Answer | Deferred<Answer> {
  return context.read((options) => ({ index: dataIndex(context.world, kind), body: read(options) }))
}

/**
 * Answers a blocking read of an object with its ModifyIndex. A missing object, which `read` refuses,
 * is a 404 with the index of its kind (behaviour/scheduler#conventions: 404s have read headers as
 * well).
 */
export function readObject<T extends IndexedRow>(
  context: SchedulerContext,
  kind: DataKind,
  read: () => T,
): Answer | Deferred<Answer> {
  const kindIndex = () => dataIndex(context.world, kind)
  return context.read(() => readOrAbsent(kindIndex, read, ({ ModifyIndex }) => ModifyIndex))
}

/**
 * Answers like `readObject`, for an object that is undefined if it is missing.
 *
 * @param absent text of the 404
 * @param render returns the body for an object; objects are sent unchanged by default
 */
export function readFound<T extends IndexedRow>(
  context: SchedulerContext,
  kind: DataKind,
  find: () => T | undefined,
  absent: Message,
  render: (found: T) => object = (found) => found,
): Answer | Deferred<Answer> {
  return context.read(() => {
    const found = find()
    if (found !== undefined) return { index: found.ModifyIndex, body: render(found) }
    return { index: dataIndex(context.world, kind), absent }
  })
}

/**
 * Reads an object, or returns a 404 with read headers if it is missing. The index for missing
 * objects is read only for those, so that a wait for an existing one does not end for changes to
 * others.
 */
export function readOrAbsent<T>(
  indexIfAbsent: () => number,
  read: () => T,
  indexOf: (found: T) => number,
): Reading {
  try {
    const body = read()
    return { index: indexOf(body), body }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'absent') throw error
    return { index: indexIfAbsent(), absent: error.reason }
  }
}
