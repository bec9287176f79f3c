import { parseDuration, toSeconds } from '../../go/duration.ts'
import { bool, int, text, uint, union } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { createTransitKey, defaultKeyRequest } from './lifecycle.ts'
import { configureTransitKey, type KeySettings } from './settings.ts'

/** Members of a request to create a key, plus the setting `deletion_allowed`. */
export const transitKeyFixture = struct({
  type: optional(text),
  derived: optional(bool),
  convergent_encryption: optional(bool),
  exportable: optional(bool),
  allow_plaintext_backup: optional(bool),
  deletion_allowed: optional(bool),
  auto_rotate_period: optional(described(union(text, int), 'Seconds or a duration')),
  key_size: optional(uint),
})
type TransitKeyFixture = InputOf<typeof transitKeyFixture>

/**
 * Creates a key and sets `deletion_allowed`, with the checks of the API; throws the refusals of the
 * API.
 */
export function addTransitKey(
  world: World,
  mount: Mount,
  name: string,
  fixture: TransitKeyFixture,
): void {
  const { deletion_allowed = false, auto_rotate_period = 0, ...request } = fixture
  const period = toSeconds(parseDuration(auto_rotate_period))
  createTransitKey(world, mount, name, {
    ...defaultKeyRequest,
    ...request,
    auto_rotate_period: period,
  })
  const settings: KeySettings = { deletion_allowed }
  configureTransitKey(world, mount, name, settings)
}
