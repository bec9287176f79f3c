import { nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { schedulerName } from '../indexes.ts'

const rootKeyMembers = {
  KeyID: text,
  Algorithm: text,
  /** Nanoseconds since 1970. */
  CreateTime: uint,
  CreateIndex: uint,
  ModifyIndex: uint,
  State: word('active', 'inactive', 'prepublished'),
  /** Nanoseconds since 1970; 0 for a key that was active at once. */
  PublishTime: uint,
} as const

/** A key as lists tell it (behaviour/scheduler#operator). */
export const rootKeyShape = struct('RootKeyMeta', rootKeyMembers)
export interface RootKey extends StoredOf<typeof rootKeyShape> {}

const rootKeyRowShape = struct({
  ...rootKeyMembers,
  /** The index from which on it signs; null before it is active. */
  since: nullable(uint),
})
export interface RootKeyRow extends StoredOf<typeof rootKeyRowShape> {}

/** By ID: the world's keys; none before they are rotated for the first time. */
export const rootKeys = defineTable({
  service: schedulerName,
  name: 'root-keys',
  shape: rootKeyRowShape,
})
