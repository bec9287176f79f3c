import { defineTable, type TableDefinition } from '../../kernel/table.ts'
import { schedulerName } from '../indexes.ts'
import {
  any,
  bool,
  echoed,
  list,
  pointer,
  type Sent,
  type Stored,
  sentOnly,
  struct,
  text,
  time,
  uint,
} from '../shape/kinds.ts'
import { storedSchema } from '../shape/schema.ts'

/** A policy of the ACL system (3b-scheduler-decisions.md section 10). */
export const aclPolicyShape = struct('ACLPolicy', {
  Name: text,
  Description: text,
  /** HCL or JSON. */
  Rules: text,
  /** The workloads that have the policy without a token; kept, and without effect here. */
  JobACL: echoed(
    pointer(struct('JobACL', { Namespace: text, JobID: text, Group: text, Task: text })),
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
  Policies: list(text),
  Roles: sentOnly(list(struct('ACLTokenRoleLink', { ID: text, Name: text }))),
  Global: bool,
  CreateTime: time,
  ExpirationTime: echoed(time),
  /** In requests a Go duration or nanoseconds; stored as the duration's text. */
  ExpirationTTL: echoed(any),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type AclToken = Stored<typeof aclTokenShape>
export type SentAclToken = Sent<typeof aclTokenShape>

/** By name. */
export const aclPolicies = defineTable<AclPolicy>({
  service: schedulerName,
  name: 'acl-policies',
  schema: () => storedSchema(aclPolicyShape),
})

/** By AccessorID. */
export const aclTokens = defineTable<AclToken>({
  service: schedulerName,
  name: 'acl-tokens',
  schema: () => storedSchema(aclTokenShape),
})

/** By SecretID: the token's AccessorID. */
export const aclTokenSecrets = defineTable<{ readonly AccessorID: string }>({
  service: schedulerName,
  name: 'acl-token-secrets',
  schema: {
    type: 'object',
    required: ['AccessorID'],
    additionalProperties: false,
    properties: { AccessorID: { type: 'string', minLength: 1 } },
  },
})

/** The bootstrap, when it is done: one row, by the empty key. */
export const aclBootstrap = defineTable<{ readonly index: number }>({
  service: schedulerName,
  name: 'acl-bootstrap',
  schema: {
    type: 'object',
    required: ['index'],
    additionalProperties: false,
    properties: { index: { type: 'integer', minimum: 0 } },
  },
})

/** The tables of the ACL system. */
export const aclTables: readonly TableDefinition[] = [
  aclPolicies,
  aclTokens,
  aclTokenSecrets,
  aclBootstrap,
]
