import type { KnownDifference } from './compare/api.ts'
import { packedFile } from './packed-files.ts'

/** A known difference as the file has it: its patterns are texts. */
interface WrittenDifference {
  readonly kind: string
  readonly told?: string
  readonly reason: string
}

/** The file stands beside this module, and beside the built program. */
const file = './known-differences.json'

/** Lists how the mock, in the vendor dialect, is meant to differ from a real server. */
export function knownDifferences(name: 'secrets' | 'scheduler'): readonly KnownDifference[] {
  const written: Readonly<Record<typeof name, readonly WrittenDifference[]>> = JSON.parse(
    packedFile(file).toString(),
  )
  return written[name].map(({ kind, told, reason }) => ({
    kind: new RegExp(kind),
    ...(told === undefined ? {} : { told: new RegExp(told) }),
    reason,
  }))
}
