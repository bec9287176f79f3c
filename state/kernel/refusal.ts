import { type Message, type MessageParams, type ParamArguments, renderMessage } from './message.ts'

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
export type RefusalDetails = Readonly<Record<string, unknown>>

const noDetails: RefusalDetails = {}

/**
 * A refused request. Thrown by state/ before or inside a transaction, which it rolls back: a refused
 * request changes nothing, unless the refusal is `keeping`.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Text of it; `message` is the same in the specification's words. */
  readonly reason: Message
  readonly detail: RefusalDetails
  #commitsWrites = false
  #details: RefusalDetails = noDetails

  /** @param reason a plain text, for as long as not every refusal has a name, is its own template */
  constructor(kind: RefusalKind, reason: Message | string, detail: RefusalDetails = {}) {
    const message = typeof reason === 'string' ? plainMessage(reason) : reason
    super(renderMessage(message))
    this.name = 'Refusal'
    this.kind = kind
    this.reason = message
    this.detail = detail
  }

  /** Which rule was broken: kebab case, and stable. */
  get rule(): string {
    return this.reason.rule
  }

  /** Tells whether what was written before it stays. */
  get commitsWrites(): boolean {
    return this.#commitsWrites
  }

  /**
   * The same refusal, but what was written before it stays, and ids that were drawn are used up: for
   * rules such as an attempt that is over once it has failed. `throw refuse('…').keeping()`
   */
  commitWrites(): this {
    this.#commitsWrites = true
    return this
  }

  /**
   * The same refusal, with what was known when it was: for explanations alone, no reply tells it
   * (behaviour/program#explanations). `throw refuse('…').knowing({ current })`
   */
  withDetails(details: RefusalDetails): this {
    this.#details = details
    return this
  }

  /** What else was known. */
  get details(): RefusalDetails {
    return this.#details
  }

  /** The names and values at hand when it was. */
  get params(): MessageParams {
    return this.reason.params
  }
}

/** Refuses what was given as a whole, with one line for each mistake in it. */
export class Mistakes extends Refusal {
  readonly problems: readonly string[]

  constructor(reason: Message | string, problems: readonly string[]) {
    super('invalid', reason, { problems })
    this.problems = problems
  }
}

function plainMessage(text: string): Message {
  return { rule: '', template: '{text}', params: { text } }
}

/** One text of an API: what it says, and, if it is a refusal, of which kind it is. */
interface MessageDeclaration {
  /** With slots: `path is already in use at {path}`. */
  readonly text: string
  /** Left out for what is only said: warnings, descriptions, parts of other texts. */
  readonly kind?: RefusalKind
  /** The treatment by the API's renderer. */
  readonly detail?: RefusalDetails
  /** Where the rule is written. */
  readonly spec?: string
}

/** The texts of an API by rule. */
export type MessageTable = Readonly<Record<string, MessageDeclaration>>

type RefusalRules<Table extends MessageTable> = {
  [Rule in keyof Table]: Table[Rule] extends { readonly kind: RefusalKind } ? Rule : never
}[keyof Table] &
  string

/** Describes how the code of an API says things, by the rules of its table. */
interface Messages<Table extends MessageTable> {
  readonly table: Table
  /** A text with its facts. */
  message<Rule extends keyof Table & string>(
    rule: Rule,
    ...params: ParamArguments<Table[Rule]['text']>
  ): Message
  /** A refusal; to be thrown. */
  refuse<Rule extends RefusalRules<Table>>(
    rule: Rule,
    ...params: ParamArguments<Table[Rule]['text']>
  ): Refusal
}

/** Words of a dialect for the rules of a table that it tells otherwise. */
export type WordingOf<Table extends MessageTable> = {
  readonly [Rule in keyof Table]?: string
}

/**
 * Declares the texts of an API, or of a part of it, as data: the domain says them by the name of the
 * rule, and facts fill the slots. Dialects are columns beside it (`ColumnOf`), at the door.
 */
export function defineMessages<const Table extends MessageTable>(table: Table): Messages<Table> {
  const buildMessage = (rule: string, params: MessageParams = {}): Message => {
    const template = table[rule]?.text
    if (template === undefined) throw new Error(`no text is called ${rule}`)
    return { rule, template, params }
  }
  return {
    table,
    message: (rule, ...[params]) => buildMessage(rule, params),
    refuse: (rule, ...[params]) => {
      const { kind = 'invalid', detail } = table[rule] ?? {}
      return new Refusal(kind, buildMessage(rule, params), detail)
    },
  }
}

/** Tells whether what was written before this was thrown stays. */
export function commitsWrites(error: unknown): boolean {
  return error instanceof Refusal && error.commitsWrites
}
