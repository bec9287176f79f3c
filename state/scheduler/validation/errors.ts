/**
 * Several errors as one text, the way the reference prints them at every level
 * (3b-scheduler-decisions.md section 5). Errors that are such texts themselves stay as they are.
 */
export function multiError(errors: readonly string[]): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${count} occurred:\n\t${errors.map((error) => `* ${error}`).join('\n\t')}\n\n`
}

/** Errors of a part as one error of the whole: none for none. */
export function nested(errors: readonly string[], prefix = ''): readonly string[] {
  return errors.length === 0 ? [] : [prefix + multiError(errors)]
}

/** The texts whose condition holds, in order. */
export function failing(
  ...checks: readonly (readonly [isWrong: boolean, text: string])[]
): readonly string[] {
  return checks.filter(([isWrong]) => isWrong).map(([, text]) => text)
}

/** Errors of the items of a list, each in a text of its own that counts from one. */
export function nestedEach<T>(
  items: readonly T[] | null,
  kind: string,
  errorsOf: (item: T) => readonly string[],
): readonly string[] {
  return (items ?? []).flatMap((item, at) =>
    nested(errorsOf(item), `${kind} ${at + 1} validation failed: `),
  )
}

/** Names that are missing or come twice; the texts differ by what is counted. */
export function nameErrors(
  items: readonly { readonly Name: string }[] | null,
  texts: {
    readonly missing: (at: number) => string
    readonly again: (at: number, name: string, first: number) => string
  },
): readonly (readonly string[])[] {
  const seen = new Map<string, number>()
  return (items ?? []).map(({ Name }, at) => {
    if (Name === '') return [texts.missing(at + 1)]
    const first = seen.get(Name)
    if (first !== undefined) return [texts.again(at + 1, Name, first)]
    seen.set(Name, at + 1)
    return []
  })
}
