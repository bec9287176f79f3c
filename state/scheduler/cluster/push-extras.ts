import type { Refusal } from '../../kernel/refusal.ts'
import { bool, int, text } from '../../kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../kernel/shape/members.ts'
import { refuse } from './texts.ts'

/** The members that a push sent beside `to`. */
export type Extras = Readonly<Record<string, unknown>>

/** What a push that ends a task can say about its end. */
export function exitGiven(exitCode: number) {
  return struct({
    exitCode: withDefault(described(int, 'Of the process'), exitCode),
    signal: withDefault(described(int, 'That ended it; 0 for none'), 0),
    message: withDefault(described(text, "The driver's"), ''),
    oomKilled: withDefault(described(bool, 'It had no memory left'), false),
  })
}

/** What a push of a task that cannot start can say. */
export const startFailureGiven = struct({
  error: withDefault(described(text, "The driver's"), 'failed to start task'),
  recoverable: withDefault(described(bool, 'The restart policy decides'), false),
})

/** What a push that ends an evaluation can say. */
export const endingGiven = struct({
  description: optional(described(text, 'Why it ended so')),
})

function wrong(name: string, what: string): Refusal {
  return refuse('push-extra-invalid', { name, what })
}

/** A whole number among a push's extras. Refuses anything else with `invalid`. */
export function numberIn(extras: Extras, name: string, otherwise: number): number {
  const value = extras[name] ?? otherwise
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw wrong(name, 'a whole number')
}

/** A text among a push's extras. */
export function textIn(extras: Extras, name: string, otherwise: string): string {
  const value = extras[name] ?? otherwise
  if (typeof value === 'string') return value
  throw wrong(name, 'a text')
}

/** A truth value among a push's extras. */
export function flagIn(extras: Extras, name: string): boolean {
  const value = extras[name] ?? false
  if (typeof value === 'boolean') return value
  throw wrong(name, 'true or false')
}
