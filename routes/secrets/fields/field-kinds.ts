import { bool, intOf, list, map, text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described, inputOnly, withDefault } from '../../../state/kernel/shape/members.ts'

// Shapes for fields of requests, in addition to `described(text, '…')`, `int`, `bool`,
// `list(text)`, `list(int)`, `list(any)`, `map(any)` and `map(text)` (text by key, also from `k=v`
// texts). Handlers do not receive a missing field that has no default. fields.ts converts the
// values (behaviour/secrets#weak-typing).

/** A text that the conversion changes to lower case. */
export const lowerCaseText = textOf({ format: 'lower' })

/**
 * A number of whole seconds, at least 0. In requests, the value is a Go duration, a number of
 * seconds, or a number of days (`2d`).
 */
export const seconds = intOf({ format: 'duration' })

/** A number of whole seconds that may be negative. */
export const signedSeconds = intOf({ format: 'signed-duration' })

/** HTTP headers: a list of values for each name. */
export const headers = map(list(text))

export const texts = (description: string) => described(list(text), description)

/** Returns a field for a list of strings. A single string is not split at commas. */
export const unsplitTexts = (description: string) =>
  described(list(textOf({ format: 'whole' })), description)

/** Returns a field for a duration. Handlers receive whole seconds of at least 0. */
export const duration = (description: string) => described(seconds, description)

/** Returns a field for a duration that may be negative. */
export const signedDuration = (description: string) => described(signedSeconds, description)

/**
 * Function that marks a field as required in API documents. The conversion does not check this: the
 * operation itself refuses a request without the field.
 */
export const requiredField = inputOnly

/** Returns a field for a text. Handlers receive an empty text if the field is missing. */
export const textField = (description: string) => withDefault(described(text, description), '')

/**
 * Returns a field for a text that documents mark as required. If the field is missing, handlers
 * receive an empty text and refuse the request.
 */
export const requiredText = (description: string) =>
  withDefault(requiredField(described(text, description)), '')

/** Returns a field for a boolean that is false by default. */
export const flag = (description: string) => withDefault(described(bool, description), false)
