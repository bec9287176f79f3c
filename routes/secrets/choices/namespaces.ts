import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/secrets#namespaces'
const conventions = 'behaviour/secrets#namespace-header'

/** Namespaces and what is between them. */
export const namespaceChoices: readonly Choice[] = [
  {
    id: 'namespace-names',
    about: 'Names with a slash inside, as in `sys/namespaces/a/b`.',
    choice:
      'Every verb answers 400 `"/" is not allowed in namespace names`, as the real service does: nested ones are made in their parent.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-paths',
    about: 'What `path` of a nested namespace says.',
    choice: 'The whole path from the root; `keys` of a list are the names below the parent.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-rewritten',
    about: 'Writing a namespace that exists.',
    choice: 'Id and contents stay, `custom_metadata` is replaced, also by none.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-metadata',
    about: 'What `custom_metadata` of a namespace may hold.',
    choice:
      'The same as that of a secret, with the same texts; a patch is held to it as a whole, null takes away.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-absent',
    about: 'Patching a namespace that does not exist.',
    choice: '404 with an empty list of errors, as reading it.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-conflicts',
    about: 'A namespace where a mount is, and a mount where a namespace is.',
    choice:
      'Both are refused with 400: `new namespace conflicts with existing mount: <p>/` and `path is already in use at <p>/`.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-deleted-at-once',
    about: 'How long deleting a namespace takes.',
    choice: 'It is done when the request is answered; what an engine says to it does not count.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'namespace-tokens',
    about: 'Where tokens of a namespace work and are known.',
    choice:
      'They work in their namespace and below, elsewhere the ACL denies whatever is asked. A namespace knows those made in it and below; the token of a call knows itself everywhere.',
    evidence: 'decided here',
    where: conventions,
  },
]
