/** Line of a comparison of two texts. */
interface ComparedLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/**
 * Maximum number of lines that are compared. Longer texts are shown one after the other, because a
 * comparison would take too long.
 */
const maxLines = 1500

/** Compares two texts line by line; undefined stands for a missing text. */
export function comparedLines(
  before: string | undefined,
  after: string | undefined,
): readonly ComparedLine[] {
  const oldLines = before?.split('\n') ?? []
  const newLines = after?.split('\n') ?? []
  const gone = (text: string) => ({ kind: 'gone', text }) as const
  const added = (text: string) => ({ kind: 'new', text }) as const
  if (oldLines.length > maxLines || newLines.length > maxLines)
    return [...oldLines.map(gone), ...newLines.map(added)]
  const common = commonSuffixLengths(oldLines, newLines)
  const lines: ComparedLine[] = []
  let [at, to] = [0, 0]
  while (at < oldLines.length || to < newLines.length) {
    const [left, right] = [oldLines[at], newLines[to]]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      at += 1
      to += 1
    } else if (left !== undefined && (right === undefined || prefersRemoval(common, at, to))) {
      lines.push(gone(left))
      at += 1
    } else {
      lines.push(added(right ?? ''))
      to += 1
    }
  }
  return lines
}

/**
 * Returns true if dropping the old line keeps at least as many common lines as dropping the new
 * one.
 */
function prefersRemoval(common: readonly Uint16Array[], at: number, to: number): boolean {
  return (common[at + 1]?.[to] ?? 0) >= (common[at]?.[to + 1] ?? 0)
}

/**
 * Returns a table whose value at `[i][j]` is the length of the longest common subsequence of the
 * old lines from index `i` on and the new lines from index `j` on.
 */
function commonSuffixLengths(
  old: readonly string[],
  newLines: readonly string[],
): readonly Uint16Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(newLines.length + 1))
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = newLines.length - 1; to >= 0; to -= 1) {
      const row = table[at]
      if (row === undefined) continue
      row[to] =
        old[at] === newLines[to]
          ? (table[at + 1]?.[to + 1] ?? 0) + 1
          : Math.max(table[at + 1]?.[to] ?? 0, row[to + 1] ?? 0)
    }
  }
  return table
}

/**
 * Replaces the texts of compared lines with the lines of `before` and `after`, such as masked
 * texts. Both texts must have as many lines as the compared texts.
 */
export function withLineTexts(
  lines: readonly ComparedLine[],
  before: string | undefined,
  after: string | undefined,
): readonly ComparedLine[] {
  const oldLines = before?.split('\n').values()
  const newLines = after?.split('\n').values()
  return lines.map(({ kind }) => {
    const gone = kind === 'new' ? undefined : oldLines?.next().value
    const added = kind === 'gone' ? undefined : newLines?.next().value
    return { kind, text: added ?? gone ?? '' }
  })
}

/**
 * Drops unchanged lines that are more than `contextLines` lines away from a change; null marks each
 * gap.
 */
export function withContext(lines: readonly ComparedLine[], contextLines = 3) {
  const isNearChange = lines.map((_, at) =>
    lines
      .slice(Math.max(0, at - contextLines), at + contextLines + 1)
      .some(({ kind }) => kind !== 'same'),
  )
  const visible: (ComparedLine | null)[] = []
  for (const [at, line] of lines.entries()) {
    if (isNearChange[at]) visible.push(line)
    else if (visible.at(-1) !== null) visible.push(null)
  }
  return visible
}
