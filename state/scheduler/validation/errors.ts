import { wordings } from '../../kernel/refusal.ts'
import type { Said } from '../../kernel/wording.ts'

/** Forms in which several errors are one text (behaviour/scheduler#validation). */
export const { table: errorListTexts, say } = wordings({
  'one-error': { text: '1 error occurred:{list}\n\n' },
  'several-errors': { text: '{count} errors occurred:{list}\n\n' },
  'listed-error': { text: '\n\t* {error}' },
  'part-invalid': { text: '{part} {at} validation failed: {errors}' },
})

/**
 * Several errors as one text, the way the reference prints them at every level
 * (behaviour/scheduler#validation). Errors that are such texts themselves stay as they are.
 */
export function multiError(errors: readonly Said[]): Said {
  const list = errors.map((error) => say('listed-error', { error }))
  return errors.length === 1
    ? say('one-error', { list })
    : say('several-errors', { count: errors.length, list })
}

/** Errors of a part as one error of the whole: none for none. */
export function nested(
  errors: readonly Said[],
  ofPart: (errors: Said) => Said = (said) => said,
): readonly Said[] {
  return errors.length === 0 ? [] : [ofPart(multiError(errors))]
}

/** The texts that were said, in order: `condition && say(…)`. */
export function failing(...checks: readonly (false | Said)[]): readonly Said[] {
  return checks.filter((check) => check !== false)
}

/** An error of an item of a list, told to count from one. */
export function partInvalid(part: string, at: number, errors: Said): Said {
  return say('part-invalid', { part, at: at + 1, errors })
}

/** Errors of an item of a list as one: none for none. */
export function nestedAt(part: string, at: number, errors: readonly Said[]): readonly Said[] {
  return nested(errors, (list) => partInvalid(part, at, list))
}

/** Errors of the items of a list, each in a text of its own. */
export function nestedEach<T>(
  items: readonly T[] | null,
  part: string,
  errorsOf: (item: T) => readonly Said[],
): readonly Said[] {
  return (items ?? []).flatMap((item, at) => nestedAt(part, at, errorsOf(item)))
}

/** Names that are missing or come twice; the texts differ by what is counted. */
export function nameErrors(
  items: readonly { readonly Name: string }[] | null,
  texts: {
    readonly missing: (at: number) => Said
    readonly again: (at: number, name: string, first: number) => Said
  },
): readonly (readonly Said[])[] {
  const seen = new Map<string, number>()
  return (items ?? []).map(({ Name }, at) => {
    if (Name === '') return [texts.missing(at + 1)]
    const first = seen.get(Name)
    if (first !== undefined) return [texts.again(at + 1, Name, first)]
    seen.set(Name, at + 1)
    return []
  })
}
