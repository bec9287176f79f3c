/** Levels of the rights on a workspace, lowest first (behaviour/platform#workspace-rights). */
export const rightLevels = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  state: ['none', 'read-outputs', 'read', 'write'],
} as const

const leveledRights = ['runs', 'variables', 'state'] as const

type LeveledRight = (typeof leveledRights)[number]

/** Level of each right. A missing right has the level `none`. */
export type RightLevels = { readonly [Name in LeveledRight]?: (typeof rightLevels)[Name][number] }

/** Boolean rights of one caller on one workspace. */
interface BooleanRights {
  /** Whether the caller may lock the workspace, and unlock it while holding the lock. */
  readonly lock: boolean
  /** Whether the caller may attach run tasks. */
  readonly tasks: boolean
  /** Whether the caller may change settings and tags. */
  readonly settings: boolean
  /** Whether the caller may delete the workspace while it has no resources. */
  readonly delete: boolean
  /** Whether the caller may move the workspace to another project. */
  readonly move: boolean
  /** Whether the caller has all rights on the workspace, except `move`. */
  readonly admin: boolean
}

/** The rights of one caller on one workspace. */
export interface WorkspaceRights extends BooleanRights {
  /** Index of the caller's level in `rightLevels`, for each right. */
  readonly levelIndexes: Readonly<Record<LeveledRight, number>>
}

/** A right that an operation requires. `visible` means any level above `none`. */
export type RequiredRight = 'visible' | keyof BooleanRights | RightLevels

function levelIndex(right: LeveledRight, level: string): number {
  const names: readonly string[] = rightLevels[right]
  return names.indexOf(level)
}

/**
 * Returns rights with the given levels and boolean rights. Missing levels are `none`, and missing
 * boolean rights are false.
 */
export function createRights(
  givenLevels: RightLevels,
  switches: Partial<BooleanRights> = {},
): WorkspaceRights {
  const indexOf = (right: LeveledRight) => levelIndex(right, givenLevels[right] ?? 'none')
  return {
    levelIndexes: {
      runs: indexOf('runs'),
      variables: indexOf('variables'),
      state: indexOf('state'),
    },
    lock: false,
    tasks: false,
    settings: false,
    delete: false,
    move: false,
    admin: false,
    ...switches,
  }
}

export const noRights: WorkspaceRights = createRights({})

/** Rights of a workspace's admins. */
export const allRights: WorkspaceRights = createRights(
  { runs: 'apply', variables: 'write', state: 'write' },
  { lock: true, tasks: true, settings: true, delete: true, move: true, admin: true },
)

/**
 * Returns the union of the arguments: for each right, the higher of the two levels, and all boolean
 * rights that at least one argument contains.
 */
export function unionOf(one: WorkspaceRights, other: WorkspaceRights): WorkspaceRights {
  const highest = (right: LeveledRight) =>
    Math.max(one.levelIndexes[right], other.levelIndexes[right])
  return {
    levelIndexes: {
      runs: highest('runs'),
      variables: highest('variables'),
      state: highest('state'),
    },
    lock: one.lock || other.lock,
    tasks: one.tasks || other.tasks,
    settings: one.settings || other.settings,
    delete: one.delete || other.delete,
    move: one.move || other.move,
    admin: one.admin || other.admin,
  }
}

/** Returns whether the rights of a caller include the required right. */
export function allows(rightsOfCaller: WorkspaceRights, required: RequiredRight): boolean {
  const { levelIndexes, admin } = rightsOfCaller
  // Not every admin of a workspace may move the workspace.
  if (required === 'move') return rightsOfCaller.move
  if (admin) return true
  if (required === 'visible')
    return levelIndexes.runs > 0 || levelIndexes.variables > 0 || levelIndexes.state > 0
  if (typeof required === 'string') return rightsOfCaller[required]
  return leveledRights.every(
    (right) => levelIndexes[right] >= levelIndex(right, required[right] ?? 'none'),
  )
}

/** Returns the name of a required right as explanations show the right, such as `runs plan`. */
export function rightName(required: RequiredRight): string {
  if (typeof required === 'string') return required
  return Object.entries(required)
    .map(([right, level]) => `${right} ${level}`)
    .join(', ')
}
