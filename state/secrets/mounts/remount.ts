import { posix } from 'node:path'
import { isPrintable, quoteGo } from '../../go/text.ts'
import { text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { revokeLeasesUnder } from '../leases/leases.ts'
import { type Namespace, resolveNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { mountPath } from './changes.ts'
import { refuse } from './messages.ts'
import { authPrefix, type Mount, mountConflict, mountKey, mounts } from './mounts.ts'
import { protectedPaths, tokenMountPath } from './types.ts'

/** A finished move, as `sys/remount/status` returns it. */
const migrationShape = struct({
  /** Old path, relative to the root namespace; `target_mount` is the new path. */
  source_mount: text,
  target_mount: text,
  status: word('success'),
})
export interface Migration extends StoredOf<typeof migrationShape> {}

/** Rows by migration id. Moves complete immediately, so each row describes a finished move. */
export const migrations = secretsTable('migrations', migrationShape, { secrets: 'none' })

interface MountLocation {
  readonly namespace: Namespace
  readonly path: string
}

/**
 * Moves a mount to another path, possibly in a namespace below the caller's. The mount keeps its
 * data and settings. As in the reference, its leases end, and tokens that an authentication method
 * has issued are revoked.
 *
 * @returns id of the migration
 * @throws Refusal `invalid`; the messages and their order are those of the reference. Also throws
 *   the engine's refusal if the engine cannot revoke a lease.
 */
export function remount(world: World, namespace: Namespace, from: string, to: string): string {
  if (from === '' || to === '') throw refuse('remount-paths-missing')
  checkSpaces('from', from)
  checkSpaces('to', to)
  const source = locationOf(world, namespace, from)
  const target = locationOf(world, namespace, to)
  checkDestination(target.path)
  checkMovable(source.path, target.path)
  const mount = world.table(mounts).get(mountKey(source.namespace.id, source.path))
  if (mount === undefined) throw refuse('remount-source-absent', { from: quoteGo(mountPath(from)) })
  const conflicting = mountConflict(world, target.namespace, target.path)
  if (conflicting !== undefined)
    throw refuse('remount-target-taken', { path: quoteGo(conflicting.path) })
  return world.write(() => moveMount(world, mount, source, target))
}

function moveMount(
  world: World,
  mount: Mount,
  source: MountLocation,
  target: MountLocation,
): string {
  revokeLeasesUnder(world, source.namespace, mount.path)
  world.table(mounts).delete(mountKey(mount.namespace, mount.path))
  world.table(mounts).put(mountKey(target.namespace.id, target.path), {
    ...mount,
    namespace: target.namespace.id,
    path: target.path,
  })
  const id = world.ids.uuid()
  world.table(migrations).put(id, {
    source_mount: source.namespace.path + source.path,
    target_mount: target.namespace.path + target.path,
    status: 'success',
  })
  return id
}

/** Returns a finished move by its id. Throws an `absent` refusal for an unknown id. */
export function readMigration(world: World, id: string): Migration {
  const migration = world.table(migrations).get(id)
  if (migration === undefined) throw refuse('migration-absent', { id })
  return migration
}

function locationOf(world: World, namespace: Namespace, text: string): MountLocation {
  return resolveNamespace(world, namespace.path, mountPath(text))
}

function checkSpaces(name: string, path: string): void {
  if (path.startsWith(' ') || path.endsWith(' ')) throw refuse('remount-path-spaces', { name })
}

function checkDestination(path: string): void {
  const normalized = posix.normalize(path)
  if (path !== normalized) throw refuse('remount-path-unclean', { path, clean: normalized })
  if (!isPrintable(path)) throw refuse('remount-path-unprintable')
}

/**
 * Throws an `invalid` refusal for paths that cannot be moved, in the order of
 * behaviour/secrets#remount.
 */
function checkMovable(from: string, to: string): void {
  const isAuth = from.startsWith(authPrefix)
  if (isAuth && !to.startsWith(authPrefix)) {
    throw refuse('remount-auth-to-engine', { to: quoteGo(to) })
  }
  for (const path of isAuth ? [tokenMountPath] : protectedPaths) {
    if (from.startsWith(path)) throw refuse('remount-protected', { from: quoteGo(from) })
    if (to.startsWith(path)) throw refuse('remount-to-protected', { to: isAuth ? quoteGo(to) : to })
  }
}
