import type { Choice } from '../../http/coverage.ts'

/** A choice about what a rule, `where`, leaves open: `behaviour/scheduler#blocking`. */
export function decided(id: string, about: string, choice: string, where: string): Choice {
  return { id, about, choice, evidence: 'decided here', where }
}

/** Something that a rule asks for, or the reference has, and this program does not do. */
export function gap(id: string, about: string, choice: string, where: string): Choice {
  return { ...decided(id, about, choice, where), evidence: 'gap' }
}
