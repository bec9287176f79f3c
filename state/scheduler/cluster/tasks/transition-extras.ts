import type { Refusal } from '../../../kernel/refusal.ts'
import { bool, int, text } from '../../../kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../kernel/shape/members.ts'
import { refuse } from '../model/messages.ts'

/** Members of a forced transition's request beside `to`. */
export type TransitionExtras = Readonly<Record<string, unknown>>

/** Returns the shape of the members that describe the end of a task. */
export function exitExtras(exitCode: number) {
  return struct({
    exitCode: withDefault(described(int, 'Of the process'), exitCode),
    signal: withDefault(described(int, 'That ended it; 0 for none'), 0),
    message: withDefault(described(text, "The driver's"), ''),
    oomKilled: withDefault(described(bool, 'It had no memory left'), false),
  })
}

/** Members that describe a failed start. */
export const startFailureExtras = struct({
  error: withDefault(described(text, "The driver's"), 'failed to start task'),
  recoverable: withDefault(described(bool, 'The restart policy decides'), false),
})

/** Members that describe the end of an evaluation. */
export const statusExtras = struct({ description: optional(described(text, 'Why it ended so')) })

function invalidExtra(name: string, expected: string): Refusal {
  return refuse('push-extra-invalid', { name, what: expected })
}

/** Returns an integer member of a forced transition. Refuses other values with `invalid`. */
export function numberExtra(extras: TransitionExtras, name: string, fallback: number): number {
  const value = extras[name] ?? fallback
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw invalidExtra(name, 'a whole number')
}

/** Returns a text member of a forced transition. */
export function textExtra(extras: TransitionExtras, name: string, fallback: string): string {
  const value = extras[name] ?? fallback
  if (typeof value === 'string') return value
  throw invalidExtra(name, 'a text')
}

/** Returns a boolean member of a forced transition. */
export function booleanExtra(extras: TransitionExtras, name: string): boolean {
  const value = extras[name] ?? false
  if (typeof value === 'boolean') return value
  throw invalidExtra(name, 'true or false')
}
