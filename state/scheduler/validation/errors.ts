import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/** Formats of messages that combine errors (behaviour/scheduler#validation). */
export const { table: errorListMessages, message } = defineMessages(
  messageTexts({
    'one-error': '1 error occurred:{list}\n\n',
    'several-errors': '{count} errors occurred:{list}\n\n',
    'listed-error': '\n\t* {error}',
    'part-invalid': '{part} {at} validation failed: {errors}',
  }),
)

/**
 * Combines errors into one message in the format of Go's go-multierror, which the reference uses at
 * every level (behaviour/scheduler#validation).
 */
export function multiError(errors: readonly Message[]): Message {
  const list = errors.map((error) => message('listed-error', { error }))
  return errors.length === 1
    ? message('one-error', { list })
    : message('several-errors', { count: errors.length, list })
}

/**
 * Combines several errors into one error and passes the result to `wrap`. Returns an empty list if
 * there are no errors.
 */
export function combineErrors(
  errors: readonly Message[],
  wrap: (errors: Message) => Message = (errors) => errors,
): readonly Message[] {
  return errors.length === 0 ? [] : [wrap(multiError(errors))]
}

/**
 * Returns the messages among the arguments. Each argument is the result of a check of the form
 * `condition && message(…)`.
 */
export function failedChecks(...checks: readonly (false | Message)[]): readonly Message[] {
  return checks.filter((check) => check !== false)
}

/** Returns the error of the list item at index `at`. Messages count items from one. */
export function itemInvalid(part: string, at: number, errors: Message): Message {
  return message('part-invalid', { part, at: at + 1, errors })
}

/** Wraps the errors of a list item into one error, unless there are no errors. */
export function itemErrors(part: string, at: number, errors: readonly Message[]) {
  return combineErrors(errors, (list) => itemInvalid(part, at, list))
}

/** Validates the items of a list. Each invalid item causes one error. */
export function eachItemErrors<T>(
  items: readonly T[] | null,
  part: string,
  validate: (item: T) => readonly Message[],
): readonly Message[] {
  return (items ?? []).flatMap((item, at) => itemErrors(part, at, validate(item)))
}

/**
 * Returns the errors of each item. An item is invalid if its name is missing or an earlier item has
 * the same name. Positions in messages count from one.
 */
export function nameErrors(
  items: readonly { readonly Name: string }[] | null,
  messages: {
    readonly missing: (at: number) => Message
    readonly duplicate: (at: number, name: string, first: number) => Message
  },
): readonly (readonly Message[])[] {
  const seen = new Map<string, number>()
  return (items ?? []).map(({ Name }, at) => {
    if (Name === '') return [messages.missing(at + 1)]
    const first = seen.get(Name)
    if (first !== undefined) return [messages.duplicate(at + 1, Name, first)]
    seen.set(Name, at + 1)
    return []
  })
}
