import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { bool, int, intOf, uint } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** Settings for rotating the encryption key automatically (behaviour/secrets#small-endpoints). */
const rotationShape = struct({
  enabled: bool,
  interval: described(uint, 'Seconds; 0 means none'),
  max_operations: uint,
})
type RotationConfig = StoredOf<typeof rotationShape>

const keyringShape = struct({
  /** Number of the current encryption key, starting at 1. */
  term: intOf({ minimum: 1 }),
  /** Time at which the current key was installed, in milliseconds since 1970. */
  installed: int,
  /** Commit index of the service when the current key was installed. */
  index: uint,
  /** Settings for rotating the key; missing until a request changes the settings. */
  rotation: optional(rotationShape),
})

/** The keyring of the cluster, in a single row under `keyring`. */
export const keyrings = secretsTable('keyring', keyringShape, { secrets: 'none' })

const keyringKey = 'keyring'

/** Data of `sys/key-status` (behaviour/secrets#key-status). */
export interface KeyStatus {
  readonly term: number
  readonly install_time: string
  readonly encryptions: number
}

/** Installs the next encryption key. The first call installs the first key. */
export function rotateKey(world: World): void {
  const before = world.table(keyrings).get(keyringKey)
  const term = (before?.term ?? 0) + 1
  const row = { ...before, term, installed: world.clock.now(), index: world.store.index('secrets') }
  world.write(() => world.table(keyrings).put(keyringKey, row))
}

/**
 * Returns the status of the current encryption key. `encryptions` is the number of the service's
 * commits under this key, because every commit of the reference encrypts at least once. Throws an
 * error if the world is not initialized.
 */
export function keyStatus(world: World): KeyStatus {
  const keyring = world.table(keyrings).get(keyringKey)
  if (keyring === undefined) throw new Error('an initialised world without a keyring')
  const { term, installed, index } = keyring
  return {
    term,
    install_time: formatTimestamp(installed),
    encryptions: world.store.index('secrets') - index,
  }
}

const minOperations = 1_000_000
const maxOperations = 3_865_470_566
const minInterval = 86_400

/** Returns the stored settings or the defaults. The mock never rotates the key automatically. */
export function rotationConfig(world: World): RotationConfig {
  const { rotation } = world.table(keyrings).get(keyringKey) ?? {}
  return rotation ?? { enabled: true, interval: 0, max_operations: maxOperations }
}

/**
 * Changes the given settings. As in the reference, a change of `enabled` alone is not stored.
 *
 * @throws Refusal `invalid` for an interval below a day, except 0, and for an operation count out
 *   of range
 */
export function changeRotationConfig(world: World, change: Partial<RotationConfig>): void {
  const before = rotationConfig(world)
  const rotation = { ...before, ...change }
  if (rotation.interval !== 0 && rotation.interval < minInterval) {
    throw refuse('rotation-interval-short', { least: formatGoDuration(minInterval * SECOND) })
  }
  const { max_operations: operations } = rotation
  if (operations < minOperations || operations > maxOperations) {
    throw refuse('rotation-operations-range', { least: minOperations, most: maxOperations })
  }
  const row = world.table(keyrings).get(keyringKey)
  const isSame = operations === before.max_operations && rotation.interval === before.interval
  if (row === undefined || isSame) return
  world.write(() => world.table(keyrings).put(keyringKey, { ...row, rotation }))
}
