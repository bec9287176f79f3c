/**
 * The content of a slot of a text: a fact as it is, another text, which is told in the same words
 * as the one around it, or several, one behind the other.
 */
export type MessageParam = string | number | Message | readonly Message[]

/** Facts by the names of the slots that they fill. */
export type MessageParams = Readonly<Record<string, MessageParam>>

/** A text that is still its template and its facts: who tells it chooses the words. */
export interface Message {
  /** Kebab case and stable: what the text is called in columns, explanations and tests. */
  readonly rule: string
  /** In the specification's words, with slots: `path is already in use at {path}`. */
  readonly template: string
  readonly params: MessageParams
}

/** The names of a template's slots. */
type PlaceholdersOf<Template extends string> =
  Template extends `${string}{${infer Placeholder}}${infer Rest}`
    ? Placeholder | PlaceholdersOf<Rest>
    : never

/** The facts that a template wants. */
type ParamsOf<Template extends string> = {
  readonly [Placeholder in PlaceholdersOf<Template>]: MessageParam
}

/** The arguments behind a rule: none for a text without slots. */
export type ParamArguments<Template extends string> = [PlaceholdersOf<Template>] extends [never]
  ? []
  : [facts: ParamsOf<Template>]

/** Other words for some rules: one column of a table of texts. */
export type Wording = Readonly<Record<string, string>>

const placeholder = /\{(\w+)\}/g

/**
 * A text in full. Facts stay as they are, whatever they say: only the templates are one's own.
 *
 * @param wording whose words go before the templates' own
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
  if (typeof param === 'number') return String(param)
  if (param === undefined) return ''
  return isMessageList(param)
    ? param.map((each) => renderMessage(each, wording)).join('')
    : renderMessage(param, wording)
}

function isMessageList(param: Message | readonly Message[]): param is readonly Message[] {
  return Array.isArray(param)
}
