/** A sentence or paragraph on one line, with the lines of the file that it comes from. */
export interface Passage {
  readonly text: string
  /** Returns the number, from 1, of the file's line that contains the character at an offset. */
  lineAt(offset: number): number
  /** True for headings of documents and of tables, which need not be sentences. */
  readonly isHeading: boolean
}

/** A line of a file that belongs to a passage. */
export interface Line {
  readonly text: string
  readonly line: number
}

/** Joins lines by spaces. Code between backticks keeps its length, but not its words. */
export function joinPassage(lines: readonly Line[], isHeading = false): Passage {
  const starts: { readonly at: number; readonly line: number }[] = []
  let text = ''
  for (const { text: part, line } of lines) {
    const trimmed = part.trim()
    if (trimmed === '') continue
    if (text !== '') text += ' '
    starts.push({ at: text.length, line })
    text += trimmed
  }
  return {
    text: text.replaceAll(/(`+)[^`].*?\1/g, (code) => `\`${'_'.repeat(code.length - 2)}\``),
    lineAt: (offset) => starts.findLast(({ at }) => at <= offset)?.line ?? 0,
    isHeading,
  }
}

/**
 * Returns the passages of a comment: its paragraphs, and the text of each tag such as `@param`.
 * Fenced code and examples are left out.
 */
export function commentPassages(lines: readonly string[], first: number): readonly Passage[] {
  const passages: Line[][] = [[]]
  let code = false
  for (const [index, raw] of lines.entries()) {
    if (raw.startsWith('```')) code = !code
    if (code || raw.startsWith('```')) continue
    const tag = /^@(\w+)(?:\s+\{[^}]*\})?\s*/.exec(raw)
    if (raw === '' || tag !== null) passages.push([])
    if (tag?.[1] === 'example') code = true
    const name = tag?.[1] === 'param' ? /^\S+\s*(?:-\s+)?/ : /^/
    const text = tag === null ? raw : raw.slice(tag[0].length).replace(name, '')
    passages.at(-1)?.push({ text, line: first + index })
  }
  return passages.map((part) => joinPassage(part)).filter(({ text }) => text !== '')
}

/** Returns paragraphs, list items, headings and cells of a Markdown document, without its code. */
export function documentPassages(document: string): readonly Passage[] {
  const passages: Passage[] = []
  let open: Line[] = []
  const close = () => {
    if (open.length > 0) passages.push(joinPassage(open))
    open = []
  }
  const lines = document.split('\n')
  let fence: string | undefined
  for (const [index, raw] of lines.entries()) {
    const line = index + 1
    const mark = /^\s*(```+|~~~+)/.exec(raw)?.[1]
    if (mark !== undefined) {
      close()
      if (fence === undefined) fence = mark
      else if (mark.startsWith(fence)) fence = undefined
      continue
    }
    if (fence !== undefined) continue
    const text = withoutMarkup(raw)
    if (text === '' || /^[|:\s-]+$/.test(text)) close()
    else if (/^\s*#/.test(raw)) {
      close()
      passages.push(joinPassage([{ text: text.replace(/^#+/, ''), line }], true))
    } else if (text.startsWith('|')) {
      close()
      const isHeading = /^\s*\|[|:\s-]+\|?\s*$/.test(lines[index + 1] ?? '')
      const cells = text
        .split(/(?<!\\)\|/)
        .map((cell) => joinPassage([{ text: cell, line }], isHeading))
      passages.push(...cells.filter((cell) => cell.text !== ''))
    } else {
      if (/^(?:[-*+]|\d+\.)\s/.test(text)) close()
      open.push({ text: text.replace(/^(?:[-*+]|\d+\.)\s+|^>\s*/, ''), line })
    }
  }
  close()
  return passages
}

/** Returns a line without HTML, emphasis and the targets of links. */
function withoutMarkup(line: string): string {
  return line
    .replaceAll(/<!--.*?-->|<\/?[a-z][^>]*>/gi, '')
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/!?\[(?=[^\]])/g, '')
    .replaceAll(/\*\*|__/g, '')
    .trim()
}
