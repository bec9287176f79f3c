/** A block's head in a file: `run "name"`. Lines and columns count from 1, bytes from 0. */
interface BlockHead {
  readonly labels: readonly string[]
  readonly line: number
  readonly column: number
  readonly end_column: number
  readonly byte: number
  readonly end_byte: number
  /** The whole line, as snippets show it. */
  readonly code: string
}

/** Where a line leaves the reader: in code, in a comment, or in a here-document until its mark. */
type ScanState = 'code' | 'comment' | { readonly endMarker: string }

/**
 * Finds the heads of blocks of a kind with so many labels, each at the start of a line, outside of
 * comments and here-documents (behaviour/platform#test-files). Nothing else of the
 * file is looked at, so that one with mistakes has heads, too.
 */
export function findBlockHeads(
  text: string,
  kind: 'run' | 'resource',
  labels: number,
): BlockHead[] {
  const pattern = new RegExp(
    `^([ \\t]*)(${kind}${'[ \\t]+"([^"\\\\]*)"'.repeat(labels)})[ \\t]*\\{`,
  )
  const heads: BlockHead[] = []
  let state: ScanState = 'code'
  let byte = 0
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', head = '', ...names] = (state === 'code' && pattern.exec(line)) || []
    if (head !== '') {
      const start = byte + indent.length
      heads.push({
        labels: names,
        line: index + 1,
        column: indent.length + 1,
        end_column: indent.length + 1 + [...head].length,
        byte: start,
        end_byte: start + Buffer.byteLength(head),
        code: line.replace(/\r$/, ''),
      })
    }
    state = stateAfterLine(line, state)
    byte += Buffer.byteLength(line) + 1
  }
  return heads
}

function stateAfterLine(line: string, before: ScanState): ScanState {
  if (typeof before === 'object') return line.trim() === before.endMarker ? 'code' : before
  if (before === 'code') return scanCode(line, 0)
  const end = line.indexOf('*/')
  return end < 0 ? 'comment' : scanCode(line, end + 2)
}

/** Walks over texts, in which templates may stand with texts of their own, up to the line's end. */
function scanCode(line: string, start: number): ScanState {
  const nesting: ('text' | 'template')[] = []
  for (let at = start; at < line.length; at += 1) {
    const [character, pair] = [line[at], line.slice(at, at + 2)]
    if (nesting.at(-1) === 'text') {
      if (character === '\\') at += 1
      else if (character === '"') nesting.pop()
      else if (pair === '${' || pair === '%{') {
        nesting.push('template')
        at += 1
      }
      continue
    }
    if (character === '"') nesting.push('text')
    else if (character === '{' && nesting.length > 0) nesting.push('template')
    else if (character === '}') nesting.pop()
    else if (character === '#' || pair === '//') return 'code'
    else if (pair === '/*') {
      const end = line.indexOf('*/', at + 2)
      if (end < 0) return 'comment'
      at = end + 1
    } else if (pair === '<<') {
      const [, endMarker] = /^<<-?([^\s"{}]+)\s*$/.exec(line.slice(at)) ?? []
      if (endMarker !== undefined) return { endMarker }
    }
  }
  return 'code'
}
