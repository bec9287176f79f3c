/**
 * Reasons for a choice. `decided here`: neither the specification nor the rules define the
 * behaviour. `extension`: the product has no such feature. `gap`: a source requires more than is
 * implemented.
 */
export const choiceEvidence = ['decided here', 'extension', 'gap'] as const

/**
 * A documented decision about behaviour that no source defines or that is only partly implemented
 * (behaviour/program#what-it-is).
 */
export interface Choice {
  /**
   * Name in kebab case, for citations in documents and tests. The meaning of a name never changes.
   */
  readonly id: string
  /** Question that the choice answers. */
  readonly about: string
  /** Answer that this program gives to the question. */
  readonly choice: string
  readonly evidence: (typeof choiceEvidence)[number]
  /**
   * Rule that leaves the behaviour open or, for a gap, requires more than is implemented; for
   * example, `behaviour/secrets#tokens`.
   */
  readonly where: string
}

/** Named choices by API. `process` has the choices that concern all APIs. */
export type Choices = ReadonlyMap<string, readonly Choice[]>

/** Path of the document that declares the choices, from the root of the project. */
export const choicesDocument = 'docs/reference/choices.md'

const tableHeader = '| Name | Question | Choice | Evidence | Rule |'

/** Pattern of a link to a rule. The groups are the text, the document and the anchor. */
const ruleLink = /\[([a-z]+#[a-z0-9-]+)\]\(\.\.\/behaviour\/([a-z]+)\.md(#[a-z0-9-]+)\)/g

/**
 * Parses the document of the named choices. A heading of level 2 names an API, or `Process`; each
 * row of the tables below it is a choice.
 *
 * @throws Error for a row that is not a valid choice or that precedes all headings; the message
 *   names the line and the mistake
 */
export function parseChoices(document: string): Choices {
  const choices = new Map<string, Choice[]>()
  let section: Choice[] | undefined
  for (const [index, line] of document.split(/\r?\n/).entries()) {
    if (line.startsWith('## ')) {
      section = []
      choices.set(line.slice('## '.length).toLowerCase(), section)
    }
    if (!line.startsWith('|') || line === tableHeader || /^[|-]+$/.test(line)) continue
    const location = `${choicesDocument}:${index + 1}`
    if (section === undefined) throw new Error(`${location}: the row stands above all headings`)
    section.push(parseRow(line, location))
  }
  return choices
}

function parseRow(line: string, location: string): Choice {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  const [start, name = '', about = '', choice = '', evidence = '', rule = '', end] = cells
  if (cells.length !== 7 || start !== '' || end !== '') {
    throw new Error(`${location}: a row has the cells ${tableHeader}`)
  }
  const id = /^`([a-z0-9]+(?:-[a-z0-9]+)*)`$/.exec(name)?.[1]
  if (id === undefined)
    throw new Error(`${location}: ${name} is not a name in kebab case and backticks`)
  return {
    id,
    about: parseSentence(about, location),
    choice: parseSentence(choice, location),
    evidence: parseEvidence(evidence, location),
    where: parseRule(rule, location),
  }
}

function parseSentence(cell: string, location: string): string {
  if (!/.\.$/.test(cell)) throw new Error(`${location}: "${cell}" does not end with a period`)
  return cell.replaceAll(/\\([|<])/g, '$1')
}

function parseEvidence(cell: string, location: string): Choice['evidence'] {
  const evidence = choiceEvidence.find((known) => known === cell)
  if (evidence !== undefined) return evidence
  throw new Error(`${location}: evidence "${cell}" is not one of ${choiceEvidence.join(', ')}`)
}

/**
 * Replaces the links in a cell of the column `Rule` with citations such as
 * `behaviour/secrets#tokens`. Throws an `Error` unless the result is a citation, optionally
 * followed by a comma and a text without links.
 */
function parseRule(cell: string, location: string): string {
  const where = cell.replaceAll(ruleLink, (link, citedRule, api, anchor) =>
    citedRule === api + anchor ? `behaviour/${citedRule}` : link,
  )
  if (/^behaviour\/[a-z]+#[a-z0-9-]+(, [^[]+)?$/.test(where)) return where
  throw new Error(`${location}: "${where}" is not a link [api#rule](../behaviour/api.md#rule)`)
}
