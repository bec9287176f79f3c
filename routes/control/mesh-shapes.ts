import { bool, nullable, text, word } from '../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../state/kernel/shape/members.ts'
import { resources } from '../../state/mesh/acl/rulebook.ts'

/** Shapes of the control plane's bodies about the service mesh. */

const originShape = struct({ id: text, name: text, namespace: text })

/** Question whether a token has a permission. */
export const meshQuestionShape = struct({
  token: optional(described(text, 'A SecretID; default: the anonymous token')),
  resource: word(...resources),
  name: optional(described(text, 'Name of the key, namespace, service, …')),
  namespace: optional(described(text, 'Namespace; default: that of the token')),
  access: word('read', 'list', 'write'),
})

/** Decision about a permission and the rule behind it. */
export const meshDecisionShape = struct({
  allowed: bool,
  rule: described(
    nullable(text),
    'Rule that decided, or the name of the builtin policy; null if there is none',
  ),
  from: struct({
    source: described(
      word('token', 'namespace-defaults', 'default-policy', 'acl-disabled'),
      'Source of the rule that decided, or of the decision without one',
    ),
    policy: described(nullable(originShape), 'Policy with the rule'),
    role: described(nullable(originShape), 'Role with the policy'),
  }),
})
