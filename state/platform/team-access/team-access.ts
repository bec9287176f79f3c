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
  /** Id of the team. */
  team: text,
  /** Id of the workspace or project. */
  target: text,
  access: text,
  /** Values by name that an access `custom` sets; empty for every other access. */
  custom: map(union(text, bool)),
})

/** Access of a team to a workspace or project (behaviour/platform#team-access). */
export interface TeamAccess extends StoredOf<typeof accessShape> {}

/**
 * Access of teams by `<target>/<number>`, numbered in creation order. The index `byTeam` has keys
 * of the form `<team>/<target>`.
 */
export const teamAccess = platformTable('team-access', accessShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, byTeam: ({ team, target }) => `${team}/${target}` },
})

/**
 * Functions that find an access by its id, list the access to a workspace or project, and store and
 * delete access.
 */
export const {
  of: teamAccessTo,
  withId: teamAccessWithId,
  put: putTeamAccess,
  drop: dropTeamAccess,
  dropAll: dropAccessTo,
} = ownedRows(teamAccess, 'target')

/** Returns the access of a team to a workspace or project, if the team has one. */
export function teamAccessOf(world: World, team: string, target: string): TeamAccess | undefined {
  return world.table(teamAccess).index('byTeam').get(`${team}/${target}`)
}

/** Returns the access of the caller's teams, to one workspace or project or to all of them. */
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

/** Returns the value of every part of an access, by the part's name in the API. */
export function accessValues({
  id,
  access,
  custom,
}: TeamAccess): Readonly<Record<string, AccessValue>> {
  return { ...valuesOf(accessKind(id), access), ...custom }
}

/** Deletes all access of a team. Must run inside a transaction. */
export function dropAccessOfTeam(world: World, team: string): void {
  const rows = Array.from(world.table(teamAccess).index('byTeam').rows(`${team}/`))
  for (const row of rows) dropTeamAccess(world, row)
}
