import { Refusal } from '../../kernel/refusal.ts'
import { int, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, storagePrefix } from '../mounts/mounts.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** Failed logins of an alias (behaviour/secrets#lockout). */
const failuresShape = struct({
  namespace: text,
  mount_accessor: text,
  /** The name of the alias. */
  alias: text,
  count: uint,
  /** Time of the last failure, in milliseconds since 1970. */
  at: int,
})
export interface LoginFailures extends StoredOf<typeof failuresShape> {}

/** Failures by `<mount uuid>/<alias>`. */
export const loginFailures = secretsTable('login-failures', failuresShape)

const maxFailures = 5
const quarter = 15 * 60 * 1000

/**
 * Runs the login of an existing user and counts bad credentials. The fifth failure within 15
 * minutes locks the alias for 15 minutes, even with the right credentials.
 *
 * @param bad the rule by which the login refuses bad credentials
 */
export function withLockout<T>(
  world: World,
  mount: Mount,
  alias: string,
  bad: string,
  login: () => T,
): T {
  if (!optionsOf(world).userLockout) return login()
  const table = world.table(loginFailures)
  const key = storagePrefix(mount) + alias
  const before = recent(world, table.get(key))
  if (isLocked(before)) throw refuse('token-refused')
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
        count: (before?.count ?? 0) + 1,
        at: world.clock.now(),
      })
    })
    throw error.commitWrites()
  }
}

/** Returns the users who are locked out now. */
export function lockedUsers(world: World): LoginFailures[] {
  return [...world.table(loginFailures).rows()].filter((row) => isLocked(recent(world, row)))
}

/** Clears the failures of an alias; does nothing if there are none. */
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

/** Returns the failures if the last one is less than 15 minutes ago. */
function recent(world: World, row: LoginFailures | undefined): LoginFailures | undefined {
  return row !== undefined && world.clock.now() - row.at < quarter ? row : undefined
}

function isLocked(row: LoginFailures | undefined): boolean {
  return row !== undefined && row.count >= maxFailures
}
