import { type FactArguments, type Facts, type Said, tell } from './wording.ts'

/**
 * Why the domain says no. Kinds are neutral words, not status codes: each API maps them to its own
 * statuses and bodies (behaviour/program#worlds, Errors).
 */
export type RefusalKind =
  /** The request itself is wrong: a missing, malformed or contradictory value. */
  | 'invalid'
  /** The caller may not do this, or is not known. */
  | 'denied'
  /** The thing asked for does not exist, or may not be seen. */
  | 'absent'
  /** The thing exists, but not in a state that allows this. */
  | 'conflict'
  /** The path exists, the operation on it does not. */
  | 'unsupported'
  /** The service cannot answer now: sealed, uninitialised, catching up. */
  | 'unavailable'
  /** A third party that the service depends on failed. */
  | 'upstream'
  /** A precondition stated by the caller does not hold. */
  | 'precondition'

/** Details an API's error renderer may need; the keys are that API's own. */
export type RefusalDetail = Readonly<Record<string, unknown>>

const nothing: RefusalDetail = {}

/**
 * A refused request. Thrown by state/ before or inside a transaction, which it rolls back: a refused
 * request changes nothing, unless the refusal is `keeping`.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Text of it; `message` is the same in the specification's words. */
  readonly said: Said
  readonly detail: RefusalDetail
  #keeps = false
  #known: RefusalDetail = nothing

  /** @param said a plain text, for as long as not every refusal has a name, is its own template */
  constructor(kind: RefusalKind, said: Said | string, detail: RefusalDetail = {}) {
    const named = typeof said === 'string' ? unnamed(said) : said
    super(tell(named))
    this.name = 'Refusal'
    this.kind = kind
    this.said = named
    this.detail = detail
  }

  /** Which rule was broken: kebab case, and stable. */
  get rule(): string {
    return this.said.rule
  }

  /** Tells whether what was written before it stays. */
  get keepsWrites(): boolean {
    return this.#keeps
  }

  /**
   * The same refusal, but what was written before it stays, and ids that were drawn are used up: for
   * rules such as an attempt that is over once it has failed. `throw refuse('…').keeping()`
   */
  keeping(): this {
    this.#keeps = true
    return this
  }

  /**
   * The same refusal, with what was known when it was: for explanations alone, no reply tells it
   * (behaviour/program#explanations). `throw refuse('…').knowing({ current })`
   */
  knowing(known: RefusalDetail): this {
    this.#known = known
    return this
  }

  /** What else was known. */
  get known(): RefusalDetail {
    return this.#known
  }

  /** The names and values at hand when it was. */
  get facts(): Facts {
    return this.said.facts
  }
}

/** Refuses what was given as a whole, with one line for each mistake in it. */
export class Mistakes extends Refusal {
  readonly problems: readonly string[]

  constructor(said: Said | string, problems: readonly string[]) {
    super('invalid', said, { problems })
    this.problems = problems
  }
}

function unnamed(text: string): Said {
  return { rule: '', template: '{text}', facts: { text } }
}

/** One text of an API: what it says, and, if it is a refusal, of which kind it is. */
interface Wording {
  /** With slots: `path is already in use at {path}`. */
  readonly text: string
  /** Left out for what is only said: warnings, descriptions, parts of other texts. */
  readonly kind?: RefusalKind
  /** The treatment by the API's renderer. */
  readonly detail?: RefusalDetail
  /** Where the rule is written. */
  readonly spec?: string
}

/** The texts of an API by rule. */
export type WordingTable = Readonly<Record<string, Wording>>

type RefusalRules<Table extends WordingTable> = {
  [Rule in keyof Table]: Table[Rule] extends { readonly kind: RefusalKind } ? Rule : never
}[keyof Table] &
  string

/** Describes how the code of an API says things, by the rules of its table. */
interface Wordings<Table extends WordingTable> {
  readonly table: Table
  /** A text with its facts. */
  say<Rule extends keyof Table & string>(
    rule: Rule,
    ...facts: FactArguments<Table[Rule]['text']>
  ): Said
  /** A refusal; to be thrown. */
  refuse<Rule extends RefusalRules<Table>>(
    rule: Rule,
    ...facts: FactArguments<Table[Rule]['text']>
  ): Refusal
}

/** Words of a dialect for the rules of a table that it tells otherwise. */
export type ColumnOf<Table extends WordingTable> = {
  readonly [Rule in keyof Table]?: string
}

/**
 * Declares the texts of an API, or of a part of it, as data: the domain says them by the name of the
 * rule, and facts fill the slots. Dialects are columns beside it (`ColumnOf`), at the door.
 */
export function wordings<const Table extends WordingTable>(table: Table): Wordings<Table> {
  const said = (rule: string, facts: Facts = {}): Said => {
    const template = table[rule]?.text
    if (template === undefined) throw new Error(`no text is called ${rule}`)
    return { rule, template, facts }
  }
  return {
    table,
    say: (rule, ...[facts]) => said(rule, facts),
    refuse: (rule, ...[facts]) => {
      const { kind = 'invalid', detail } = table[rule] ?? {}
      return new Refusal(kind, said(rule, facts), detail)
    },
  }
}

/** Tells whether what was written before this was thrown stays. */
export function keepsWrites(error: unknown): boolean {
  return error instanceof Refusal && error.keepsWrites
}
