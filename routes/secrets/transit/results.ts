import type { Message } from '../../../state/kernel/message.ts'
import type { Versioned } from '../../../state/secrets/transit/ciphertext.ts'
import type { ItemResult } from '../../../state/secrets/transit/items.ts'
import { message } from '../../../state/secrets/transit/messages.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { BatchItem } from './batch.ts'

/** Function that renders the result of one item in a dialect. */
export type Renderer<T> = (value: T, dialect: SecretsDialect) => object

/** Formats a ciphertext or a signature: `<prefix>:v<version>:<base64>`. */
export function versionedText({ version, text }: Versioned, dialect: SecretsDialect): string {
  return `${dialect.transitPrefix}:v${version}:${text}`
}

/**
 * Returns the outcome of a request that concerns one item. If the item failed, throws its refusal.
 */
export function singleResult<T>(
  results: readonly ItemResult<T>[],
  render: Renderer<T>,
): SecretsOutcome {
  const values = results.map((result) => {
    if ('refused' in result) throw result.refused
    return result.value
  })
  return {
    kind: 'envelope',
    renderData: (dialect) => Object.assign({}, ...values.map((value) => render(value, dialect))),
  }
}

/** The status and the warnings of the reply to a batch. */
interface BatchStatus {
  readonly status: number
  /** Status in dialects that use the reference's statuses. */
  readonly referenceStatus: number
  readonly warnings: readonly Message[]
}

const successStatus: BatchStatus = { status: 200, referenceStatus: 200, warnings: [] }

/** Returns the outcome of a batch: a result or an error for each item, in order. */
export function batchResults<T>(
  items: readonly BatchItem[],
  results: readonly ItemResult<T>[],
  render: Renderer<T>,
  failedResult: object = {},
  { status, referenceStatus, warnings }: BatchStatus = successStatus,
): SecretsOutcome {
  return {
    kind: 'envelope',
    status,
    referenceStatus,
    warnings,
    renderData: (dialect) => ({
      batch_results: results.map((result, at) => ({
        ...('refused' in result
          ? { ...failedResult, error: dialect.render(result.refused.reason) }
          : render(result.value, dialect)),
        reference: items[at]?.text('reference') ?? '',
      })),
    }),
  }
}

/**
 * Returns the status of a batch that encrypts or decrypts: 200 if no item counts as failed, and 400
 * if all items failed. If only some items failed, the status is the requested one, or 400 if the
 * request names no status. An invalid requested status is replaced with 400, and the reply has a
 * warning. The reference's status is 500 instead of 400 if all failures are internal errors in the
 * reference (behaviour/secrets#transit-batches).
 */
export function failureStatus(
  results: readonly ItemResult<unknown>[],
  requested: number | undefined,
): BatchStatus {
  const failures = results.flatMap((result) =>
    // As in the product, unsupported associated data do not count as a failure.
    'refused' in result && result.refused.rule !== 'associated-data-unsupported'
      ? [result.refused]
      : [],
  )
  if (failures.length === 0) return successStatus
  const isInternal = failures.every(({ detail }) => detail['internalInReference'] === true)
  const failed = { status: 400, referenceStatus: isInternal ? 500 : 400, warnings: [] }
  if (requested === undefined || results.every((result) => 'refused' in result)) return failed
  if (requested >= 200 && requested < 600) {
    return { status: requested, referenceStatus: requested, warnings: [] }
  }
  return { ...failed, warnings: [message('batch-status-invalid')] }
}
