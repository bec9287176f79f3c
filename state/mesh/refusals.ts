import { Refusal, type RefusalDetail } from '../kernel/refusal.ts'

/** How the mesh API words a refusal beyond its kind (3a-mesh-decisions.md section 1). */
export interface MeshRefusalDetail extends RefusalDetail {
  /** The body is beyond its limit. */
  readonly tooLarge?: true
}

/** What the HTTP layer itself refuses: a malformed body, name or parameter (400). */
export function malformed(text: string): Refusal {
  return new Refusal('invalid', text)
}

/** What the server behind the HTTP layer refuses, also for mistakes of the client (500). */
export function rejected(text: string): Refusal {
  return new Refusal('conflict', text)
}

/** What the caller may not do, or an unknown token (403). */
export function denied(text: string): Refusal {
  return new Refusal('denied', text)
}

/** What does not exist (404). */
export function missing(text: string): Refusal {
  return new Refusal('absent', text)
}

/** What the service as it is configured does not offer (401). */
export function aclDisabled(): Refusal {
  return new Refusal('unsupported', 'ACL support disabled')
}

/** A body beyond its limit (413). */
export function tooLarge(text: string): Refusal {
  const detail: MeshRefusalDetail = { tooLarge: true }
  return new Refusal('invalid', text, detail)
}
