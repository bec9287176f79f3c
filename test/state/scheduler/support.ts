import { expect } from 'vitest'
import type { RefusalKind } from '../../../state/kernel/refusal.ts'

function refusalWith(kind: RefusalKind, message: string): unknown {
  return expect.objectContaining({ kind, message })
}

/** Matches a refusal with status 400 and this text. */
export const malformed = (text: string): unknown => refusalWith('invalid', text)

/** Matches a refusal with status 500 and this text. */
export const rejected = (text: string): unknown => refusalWith('conflict', text)

/** Matches a refusal with status 404 and this text. */
export const missing = (text: string): unknown => refusalWith('absent', text)

/** Matches the refusal with status 403, which always has the same text. */
export const denied = (): unknown => refusalWith('denied', 'Permission denied')

/** Formats several errors as one text (behaviour/scheduler#validation). */
export function multiError(errors: readonly string[]): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${count} occurred:\n\t${errors.map((error) => `* ${error}`).join('\n\t')}\n\n`
}
