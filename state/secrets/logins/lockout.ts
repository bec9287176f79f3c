import { Refusal } from '../../kernel/refusal.ts'
import { int, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { effectiveLockout } from '../mounts/lockout-config.ts'
import {
  type Mount,
  mountByAccessor,
  storagePrefix,
  type UserLockoutConfig,
} from '../mounts/mounts.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** Number of consecutive failed logins of an alias (behaviour/secrets#lockout). */
const failuresShape = struct({
  namespace: text,
  mount_accessor: text,
  alias: text,
  count: uint,
  /** Time of the last failure, in milliseconds since 1970. */
  at: int,
})
export interface LoginFailures extends StoredOf<typeof failuresShape> {}

/** Failed logins by `<mount uuid>/<alias>`. */
export const loginFailures = secretsTable('login-failures', failuresShape, { secrets: 'none' })

/**
 * Runs `login` and counts wrong credentials; a successful login resets the count. After too many
 * failures in a row, the alias is locked for a while, and even correct credentials are refused. The
 * settings of the mount define the number of failures and the duration. If the option `userLockout`
 * or the mount disables the lockout, only runs `login`.
 *
 * @param bad rule of the refusal that `login` throws for wrong credentials
 */
export function withLockout<T>(
  world: World,
  mount: Mount,
  alias: string,
  bad: string,
  login: () => T,
): T {
  if (!countsFailures(world, mount)) return login()
  const lockout = effectiveLockout(mount)
  const table = world.table(loginFailures)
  const key = storagePrefix(mount) + alias
  const before = table.get(key)
  if (before !== undefined && isLocked(world, before, lockout)) {
    const lockedUntil = before.at + lockout.lockout_duration * 1000
    throw refuse('token-refused').withDetails({ alias, failures: before.count, lockedUntil })
  }
  try {
    const created = login()
    if (table.get(key) !== undefined) world.write(() => table.delete(key))
    return created
  } catch (error) {
    if (!(error instanceof Refusal) || error.rule !== bad) throw error
    world.write(() => {
      table.put(key, {
        namespace: mount.namespace,
        mount_accessor: mount.accessor,
        alias,
        count: countAfter(world, before, lockout) + 1,
        at: world.clock.now(),
      })
    })
    throw error.commitWrites()
  }
}

/** Returns whether a login method counts failed logins. */
function countsFailures(world: World, mount: Mount): boolean {
  return optionsOf(world).userLockout && !effectiveLockout(mount).lockout_disable
}

/**
 * Refuses a login without a user name if the mount counts failed logins. The product makes this
 * check before it looks at the verb and the path (behaviour/secrets#lockout).
 */
export function refuseNamelessLogin(world: World, mount: Mount): void {
  if (countsFailures(world, mount)) throw refuse('login-name-undetermined')
}

/** Returns the failed logins of the aliases that are locked now, in all namespaces. */
export function lockedUsers(world: World): LoginFailures[] {
  return [...world.table(loginFailures).rows()].filter((row) => {
    const mount = mountByAccessor(world, row.mount_accessor)
    return mount !== undefined && isLocked(world, row, effectiveLockout(mount))
  })
}

/** Unlocks an alias and resets the count of its failed logins. */
export function unlockUser(
  world: World,
  { id }: InNamespace,
  accessor: string,
  alias: string,
): void {
  world.write(() => {
    for (const [key, row] of [...world.table(loginFailures).entries()]) {
      if (row.namespace === id && row.mount_accessor === accessor && row.alias === alias) {
        world.table(loginFailures).delete(key)
      }
    }
  })
}

/**
 * Returns the number of failures in a row. The number is 0 if there was no failure, or if the time
 * since the last failure has reached the mount's setting `lockout_counter_reset`.
 */
function countAfter(
  world: World,
  row: LoginFailures | undefined,
  { lockout_counter_reset }: UserLockoutConfig,
): number {
  if (row === undefined) return 0
  return world.clock.now() - row.at < lockout_counter_reset * 1000 ? row.count : 0
}

function isLocked(
  world: World,
  row: LoginFailures | undefined,
  { lockout_threshold, lockout_duration }: UserLockoutConfig,
): boolean {
  if (row === undefined || row.count < lockout_threshold) return false
  return world.clock.now() - row.at < lockout_duration * 1000
}
