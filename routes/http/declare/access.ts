/**
 * What a caller must have to ask for an operation, any of which suffices. It is looked at
 *
 * - `before` anything is done, after parameters and body were read; of reads each time anew;
 * - `first`, before the body;
 * - `within` the operation, where the body or what the path names says what it is about, or what there
 *   is not is said before;
 * - for `each` entry of what is answered: nothing is refused, and the rest is left out.
 *
 * An API names its rights, and knows who has them.
 */
export interface RequiredRight<Need extends string = string> {
  readonly anyOf: readonly Need[]
  readonly when: 'first' | 'before' | 'within' | 'each'
  /** Demanded besides of requests that ask for more. */
  readonly also?: Need
}

/** Who may ask for an operation. */
export type OperationAccess<R extends RequiredRight = RequiredRight> = 'anyone' | R

/** The same right, looked at before the body. */
export function beforeBody<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'first' }
}

/** The same right, demanded where it is known what it is about. */
export function insideOperation<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'within' }
}

/** The same right, by which what is answered is cut. */
export function perEntry<R extends RequiredRight>(right: R): R {
  return { ...right, when: 'each' }
}

/** The right that is looked at at a moment; undefined where there is none. */
export function rightCheckedAt<R extends RequiredRight>(
  access: OperationAccess<R>,
  when: RequiredRight['when'],
): R | undefined {
  return access !== 'anyone' && access.when === when ? access : undefined
}

/** What operations demand by themselves is what they declare. */
export function assertDeclared(access: OperationAccess, need: string): void {
  if (access !== 'anyone' && [...access.anyOf, access.also].includes(need)) return
  throw new Error(`${need} is demanded but not declared`)
}

/** Says who may ask, for documents. */
export function accessText(access: OperationAccess): string {
  if (access === 'anyone') return access
  const { anyOf, when, also } = access
  const rights = `${anyOf.join(' or ')}${also === undefined ? '' : `, besides ${also}`}`
  return when === 'each' ? `anyone; entries by ${rights}` : rights
}
