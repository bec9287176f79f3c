import type { Refusal } from '../../kernel/refusal.ts'
import { refuse } from './texts.ts'

/** The members that a push sent beside `to`. */
export type Extras = Readonly<Record<string, unknown>>

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
