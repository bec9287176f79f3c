import { bool, nullable, text, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import { resources } from '../../state/mesh/acl/rules.ts'

/** Shapes of the control plane's bodies about the service mesh. */

const originShape = struct({ id: text, name: text, namespace: text })

/** Question whether a token has a permission. */
export const meshQuestionShape = struct({
  token: optional(described(text, 'A SecretID; default: none, which is the anonymous token')),
  resource: word(...resources),
  name: optional(described(text, 'Of the key, namespace, service, …')),
  namespace: optional(described(text, "Where; default: the token's own")),
  access: word('read', 'list', 'write'),
})

/** Decision about a permission and the rule behind it. */
export const meshDecisionShape = struct({
  allowed: bool,
  rule: described(
    nullable(text),
    "The rule that decided, or the builtin policy's name; null for none",
  ),
  from: struct({
    source: described(
      word('token', 'namespace-defaults', 'default-policy', 'acl-disabled'),
      'Whose rules decided, or that none did',
    ),
    policy: described(nullable(originShape), 'The one with the rule'),
    role: described(nullable(originShape), 'The one that has the policy'),
  }),
})
