/** Levels of each right on a workspace, lowest first (behaviour/platform#workspace-rights). */
export const levels = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  state: ['none', 'read-outputs', 'read', 'write'],
} as const

const leveled = ['runs', 'variables', 'state'] as const

/** Right that has levels. */
type Leveled = (typeof leveled)[number]

/** Level of each right that has levels; a right that is left out is `none`. */
export type Levels = { readonly [Name in Leveled]?: (typeof levels)[Name][number] }

/** Rights that a caller either has or lacks. */
interface Switches {
  /** Whether the workspace can be locked, and unlocked by the holder of the lock. */
  readonly lock: boolean
  /** Whether run tasks can be attached to the workspace. */
  readonly tasks: boolean
  /** Whether settings and tags can be changed. */
  readonly settings: boolean
  /** Whether the workspace can be deleted safely. */
  readonly delete: boolean
  /** Whether the workspace can be moved to another project. */
  readonly move: boolean
  /** Whether all other rights are included, except `move`. */
  readonly admin: boolean
}

/** Rights of a caller on a workspace. */
export interface WorkspaceRights extends Switches {
  /** Index in `levels` of each right that has levels. */
  readonly level: Readonly<Record<Leveled, number>>
}

/** Right that an operation on a workspace requires. */
export type RequiredRight = 'visible' | keyof Switches | Levels

function levelIndex(right: Leveled, level: string): number {
  const names: readonly string[] = levels[right]
  return names.indexOf(level)
}

/** Returns rights of the given levels and switches; everything else is withheld. */
export function rights(given: Levels, switches: Partial<Switches> = {}): WorkspaceRights {
  const indexOf = (right: Leveled) => levelIndex(right, given[right] ?? 'none')
  return {
    level: { runs: indexOf('runs'), variables: indexOf('variables'), state: indexOf('state') },
    lock: false,
    tasks: false,
    settings: false,
    delete: false,
    move: false,
    admin: false,
    ...switches,
  }
}

export const noRights: WorkspaceRights = rights({})

/** Rights of those who administer a workspace. */
export const allRights: WorkspaceRights = rights(
  { runs: 'apply', variables: 'write', state: 'write' },
  { lock: true, tasks: true, settings: true, delete: true, move: true, admin: true },
)

/**
 * Returns the union of two sets of rights: the higher level of each right, and each boolean right
 * that either set has.
 */
export function unionOf(one: WorkspaceRights, other: WorkspaceRights): WorkspaceRights {
  const highest = (right: Leveled) => Math.max(one.level[right], other.level[right])
  return {
    level: { runs: highest('runs'), variables: highest('variables'), state: highest('state') },
    lock: one.lock || other.lock,
    tasks: one.tasks || other.tasks,
    settings: one.settings || other.settings,
    delete: one.delete || other.delete,
    move: one.move || other.move,
    admin: one.admin || other.admin,
  }
}

/** Returns whether rights contain a required one. */
export function allows(rightsOfCaller: WorkspaceRights, required: RequiredRight): boolean {
  const { level, admin } = rightsOfCaller
  // Administrators of one workspace do not necessarily move it to another project.
  if (required === 'move') return rightsOfCaller.move
  if (admin) return true
  if (required === 'visible') return level.runs > 0 || level.variables > 0 || level.state > 0
  if (typeof required === 'string') return rightsOfCaller[required]
  return leveled.every((right) => level[right] >= levelIndex(right, required[right] ?? 'none'))
}

/** Returns the name of a required right for explanations, such as `runs plan`. */
export function rightName(required: RequiredRight): string {
  if (typeof required === 'string') return required
  return Object.entries(required)
    .map(([right, level]) => `${right} ${level}`)
    .join(', ')
}
