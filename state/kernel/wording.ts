/**
 * The content of a slot of a text: a fact as it is, another text, which is told in the same words
 * as the one around it, or several, one behind the other.
 */
export type Fact = string | number | Said | readonly Said[]

/** Facts by the names of the slots that they fill. */
export type Facts = Readonly<Record<string, Fact>>

/** A text that is still its template and its facts: who tells it chooses the words. */
export interface Said {
  /** Kebab case and stable: what the text is called in columns, explanations and tests. */
  readonly rule: string
  /** In the specification's words, with slots: `path is already in use at {path}`. */
  readonly template: string
  readonly facts: Facts
}

/** The names of a template's slots. */
type SlotsOf<Template extends string> = Template extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsOf<Rest>
  : never

/** The facts that a template wants. */
type FactsOf<Template extends string> = { readonly [Slot in SlotsOf<Template>]: Fact }

/** The arguments behind a rule: none for a text without slots. */
export type FactArguments<Template extends string> = [SlotsOf<Template>] extends [never]
  ? []
  : [facts: FactsOf<Template>]

/** Other words for some rules: one column of a table of texts. */
export type Column = Readonly<Record<string, string>>

const slot = /\{(\w+)\}/g

/**
 * A text in full. Facts stay as they are, whatever they say: only the templates are one's own.
 *
 * @param column whose words go before the templates' own
 */
export function tell(said: Said, column?: Column): string {
  const other =
    column !== undefined && Object.hasOwn(column, said.rule) ? column[said.rule] : undefined
  const template = other ?? said.template
  if (!template.includes('{')) return template
  return template.replace(slot, (whole, name: string) =>
    Object.hasOwn(said.facts, name) ? tellFact(said.facts[name], column) : whole,
  )
}

function tellFact(fact: Fact | undefined, column: Column | undefined): string {
  if (typeof fact === 'string') return fact
  if (typeof fact === 'number') return String(fact)
  if (fact === undefined) return ''
  return isSeveral(fact) ? fact.map((each) => tell(each, column)).join('') : tell(fact, column)
}

function isSeveral(fact: Said | readonly Said[]): fact is readonly Said[] {
  return Array.isArray(fact)
}
