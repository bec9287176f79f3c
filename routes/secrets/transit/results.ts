import type { Message } from '../../../state/kernel/message.ts'
import type { Versioned } from '../../../state/secrets/transit/ciphertext.ts'
import type { ItemResult } from '../../../state/secrets/transit/items.ts'
import { message } from '../../../state/secrets/transit/messages.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import type { BatchItem } from './batch.ts'

/** What a good item tells, in a dialect. */
export type Renderer<T> = (value: T, dialect: SecretsDialect) => object

/** A ciphertext or a signature as text: `<prefix>:v<version>:<base64>`. */
export function versionedText({ version, text }: Versioned, dialect: SecretsDialect): string {
  return `${dialect.transitPrefix}:v${version}:${text}`
}

/** The outcome of a request about one item: what is refused is refused. */
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

/** The status of a batch that failed in parts, and remarks on it. */
export interface BatchStatus {
  readonly status: number
  readonly warnings: readonly Message[]
}

/** The outcome of a batch: a result or an error for each item, in their order. */
export function batchResults<T>(
  items: readonly BatchItem[],
  results: readonly ItemResult<T>[],
  render: Renderer<T>,
  failedResult: object = {},
  { status, warnings }: BatchStatus = { status: 200, warnings: [] },
): SecretsOutcome {
  return {
    kind: 'envelope',
    status,
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
 * The status of a batch of encrypting or decrypting: 400 when an item failed, or what the caller wants
 * when others did not (behaviour/secrets#transit-batches).
 */
export function failureStatus(
  results: readonly ItemResult<unknown>[],
  requested: number | undefined,
): BatchStatus {
  const failures = results.filter((result) => 'refused' in result).length
  if (failures === 0) return { status: 200, warnings: [] }
  if (requested === undefined || failures === results.length) return { status: 400, warnings: [] }
  if (requested >= 200 && requested < 600) return { status: requested, warnings: [] }
  return { status: 400, warnings: [message('batch-status-invalid')] }
}
