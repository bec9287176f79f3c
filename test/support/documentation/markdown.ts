/** A table in Markdown; bars in cells are escaped, and what would be an element outside code. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => withoutElements(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

function withoutElements(text: string): string {
  return text.replaceAll(/(`+)[^`].*?\1|<(?=[a-z/])/gi, (found) => (found === '<' ? '\\<' : found))
}

/** A text as code in one line, whatever stands in it. */
export function code(text: string): string {
  const line = text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

const rule = /\bbehaviour\/([a-z]+)#([a-z0-9-]+)/g

/**
 * A text whose rules lead to their places.
 *
 * @param docs where the folder of documents is, from the one that the text stands in
 */
export function withRules(text: string, docs = '../'): string {
  return text.replaceAll(rule, (_, api, anchor) => {
    return `[${api}#${anchor}](${docs}behaviour/${api}.md#${anchor})`
  })
}
