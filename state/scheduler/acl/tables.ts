import { any, bool, goList, nullable, text, time, uint } from '../../kernel/shape/kinds.ts'
import { optional, sentOnly, struct } from '../../kernel/shape/members.ts'
import type { Sent, Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import { schedulerName } from '../indexes.ts'

/** A policy of the ACL system (3b-scheduler-decisions.md section 10). */
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
export type AclPolicy = Stored<typeof aclPolicyShape>
export type SentAclPolicy = Sent<typeof aclPolicyShape>

/** A token. */
export const aclTokenShape = struct('ACLToken', {
  AccessorID: text,
  SecretID: text,
  Name: text,
  /** `client` or `management`. */
  Type: text,
  /** Names; there need be no policies of these names. */
  Policies: goList(text),
  Roles: sentOnly(goList(struct('ACLTokenRoleLink', { ID: text, Name: text }))),
  Global: bool,
  CreateTime: time,
  ExpirationTime: optional(time),
  /** In requests a Go duration or nanoseconds; stored as the duration's text. */
  ExpirationTTL: optional(any),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclToken = Stored<typeof aclTokenShape>
export type SentAclToken = Sent<typeof aclTokenShape>

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
  shape: aclTokenShape,
  indexes: { bySecret: ({ SecretID }) => SecretID },
})

/** The bootstrap, when it is done: one row, by the empty key. */
export const aclBootstrap = defineTable({
  service: schedulerName,
  name: 'acl-bootstrap',
  shape: struct({ index: uint }),
})

/** The tables of the ACL system. */
export const aclTables = [aclPolicies, aclTokens, aclBootstrap] as const
