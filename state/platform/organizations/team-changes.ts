import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, hasRight, isOrganizationToken, isOwner } from '../accounts/callers.ts'
import { dropTokens } from '../accounts/token-changes.ts'
import { userNamed } from '../accounts/users.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { dropAccessOfTeam } from '../team-access/team-access.ts'
import { Violations } from '../violations.ts'
import { type Membership, membershipOf } from './memberships.ts'
import {
  addTeam,
  dropTeam,
  joinTeam,
  ownersTeam,
  putTeam,
  type Team,
  teamNamed,
  teamsOf,
} from './teams.ts'

/** Attributes in a request that creates or changes a team. A null `name` is treated as blank. */
interface TeamInput extends TextInput<'name' | 'visibility' | 'sso_team_id'> {
  /** Permissions by name. Missing permissions stay unchanged. */
  readonly organization_access?: unknown
  readonly allow_member_token_management?: boolean
}

/** Permissions that can be granted to a team. */
export const teamRights = [
  'manage-policies',
  'manage-policy-overrides',
  'delegate-policy-overrides',
  'manage-workspaces',
  'manage-vcs-settings',
  'manage-providers',
  'manage-modules',
  'manage-run-tasks',
  'manage-projects',
  'read-workspaces',
  'read-projects',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'manage-agent-pools',
] as const

/** Returns all permissions with their values. The owners team has all permissions. */
export function rightsOf(team: Team): Readonly<Record<string, boolean>> {
  const isOwnersTeam = team.name === ownersTeam
  return Object.fromEntries(
    teamRights.map((right) => [right, isOwnersTeam || team.organization_access[right] === true]),
  )
}

/** Returns the teams of an organization that the caller may see, sorted by name. */
export function teamsFor(world: World, caller: Caller, organization: string): Team[] {
  return teamsOf(world, organization).filter((team) => seesTeam(world, caller, team))
}

/**
 * Returns whether the caller may see a team of an organization to which the caller belongs. A
 * secret team is visible to its members, to tokens of the team, and to callers with the permission
 * `manage-teams` or `access-secret-teams`.
 */
export function seesTeam(world: World, caller: Caller, team: Team): boolean {
  return (
    team.visibility === 'organization' ||
    belongsTo(caller, team) ||
    hasRight(world, caller, team.organization, 'manage-teams') ||
    hasRight(world, caller, team.organization, 'access-secret-teams')
  )
}

/**
 * Returns whether the caller may create, read and delete the tokens of a team. Members of the team
 * may do so unless `allow_member_token_management` is false.
 */
export function managesTokens(world: World, caller: Caller, team: Team): boolean {
  if (managesTeam(world, caller, team, 'manage-teams')) return true
  return belongsTo(caller, team) && team.allow_member_token_management !== false
}

/** Returns whether the caller is a member of a team or uses a token of the team. */
function belongsTo({ token }: Caller, team: Team): boolean {
  if (token.kind === 'team') return token.owner === team.id
  return token.kind === 'user' && team.members.includes(token.owner)
}

/**
 * Returns whether the caller has the permission `right` for a team. For the owners team, the caller
 * instead needs owner rights or the organization's own token.
 */
export function managesTeam(
  world: World,
  caller: Caller,
  team: Team,
  right: 'manage-teams' | 'manage-membership',
): boolean {
  const { organization, name } = team
  if (name !== ownersTeam) return hasRight(world, caller, organization, right)
  return isOwner(world, caller, organization) || isOrganizationToken(caller, organization)
}

/** Adds a team. Throws 422 for invalid attributes (behaviour/platform#surroundings). */
export function createTeam(world: World, organization: string, input: TeamInput): Team {
  const validated = validate(world, organization, input)
  return world.write(() => addTeam(world, { organization, ...validated }))
}

export function changeTeam(world: World, team: Team, input: TeamInput): Team {
  const validated = validate(world, team.organization, input, team)
  return world.write(() => putTeam(world, { ...team, ...validated }))
}

/**
 * Deletes a team with its tokens, its notification configurations and its access to workspaces and
 * projects, and removes the team from invitations. Throws `owners-stay` for the owners team.
 */
export function deleteTeam(world: World, team: Team): void {
  if (team.name === ownersTeam) throw refuse('owners-stay')
  world.write(() => {
    dropTokens(world, { kind: 'team', owner: team.id })
    dropAccessOfTeam(world, team.id)
    dropTeam(world, team)
  })
}

