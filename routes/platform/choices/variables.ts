import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/platform#variables'

/** Test variables. */
export const variableChoices: readonly Choice[] = [
  {
    id: 'variable-blank-key',
    about: 'The errors of a blank key, which has no valid form either.',
    choice: "One object, `Key can't be blank`; white space is blank.",
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'variable-null-description',
    about: 'A description that a PATCH sends as null.',
    choice: 'It is null again, as when never set.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'variable-lengths',
    about: 'What lengths of variables are counted in.',
    choice: 'Keys and descriptions in Unicode characters, values in bytes of UTF-8.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'variable-becomes-sensitive',
    about: 'A PATCH that makes a variable sensitive and changes its key.',
    choice: 'Both happen: it was not sensitive before.',
    evidence: 'decided here',
    where: section,
  },
]
