import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { membershipOf } from '../organizations/memberships.ts'
import { organizations } from '../organizations/organizations.ts'
import { ownersTeam, type Team, teamNamed, teams, teamsOf } from '../organizations/teams.ts'
import { type ApiToken, apiTokens, findApiToken } from './tokens.ts'
import { type User, users } from './users.ts'

/** The authenticated caller: an API token and the user that it acts as. */
export interface Caller {
  readonly token: ApiToken
  readonly user: User
}

/**
 * Returns the caller that a bearer token authenticates (behaviour/platform#authentication). Returns
 * undefined if the token is missing, unknown or expired, if it belongs to an agent pool, or if its
 * user is suspended. If the option `acceptAnyToken` is set, an unknown token authenticates the site
 * admin of the start state.
 */
export function callerOf(world: World, bearer: string | undefined): Caller | undefined {
  if (!bearer) return undefined
  const token = findApiToken(world, bearer) ?? siteAdminFallback(world, bearer)
  const user = token === undefined ? undefined : world.table(users).get(token.user)
  if (token === undefined || user === undefined || user.is_suspended === true) return undefined
  return { token, user }
}

/**
 * Returns the token of the option `siteAdminToken` if the option `acceptAnyToken` is set and the
 * bearer token is unknown; otherwise undefined. An expired token is still stored and therefore
 * known.
 */
function siteAdminFallback(world: World, bearer: string): ApiToken | undefined {
  const { acceptAnyToken, siteAdminToken } = optionsOf(world)
  if (!acceptAnyToken || world.table(apiTokens).has(bearer)) return undefined
  return findApiToken(world, siteAdminToken)
}

/** Returns whether the caller is a site admin who uses a personal token. */
export function isSiteAdmin({ token, user }: Caller): boolean {
  return token.kind === 'user' && user.site_admin
}

/**
 * Returns whether a site admin has disabled an organization. The memberships of a disabled
 * organization have no effect (behaviour/platform#admin-organizations).
 */
function isDisabled(world: World, organization: string): boolean {
  return world.table(organizations).get(organization)?.administration?.is_disabled === true
}

/**
 * Returns whether the caller has owner rights in an organization: as a member or with the token of
 * the owners team, or as a site admin. The organization's own token does not have these rights, and
 * in a disabled organization no caller has them (behaviour/platform#workspace-rights).
 */
export function isOwner(world: World, caller: Caller, organization: string): boolean {
  if (isDisabled(world, organization)) return false
  if (isSiteAdmin(caller)) return true
  const owners = teamNamed(world, organization, ownersTeam)
  if (owners === undefined) return false
  const { kind, owner } = caller.token
  return kind === 'team' ? owner === owners.id : kind === 'user' && owners.members.includes(owner)
}

/**
 * Returns whether the caller belongs to the organization, with any kind of token. A site admin
 * belongs to every organization. Returns false if the organization is disabled.
 */
export function isMember(world: World, caller: Caller, organization: string): boolean {
  const { kind, owner } = caller.token
  if (isDisabled(world, organization)) return false
  if (isSiteAdmin(caller)) return true
  if (kind === 'organization') return owner === organization
  if (kind === 'team') return world.table(teams).get(owner)?.organization === organization
  if (membershipOf(world, organization, owner)?.status === 'active') return true
  // Documents of old releases contain no memberships. In worlds from such documents, a member of
  // any team is a member of the organization.
  for (const { members } of world.table(teams).index('byName').rows(`${organization}/`)) {
    if (members.includes(owner)) return true
  }
  return false
}

/**
 * A permission that a team can have in its organization. The API has an attribute of the same name.
 */
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
  | 'manage-policy-overrides'
  | 'manage-agent-pools'
  | 'read-workspaces'
  | 'access-secret-teams'

/** Permissions that the organization's own token does not have. */
const withheldRights: readonly PlatformRight[] = ['manage-modules', 'manage-providers']

/**
 * Returns whether the caller has a permission in an organization. Callers with owner rights have
 * all permissions. Members and tokens of a team have the permissions of the team. The
 * organization's own token has all permissions except those for modules and providers. In a
 * disabled organization, no caller has a permission.
 */
export function hasRight(
  world: World,
  caller: Caller,
  organization: string,
  right: PlatformRight,
): boolean {
  if (isDisabled(world, organization)) return false
  if (isOwner(world, caller, organization)) return true
  if (isOrganizationToken(caller, organization)) return !withheldRights.includes(right)
  return teamsOfCaller(world, caller, organization).some(
    ({ organization_access }) => organization_access[right] === true,
  )
}

/** Throws 404 unless the caller has a permission in an organization. */
export function checkRight(
  world: World,
  caller: Caller,
  organization: string,
  right: PlatformRight,
): void {
  if (hasRight(world, caller, organization, right)) return
  throw refuse('not-found').withDetails({ organization, right })
}

/**
 * Returns the teams of an organization that have the caller as a member or own the caller's token.
 */
export function teamsOfCaller(
  world: World,
  { token: { kind, owner } }: Caller,
  organization: string,
): Team[] {
  return teamsOf(world, organization).filter(({ id, members }) =>
    kind === 'team' ? id === owner : kind === 'user' && members.includes(owner),
  )
}

/** Returns whether the caller's token belongs to the organization itself. */
export function isOrganizationToken({ token }: Caller, organization: string): boolean {
  return token.kind === 'organization' && token.owner === organization
}

/**
 * Rejects a user's token with 401 if the organization does not accept user tokens, because its
 * `user-tokens-enabled` is false. Tokens of teams and organizations are accepted.
 */
export function checkTokenKind(world: World, { token }: Caller, organization: string): void {
  if (token.kind !== 'user') return
  const { user_tokens_enabled = true } = world.table(organizations).get(organization) ?? {}
  if (!user_tokens_enabled) throw refuse('unauthorized')
}

/**
 * Throws 401 if the organization does not accept the caller's kind of token, and 404 unless the
 * caller has owner rights.
 */
export function checkOwner(world: World, caller: Caller, organization: string): void {
  checkTokenKind(world, caller, organization)
  if (!isOwner(world, caller, organization)) throw refuse('not-found')
}
