import { bool, instant, int, list, name, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { identityFields } from './identities.ts'

/** Last members of the shapes of policies, roles and tokens. */
const commonFields = {
  /** 32-byte hash of the object's content, in base64. */
  hash: text,
  create_index: uint,
  modify_index: uint,
  /** The namespace's name in its original spelling. */
  namespace: name,
}

/** A policy. Replies contain the members in this order. */
export const policyShape = struct({
  id: name,
  name,
  description: text,
  /** Source text of the rules, HCL or JSON. */
  rules: text,
  /** Datacenters in which the policy is valid; empty for all datacenters. */
  datacenters: list(name),
  ...commonFields,
})

/** A named set of rules of one namespace (behaviour/mesh#acl). */
export interface AclPolicy extends StoredOf<typeof policyShape> {}

export const roleShape = struct({
  id: name,
  name,
  description: text,
  /** IDs of policies. The policies may have been deleted. */
  policies: list(name),
  ...identityFields,
  ...commonFields,
})

/** A named set of policies and identities of one namespace. */
export interface AclRole extends StoredOf<typeof roleShape> {}

export const tokenShape = struct({
  accessor_id: name,
  secret_id: secret(name),
  description: text,
  /** IDs of policies in the namespace of the token. The policies may have been deleted. */
  policies: list(name),
  /** IDs of roles in the namespace of the token. The roles may have been deleted. */
  roles: list(name),
  ...identityFields,
  local: bool,
  /** Row key of the auth method by which a login created the token; left out for other tokens. */
  auth_method: optional(name),
  /** Expiry in milliseconds since 1970; null if the token never expires. */
  expires_at: nullable(instant),
  created_at: instant,
  ...commonFields,
})

export interface AclToken extends StoredOf<typeof tokenShape> {}

const statusShape = struct({
  /** Index of the transaction that recorded the bootstrap; null before the bootstrap. */
  bootstrap_index: nullable(int),
  /** True once a policy or role other than the builtin policies was stored. */
  stored: bool,
})

interface AclStatus extends StoredOf<typeof statusShape> {}

/** Policies by ID. The index `byName` uses `nameKey`. */
export const aclPolicies = meshTable('acl-policies', policyShape, {
  secrets: 'none',
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
})

/** Roles by ID. The index `byName` uses `nameKey`. */
export const aclRoles = meshTable('acl-roles', roleShape, {
  secrets: 'none',
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
})

/**
 * Tokens by AccessorID. The index `bySecret` uses the SecretID, `byNamespace` uses
 * `<namespace>/<AccessorID>`, and `byPolicy`, `byRole` and `byService` use `<namespace>/<linked
 * object>/<AccessorID>`. Namespaces are in lower case.
 */
export const aclTokens = meshTable('acl-tokens', tokenShape, {
  secrets: { members: ['secret_id'] },
  indexes: {
    bySecret: ({ secret_id }) => secret_id,
    byNamespace: ({ namespace, accessor_id }) => namespacePrefix(namespace) + accessor_id,
    byPolicy: (token) => token.policies.map((id) => linkKey(token, id)),
    byRole: (token) => token.roles.map((id) => linkKey(token, id)),
    byService: (token) =>
      token.service_identities?.map(({ service_name }) => linkKey(token, service_name)),
  },
})

/** The status of the ACL system: one row, stored under the empty key. */
export const aclStatus = meshTable('acl-facts', statusShape, { secrets: 'none' })

/** Tables that saved state of earlier versions may contain. Indexes have replaced these tables. */
export const retiredAclTables = [
  'acl-policy-names',
  'acl-role-names',
  'acl-token-places',
  'acl-token-secrets',
]

export const aclTables = [aclPolicies, aclRoles, aclTokens, aclStatus] as const

/**
 * Returns the prefix of a namespace's keys in the indexes of ACL objects and in the table of auth
 * methods.
 */
export function namespacePrefix(namespace: string): string {
  return `${namespaceKey(namespace)}/`
}

export function isInNamespace(object: { readonly namespace: string }, namespace: string): boolean {
  return namespaceKey(object.namespace) === namespaceKey(namespace)
}

/** Returns the key of a named object in a namespace. Names are case-insensitive. */
export function nameKey(namespace: string, name: string): string {
  return namespacePrefix(namespace) + name.toLowerCase()
}

/**
 * Returns the prefix under which the indexes `byPolicy`, `byRole` and `byService` contain the
 * tokens of a namespace that link to one object.
 */
export function linkPrefix(namespace: string, linkId: string): string {
  return `${namespacePrefix(namespace)}${linkId}/`
}

function linkKey({ namespace, accessor_id }: AclToken, linkId: string): string {
  return linkPrefix(namespace, linkId) + accessor_id
}

const initialStatus: AclStatus = { bootstrap_index: null, stored: false }

export function aclStatusOf(world: World): AclStatus {
  return world.table(aclStatus).get('') ?? initialStatus
}

/** Merges changes into the status of the ACL system. Must run inside a transaction. */
export function updateAclStatus(world: World, changes: Partial<AclStatus>): void {
  world.table(aclStatus).put('', { ...aclStatusOf(world), ...changes })
}

/** Records that a policy or role was stored. Must run inside a transaction. */
export function recordObjectStored(world: World): void {
  if (!aclStatusOf(world).stored) updateAclStatus(world, { stored: true })
}
