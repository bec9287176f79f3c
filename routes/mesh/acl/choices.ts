import type { Choice } from '../../http/coverage.ts'

const where = 'behaviour/mesh#acl'

/** Choices of the ACL system that no rule of behaviour/mesh#acl makes. */
export const aclChoices: readonly Choice[] = [
  {
    id: 'mesh-acl-order-of-checks',
    about: 'In which order a call to /v1/acl is checked.',
    choice:
      'Method, whether ACLs are on, path and body, the namespace (of `ns`, the header, the body or the token, in this order), the right to it, and then what is asked for.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-global-management',
    about: 'Whether a deny rule takes something from a token with the policy global-management.',
    choice: 'No: the policy grants everything, whatever else is linked.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-explicit-deny-of-namespace',
    about: 'Whether `namespace "x" { policy = "deny" }` hides x where the default policy allows.',
    choice:
      'Yes: defaults of the namespace and the default policy are only asked when no own rule speaks of the namespace. An own rule that grants reading otherwise (operator, a nested rule) goes before the denial.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-nested-segments',
    about: 'Which of several matching namespace blocks decides.',
    choice:
      'The most specific one that has a rule for the resource and name; what stands outside of blocks counts as in a block for the namespace of the token.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-unknown-rules',
    about: 'What becomes of rules that the rule language does not know.',
    choice: 'They are passed over and grant nothing, as the reference server does.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-case-of-names',
    about: 'Whether names of policies and roles differ by letter case.',
    choice: 'No, as in the reference server; the spelling of the last write is shown.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-wildcard-lists',
    about: 'What `ns=*` means for lists of ACL objects.',
    choice:
      'The objects of all namespaces where the caller has acl:read; the filter header tells when something was left out.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-builtin-while-off',
    about: 'Whether links find the policy global-management while ACLs are off.',
    choice:
      'Not before a policy or role was stored: in the reference server it only exists with ACLs on.',
    evidence: 'decided here',
    where: 'behaviour/mesh#acl-links',
  },
  {
    id: 'mesh-acl-identity-twice',
    about: 'What becomes of a service identity that is sent twice with different datacenters.',
    choice:
      'As in the reference, it is kept once, with the datacenters of both in their order; one that is sent without any has those of the other. Identities stay in the order in which they are sent, which the reference leaves to chance.',
    evidence: 'decided here',
    where,
  },
  {
    id: 'mesh-acl-token-filters',
    about: 'What several filters of the token list mean together.',
    choice: 'Tokens that fit all of them.',
    evidence: 'decided here',
    where,
  },
]
