/**
 * Value of a placeholder: a plain value, a message, or a list of messages, whose texts are joined.
 * A message in a placeholder is rendered in the wording of the enclosing message.
 */
export type MessageParam = string | number | bigint | Message | readonly Message[]

/** Values by name of the placeholder. */
export type MessageParams = Readonly<Record<string, MessageParam>>

/**
 * A text before it is rendered: a template and its values. The code that renders the message
 * chooses the wording.
 */
export interface Message {
  /** Stable kebab-case name of the text in wordings, explanations and tests. */
  readonly rule: string
  /**
   * Template in the specification's words, with placeholders: `path is already in use at {path}`.
   */
  readonly template: string
  readonly params: MessageParams
}

/** Placeholder names in a template: `'old' | 'new'` for `from {old} to {new}`. */
type PlaceholdersOf<Template extends string> =
  Template extends `${string}{${infer Placeholder}}${infer Rest}`
    ? Placeholder | PlaceholdersOf<Rest>
    : never

/** One value per placeholder, so that a missing or misspelt name does not compile. */
type ParamsOf<Template extends string> = {
  readonly [Placeholder in PlaceholdersOf<Template>]: MessageParam
}

/** Arguments that follow a rule in a call; an empty list if the template has no placeholders. */
export type ParamArguments<Template extends string> = [PlaceholdersOf<Template>] extends [never]
  ? []
  : [params: ParamsOf<Template>]

/** Templates of a dialect, by rule, which replace the messages' own templates. */
export type Wording = Readonly<Record<string, string>>

const placeholder = /\{(\w+)\}/g

/**
 * Returns the text of a message. A placeholder inside an inserted value is not replaced. A
 * placeholder without a value stays in the text.
 *
 * @param wording templates by rule; if a message's rule is missing here, the message's own template
 *   applies
 */
export function renderMessage(message: Message, wording?: Wording): string {
  const override =
    wording !== undefined && Object.hasOwn(wording, message.rule)
      ? wording[message.rule]
      : undefined
  const template = override ?? message.template
  if (!template.includes('{')) return template
  return template.replace(placeholder, (match, name: string) =>
    Object.hasOwn(message.params, name) ? renderParam(message.params[name], wording) : match,
  )
}

function renderParam(param: MessageParam | undefined, wording: Wording | undefined): string {
  if (typeof param === 'string') return param
  if (typeof param === 'number' || typeof param === 'bigint') return String(param)
  if (param === undefined) return ''
  return isMessageList(param)
    ? param.map((each) => renderMessage(each, wording)).join('')
    : renderMessage(param, wording)
}

function isMessageList(param: Message | readonly Message[]): param is readonly Message[] {
  return Array.isArray(param)
}
