import { readPackedFile } from '../../packed-files.ts'
import type { KnownDifference } from './compared-api.ts'

/** Known difference in the file, with its patterns as texts. */
interface KnownDifferenceJson {
  readonly kind: string
  readonly answers?: string
  readonly reason: string
}

/**
 * Path of the file, relative to packed-files.ts. Both files are in src/ and, after a build, in
 * dist/src/.
 */
const file = './known-differences.json'

/** Returns the known differences between the mock, in the vendor dialect, and a real server. */
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
