import { type Message, type MessageParams, type ParamArguments, renderMessage } from './message.ts'
import { mapToDictionary } from './objects.ts'

/**
 * Reason why the domain refuses a request. Kinds are neutral words, not status codes: each API maps
 * them to its own statuses and bodies (behaviour/program#texts).
 */
export type RefusalKind =
  /** The request itself is wrong: a missing, malformed or contradictory value. */
  | 'invalid'
  /** The caller is unknown or lacks the right for the request. */
  | 'denied'
  /** The object does not exist, or the caller may not see it. */
  | 'absent'
  /** The object exists, but its state does not allow the request. */
  | 'conflict'
  /** The path exists, but does not support the operation. */
  | 'unsupported'
  /** The service cannot answer now: sealed, uninitialised, catching up. */
  | 'unavailable'
  /** A third party that the service depends on failed. */
  | 'upstream'
  /** A precondition that the caller stated does not hold. */
  | 'precondition'

/** Details that an API's error renderer may need. Each API defines its own keys. */
export type RefusalDetails = Readonly<Record<string, unknown>>

const noDetails: RefusalDetails = {}

/**
 * Exception that refuses a request. A transaction in which it is thrown is rolled back: a refused
 * request changes nothing, unless the refusal has `commitWrites`.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /**
   * The rule with its template and values. `message` is the text that the template and the values
   * yield in the specification's wording.
   */
  readonly reason: Message
  readonly detail: RefusalDetails
  #commitsWrites = false
  #details: RefusalDetails = noDetails

  /**
   * @param reason a message; or, for refusals without a rule, a plain text
   */
  constructor(kind: RefusalKind, reason: Message | string, detail: RefusalDetails = {}) {
    const message = typeof reason === 'string' ? plainMessage(reason) : reason
    super(renderMessage(message))
    this.name = 'Refusal'
    this.kind = kind
    this.reason = message
    this.detail = detail
  }

  /** Stable kebab-case name of the rule that was broken; empty if the reason is a plain text. */
  get rule(): string {
    return this.reason.rule
  }

  /** Whether the writes made before the refusal are committed. */
  get commitsWrites(): boolean {
    return this.#commitsWrites
  }

  /**
   * Marks the refusal so that the writes made and the ids generated before it are committed.
   * Returns the refusal. For rules that let a failed attempt have an effect, such as using up one
   * of a limited number of attempts: `throw refuse('…').commitWrites()`.
   */
  commitWrites(): this {
    this.#commitsWrites = true
    return this
  }

  /**
   * Sets the details for explanations and returns the refusal: `throw refuse('…').withDetails({
   * current })`. Replies of the APIs never contain these details (behaviour/program#explanations).
   */
  withDetails(details: RefusalDetails): this {
    this.#details = details
    return this
  }

  /**
   * Details that `withDetails` set. Explanations contain these details; replies of an API contain
   * `detail`.
   */
  get details(): RefusalDetails {
    return this.#details
  }

  get params(): MessageParams {
    return this.reason.params
  }
}

/** Refusal of a whole document. `problems` contains one line for each mistake in the document. */
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

/** Declaration of one message of an API. Only refusals have a kind. */
interface MessageDeclaration {
  /** Template with placeholders: `path is already in use at {path}`. */
  readonly text: string
  /** Kind of the refusal; left out for warnings, descriptions and parts of other messages. */
  readonly kind?: RefusalKind
  /** Details for the API's error renderer. */
  readonly detail?: RefusalDetails
  /** Rule that defines the message. */
  readonly spec?: string
}

/** Declarations of an API's messages, by rule. */
export type MessageTable = Readonly<Record<string, MessageDeclaration>>

type RefusalRules<Table extends MessageTable> = {
  [Rule in keyof Table]: Table[Rule] extends { readonly kind: RefusalKind } ? Rule : never
}[keyof Table] &
  string

/**
 * Messages of an API: the declared table, and functions that create messages and refusals by rule.
 */
interface Messages<Table extends MessageTable> {
  readonly table: Table
  message<Rule extends keyof Table & string>(
    rule: Rule,
    ...params: ParamArguments<Table[Rule]['text']>
  ): Message
  /** Returns the refusal without throwing it, so that callers write `throw refuse('…')`. */
  refuse<Rule extends RefusalRules<Table>>(
    rule: Rule,
    ...params: ParamArguments<Table[Rule]['text']>
  ): Refusal
}

/** Templates of a dialect for the rules that it words differently. */
export type WordingOf<Table extends MessageTable> = {
  readonly [Rule in keyof Table]?: string
}

/**
 * Declares the messages of an API, or of a part of it, as data. Domain code passes the rule and the
 * values of its placeholders. A dialect is a table of other templates (`WordingOf`), applied when a
 * reply is rendered.
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

type Texts = Readonly<Record<string, string>>

/**
 * Declares refusals of one kind; `texts` contains their templates by rule. All of these refusals
 * have the details `detail`.
 */
export function refusals<const Kind extends RefusalKind, const T extends Texts>(
  kind: Kind,
  texts: T,
  detail: RefusalDetails = noDetails,
) {
  return declareEach(texts, { kind, detail })
}

/**
 * Declares messages that are not refusals, such as warnings and parts of other messages. `texts`
 * contains their templates by rule.
 */
export function messageTexts<const T extends Texts>(texts: T) {
  return declareEach(texts, {})
}

function declareEach<T extends Texts, const Common extends object>(texts: T, common: Common) {
  return mapToDictionary(texts, (text) => ({ text, ...common })) as {
    readonly [Rule in keyof T]: { readonly text: T[Rule] } & Common
  }
}

/** Returns whether the writes made before this exception are committed. */
export function commitsWrites(error: unknown): boolean {
  return error instanceof Refusal && error.commitsWrites
}
