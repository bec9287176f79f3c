import { any, bool, bytes, goList, nullable, text, time, uint } from '../../kernel/shape/kinds.ts'
import { embedded, optional, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

export const aclPolicyShape = struct('ACLPolicy', {
  Name: text,
  Description: text,
  /** Source text, HCL or JSON. */
  Rules: text,
  /**
   * Workloads to which the policy should apply without a token. The member is stored but has no
   * effect.
   */
  JobACL: optional(
    nullable(struct('JobACL', { Namespace: text, JobID: text, Group: text, Task: text })),
  ),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclPolicy = StoredOf<typeof aclPolicyShape>
export type InputAclPolicy = ParsedOf<typeof aclPolicyShape>

/** A role as stored: a named set of policies (behaviour/scheduler#acl-roles). */
export const aclRoleRowShape = struct('ACLRole', {
  ID: text,
  Name: text,
  Description: text,
  Policies: goList(struct('ACLRolePolicyLink', { Name: text })),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclRole = StoredOf<typeof aclRoleRowShape>
export type InputAclRole = ParsedOf<typeof aclRoleRowShape>

/** A role in a reply, with a hash. */
export const aclRoleShape = struct('ACLRole', { ...aclRoleRowShape.fields, Hash: bytes })

const tokenMembers = {
  AccessorID: text,
  SecretID: secret(text),
  Name: text,
  /** `client` or `management`. */
  Type: text,
  /** Names of policies, which need not exist. */
  Policies: goList(text),
  Global: bool,
  CreateTime: time,
  CreateIndex: uint,
  ModifyIndex: uint,
} as const

/** A token in requests and replies. */
export const aclTokenShape = struct('ACLToken', {
  // The reference decodes all members except the last two into an alias of its token type, and its
  // error messages contain the name of the alias.
  ...embedded('Alias', {
    ...tokenMembers,
    /** Requests name a role by ID or by Name. */
    Roles: goList(struct('ACLTokenRoleLink', { ID: text, Name: text })),
    ExpirationTime: nullable(time),
  }),
  /** A Go duration. Requests may have a number of nanoseconds instead. */
  ExpirationTTL: any,
  Hash: text,
})
export type InputAclToken = ParsedOf<typeof aclTokenShape>

const aclTokenRowShape = struct({
  ...tokenMembers,
  /** IDs of roles. The list may contain IDs of roles that were deleted later. */
  Roles: optional(goList(text)),
  ExpirationTime: optional(time),
  /** A Go duration. */
  ExpirationTTL: optional(any),
})
export type AclToken = StoredOf<typeof aclTokenRowShape>

export const aclPolicies = schedulerTable('acl-policies', aclPolicyShape, { secrets: 'none' })

export const aclTokens = schedulerTable('acl-tokens', aclTokenRowShape, {
  secrets: { members: ['SecretID'] },
  indexes: { bySecret: ({ SecretID }) => SecretID },
})

export const aclRoles = schedulerTable('acl-roles', aclRoleRowShape, {
  secrets: 'none',
  indexes: { byName: ({ Name }) => Name },
})

/**
 * Table with a single row under the empty key. The row exists once ACLs are bootstrapped, and
 * contains the index of the write that bootstrapped ACLs.
 */
export const aclBootstrap = schedulerTable('acl-bootstrap', struct({ index: uint }), {
  secrets: 'none',
})

export const aclTables = [aclPolicies, aclTokens, aclRoles, aclBootstrap] as const
