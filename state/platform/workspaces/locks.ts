import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { users } from '../accounts/users.ts'
import { refuse } from '../messages.ts'
import { teamWithId } from '../organizations/teams.ts'
import { newestStateVersion } from '../states/state-versions.ts'
import { putWorkspace, type Workspace } from './workspaces.ts'

/**
 * Job that continues waiting runs after a workspace was unlocked. The job's id is the workspace's
 * id.
 */
export const lockReleasedJob = 'platform.lock-released'

/**
 * Returns the id that identifies the caller as the holder of a lock: the id of the team for a team
 * token, otherwise the id of the user.
 */
export function lockHolderId({ token, user }: Caller): string {
  return token.kind === 'team' ? token.owner : user.id
}

/** Locks a workspace for the caller. Throws 409 if it is already locked. */
export function lockWorkspace(
  world: World,
  workspace: Workspace,
  caller: Caller,
  reason: string,
): Workspace {
  if (workspace.locked) throw refuse('already-locked')
  return putLock(world, workspace, lockHolderId(caller), reason)
}

/**
 * Unlocks a workspace. Throws 409 if the workspace is not locked, is locked by a run, or is locked
 * by another user or team that still exists. If the newest state version waits for its upload,
 * throws 503 for clients that retry on 503, and 400 for all other clients.
 */
export function unlockWorkspace(
  world: World,
  workspace: Workspace,
  caller: Caller,
  client: { readonly retriesOn503: boolean },
): Workspace {
  const { locked, locked_by: id = null } = workspace
  if (locked && id !== null && id !== lockHolderId(caller)) {
    const kind = holderKind(id)
    if (holderExists(world, id)) throw refuse('workspace-locked-by', { kind, id })
  }
  if (locked && newestStateVersion(world, workspace.id)?.status === 'pending') {
    throw refuse(client.retriesOn503 ? 'state-pending-retry' : 'state-pending')
  }
  return forceUnlockWorkspace(world, workspace)
}

/**
 * Unlocks a workspace, even if another caller holds the lock. Throws 409 if the workspace is not
 * locked.
 */
export function forceUnlockWorkspace(world: World, workspace: Workspace): Workspace {
  if (!workspace.locked) throw refuse('already-unlocked')
  return putLock(world, workspace, null)
}

/**
 * Sets or removes the lock of a workspace. `holder` is the id of a user, team or run; null unlocks
 * the workspace and schedules the job that continues its waiting runs.
 */
export function putLock(
  world: World,
  workspace: Workspace,
  holder: string | null,
  locked_reason = '',
): Workspace {
  const lock = { locked: holder !== null, locked_by: holder, locked_reason }
  const updated_at = world.clock.now()
  return world.write(() => {
    if (holder === null) {
      world.agenda.schedule({ at: updated_at, job: lockReleasedJob, id: workspace.id })
    }
    return putWorkspace(world, { ...workspace, ...lock, updated_at })
  })
}

/**
 * Returns the kind of a lock's holder, as messages spell it. The prefix of the holder's id
 * determines the kind.
 */
export function holderKind(id: string): 'Team' | 'Run' | 'User' {
  if (id.startsWith('team-')) return 'Team'
  return id.startsWith('run-') ? 'Run' : 'User'
}

/**
 * Returns whether the holder of a lock still exists. Returns true for every run, because the end of
 * a run also ends its lock.
 */
function holderExists(world: World, id: string): boolean {
  const kind = holderKind(id)
  if (kind === 'Team') return teamWithId(world, id) !== undefined
  return kind === 'Run' || world.table(users).has(id)
}
