import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { isBlank } from '../names.ts'
import { Violations } from '../violations.ts'
import { type AccessKind, type AccessValue, accessKind } from './access-levels.ts'
import { dropTeamAccess, putTeamAccess, type TeamAccess, teamAccessOf } from './team-access.ts'

interface TeamAccessInput {
  readonly access?: string | null
  /** Values of permissions by group and name. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, AccessValue>>>>
}

/**
 * Gives a team access to a workspace or project. Throws 422 with all broken rules, including a
 * missing team or target (behaviour/platform#team-access).
 */
export function createTeamAccess(
  world: World,
  kind: AccessKind,
  team: string | undefined,
  target: string | undefined,
  input: TeamAccessInput,
): TeamAccess {
  const violations = new Violations()
  if (team === undefined) violations.add('team', 'blank')
  if (target === undefined) violations.add(kind.target, 'blank')
  if (team !== undefined && target !== undefined && teamAccessOf(world, team, target)) {
    violations.add('team', 'taken')
  }
  const validated = validate(kind, input, violations)
  if (team === undefined || target === undefined) throw violations.refusal()
  return world.write(() =>
    putTeamAccess(world, { id: newId(world, kind.prefix), team, target, ...validated }),
  )
}

/**
 * Changes the access level and, for the level `custom`, single permissions. Throws 422 with all
 * broken rules.
 */
export function changeTeamAccess(
  world: World,
  before: TeamAccess,
  input: TeamAccessInput,
): TeamAccess {
  const validated = validate(accessKind(before.id), input, new Violations(), before)
  return world.write(() => putTeamAccess(world, { ...before, ...validated }))
}

/** Removes a team's access to a workspace or project. */
export function deleteTeamAccess(world: World, access: TeamAccess): void {
  world.write(() => dropTeamAccess(world, access))
}

/**
 * Returns the access level and the custom permissions after a change. Throws 422 with all broken
 * rules, including those that `violations` already contains.
 */
function validate(
  { accessLevels, groups }: AccessKind,
  input: TeamAccessInput,
  violations: Violations,
  before?: TeamAccess,
): Pick<TeamAccess, 'access' | 'custom'> {
  const { access = before?.access ?? '' } = input
  if (isBlank(access)) violations.add('access', 'blank')
  else if (!accessLevels.includes(access)) violations.add('access', 'not-listed')
  const custom: Record<string, AccessValue> = access === 'custom' ? { ...before?.custom } : {}
  for (const [group, sent] of Object.entries(input.groups)) {
    for (const [name, value] of Object.entries(sent)) {
      const { levels } = groups[group]?.[name] ?? {}
      const attribute = group === '' ? name : `${group}/${name}`
      if (accessLevels.includes(access ?? '') && access !== 'custom') {
        violations.add(attribute, 'needs-custom-access', { access: access ?? '' })
      } else if (levels !== undefined && !levels.includes(String(value))) {
        violations.add(attribute, 'not-listed')
      } else custom[name] = value
    }
  }
  violations.check()
  return { access: access ?? '', custom }
}
