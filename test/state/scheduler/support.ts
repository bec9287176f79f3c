import { expect } from 'vitest'
import type { RefusalKind } from '../../../state/kernel/refusal.ts'

function refusalWith(kind: RefusalKind, message: string): unknown {
  return expect.objectContaining({ kind, message })
}

/** The refusal (400) with a text. */
export const malformed = (text: string): unknown => refusalWith('invalid', text)

/** The refusal (500) with a text. */
export const rejected = (text: string): unknown => refusalWith('conflict', text)

/** The refusal (404) with a text. */
export const missing = (text: string): unknown => refusalWith('absent', text)

/** The refusal (403). */
export const denied = (): unknown => refusalWith('denied', 'Permission denied')

/** Several errors as one text (behaviour/scheduler#validation). */
export function multiError(errors: readonly string[]): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${count} occurred:\n\t${errors.map((error) => `* ${error}`).join('\n\t')}\n\n`
}
