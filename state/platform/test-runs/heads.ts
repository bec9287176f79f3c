/** A block's head in a file: `run "name"`. Lines and columns count from 1, bytes from 0. */
interface Head {
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
type Place = 'code' | 'comment' | { readonly until: string }

/**
 * Finds the heads of blocks of a kind with so many labels, each at the start of a line, outside of
 * comments and here-documents (behaviour/platform#test-files). Nothing else of the
 * file is looked at, so that one with mistakes has heads, too.
 */
export function headsIn(text: string, kind: 'run' | 'resource', labels: number): Head[] {
  const form = new RegExp(`^([ \\t]*)(${kind}${'[ \\t]+"([^"\\\\]*)"'.repeat(labels)})[ \\t]*\\{`)
  const heads: Head[] = []
  let place: Place = 'code'
  let byte = 0
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', head = '', ...names] = (place === 'code' && form.exec(line)) || []
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
    place = placeAfter(line, place)
    byte += Buffer.byteLength(line) + 1
  }
  return heads
}

function placeAfter(line: string, before: Place): Place {
  if (typeof before === 'object') return line.trim() === before.until ? 'code' : before
  if (before === 'code') return placeInCode(line, 0)
  const end = line.indexOf('*/')
  return end < 0 ? 'comment' : placeInCode(line, end + 2)
}

/** Walks over texts, in which templates may stand with texts of their own, up to the line's end. */
function placeInCode(line: string, start: number): Place {
  const open: ('text' | 'template')[] = []
  for (let at = start; at < line.length; at += 1) {
    const [one, two] = [line[at], line.slice(at, at + 2)]
    if (open.at(-1) === 'text') {
      if (one === '\\') at += 1
      else if (one === '"') open.pop()
      else if (two === '${' || two === '%{') {
        open.push('template')
        at += 1
      }
      continue
    }
    if (one === '"') open.push('text')
    else if (one === '{' && open.length > 0) open.push('template')
    else if (one === '}') open.pop()
    else if (one === '#' || two === '//') return 'code'
    else if (two === '/*') {
      const end = line.indexOf('*/', at + 2)
      if (end < 0) return 'comment'
      at = end + 1
    } else if (two === '<<') {
      const [, until] = /^<<-?([^\s"{}]+)\s*$/.exec(line.slice(at)) ?? []
      if (until !== undefined) return { until }
    }
  }
  return 'code'
}
