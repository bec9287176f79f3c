import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { memoizeByKey } from '../../state/kernel/memoize.ts'
import type { StoreSnapshot, TableContent } from '../../state/kernel/store/open-table.ts'
import { kernelService, type Row } from '../../state/kernel/store/table.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { Digest } from '../journal/retained-body.ts'
import type { CollectedStep } from './collected.ts'
import { patchOf } from './row-patch.ts'

/** Estimated bytes of every step. */
const stepSize = 70

/** Estimated bytes that a request's entry adds. */
const entrySize = 560

/** Estimated bytes that an explanation adds. */
const explanationSize = 900

/** Estimated bytes that a changed row adds. */
const changeSize = 60

/** Estimator of the sizes that parts of a trace have as JSON, in bytes. */
export class SizeEstimator {
  /** Sizes of tables, cached because worlds and resets share the content of tables. */
  readonly #tables = new WeakMap<TableContent, number>()

  /** Returns the size of a step in bytes. The size is estimated once per step. */
  readonly sizeOfStep = memoizeByKey((step: CollectedStep) => this.#estimateStep(step))

  #estimateStep(step: CollectedStep): number {
    switch (step.kind) {
      case 'request':
        return stepSize + sizeOfRequest(step.record)
      case 'changes':
        return step.changes.reduce(
          (sum, { key, before, after }) =>
            sum + changeSize + key.length + sizeOfChange(before, after),
          stepSize,
        )
      case 'replaced':
        return stepSize + this.sizeOfState(step.state)
      case 'clock':
        return stepSize + step.fired.length * 90
      case 'mark':
        return stepSize + step.text.length
      case 'snapshot':
        return stepSize
    }
  }

  sizeOfState({ tables }: StoreSnapshot): number {
    let sum = 0
    for (const content of tables.values()) {
      if (content.definition.service !== kernelService) sum += this.#sizeOfTable(content)
    }
    return sum
  }

  #sizeOfTable(content: TableContent): number {
    const known = this.#tables.get(content)
    if (known !== undefined) return known
    let sum = content.definition.id.length
    content.tree.forEachPair((key: string, row: Row) => {
      sum += key.length + sizeOf(row) + 6
    })
    this.#tables.set(content, sum)
    return sum
  }
}

function sizeOfRequest(record: Extract<CollectedStep, { kind: 'request' }>['record']): number {
  const { body, responseBody, headers, responseHeaders, target, changes } = record
  return (
    entrySize +
    2 * target.length +
    sizeOf(headers) +
    sizeOf(responseHeaders) +
    sizeOfBody(body) +
    sizeOfBody(responseBody) +
    changes.reduce((sum, { table, key }) => sum + 40 + table.length + key.length, 0) +
    (outcomeOf(record) === 'served' ? 0 : explanationSize)
  )
}

function sizeOfBody(body: unknown): number {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body.length + 20
  return body instanceof Digest ? 120 : 0
}

/**
 * Returns the size of a change in a packed trace: of the new row, of a patch, or of both versions.
 */
function sizeOfChange(before: Row | undefined, after: Row | undefined): number {
  if (after === undefined) return 0
  if (before === undefined) return sizeOf(after) + 10
  const patch = patchOf(before, after)
  return patch === undefined ? sizeOf(before) + sizeOf(after) + 20 : sizeOf(patch) + 10
}

/** Number of levels that are measured by recursion. */
const maxDepth = 100

/** Returns the approximate length of a value as JSON, without escapes. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 6
  if (depth === maxDepth) return stringifyJson(value).length
  let sum = 2
  if (Array.isArray(value)) for (const item of value) sum += sizeOf(item, depth + 1)
  else {
    for (const name in value) {
      sum += name.length + 3 + sizeOf((value as Row)[name as never], depth + 1)
    }
  }
  return sum
}
