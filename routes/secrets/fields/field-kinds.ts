import { intOf, list, map, text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described, inputOnly } from '../../../state/kernel/shape/members.ts'

/**
 * Says how fields of requests are declared: `described(text, '…')`, `int`, `bool`, `list(text)`,
 * `list(int)`, `list(any)`, `map(any)`, `map(text)` (text by key, also from `k=v` texts) and what
 * is below. Any may be left out; those with `byDefault` then have a value. What the weakly typed
 * service takes for each is in fields.ts (behaviour/secrets#weak-typing).
 */

/** A text that is read in lower case. */
export const lowerCaseText = textOf({ format: 'lower' })

/** Whole seconds from a Go duration, a number of seconds or of days (`2d`), never fewer than 0. */
export const seconds = intOf({ format: 'duration' })

/** The same for ones that may be negative. */
export const signedSeconds = intOf({ format: 'signed-duration' })

/** HTTP headers. */
export const headers = map(list(text))

/** A field that takes a list of texts. */
export const texts = (description: string) => described(list(text), description)

/** A field that takes a list of texts, of which a text alone is one, commas and all. */
export const unsplitTexts = (description: string) =>
  described(list(textOf({ format: 'whole' })), description)

/** A field that takes a duration; handlers get whole seconds, never fewer than 0. */
export const duration = (description: string) => described(seconds, description)

/** The same for one that may be negative. */
export const signedDuration = (description: string) => described(signedSeconds, description)

/** A field that is needed, as documents say; what its absence means is the operation's to answer. */
export const requiredField = inputOnly
