import type { Refusal } from '../../kernel/refusal.ts'
import { type FailedCheck, refusal } from '../refusals.ts'

/**
 * A login that is refused for what the caller is: 403, in the reference 400
 * (1-secrets-decisions.md section 10, SPEC>REF). The text tells the caller little, so the check that
 * failed goes along for logs and the journal.
 */
export function loginDenied(message: string, check: FailedCheck['name'], why: string): Refusal {
  return refusal('denied', message, { check: { name: check, why }, invalidInReference: true })
}

/** A login that is refused for what it asks for: 400 in every dialect. */
export function loginInvalid(message: string, check: FailedCheck['name'], why: string): Refusal {
  return refusal('invalid', message, { check: { name: check, why } })
}

/** Credentials that prove nothing: step (3), whatever is wrong with them. */
export function notAuthenticated(check: FailedCheck['name'], why: string): Refusal {
  return loginDenied('Cloud authentication failed', check, why)
}
