import { Refusal, type RefusalDetail } from '../kernel/refusal.ts'

/** How the jobs API words a refusal beyond its kind (3b-scheduler-decisions.md section 1). */
export interface SchedulerRefusalDetail extends RefusalDetail {
  /** The status of an error that carries its own code: 404, 429 and the like. */
  readonly status?: number
}

/** What the HTTP layer refuses: a malformed body or parameter (400). */
export function malformed(text: string): Refusal {
  return new Refusal('invalid', text)
}

/** What the server behind the HTTP layer refuses, mistakes of the caller included (500). */
export function rejected(text: string): Refusal {
  return new Refusal('conflict', text)
}

/** What does not exist (404). */
export function missing(text: string): Refusal {
  return new Refusal('absent', text)
}

/** What the caller may not do, and an unknown token (403). */
export function denied(): Refusal {
  return new Refusal('denied', 'Permission denied')
}
