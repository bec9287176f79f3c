import type { Choice } from '../../http/coverage.ts'

/** Entities, aliases and groups. */
export const identityChoices: readonly Choice[] = [
  {
    id: 'identity-no-policies',
    about: 'Look-ups of a token whose entity brings no policies.',
    choice: '`identity_policies` is an empty list and `external_namespace_policies` empty.',
    evidence: 'decided here',
    where: 'behaviour/secrets#identity',
  },
  {
    id: 'identity-namespaces',
    about: 'Ids and names of entities, aliases and groups of another namespace.',
    choice:
      'They are unknown, as if they were not there; the reference answers some with 403. Groups have members of their own namespace only.',
    evidence: 'decided here',
    where: 'behaviour/secrets#identity',
  },
  {
    id: 'identity-merge-clash',
    about: 'Merging entities that have aliases at the same login method.',
    choice:
      'Refused unless the request says which alias stays; the text alone tells the clashes, where the reference adds a list.',
    evidence: 'decided here',
    where: 'behaviour/secrets#merge',
  },
  {
    id: 'identity-empty-lists',
    about: 'Policies, members and parents of a group that has none.',
    choice: 'Null, nearly as in the reference.',
    evidence: 'decided here',
    where: 'behaviour/secrets#groups',
  },
]
