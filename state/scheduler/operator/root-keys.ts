import { nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

const rootKeyMembers = {
  KeyID: text,
  Algorithm: text,
  /** Instant in nanoseconds since 1970. */
  CreateTime: uint,
  CreateIndex: uint,
  ModifyIndex: uint,
  State: word('active', 'inactive', 'prepublished'),
  /** Publish time in nanoseconds since 1970; 0 for a key that was activated immediately. */
  PublishTime: uint,
} as const

/** A key in list responses (behaviour/scheduler#operator). */
export const rootKeyShape = struct('RootKeyMeta', rootKeyMembers)
export interface RootKey extends StoredOf<typeof rootKeyShape> {}

const rootKeyRowShape = struct({
  ...rootKeyMembers,
  /** The index from which on the key signs; null before it becomes active. */
  since: nullable(uint),
})
export interface RootKeyRow extends StoredOf<typeof rootKeyRowShape> {}

/** Keys by ID; empty before the first rotation. */
export const rootKeys = schedulerTable('root-keys', rootKeyRowShape, { secrets: 'none' })
