import { Refusal, type RefusalDetail } from '../kernel/refusal.ts'

/** One broken rule of an attribute (2-platform-decisions.md section 1.3, E422a). */
export interface AttributeFault {
  /** As in the document: `api-rate-limit`; a member of one is `vcs-repo/branch`. */
  readonly attribute: string
  /** What is said of it: `can't be blank`. */
  readonly message: string
}

/** How the platform API words a refusal beyond its kind. */
export interface PlatformRefusalDetail extends RefusalDetail {
  /** 422, an object for each (E422a). */
  readonly attributes?: readonly AttributeFault[]
  /** 400 instead of 422 (E400). */
  readonly badRequest?: true
  /** How somebody else's server failed, which decides the status. */
  readonly failure?: 'rejected' | 'failed' | 'timed-out'
  /** 403: the right was there, but its time is over. */
  readonly expired?: true
}

function refusal(
  kind: Refusal['kind'],
  message: string,
  detail: PlatformRefusalDetail = {},
): Refusal {
  return new Refusal(kind, message, detail)
}

/** 404: missing, or hidden from the caller; both look alike. */
export function notFound(): Refusal {
  return refusal('absent', 'not found')
}

/** 401: no token, or one that is not known. */
export function unauthorized(): Refusal {
  return refusal('denied', 'unauthorized')
}

/** 422 with one object for each broken rule. */
export function invalidAttributes(attributes: readonly AttributeFault[]): Refusal {
  const text = attributes.map(({ attribute, message }) => `${attribute} ${message}`).join('; ')
  return refusal('invalid', text, { attributes })
}

/** 422 about the document as a whole (E422d). */
export function unprocessable(message: string): Refusal {
  return refusal('invalid', message)
}

/** 400 (E400). */
export function badRequest(message: string): Refusal {
  return refusal('invalid', message, { badRequest: true })
}

/** 409: the state does not allow it (E409). */
export function transitionNotAllowed(): Refusal {
  return refusal('conflict', 'transition not allowed')
}

/** 403: an address whose time is over. */
export function expired(): Refusal {
  return refusal('denied', 'forbidden', { expired: true })
}

/** 401, 500 or 504: a mail server rejected the credentials, failed or did not answer in time. */
export function mailFailed(failure: 'rejected' | 'failed' | 'timed-out', message: string): Refusal {
  return refusal('upstream', message, { failure })
}
