import { bool, instant, int, list, name, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { meshName } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { identityFields } from './identities.ts'

/** Members that every ACL object has at its end. */
const commonFields = {
  /** Base64 of 32 bytes over what the object says. */
  hash: text,
  create_index: uint,
  modify_index: uint,
  /** As the namespace itself is spelled. */
  namespace: name,
}

/** A policy, in the order in which it is told. */
export const policyShape = struct({
  id: name,
  name,
  description: text,
  /** The rules' source text, HCL or JSON. */
  rules: text,
  /** Where the policy holds; empty means everywhere. */
  datacenters: list(name),
  ...commonFields,
})

/** A policy of the ACL system (behaviour/mesh#acl). */
export interface AclPolicy extends StoredOf<typeof policyShape> {}

/** A role. */
export const roleShape = struct({
  id: name,
  name,
  description: text,
  /** IDs of policies; some may be deleted meanwhile. */
  policies: list(name),
  ...identityFields,
  ...commonFields,
})

/** A role: a named set of policies of its namespace. */
export interface AclRole extends StoredOf<typeof roleShape> {}

/** A token. */
export const tokenShape = struct({
  accessor_id: name,
  secret_id: secret(name),
  description: text,
  /** IDs of policies and roles of the token's namespace; some may be deleted meanwhile. */
  policies: list(name),
  roles: list(name),
  ...identityFields,
  local: bool,
  /** Null: never. */
  expires_at: nullable(instant),
  created_at: instant,
  ...commonFields,
})

/** A token. */
export interface AclToken extends StoredOf<typeof tokenShape> {}

const statusShape = struct({
  /** The index of the bootstrap; null while it is open. */
  bootstrap_index: nullable(int),
  /** True when a policy or role was ever stored besides the builtin one. */
  stored: bool,
})

/** Facts about the ACL system as a whole. */
export interface AclStatus extends StoredOf<typeof statusShape> {}

/** By ID. Under `byName` they stand by `nameKey`. */
export const aclPolicies = defineTable({
  service: meshName,
  name: 'acl-policies',
  shape: policyShape,
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
})

/** By ID. Under `byName` they stand by `nameKey`. */
export const aclRoles = defineTable({
  service: meshName,
  name: 'acl-roles',
  shape: roleShape,
  indexes: { byName: ({ namespace, name }) => nameKey(namespace, name) },
})

/**
 * By AccessorID. Under `byPlace` they stand by `<namespace>/<AccessorID>`, the namespace in lower case,
 * under `byPolicy`, `byRole` and `byService` by `<namespace>/<what they are linked to>/<AccessorID>`.
 */
export const aclTokens = defineTable({
  service: meshName,
  name: 'acl-tokens',
  shape: tokenShape,
  indexes: {
    bySecret: ({ secret_id }) => secret_id,
    byPlace: ({ namespace, accessor_id }) => namespacePrefix(namespace) + accessor_id,
    byPolicy: (token) => token.policies.map((id) => linkKey(token, id)),
    byRole: (token) => token.roles.map((id) => linkKey(token, id)),
    byService: (token) =>
      token.service_identities?.map(({ service_name }) => linkKey(token, service_name)),
  },
})

/** One row, by the empty key. */
export const aclStatus = defineTable({ service: meshName, name: 'acl-facts', shape: statusShape })

/** Tables of earlier versions, which indexes stand for now. */
export const retiredAclTables = [
  'acl-policy-names',
  'acl-role-names',
  'acl-token-places',
  'acl-token-secrets',
]

/** The tables of the ACL system. */
export const aclTables = [aclPolicies, aclRoles, aclTokens, aclStatus] as const

/** Where a namespace begins in the indexes by name and by place. */
export function namespacePrefix(namespace: string): string {
  return `${namespaceKey(namespace)}/`
}

/** The key of something named in a namespace; names are compared without regard to case. */
export function nameKey(namespace: string, name: string): string {
  return namespacePrefix(namespace) + name.toLowerCase()
}

/** Where the tokens of a namespace with a link stand in the indexes by link. */
export function linkPrefix(namespace: string, linkId: string): string {
  return `${namespacePrefix(namespace)}${linkId}/`
}

function linkKey({ namespace, accessor_id }: AclToken, linkId: string): string {
  return linkPrefix(namespace, linkId) + accessor_id
}
