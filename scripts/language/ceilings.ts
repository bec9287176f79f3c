import { readFileSync, writeFileSync } from 'node:fs'
import { type Finding, findingKinds } from './check.ts'

/** Numbers of findings by folder and kind; missing numbers are 0. */
type Counts = Readonly<Record<string, Readonly<Partial<Record<Finding['kind'], number>>>>>

/**
 * File with the numbers of findings that folders may have, by kind. `npm run check` fails above
 * these numbers; a folder or kind without an entry must have no findings.
 */
const ceilingsFile = new URL('./ceilings.json', import.meta.url)

/** Counts findings by folder and kind. */
function countFindings(findings: readonly Finding[], folderOf: (file: string) => string): Counts {
  const counts: Record<string, Partial<Record<Finding['kind'], number>>> = {}
  for (const { file, kind } of findings) {
    const folder = folderOf(file)
    const folderCounts = counts[folder] ?? {}
    folderCounts[kind] = (folderCounts[kind] ?? 0) + 1
    counts[folder] = folderCounts
  }
  return counts
}

/** Writes the present numbers of findings as the new ceilings. */
export function writeCeilings(
  findings: readonly Finding[],
  folderOf: (file: string) => string,
): void {
  const counts = countFindings(findings, folderOf)
  const sorted = Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(ceilingsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Returns a line for each folder and kind with more findings than its ceiling allows. */
export function aboveCeilings(
  findings: readonly Finding[],
  folderOf: (file: string) => string,
): readonly string[] {
  const ceilings: Counts = JSON.parse(readFileSync(ceilingsFile, 'utf8'))
  return Object.entries(countFindings(findings, folderOf)).flatMap(([folder, counts]) =>
    findingKinds.flatMap((kind) => {
      const [count = 0, ceiling = 0] = [counts[kind], ceilings[folder]?.[kind]]
      if (count <= ceiling) return []
      return [`${folder}: ${count} findings of kind ${kind}, ${ceiling} allowed`]
    }),
  )
}
