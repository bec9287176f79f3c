import type { World } from '../../kernel/worlds/world.ts'
import {
  type Caller,
  isOrganizationToken,
  isOwner,
  type PlatformRight,
  teamsOfCaller,
} from '../accounts/callers.ts'
import { refuse } from '../messages.ts'
import { organizations } from '../organizations/organizations.ts'
import type { Workspace } from './workspaces.ts'

/** Levels of each right on a workspace, lowest first (behaviour/platform#workspace-rights). */
const levels = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  state: ['none', 'read-outputs', 'read', 'write'],
} as const

type Leveled = keyof typeof levels

/** Rights of a caller on a workspace. */
export interface WorkspaceRights {
  /** Index in `levels` of each right that has levels. */
  readonly level: Readonly<Record<Leveled, number>>
  readonly lock: boolean
  readonly tasks: boolean
  /** Whether settings and tags can be changed, and the workspace can be deleted safely. */
  readonly settings: boolean
  /** Whether all other rights are included. */
  readonly admin: boolean
}

/** Right that an operation on a workspace requires. */
export type RequiredRight =
  | 'visible'
  | 'settings'
  | 'lock'
  | 'tasks'
  | 'admin'
  | { readonly [Name in Leveled]?: (typeof levels)[Name][number] }

const noRights: WorkspaceRights = rights({})
const allRights: WorkspaceRights = rights(
  { runs: 'apply', variables: 'write', state: 'write' },
  { lock: true, tasks: true, settings: true, admin: true },
)
const readRights = rights({ runs: 'read', variables: 'read', state: 'read' })
const readRuns = rights({ runs: 'read' })
const organizationToken = rights({ variables: 'write' }, { settings: true, tasks: true })

function rights(
  given: { readonly [Name in Leveled]?: (typeof levels)[Name][number] },
  switches: Partial<Omit<WorkspaceRights, 'level'>> = {},
): WorkspaceRights {
  const indexOf = (right: Leveled) => levelIndex(right, given[right] ?? 'none')
  return {
    level: { runs: indexOf('runs'), variables: indexOf('variables'), state: indexOf('state') },
    lock: false,
    tasks: false,
    settings: false,
    admin: false,
    ...switches,
  }
}

function levelIndex(right: Leveled, level: string): number {
  const names: readonly string[] = levels[right]
  return names.indexOf(level)
}

/** Rights of teams in an organization that give rights on all of its workspaces. */
const grants: readonly (readonly [PlatformRight, WorkspaceRights])[] = [
  ['manage-workspaces', allRights],
  ['manage-projects', allRights],
  ['read-workspaces', readRights],
  ['manage-agent-pools', readRights],
  ['manage-policies', readRuns],
  ['manage-policy-overrides', readRuns],
]

/**
 * Returns the rights of a caller on the workspaces of an organization. The rights that the caller's
 * teams give add up.
 */
export function workspaceRights(
  world: World,
  caller: Caller,
  organization: string,
): WorkspaceRights {
  if (isOwner(world, caller, organization)) return allRights
  if (isOrganizationToken(caller, organization)) return organizationToken
  let sum = noRights
  for (const { organization_access } of teamsOfCaller(world, caller, organization)) {
    for (const [right, granted] of grants) {
      if (organization_access[right] === true) sum = union(sum, granted)
    }
  }
  return sum
}

function union(one: WorkspaceRights, other: WorkspaceRights): WorkspaceRights {
  const highest = (right: Leveled) => Math.max(one.level[right], other.level[right])
  return {
    level: { runs: highest('runs'), variables: highest('variables'), state: highest('state') },
    lock: one.lock || other.lock,
    tasks: one.tasks || other.tasks,
    settings: one.settings || other.settings,
    admin: one.admin || other.admin,
  }
}

