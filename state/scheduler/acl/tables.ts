import { any, bool, bytes, goList, nullable, text, time, uint } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { schedulerName } from '../indexes.ts'

/** A policy of the ACL system (behaviour/scheduler#beyond). */
export const aclPolicyShape = struct('ACLPolicy', {
  Name: text,
  Description: text,
  /** HCL or JSON. */
  Rules: text,
  /** The workloads that have the policy without a token; kept, and without effect here. */
  JobACL: optional(
    nullable(struct('JobACL', { Namespace: text, JobID: text, Group: text, Task: text })),
  ),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclPolicy = StoredOf<typeof aclPolicyShape>
export type InputAclPolicy = ParsedOf<typeof aclPolicyShape>

/** A role: policies by a name of their own (behaviour/scheduler#acl-roles). */
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

/** A role as it is answered. */
export const aclRoleShape = struct('ACLRole', {
  ...aclRoleRowShape.fields,
  Hash: bytes,
})

const tokenMembers = {
  AccessorID: text,
  SecretID: secret(text),
  Name: text,
  /** `client` or `management`. */
  Type: text,
  /** Names; there need be no policies of these names. */
  Policies: goList(text),
  Global: bool,
  CreateTime: time,
  CreateIndex: uint,
  ModifyIndex: uint,
} as const

/** A token as it is sent and answered. */
export const aclTokenShape = struct('ACLToken', {
  ...tokenMembers,
  /** Sent with ID or Name. */
  Roles: goList(struct('ACLTokenRoleLink', { ID: text, Name: text })),
  ExpirationTime: nullable(time),
  /** In requests a Go duration or nanoseconds. */
  ExpirationTTL: any,
  Hash: bytes,
})
export type InputAclToken = ParsedOf<typeof aclTokenShape>

/** A token as it is kept. */
const aclTokenRowShape = struct({
  ...tokenMembers,
  /** IDs; roles may be gone since. */
  Roles: optional(goList(text)),
  ExpirationTime: optional(time),
  /** The duration's text. */
  ExpirationTTL: optional(any),
})
export type AclToken = StoredOf<typeof aclTokenRowShape>

/** By name. */
export const aclPolicies = defineTable({
  service: schedulerName,
  name: 'acl-policies',
  shape: aclPolicyShape,
})

/** By AccessorID. */
export const aclTokens = defineTable({
  service: schedulerName,
  name: 'acl-tokens',
  shape: aclTokenRowShape,
  indexes: { bySecret: ({ SecretID }) => SecretID },
})

/** By ID. */
export const aclRoles = defineTable({
  service: schedulerName,
  name: 'acl-roles',
  shape: aclRoleRowShape,
  indexes: { byName: ({ Name }) => Name },
})

/** The bootstrap, when it is done: one row, by the empty key. */
export const aclBootstrap = defineTable({
  service: schedulerName,
  name: 'acl-bootstrap',
  shape: struct({ index: uint }),
})

/** The tables of the ACL system. */
export const aclTables = [aclPolicies, aclTokens, aclRoles, aclBootstrap] as const
