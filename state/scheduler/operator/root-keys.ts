import { nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

const rootKeyMembers = {
  KeyID: text,
  Algorithm: text,
  /** Nanoseconds since 1970. */
  CreateTime: uint,
  CreateIndex: uint,
  ModifyIndex: uint,
  State: word('active', 'inactive', 'prepublished'),
  /** Time of activation in nanoseconds since 1970; 0 if the key was activated at once. */
  PublishTime: uint,
} as const

/** A key in a reply (behaviour/scheduler#operator). */
export const rootKeyShape = struct('RootKeyMeta', rootKeyMembers)
export interface RootKey extends StoredOf<typeof rootKeyShape> {}

const rootKeyRowShape = struct({
  ...rootKeyMembers,
  /** Index at which the key became active; null for a key that was never active. */
  since: nullable(uint),
})
export interface RootKeyRow extends StoredOf<typeof rootKeyRowShape> {}

/**
 * Keys by ID. The table is empty before the first rotation, when a world has only its initial key.
 */
export const rootKeys = schedulerTable('root-keys', rootKeyRowShape, { secrets: 'none' })
