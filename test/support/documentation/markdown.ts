/** Returns a Markdown table, with bars and HTML elements in cells escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => withoutElements(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

function withoutElements(text: string): string {
  return text.replaceAll(/(`+)[^`].*?\1|<(?=[a-z/])/gi, (found) => (found === '<' ? '\\<' : found))
}

/** Returns a text as inline code, with escape sequences for line breaks and tabs. */
export function code(text: string): string {
  const line = text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

const rule = /\bbehaviour\/([a-z]+)#([a-z0-9-]+)/g

/**
 * Returns Markdown in which the citations of rules are links.
 *
 * @param docs path of the `docs` folder, relative to the folder of the document with the text
 */
export function withRules(text: string, docs = '../'): string {
  return text.replaceAll(rule, (_, api, anchor) => {
    return `[${api}#${anchor}](${docs}behaviour/${api}.md#${anchor})`
  })
}
