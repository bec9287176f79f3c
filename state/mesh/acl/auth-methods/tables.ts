import { any, int, list, map, name, nullable, text, uint } from '../../../kernel/shape/kinds.ts'
import { optional, struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { meshTable } from '../../indexes.ts'
import { namespaceKey } from '../../namespaces/namespaces.ts'
import { namespacePrefix } from '../tables.ts'

const methodShape = struct({
  name,
  type: text,
  display_name: text,
  description: text,
  /** Maximum lifetime of tokens in nanoseconds; 0 means unlimited. */
  max_token_ttl: int,
  /** `local`, `global` or empty. */
  token_locality: text,
  config: nullable(map(any)),
  /**
   * Rules that choose the namespace of a login's token. Only methods of the namespace `default` use
   * them.
   */
  namespace_rules: optional(list(struct({ Selector: text, BindNamespace: text }))),
  namespace: name,
  create_index: uint,
  modify_index: uint,
})

/** A way to log in with a credential of another system (behaviour/mesh#auth-methods). */
export interface AuthMethod extends StoredOf<typeof methodShape> {}

export const ruleShape = struct({
  id: name,
  description: text,
  auth_method: name,
  selector: text,
  bind_type: text,
  bind_name: text,
  /** Variables of a templated policy; left out if none were sent. */
  bind_vars: optional(struct({ name: optional(text) })),
  namespace: name,
  create_index: uint,
  modify_index: uint,
})

/**
 * A rule that grants a policy, role, identity or templated policy to those logins of an auth method
 * that match the rule's selector.
 */
export interface BindingRule extends StoredOf<typeof ruleShape> {}

/** Auth methods by `methodKey`. */
export const authMethods = meshTable('auth-methods', methodShape, {
  secrets: { members: ['config/ServiceAccountJWT'] },
})

/** Binding rules by ID. The indexes order them by namespace and by auth method. */
export const bindingRules = meshTable('binding-rules', ruleShape, {
  secrets: 'none',
  indexes: {
    byNamespace: ({ namespace }, key) => namespacePrefix(namespace) + key,
    byMethod: ({ namespace, auth_method }, key) => `${methodKey(namespace, auth_method)}/${key}`,
  },
})

/**
 * Returns the row key of an auth method. Unlike other names in the ACL system, the names of auth
 * methods are case-sensitive.
 */
export function methodKey(namespace: string, method: string): string {
  return `${namespaceKey(namespace)}/${method}`
}