/** Returns whether rights contain a required one. */
export function allows(rightsOfCaller: WorkspaceRights, required: RequiredRight): boolean {
  const { level, admin } = rightsOfCaller
  if (admin) return true
  if (required === 'visible') return level.runs > 0 || level.variables > 0 || level.state > 0
  if (typeof required === 'string') return rightsOfCaller[required]
  return (['runs', 'variables', 'state'] as const).every(
    (right) => level[right] >= levelIndex(right, required[right] ?? 'none'),
  )
}

/** Returns whether a caller has a right on a workspace. */
export function mayOn(
  world: World,
  caller: Caller,
  { organization }: Pick<Workspace, 'organization'>,
  required: RequiredRight,
): boolean {
  return allows(workspaceRights(world, caller, organization), required)
}

/** Throws 404 unless the caller has a right on a workspace. */
export function checkRightOn(
  world: World,
  caller: Caller,
  workspace: Pick<Workspace, 'organization' | 'name'>,
  required: RequiredRight,
): void {
  if (mayOn(world, caller, workspace, required)) return
  const { name: place } = workspace
  throw refuse('not-found').withDetails({ workspace: place, right: nameOf(required) })
}

/** Returns the name of a required right for explanations, such as `runs plan`. */
function nameOf(required: RequiredRight): string {
  if (typeof required === 'string') return required
  return Object.entries(required)
    .map(([right, level]) => `${right} ${level}`)
    .join(', ')
}

/** Returns whether the caller may delete a workspace even if it is locked. */
export function mayForceDelete(
  world: World,
  caller: Caller,
  { organization }: Pick<Workspace, 'organization'>,
): boolean {
  if (isOwner(world, caller, organization)) return true
  if (isOrganizationToken(caller, organization)) return true
  const { allow_force_delete_workspaces } = { ...world.table(organizations).get(organization) }
  const { admin } = workspaceRights(world, caller, organization)
  return admin && allow_force_delete_workspaces === true
}

/** Returns whether the caller may add workspaces to an organization. */
export function mayCreateWorkspaces(world: World, caller: Caller, organization: string): boolean {
  return allows(workspaceRights(world, caller, organization), 'settings')
}

/** Returns a caller's permissions on a workspace, by their name in the API. */
export function workspacePermissions(
  world: World,
  caller: Caller,
  workspace: Workspace,
): Readonly<Record<string, boolean>> {
  const given = workspaceRights(world, caller, workspace.organization)
  const permissions: Record<string, boolean> = {
    'can-force-delete': mayForceDelete(world, caller, workspace),
  }
  for (const [name, required] of permissionRights) permissions[name] = allows(given, required)
  return permissions
}

/**
 * Right that a caller needs for each permission on a workspace, by the permission's name in the
 * API.
 */
const permissionRights: readonly (readonly [string, RequiredRight])[] = [
  ['can-update', 'settings'],
  ['can-destroy', 'settings'],
  ['can-read-settings', 'admin'],
  ['can-force-unlock', 'admin'],
  ['can-manage-tags', 'settings'],
  ['can-manage-assessments', 'admin'],
  ['can-manage-ephemeral-workspaces', 'admin'],
  ['can-manage-run-tasks', 'tasks'],
  ['can-read-run', { runs: 'read' }],
  ['can-read-assessment-results', { runs: 'read' }],
  ['can-queue-run', { runs: 'plan' }],
  ['can-queue-apply', { runs: 'apply' }],
  ['can-queue-destroy', { runs: 'apply' }],
  ['can-lock', 'lock'],
  ['can-unlock', 'lock'],
  ['can-read-variable', { variables: 'read' }],
  ['can-update-variable', { variables: 'write' }],
  ['can-read-state-outputs', { state: 'read-outputs' }],
  ['can-read-state-versions', { state: 'read' }],
  ['can-create-state-versions', { state: 'write' }],
]

/** Names of the permissions of a workspace. */
export const workspacePermissionNames: readonly string[] = [
  ...permissionRights.map(([name]) => name),
  'can-force-delete',
]
