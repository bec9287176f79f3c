import type { KnownDifference } from './compare/compared-api.ts'
import { readPackedFile } from './packed-files.ts'

/** A known difference as the file has it: its patterns are texts. */
interface KnownDifferenceJson {
  readonly kind: string
  readonly answers?: string
  readonly reason: string
}

/** The file stands beside this module, and beside the built program. */
const file = './known-differences.json'

/** Lists how the mock, in the vendor dialect, is meant to differ from a real server. */
export function knownDifferences(name: 'secrets' | 'scheduler'): readonly KnownDifference[] {
  const records: Readonly<Record<typeof name, readonly KnownDifferenceJson[]>> = JSON.parse(
    readPackedFile(file).toString(),
  )
  return records[name].map(({ kind, answers: told, reason }) => ({
    kind: new RegExp(kind),
    ...(told === undefined ? {} : { answers: new RegExp(told) }),
    reason,
  }))
}
