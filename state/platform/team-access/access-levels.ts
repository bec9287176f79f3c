/** Value of a permission: a level, or a boolean if the permission has no levels. */
export type AccessValue = string | boolean

/** A permission and its value at each access level. */
interface PermissionDeclaration {
  /** Allowed levels, lowest first; undefined for a boolean permission. */
  readonly levels?: readonly string[]
  /** Values in the order of `accessLevels`, one for each access level. */
  readonly values: readonly AccessValue[]
}

/** Kind of access: to one workspace, or to a project and its workspaces. */
export interface AccessKind {
  readonly target: 'workspace' | 'project'
  readonly prefix: 'tws' | 'tprj'
  readonly accessLevels: readonly string[]
  /**
   * Permissions by group and name. A project has two groups; a workspace has one, with an empty
   * name.
   */
  readonly groups: Readonly<Record<string, Readonly<Record<string, PermissionDeclaration>>>>
}

const runLevels = ['read', 'plan', 'apply']
const variableLevels = ['none', 'read', 'write']
const stateLevels = ['none', 'read-outputs', 'read', 'write']
const mockLevels = ['none', 'read']

/** Access levels of workspaces (behaviour/platform#team-access). */
export const workspaceAccess: AccessKind = {
  target: 'workspace',
  prefix: 'tws',
  accessLevels: ['read', 'plan', 'write', 'admin', 'custom'],
  groups: {
    '': {
      runs: { levels: runLevels, values: ['read', 'plan', 'apply', 'apply', 'read'] },
      variables: { levels: variableLevels, values: ['read', 'read', 'write', 'write', 'none'] },
      'state-versions': { levels: stateLevels, values: ['read', 'read', 'write', 'write', 'none'] },
      'sentinel-mocks': { levels: mockLevels, values: ['none', 'none', 'read', 'read', 'none'] },
      'plan-outputs': { levels: mockLevels, values: ['none', 'none', 'none', 'none', 'none'] },
      'workspace-locking': { values: [false, false, true, true, false] },
      'run-tasks': { values: [false, false, false, true, false] },
      'policy-overrides': { values: [false, false, false, false, false] },
    },
  },
}

/**
 * Access levels of projects, which also apply to their workspaces (behaviour/platform#team-access).
 */
export const projectAccess: AccessKind = {
  target: 'project',
  prefix: 'tprj',
  accessLevels: ['read', 'write', 'maintain', 'admin', 'custom'],
  groups: {
    'project-access': {
      settings: {
        levels: ['read', 'update', 'delete'],
        values: ['read', 'read', 'read', 'delete', 'read'],
      },
      teams: {
        levels: ['none', 'read', 'manage'],
        values: ['none', 'none', 'none', 'manage', 'none'],
      },
      'variable-sets': {
        levels: ['none', 'read', 'write', 'manage'],
        values: ['read', 'read', 'read', 'manage', 'none'],
      },
    },
    'workspace-access': {
      create: { values: [false, false, true, true, false] },
      move: { values: [false, false, false, true, false] },
      locking: { values: [false, true, true, true, false] },
      delete: { values: [false, false, true, true, false] },
      runs: { levels: runLevels, values: ['read', 'apply', 'apply', 'apply', 'read'] },
      variables: { levels: variableLevels, values: ['read', 'write', 'write', 'write', 'none'] },
      'state-versions': {
        levels: stateLevels,
        values: ['read', 'write', 'write', 'write', 'none'],
      },
      'sentinel-mocks': { levels: mockLevels, values: ['none', 'read', 'read', 'read', 'none'] },
      'run-tasks': { values: [false, false, true, true, false] },
      'policy-overrides': { values: [false, false, false, false, false] },
    },
  },
}

/**
 * Returns the kind of access that the prefix of an id identifies. Ids with an unknown prefix belong
 * to workspace access.
 */
export function accessKind(id: string): AccessKind {
  return id.startsWith(`${projectAccess.prefix}-`) ? projectAccess : workspaceAccess
}

/**
 * Returns the value of each permission at an access level. For an unknown level, all values are
 * false.
 */
export function valuesOf(
  { accessLevels, groups }: AccessKind,
  access: string,
): Readonly<Record<string, AccessValue>> {
  const column = accessLevels.indexOf(access)
  const parts = Object.values(groups).flatMap((group) => Object.entries(group))
  return Object.fromEntries(parts.map(([name, { values }]) => [name, values[column] ?? false]))
}
