import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Mutant, mutantKinds, mutantsOf } from './mutators.ts'
import { filesBelow } from './nearest.ts'

/** Files with messages and documented choices. Tests do not compare every text in these files. */
const described = /(?:^|[/-])(?:texts|messages|wordings?|choices|help|examples)(?:[/.-]|$)/

/**
 * Returns random mutants of the files below `state/` and `routes/`, sorted by file. Each kind of mutant
 * has the same share, as long as there are any left.
 *
 * @param only beginning of the paths of files to change
 */
export function drawMutants(
  root: string,
  { count, seed, only }: { readonly count: number; readonly seed: string; readonly only: string },
): readonly Mutant[] {
  const files = filesBelow(root, ['state', 'routes']).filter(
    (file) => file.startsWith(only) && !described.test(file),
  )
  const queues = new Map<Mutant['kind'], { mutant: Mutant; order: string }[]>(
    mutantKinds.map((kind) => [kind, []]),
  )
  for (const file of files) {
    const ids = new Set<string>()
    for (const mutant of mutantsOf(file, readFileSync(join(root, file), 'utf8'))) {
      const id = idOf(mutant)
      // A line that has equal code twice is changed only once.
      if (!ids.has(id)) queues.get(mutant.kind)?.push({ mutant, order: hash(`${seed} ${id}`) })
      ids.add(id)
    }
  }
  const sorted = [...queues.values()].map((queue) =>
    queue.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ mutant }) => mutant),
  )
  const drawn: Mutant[] = []
  for (
    let round = 0;
    drawn.length < count && sorted.some((queue) => round < queue.length);
    round++
  ) {
    drawn.push(...sorted.flatMap((queue) => queue[round] ?? []))
  }
  // Mutants of neighbouring files have the same tests, whose modules then stay loaded.
  return drawn.slice(0, count).sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
}

/** Lines before and after a mutant that probably belong to its function. */
const linesBefore = 8
const linesAfter = 5

/** Returns the code around a mutant. */
export function codeAround(root: string, { file, line }: Mutant): string {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.slice(Math.max(0, line - 1 - linesBefore), line + linesAfter).join('\n')
}

/**
 * Returns an id of a mutant within a project. The id stays valid until the lines above the mutant
 * change.
 */
export function idOf({ file, kind, line, before, after }: Mutant): string {
  return `${file}:${line} ${kind} ${hash(`${before} ${after}`).slice(0, 8)}`
}

export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
