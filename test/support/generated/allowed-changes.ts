import { isDeepStrictEqual } from 'node:util'
import type { RowDifference } from '../../../state/kernel/store/diff.ts'

/** Members of rows that a refused request may change, by table. */
const retainedMembers: Readonly<Record<string, readonly string[]>> = {
  // behaviour/secrets#tokens: `num_uses` counts every authenticated call.
  'secrets.tokens': ['num_uses'],
  // A refused request also counts as a use of its token.
  'platform.tokens': ['last_used_at'],
}

/**
 * Tables that refused requests may write to. behaviour/secrets#lockout: failed logins are counted.
 */
const countingTables: ReadonlySet<string> = new Set(['secrets.login-failures'])

/** Returns true if a refused request may make this change to a row. */
export function isAllowedChange({ table, before, after }: RowDifference): boolean {
  if (countingTables.has(table)) return true
  const members = retainedMembers[table]
  if (members === undefined || before === undefined || after === undefined) return false
  return isDeepStrictEqual(without(before, members), without(after, members))
}

function without(row: object, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !members.includes(name)))
}

/**
 * Returns true for the reply to a batch of which at least one item succeeded:
 * behaviour/secrets#transit-batches.
 */
export function isPartialBatch({ body }: { readonly body: string }): boolean {
  return body.includes('"batch_results"') && body.includes('"ciphertext":"')
}
