import { bool, instant, int, name, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId, newSecret } from '../ids.ts'
import { platformTable } from '../table.ts'

export const tokenAttributes = {
  created_at: instant,
  last_used_at: nullable(instant),
  description: nullable(text),
  /** Null if the token never expires. */
  expired_at: nullable(instant),
}

const tokenShape = struct({
  ...tokenAttributes,
  /** Id of the form `at-…`. */
  id: text,
  /** The bearer text that clients send. */
  text: name,
  /**
   * Kind of owner, which determines the content of `owner`: a user's id, a team's id, an
   * organization's name, or an agent pool's id. Tokens of agent pools authorize no request.
   */
  kind: word('user', 'team', 'organization', 'agent-pool'),
  owner: text,
  /**
   * Id of the user that the token acts as: the owner, or a service user. Empty for an agent pool.
   */
  user: text,
  /** User id; missing if no user created the token. */
  created_by: optional(text),
  /**
   * Whether `createTeamToken` created this token. Such a token exists in addition to the team's
   * replaceable token.
   */
  is_further: optional(bool),
  /**
   * Position among the tokens of an owner in creation order; missing in documents of old releases.
   */
  number: optional(int),
})

/** An API token of a user, team, organization or agent pool (behaviour/platform#authentication). */
export interface ApiToken extends StoredOf<typeof tokenShape> {}

/**
 * API tokens by bearer text. The index `byOwner` has keys of the form
 * `<kind>/<owner>/<number>/<id>`, in creation order.
 */
export const apiTokens = platformTable('tokens', tokenShape, {
  secrets: { key: true, members: ['text'] },
  indexes: {
    byId: ({ id }) => id,
    byOwner: (token) => `${ownerPrefix(token)}${sortableNumber(token.number ?? 0, 12)}/${token.id}`,
  },
})

/** Adds a token; without `text`, its bearer text is random. Must run inside a transaction. */
export function addToken(
  world: World,
  token: Pick<ApiToken, 'kind' | 'owner' | 'user'> & Partial<ApiToken>,
): ApiToken {
  const table = world.table(apiTokens)
  const [, last] = table.index('byOwner').last(ownerPrefix(token)) ?? []
  const added: ApiToken = {
    id: newId(world, 'at'),
    text: `${newSecret(world, 14)}.atlasv1.${newSecret(world, 60)}`,
    description: null,
    created_at: world.clock.now(),
    last_used_at: null,
    expired_at: null,
    ...token,
    number: last === undefined ? 0 : (last.number ?? 0) + 1,
  }
  table.put(added.text, added)
  return added
}

function ownerPrefix({ kind, owner }: Pick<ApiToken, 'kind' | 'owner'>): string {
  return `${kind}/${owner}/`
}

/** Returns the tokens of an owner in creation order, including expired ones. */
export function tokensOf(world: World, owner: Pick<ApiToken, 'kind' | 'owner'>): ApiToken[] {
  return Array.from(world.table(apiTokens).index('byOwner').rows(ownerPrefix(owner)))
}

export function tokenWithId(world: World, id: string): ApiToken | undefined {
  return world.table(apiTokens).index('byId').get(id)
}

/** Returns the token with this bearer text; undefined if it is unknown or expired. */
export function findApiToken(world: World, text: string): ApiToken | undefined {
  const token = world.table(apiTokens).get(text)
  const isExpired = token?.expired_at != null && token.expired_at <= world.clock.now()
  return isExpired ? undefined : token
}

/** Deletes a token. Must run inside a transaction. */
export function removeToken(world: World, token: ApiToken): void {
  world.table(apiTokens).delete(token.text)
}

/**
 * Minimum time in milliseconds between two updates of a token's `last_used_at`. A request within
 * this time after an update writes nothing.
 */
const lastUsedGranularity = 60_000

export function recordTokenUse(world: World, token: ApiToken): void {
  const now = world.clock.now()
  const last = token.last_used_at
  if (last !== null && now >= last && now < last + lastUsedGranularity) return
  world.write(() => world.table(apiTokens).put(token.text, { ...token, last_used_at: now }))
}
