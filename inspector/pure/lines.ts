/** A line of two texts compared. */
export interface ComparedLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Longer texts are shown one after the other: comparing them would take too long. */
const longest = 1500

/** Compares two texts line by line; an undefined one is not there at all. */
export function comparedLines(
  before: string | undefined,
  after: string | undefined,
): readonly ComparedLine[] {
  const old = before?.split('\n') ?? []
  const fresh = after?.split('\n') ?? []
  const gone = (text: string) => ({ kind: 'gone', text }) as const
  const added = (text: string) => ({ kind: 'new', text }) as const
  if (old.length > longest || fresh.length > longest) return [...old.map(gone), ...fresh.map(added)]
  const common = commonLengths(old, fresh)
  const lines: ComparedLine[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < fresh.length) {
    const [left, right] = [old[at], fresh[to]]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      at += 1
      to += 1
    } else if (left !== undefined && (right === undefined || down(common, at, to))) {
      lines.push(gone(left))
      at += 1
    } else {
      lines.push(added(right ?? ''))
      to += 1
    }
  }
  return lines
}

/** Whether as much is common behind the next old line as behind the next new one. */
function down(common: readonly Uint16Array[], at: number, to: number): boolean {
  return (common[at + 1]?.[to] ?? 0) >= (common[at]?.[to + 1] ?? 0)
}

/** Lengths of the longest common sequence from each pair of places on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): readonly Uint16Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1))
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = fresh.length - 1; to >= 0; to -= 1) {
      const row = table[at]
      if (row === undefined) continue
      row[to] =
        old[at] === fresh[to]
          ? (table[at + 1]?.[to + 1] ?? 0) + 1
          : Math.max(table[at + 1]?.[to] ?? 0, row[to + 1] ?? 0)
    }
  }
  return table
}

/** The same lines in other words: those of two texts that have a line for each line that was compared. */
export function spokenAs(
  lines: readonly ComparedLine[],
  before: string | undefined,
  after: string | undefined,
): readonly ComparedLine[] {
  const old = before?.split('\n').values()
  const fresh = after?.split('\n').values()
  return lines.map(({ kind }) => {
    const gone = kind === 'new' ? undefined : old?.next().value
    const added = kind === 'gone' ? undefined : fresh?.next().value
    return { kind, text: added ?? gone ?? '' }
  })
}

/** Leaves out what is the same further than a few lines from what is not; null where lines are left out. */
export function nearChanges(lines: readonly ComparedLine[], around = 3) {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== 'same'),
  )
  const shown: (ComparedLine | null)[] = []
  for (const [at, line] of lines.entries()) {
    if (near[at]) shown.push(line)
    else if (shown.at(-1) !== null) shown.push(null)
  }
  return shown
}
