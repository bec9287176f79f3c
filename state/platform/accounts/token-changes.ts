import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { parseTimestamp, yearsAfter } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { isBlank } from '../names.ts'
import { optionsOf } from '../options.ts'
import { organizations } from '../organizations/organizations.ts'
import { teams } from '../organizations/teams.ts'
import { invalidAttributes, violation } from '../violations.ts'
import { ensureOrganizationUser, ensureTeamUser } from './service-users.ts'
import { type ApiToken, addToken, removeToken, tokensOf } from './tokens.ts'
import type { User } from './users.ts'

/** Members of a request for a token. */
interface TokenInput {
  readonly description?: string | null
  /**
   * ISO 8601 time. A null or blank time means that the token never expires; if the member is
   * missing, the option `tokenLifetime` applies.
   */
  readonly expired_at?: string | null
}

/**
 * Creates a token for a user. Existing tokens stay valid. Throws 422 if `expired_at` is not a time.
 */
export function createUserToken(world: World, user: User, input: TokenInput): ApiToken {
  const attributes = { ...validate(world, input), created_by: user.id }
  return world.write(() =>
    addToken(world, { kind: 'user', owner: user.id, user: user.id, ...attributes }),
  )
}

/**
 * A team or an organization. Each has at most one replaceable token, which `replaceToken` creates.
 */
export type TokenOwner =
  | { readonly kind: 'team'; readonly owner: string }
  | { readonly kind: 'organization'; readonly owner: string }

/**
 * Creates the replaceable token of a team or organization and revokes its predecessor. Throws 422
 * if `expired_at` is not a time.
 */
export function replaceToken(
  world: World,
  owner: TokenOwner,
  input: TokenInput,
  creator: User,
): ApiToken {
  const attributes = { ...validate(world, input), created_by: creator.id }
  return world.write(() => {
    const before = currentToken(world, owner)
    if (before !== undefined) removeToken(world, before)
    return addToken(world, { ...owner, user: actingUser(world, owner).id, ...attributes })
  })
}

/**
 * Creates a token for a team, in addition to the team's replaceable token
 * (behaviour/platform#beyond). Throws 422 if the description is missing, null or already used by
 * another token of the team, or if `expired_at` is not a time.
 */
export function createTeamToken(
  world: World,
  owner: TokenOwner,
  input: TokenInput,
  creator: User,
): ApiToken {
  const attributes = { ...validate(world, input), created_by: creator.id, is_further: true }
  const { description } = attributes
  // A blank description is valid: the test suite of the product's Go client creates such a token.
  if (description === null) throw invalidAttributes([violation('description', 'blank')])
  if (tokensOf(world, owner).some((token) => token.description === description)) {
    throw refuse('token-description-taken')
  }
  return world.write(() =>
    addToken(world, { ...owner, user: actingUser(world, owner).id, ...attributes }),
  )
}

/** Creates a token with which agents register in a pool. Throws 422 for a blank description. */
export function createPoolToken(
  world: World,
  pool: string,
  description: string,
  creator: User,
): ApiToken {
  if (isBlank(description)) throw invalidAttributes([violation('description', 'blank')])
  const attributes = { description, created_by: creator.id }
  return world.write(() =>
    addToken(world, { kind: 'agent-pool', owner: pool, user: '', ...attributes }),
  )
}

/**
 * Returns the replaceable token of a team or organization, or undefined if no such token exists.
 */
export function currentToken(world: World, owner: TokenOwner): ApiToken | undefined {
  return tokensOf(world, owner).find((token) => token.is_further !== true)
}

/** Deletes all tokens of an owner. */
export function dropTokens(world: World, owner: Pick<ApiToken, 'kind' | 'owner'>): void {
  world.write(() => {
    for (const token of tokensOf(world, owner)) removeToken(world, token)
  })
}

export function deleteToken(world: World, token: ApiToken): void {
  world.write(() => removeToken(world, token))
}

function actingUser(world: World, { kind, owner }: TokenOwner): User {
  const team = kind === 'team' ? world.table(teams).get(owner) : undefined
  if (team !== undefined) return ensureTeamUser(world, team)
  const organization = kind === 'organization' ? world.table(organizations).get(owner) : undefined
  if (organization !== undefined) return ensureOrganizationUser(world, organization)
  throw new Error(`a token for an unknown ${kind}`)
}

function validate(world: World, { description, expired_at }: TokenInput) {
  const parsedExpiry = isBlank(expired_at) ? null : parseTimestamp(expired_at)
  const expiry = expired_at === undefined ? defaultExpiry(world) : parsedExpiry
  if (expiry === undefined) {
    throw invalidAttributes([violation('expired-at', 'invalid')])
  }
  return { description: description ?? null, expired_at: expiry }
}

/**
 * Returns the expiry time of a token whose request has no `expired-at`, in milliseconds since the
 * epoch, from the option `tokenLifetime`. Null means that the token never expires.
 */
function defaultExpiry(world: World): number | null {
  const { tokenLifetime } = optionsOf(world)
  if (tokenLifetime === 'never') return null
  const now = world.clock.now()
  const [, years] = /^(\d+)y$/.exec(tokenLifetime) ?? []
  return years === undefined
    ? now + Math.ceil(parseGoDuration(tokenLifetime) / MILLISECOND)
    : yearsAfter(now, Number(years))
}
