import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/secrets#password-policies'

/** Password policies. */
export const passwordChoices: readonly Choice[] = [
  {
    id: 'password-candidates',
    about: 'How long generating a password may take.',
    choice:
      'As long as 3,000,000 characters are drawn, 100,000 candidates of 30, where the reference stops after a second: equal seeds answer alike on any machine, and others need not wait.',
    evidence: 'decided here',
    where: 'behaviour/secrets#password-generation',
  },
  {
    id: 'password-charset-too-long',
    about: 'When a policy with more than 256 characters fails.',
    choice:
      'When a password is to be made, with 500 `failed to generate password from policy: unable to generate random characters: …`; storing it succeeds.',
    evidence: 'decided here',
    where: 'behaviour/secrets#password-generation',
  },
  {
    id: 'password-empty-charset',
    about: 'A rule without characters beside others.',
    choice:
      'It is passed over when it asks for none and impossible when it asks for some, where the reference breaks off.',
    evidence: 'decided here',
    where: 'behaviour/secrets#password-policies',
  },
  {
    id: 'password-decoding',
    about: 'Texts for values of another type than a name asks for.',
    choice:
      "Those of the reference's decoder: `failed to decode configuration: 1 error(s) decoding:…`, `unable to retrieve rules: …`, `failed to parse charset restriction: …`. Unknown names are passed over, upper case counts as lower.",
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'password-policy-list',
    about: 'How names that hold slashes are listed.',
    choice: 'Whole, each as a name of its own; there are no folders.',
    evidence: 'decided here',
    where: 'behaviour/secrets#api-password-policies',
  },
  {
    id: 'broken-password-policies',
    about: 'Password policies that do not parse, which only imported state can hold.',
    choice:
      'They can be read; generating answers 500 `stored password policy configuration failed to parse`.',
    evidence: 'extension',
    where: section,
  },
]
