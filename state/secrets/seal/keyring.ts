import { int, intOf, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/table.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'

const keyringShape = struct({
  /** Counts the encryption keys that there have been, from 1. */
  term: intOf({ minimum: 1 }),
  /** When the present key was installed, in milliseconds since 1970. */
  installed: int,
  /** The service's index then. */
  index: uint,
})

/** The one keyring, under `keyring`. */
export const keyrings = defineTable({
  service: 'secrets',
  name: 'keyring',
  shape: keyringShape,
})

const only = 'keyring'

/** The answer of `sys/key-status` (1-secrets-decisions.md section 3). */
export interface KeyStatus {
  readonly term: number
  readonly install_time: string
  readonly encryptions: number
}

/** Installs the next encryption key; the first one when there is none. */
export function rotateKey(world: World): void {
  const term = (world.table(keyrings).get(only)?.term ?? 0) + 1
  const row = { term, installed: world.clock.now(), index: world.store.index('secrets') }
  world.write(() => world.table(keyrings).put(only, row))
}

/**
 * The encryption key in use. `encryptions` counts the service's commits under it: the reference
 * counts what it encrypts, which is at least one thing for each (decided).
 */
export function keyStatus(world: World): KeyStatus {
  const keyring = world.table(keyrings).get(only)
  if (keyring === undefined) throw new Error('an initialised world without a keyring')
  const { term, installed, index } = keyring
  return {
    term,
    install_time: formatTimestamp(installed),
    encryptions: world.store.index('secrets') - index,
  }
}
