import type { Message } from '../../kernel/message.ts'
import { defineMessages } from '../../kernel/refusal.ts'

/** Forms in which several errors are one text (behaviour/scheduler#validation). */
export const { table: errorListMessages, message } = defineMessages({
  'one-error': { text: '1 error occurred:{list}\n\n' },
  'several-errors': { text: '{count} errors occurred:{list}\n\n' },
  'listed-error': { text: '\n\t* {error}' },
  'part-invalid': { text: '{part} {at} validation failed: {errors}' },
})

/**
 * Several errors as one text, the way the reference prints them at every level
 * (behaviour/scheduler#validation). Errors that are such texts themselves stay as they are.
 */
export function multiError(errors: readonly Message[]): Message {
  const list = errors.map((error) => message('listed-error', { error }))
  return errors.length === 1
    ? message('one-error', { list })
    : message('several-errors', { count: errors.length, list })
}

/** Errors of a part as one error of the whole: none for none. */
export function combineErrors(
  errors: readonly Message[],
  wrap: (errors: Message) => Message = (errors) => errors,
): readonly Message[] {
  return errors.length === 0 ? [] : [wrap(multiError(errors))]
}

/** The texts that were said, in order: `condition && say(…)`. */
export function failedChecks(...checks: readonly (false | Message)[]): readonly Message[] {
  return checks.filter((check) => check !== false)
}

/** An error of an item of a list, told to count from one. */
export function itemInvalid(part: string, at: number, errors: Message): Message {
  return message('part-invalid', { part, at: at + 1, errors })
}

/** Errors of an item of a list as one: none for none. */
export function itemErrors(
  part: string,
  at: number,
  errors: readonly Message[],
): readonly Message[] {
  return combineErrors(errors, (list) => itemInvalid(part, at, list))
}

/** Errors of the items of a list, each in a text of its own. */
export function eachItemErrors<T>(
  items: readonly T[] | null,
  part: string,
  validate: (item: T) => readonly Message[],
): readonly Message[] {
  return (items ?? []).flatMap((item, at) => itemErrors(part, at, validate(item)))
}

/** Names that are missing or come twice; the texts differ by what is counted. */
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
