import { map, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { schedulerName } from '../indexes.ts'
import { jobKey } from '../keys.ts'

/** What is told of a variable without its content; times in nanoseconds since 1970. */
const metadataMembers = {
  Namespace: text,
  Path: text,
  CreateIndex: uint,
  ModifyIndex: uint,
  CreateTime: uint,
  ModifyTime: uint,
} as const

/** A variable as lists have it. */
export const variableMetadataShape = struct('VariableMetadata', metadataMembers)
export type VariableMetadata = StoredOf<typeof variableMetadataShape>

/** A variable (behaviour/scheduler#variables). */
export const variableShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: secret(map(text)),
})
export type Variable = StoredOf<typeof variableShape>

/** The same for conflicts, whose content is left out where there is none to be read. */
export const conflictShape = struct('VariableDecrypted', {
  ...metadataMembers,
  Items: optional(secret(map(text))),
})
export type Conflict = StoredOf<typeof conflictShape>

/** By namespace and path, as `variableKey` has it. */
export const variables = defineTable({
  service: schedulerName,
  name: 'variables',
  shape: variableShape,
})

/** The key of a variable; paths have no blanks, so text order is the order of lists. */
export const variableKey = jobKey

/** The tables of variables. */
export const variableTables = [variables] as const
