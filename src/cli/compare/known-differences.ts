import { readPackedFile } from '../../packed-files.ts'
import type { KnownDifference } from './compared-api.ts'

/** A known difference as the file has it: its patterns are texts. */
interface KnownDifferenceJson {
  readonly kind: string
  readonly answers?: string
  readonly reason: string
}

/** Path of the file from packed-files.ts, which stands beside it in src/ and in dist/src/. */
const file = './known-differences.json'

/** Lists how the mock, in the vendor dialect, is meant to differ from a real server. */
export function knownDifferences(name: 'secrets' | 'scheduler'): readonly KnownDifference[] {
  const records: Readonly<Record<typeof name, readonly KnownDifferenceJson[]>> = JSON.parse(
    readPackedFile(file).toString(),
  )
  return records[name].map(({ kind, answers, reason }) => ({
    kind: new RegExp(kind),
    ...(answers === undefined ? {} : { answers: new RegExp(answers) }),
    reason,
  }))
}
