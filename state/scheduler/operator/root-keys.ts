import { nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

const rootKeyMembers = {
  KeyID: text,
  Algorithm: text,
  /** Creation time in nanoseconds since 1970. */
  CreateTime: uint,
  CreateIndex: uint,
  ModifyIndex: uint,
  State: word('active', 'inactive', 'prepublished'),
  /**
   * Activation time that the rotation requested, in nanoseconds since 1970; 0 for immediate
   * activation.
   */
  PublishTime: uint,
} as const

/** Metadata of a root key in a reply (behaviour/scheduler#operator). */
export const rootKeyShape = struct('RootKeyMeta', rootKeyMembers)
export interface RootKey extends StoredOf<typeof rootKeyShape> {}

const rootKeyRowShape = struct({
  ...rootKeyMembers,
  /** Index at which the key became active; null for a key that was never active. */
  since: nullable(uint),
})
export interface RootKeyRow extends StoredOf<typeof rootKeyRowShape> {}

/**
 * Root keys by ID. The table is empty before the first rotation, because the initial key of a world
 * is not stored until then.
 */
export const rootKeys = schedulerTable('root-keys', rootKeyRowShape, { secrets: 'none' })