/**
 * Adds users to a team by username. Throws 400, and adds nobody, if a user is unknown, not in the
 * organization, already a member or invited to the team, or named twice. Invited users join the
 * team when they accept the invitation.
 */
export function addMembers(world: World, team: Team, names: readonly string[]): void {
  const ids = userIdsOf(world, names)
  const found: Membership[] = []
  for (const [index, id] of ids.entries()) {
    const name = names[index] ?? ''
    const membership = membershipOf(world, team.organization, id)
    const isInvited = membership?.teams.includes(team.id) === true || found.some(belongsToUser(id))
    if (team.members.includes(id) || isInvited) throw refuse('member-already', { name })
    if (membership === undefined) throw refuse('not-in-organization', { name })
    found.push(membership)
  }
  world.write(() => {
    for (const membership of found) joinTeam(world, team.id, membership)
  })
}

/**
 * Removes users from a team by username. Throws 400, and removes nobody, if a user is unknown or
 * not a member.
 */
export function removeMembers(world: World, team: Team, names: readonly string[]): void {
  const ids = userIdsOf(world, names)
  for (const [index, id] of ids.entries()) {
    if (!team.members.includes(id)) throw refuse('no-member', { name: names[index] ?? '' })
  }
  const members = team.members.filter((id) => !ids.includes(id))
  world.write(() => putTeam(world, { ...team, members }))
}

const belongsToUser = (id: string) => (membership: Membership) => membership.user === id

function userIdsOf(world: World, names: readonly string[]): string[] {
  return names.map((name) => {
    const user = userNamed(world, name)
    if (user === undefined || user.service_account) throw refuse('user-unknown', { name })
    return user.id
  })
}

/**
 * Maximum length of a team name in characters. Team names may contain spaces, unlike the names of
 * organizations and workspaces.
 */
const maxNameLength = 255

type ValidatedTeam = Pick<
  Team,
  'name' | 'visibility' | 'organization_access' | 'sso_team_id' | 'allow_member_token_management'
>

function validate(
  world: World,
  organization: string,
  input: TeamInput,
  before?: Team,
): ValidatedTeam {
  const violations = new Violations()

  const name = updatedText(input.name, before?.name).trim()
  if (isBlank(name)) violations.add('name', 'blank')
  else if ([...name].length > maxNameLength)
    violations.add('name', 'too-long', { limit: maxNameLength })
  else if (name !== before?.name) {
    if (before?.name === ownersTeam) violations.add('name', 'not-changeable')
    else if (teamNamed(world, organization, name)) violations.add('name', 'taken')
  }

  const visibility = input.visibility ?? before?.visibility ?? 'secret'
  const isValidVisibility = visibility === 'secret' || visibility === 'organization'
  if (!isValidVisibility) violations.add('visibility', 'not-listed')

  const access = parseRights(input.organization_access ?? {})
  if (access === undefined) violations.add('organization-access', 'invalid')
  const organization_access = { ...before?.organization_access, ...access }
  for (const [right, needed, rule] of input.organization_access === undefined
    ? []
    : requiredRights) {
    const isMissing = organization_access[right] === true && organization_access[needed] !== true
    if (isMissing) violations.add('organization-access', rule)
  }
  if (violations.hasAny || !isValidVisibility) throw violations.refusal()
  return {
    name,
    visibility,
    organization_access,
    sso_team_id:
      input.sso_team_id === undefined ? (before?.sso_team_id ?? null) : input.sso_team_id,
    allow_member_token_management:
      input.allow_member_token_management ?? before?.allow_member_token_management ?? true,
  }
}

/**
 * Tuples of a permission, the permission that it requires, and the rule that is broken if the
 * required permission is missing.
 */
const requiredRights = [
  ['manage-teams', 'manage-membership', 'teams-need-membership'],
  ['manage-organization-access', 'manage-teams', 'access-needs-teams'],
] as const

/**
 * Returns the known permissions in `input` whose value is a boolean. Returns undefined if `input`
 * is not an object, or if a known permission has a value other than a boolean or null.
 */
function parseRights(input: unknown): Record<string, boolean> | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const rights: Record<string, boolean> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === null || !teamRights.some((right) => right === name)) continue
    if (typeof value !== 'boolean') return undefined
    rights[name] = value
  }
  return rights
}
