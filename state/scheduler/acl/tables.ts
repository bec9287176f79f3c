import { any, bool, bytes, goList, nullable, text, time, uint } from '../../kernel/shape/kinds.ts'
import { embedded, optional, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

/** A policy of the ACL system (behaviour/scheduler#beyond). */
export const aclPolicyShape = struct('ACLPolicy', {
  Name: text,
  Description: text,
  /** Source text, HCL or JSON. */
  Rules: text,
  /**
   * Workloads to which the policy applies without a token. The value is stored, but has no effect.
   */
  JobACL: optional(
    nullable(struct('JobACL', { Namespace: text, JobID: text, Group: text, Task: text })),
  ),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclPolicy = StoredOf<typeof aclPolicyShape>
export type InputAclPolicy = ParsedOf<typeof aclPolicyShape>

/** A stored role: a named set of policies (behaviour/scheduler#acl-roles). */
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

/** A role as the API returns it. */
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

/** A token in requests and responses. */
export const aclTokenShape = struct('ACLToken', {
  // The reference decodes all members except the last two as members of an alias of the type.
  ...embedded('Alias', {
    ...tokenMembers,
    /** Requests identify a role by ID or Name. */
    Roles: goList(struct('ACLTokenRoleLink', { ID: text, Name: text })),
    ExpirationTime: nullable(time),
  }),
  /** A Go duration; requests may also have a number of nanoseconds. */
  ExpirationTTL: any,
  Hash: text,
})
export type InputAclToken = ParsedOf<typeof aclTokenShape>

/** A stored token. */
const aclTokenRowShape = struct({
  ...tokenMembers,
  /** IDs of roles, which may no longer exist. */
  Roles: optional(goList(text)),
  ExpirationTime: optional(time),
  /** The duration as text. */
  ExpirationTTL: optional(any),
})
export type AclToken = StoredOf<typeof aclTokenRowShape>

/** Policies by name. */
export const aclPolicies = schedulerTable('acl-policies', aclPolicyShape, { secrets: 'none' })

/** Tokens by AccessorID. */
export const aclTokens = schedulerTable('acl-tokens', aclTokenRowShape, {
  secrets: { members: ['SecretID'] },
  indexes: { bySecret: ({ SecretID }) => SecretID },
})

/** Roles by ID. */
export const aclRoles = schedulerTable('acl-roles', aclRoleRowShape, {
  secrets: 'none',
  indexes: { byName: ({ Name }) => Name },
})

/**
 * The bootstrap, in a single row under the empty key. The row exists once the bootstrap is done.
 */
export const aclBootstrap = schedulerTable('acl-bootstrap', struct({ index: uint }), {
  secrets: 'none',
})

/** All tables of the ACL system. */
export const aclTables = [aclPolicies, aclTokens, aclRoles, aclBootstrap] as const
