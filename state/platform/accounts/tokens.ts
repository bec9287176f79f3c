import { bool, instant, int, name, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId, newSecret } from '../ids.ts'
import { platformTable } from '../table.ts'

/** Attributes of a token as the API returns them. */
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
  /** The bearer token itself. */
  text: name,
  /**
   * Kind of the owner, and thereby of the value in `owner`: a user's id, a team's id, an
   * organization's name, or the id of an agent pool. A pool's token authorizes no request.
   */
  kind: word('user', 'team', 'organization', 'agent-pool'),
  owner: text,
  /** Id of the user that the token acts as: the owner, or a service user; empty for a pool. */
  user: text,
  /** Id of the user who created the token; missing if no user did. */
  created_by: optional(text),
  /** Whether this is an additional token of a team, next to the replaceable one. */
  is_further: optional(bool),
  /** Creation order among the tokens of an owner; missing in old documents. */
  number: optional(int),
})

/** An API token (behaviour/platform#authentication). */
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

/** Adds a token, with a random bearer text unless one is given. Must run inside a transaction. */
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

/** Returns the tokens of an owner in creation order, expired ones included. */
export function tokensOf(world: World, owner: Pick<ApiToken, 'kind' | 'owner'>): ApiToken[] {
  return Array.from(world.table(apiTokens).index('byOwner').rows(ownerPrefix(owner)))
}

/** Returns the token with this id, if it exists. */
export function tokenWithId(world: World, id: string): ApiToken | undefined {
  return world.table(apiTokens).index('byId').get(id)
}

/** Returns the token with this bearer text unless it is unknown or expired. */
export function findApiToken(world: World, text: string): ApiToken | undefined {
  const token = world.table(apiTokens).get(text)
  const isExpired = token?.expired_at != null && token.expired_at <= world.clock.now()
  return isExpired ? undefined : token
}

/** Deletes a token. Must run inside a transaction. */
export function removeToken(world: World, token: ApiToken): void {
  world.table(apiTokens).delete(token.text)
}

/** Granularity of `last_used_at` in milliseconds, so that not every request writes. */
const lastUsedGranularity = 60_000

/** Records the last use of a token, at most once a minute. */
export function recordTokenUse(world: World, token: ApiToken): void {
  const now = world.clock.now()
  const last = token.last_used_at
  if (last !== null && now >= last && now < last + lastUsedGranularity) return
  world.write(() => world.table(apiTokens).put(token.text, { ...token, last_used_at: now }))
}
