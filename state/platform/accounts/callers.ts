import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { organizations } from '../organizations/organizations.ts'
import { ownersTeam, teamNamed, teams, teamsOf } from '../organizations/teams.ts'
import { type ApiToken, apiTokens, findApiToken } from './tokens.ts'
import { type User, users } from './users.ts'

/** Who calls: a token and the user as whom it acts. */
export interface Caller {
  readonly token: ApiToken
  readonly user: User
}

/**
 * The caller behind a bearer token (behaviour/platform#authentication); undefined for one that is
 * missing, unknown or expired.
 */
export function callerOf(world: World, bearer: string | undefined): Caller | undefined {
  if (!bearer) return undefined
  const token = findApiToken(world, bearer) ?? siteAdminFallback(world, bearer)
  const user = token === undefined ? undefined : world.table(users).get(token.user)
  return token === undefined || user === undefined ? undefined : { token, user }
}

/**
 * Whom an unknown token stands for, where those are let in: the preset site admin. One whose time is
 * over is known.
 */
function siteAdminFallback(world: World, bearer: string): ApiToken | undefined {
  const { acceptAnyToken, siteAdminToken } = optionsOf(world)
  if (!acceptAnyToken || world.table(apiTokens).has(bearer)) return undefined
  return findApiToken(world, siteAdminToken)
}

/** Tells whether a caller is a site admin: a person, by a token of their own. */
export function isSiteAdmin({ token, user }: Caller): boolean {
  return token.kind === 'user' && user.site_admin
}

/**
 * Tells whether a caller may do what the owners of an organization may: an owner, the owners' team
 * token, a site admin; not the organization's own token (behaviour/platform#authentication).
 */
export function isOwner(world: World, caller: Caller, organization: string): boolean {
  if (isSiteAdmin(caller)) return true
  const owners = teamNamed(world, organization, ownersTeam)
  if (owners === undefined) return false
  const { kind, owner } = caller.token
  return kind === 'team' ? owner === owners.id : kind === 'user' && owners.members.includes(owner)
}

/** Tells whether a caller belongs to an organization at all, by whatever token. */
export function isMember(world: World, caller: Caller, organization: string): boolean {
  const { kind, owner } = caller.token
  if (isSiteAdmin(caller)) return true
  if (kind === 'organization') return owner === organization
  if (kind === 'team') return world.table(teams).get(owner)?.organization === organization
  for (const { members } of world.table(teams).index('byName').rows(`${organization}/`)) {
    if (members.includes(owner)) return true
  }
  return false
}

/** A right that a team can be given in its organization, by the attribute's names. */
export type PlatformRight =
  | 'manage-modules'
  | 'manage-teams'
  | 'manage-membership'
  | 'manage-vcs-settings'
  | 'manage-workspaces'
  | 'manage-projects'
  | 'manage-providers'
  | 'manage-run-tasks'
  | 'manage-policies'
  | 'manage-agent-pools'
  | 'access-secret-teams'

/**
 * Tells whether a caller may do what a right stands for: those who may do everything, the
 * organization's own token, and the members of a team that has the right.
 */
export function hasRight(
  world: World,
  caller: Caller,
  organization: string,
  right: PlatformRight,
): boolean {
  if (isOwner(world, caller, organization) || isOrganizationToken(caller, organization)) return true
  const { kind, owner } = caller.token
  return teamsOf(world, organization).some(
    ({ id, members, organization_access }) =>
      organization_access[right] === true &&
      (kind === 'team' ? id === owner : kind === 'user' && members.includes(owner)),
  )
}

/** Tells whether a caller has the organization's own token. */
export function isOrganizationToken({ token }: Caller, organization: string): boolean {
  return token.kind === 'organization' && token.owner === organization
}

/**
 * Refuses with 401 a user's token where an organization takes none (behaviour/platform#surroundings,
 * `user-tokens-enabled`); tokens of teams and organizations go on.
 */
export function checkTokenKind(world: World, { token }: Caller, organization: string): void {
  if (token.kind !== 'user') return
  const { user_tokens_enabled = true } = world.table(organizations).get(organization) ?? {}
  if (!user_tokens_enabled) throw refuse('unauthorized')
}

/** 404 unless the caller may do what owners may. */
export function checkOwner(world: World, caller: Caller, organization: string): void {
  checkTokenKind(world, caller, organization)
  if (!isOwner(world, caller, organization)) throw refuse('not-found')
}
