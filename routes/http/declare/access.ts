/**
 * The rights that permit an operation. `when` is the stage of the check:
 *
 * - `before`: after parameters and body were parsed and before the operation runs; for blocking
 *   reads, on each read;
 * - `first`: before the body is parsed;
 * - `within`: inside the operation, if the body or the object of the path decides which right is
 *   needed, or if a missing object is reported first;
 * - `each`: for every entry of the reply; entries without the right are left out and nothing is
 *   refused.
 *
 * Each API names its rights, and decides who has them and whether a caller needs one or all of
 * `anyOf`.
 */
export interface RequiredRight<Need extends string = string> {
  readonly anyOf: readonly Need[]
  readonly when: 'first' | 'before' | 'within' | 'each'
  /** A right that only some requests of the operation need, in addition to a right in `anyOf`. */
  readonly also?: Need
}

/** The right that an operation requires; `anyone` if every caller may call the operation. */
export type OperationAccess<R extends RequiredRight = RequiredRight> = 'anyone' | R

/** Returns a copy of a right that is checked before the body is parsed. */
export function beforeBody<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'first' }
}

/** Returns a copy of a right that is checked inside the operation. */
export function insideOperation<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'within' }
}

/** Returns a copy of a right that is checked for each entry of the reply. */
export function perEntry<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'each' }
}

/** Returns the right that is checked at a stage; undefined if there is none. */
export function rightCheckedAt<R extends RequiredRight>(
  access: OperationAccess<R>,
  when: RequiredRight['when'],
): R | undefined {
  return access !== 'anyone' && access.when === when ? access : undefined
}

/** Throws an error if an operation requires a right that it does not declare. */
export function assertDeclared(access: OperationAccess, need: string): void {
  if (access !== 'anyone' && [...access.anyOf, access.also].includes(need)) return
  throw new Error(`${need} is demanded but not declared`)
}

/** Formats the required rights for documents, such as `operator:read or operator:write`. */
export function accessText(access: OperationAccess): string {
  if (access === 'anyone') return access
  const { anyOf, when, also } = access
  const rights = `${anyOf.join(' or ')}${also === undefined ? '' : `, besides ${also}`}`
  return when === 'each' ? `anyone; entries by ${rights}` : rights
}
