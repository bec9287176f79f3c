import { map, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'
import { jobKey } from '../keys.ts'

/** The members of a variable except its content. Times are in nanoseconds since 1970. */
const metadataMembers = {
  Namespace: text,
  Path: text,
  CreateIndex: uint,
  ModifyIndex: uint,
  CreateTime: uint,
  ModifyTime: uint,
} as const

/** A variable in list responses. */
export const variableMetadataShape = struct('VariableMetadata', metadataMembers)

/** A variable (behaviour/scheduler#variables). */
export const variableShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: secret(map(text)),
})
export type Variable = StoredOf<typeof variableShape>

/** A variable in conflict replies. The content is left out if the caller may not read it. */
export const conflictShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: optional(secret(map(text))),
})
export type Conflict = StoredOf<typeof conflictShape>

/** Variables by namespace and path, as `variableKey` builds it. */
export const variables = schedulerTable('variables', variableShape, {
  secrets: { members: ['Items'] },
})

/**
 * Function that returns the key of a variable. Paths contain no spaces, so the order of keys is the
 * order of lists.
 */
export const variableKey = jobKey

/** All tables of variables. */
export const variableTables = [variables] as const
