import type { Choice } from '../../http/coverage.ts'

/**
 * A choice about what a section of 3b-scheduler-decisions.md, or, if it begins with `3c`, of
 * 3c-scheduler-more-decisions.md leaves open.
 */
export function decided(id: string, about: string, choice: string, section: string): Choice {
  const where = section.startsWith('3c ')
    ? `3c-scheduler-more-decisions.md ${section.slice('3c '.length)}`
    : `3b-scheduler-decisions.md ${section}`
  return { id, about, choice, evidence: 'decided here', where }
}

/** A choice about what a section of 3c-scheduler-more-decisions.md leaves to this program. */
export function decidedMore(id: string, about: string, choice: string, section: string): Choice {
  const where = `3c-scheduler-more-decisions.md ${section}`
  return { id, about, choice, evidence: 'decided here', where }
}

/** Something that the sections ask for, or the reference has, and this program does not do. */
export function gap(id: string, about: string, choice: string, section: string): Choice {
  return { ...decided(id, about, choice, section), evidence: 'gap' }
}

/** The same of what 3c-scheduler-more-decisions.md asks for. */
export function gapMore(id: string, about: string, choice: string, section: string): Choice {
  return { ...decidedMore(id, about, choice, section), evidence: 'gap' }
}
