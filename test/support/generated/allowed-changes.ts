import { isDeepStrictEqual } from 'node:util'
import type { RowDifference } from '../../../state/kernel/store/diff.ts'

/** What stays of a refused request as decided, by table: the members of a row that may differ. */
const retainedMembers: Readonly<Record<string, readonly string[]>> = {
  // behaviour/secrets#tokens: `num_uses` counts every authenticated call.
  'secrets.tokens': ['num_uses'],
  // A token is used also where its owner may not do what he asks for.
  'platform.tokens': ['last_used_at'],
}

/** Tells whether a row may differ though the request was refused. */
export function isAllowedChange({ table, before, after }: RowDifference): boolean {
  const members = retainedMembers[table]
  if (members === undefined || before === undefined || after === undefined) return false
  return isDeepStrictEqual(without(before, members), without(after, members))
}

function without(row: object, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !members.includes(name)))
}

/** Tells of a batch of which a part succeeded: behaviour/secrets#transit-batches. */
export function isPartialBatch({ body }: { readonly body: string }): boolean {
  return body.includes('"batch_results"') && body.includes('"ciphertext":"')
}
