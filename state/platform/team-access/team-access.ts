import { bool, map, text, union } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, teamsOfCaller } from '../accounts/callers.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { type AccessValue, accessKind, valuesOf } from './access-levels.ts'

const accessShape = struct({
  /** Id of the form `tws-…` for a workspace, `tprj-…` for a project. */
  id: text,
  /** Team id. */
  team: text,
  /** Id of the workspace or project. */
  target: text,
  access: text,
  /** Permissions of the access level `custom`; empty for every other level. */
  custom: map(union(text, bool)),
})

/** The access of one team to one workspace or project (behaviour/platform#team-access). */
export interface TeamAccess extends StoredOf<typeof accessShape> {}

/**
 * Team access by `<id of workspace or project>/<number>`, numbered in creation order. Keys of the
 * index `byTeam` are `<team id>/<target id>`.
 */
export const teamAccess = platformTable('team-access', accessShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, byTeam: ({ team, target }) => `${team}/${target}` },
})

/** Functions of `ownedRows` for the team access to a workspace or project. */
export const {
  of: teamAccessTo,
  withId: teamAccessWithId,
  put: putTeamAccess,
  drop: dropTeamAccess,
  dropAll: dropAccessTo,
} = ownedRows(teamAccess, 'target')

/**
 * Returns the access of a team to a workspace or project. Returns undefined if no access to exactly
 * this target is stored. Access to the project of a workspace is not considered.
 */
export function teamAccessOf(world: World, team: string, target: string): TeamAccess | undefined {
  return world.table(teamAccess).index('byTeam').get(`${team}/${target}`)
}

/**
 * Returns the access of the caller's teams to a workspace or project. If `target` is empty, returns
 * their access to all workspaces and projects.
 */
export function accessOfCaller(
  world: World,
  caller: Caller,
  organization: string,
  target = '',
): TeamAccess[] {
  const byTeam = world.table(teamAccess).index('byTeam')
  return teamsOfCaller(world, caller, organization).flatMap(({ id }) =>
    target === '' ? [...byTeam.rows(`${id}/`)] : (byTeam.get(`${id}/${target}`) ?? []),
  )
}

/** Returns the value of each permission by its name in the API. */
export function accessValues({
  id,
  access,
  custom,
}: TeamAccess): Readonly<Record<string, AccessValue>> {
  return { ...valuesOf(accessKind(id), access), ...custom }
}

/** Deletes the access of a team to all workspaces and projects. Must run inside a transaction. */
export function dropAccessOfTeam(world: World, team: string): void {
  const rows = Array.from(world.table(teamAccess).index('byTeam').rows(`${team}/`))
  for (const row of rows) dropTeamAccess(world, row)
}
