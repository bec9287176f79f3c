/**
 * Location of the head of a block, such as `run "name"`. Lines and columns are numbered from 1,
 * bytes from 0.
 */
interface BlockHead {
  readonly labels: readonly string[]
  readonly line: number
  readonly column: number
  readonly end_column: number
  readonly byte: number
  readonly end_byte: number
  /** Text of the whole line, for the snippets in the log. */
  readonly code: string
}

/**
 * State of the scanner at the end of a line. An object means that the line ends inside a
 * here-document, which the line `endMarker` closes.
 */
type ScanState = 'code' | 'comment' | { readonly endMarker: string }

/**
 * Finds the heads of blocks of one type. A head must be at the start of a line, outside comments
 * and here-documents (behaviour/platform#test-files). The file is not parsed, so heads are found
 * despite syntax errors.
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

/**
 * Scans a line from `start` and returns the state of the scanner at the end of the line. Skips
 * strings. A string can contain templates, and a template can contain further strings.
 */
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
