/**
 * Why the domain says no. Kinds are neutral words, not status codes: each API maps them to its own
 * statuses and bodies (DESIGN section 2, Errors).
 */
export type RefusalKind =
  /** The request itself is wrong: a missing, malformed or contradictory value. */
  | 'invalid'
  /** The caller may not do this, or is not known. */
  | 'denied'
  /** The thing asked for does not exist, or may not be seen. */
  | 'absent'
  /** The thing exists, but not in a state that allows this. */
  | 'conflict'
  /** The path exists, the operation on it does not. */
  | 'unsupported'
  /** The service cannot answer now: sealed, uninitialised, catching up. */
  | 'unavailable'
  /** A third party that the service depends on failed. */
  | 'upstream'
  /** A precondition stated by the caller does not hold. */
  | 'precondition'

/** Details an API's error renderer may need; the keys are that API's own. */
export type RefusalDetail = Readonly<Record<string, unknown>>

/**
 * A refused request. Thrown by state/ before or inside a transaction, which it rolls back: a refused
 * request changes nothing.
 */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly detail: RefusalDetail

  constructor(kind: RefusalKind, message: string, detail: RefusalDetail = {}) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.detail = detail
  }
}
