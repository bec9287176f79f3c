import { map, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'
import { jobKey } from '../keys.ts'

/** Members of a variable without its content. Times are nanoseconds since 1970. */
const metadataMembers = {
  Namespace: text,
  Path: text,
  CreateIndex: uint,
  ModifyIndex: uint,
  CreateTime: uint,
  ModifyTime: uint,
} as const

/** A variable in a list, which contains no content. */
export const variableMetadataShape = struct('VariableMetadata', metadataMembers)

/** A variable with its content (behaviour/scheduler#variables). */
export const variableShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: secret(map(text)),
})
export type Variable = StoredOf<typeof variableShape>

/**
 * A variable in the reply to a conflicting write. `Items` is absent if the caller has no read
 * access or if no variable exists.
 */
export const conflictShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: optional(secret(map(text))),
})
export type Conflict = StoredOf<typeof conflictShape>

/** Variables by `variableKey`. */
export const variables = schedulerTable('variables', variableShape, {
  secrets: { members: ['Items'] },
})

/** Key of a variable. Paths contain no spaces, so keys sort by namespace and path, as lists do. */
export const variableKey = jobKey

export const variableTables = [variables] as const
