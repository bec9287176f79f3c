import { bool, instant, int, name, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId, newSecret } from '../ids.ts'

/** Renders what a token tells of itself, by the attributes' names. */
export const tokenAttributes = {
  created_at: instant,
  last_used_at: nullable(instant),
  description: nullable(text),
  /** Null: never. */
  expired_at: nullable(instant),
}

const tokenShape = struct({
  ...tokenAttributes,
  /** `at-…` */
  id: text,
  /** The bearer text. */
  text: name,
  /** Whose it is, and with it which `owner` names: a user's id, a team's id, an organization. */
  kind: word('user', 'team', 'organization'),
  owner: text,
  /** The user as whom it acts: the owner, or a service user. */
  user: text,
  /** The user who made it; missing where nobody did. */
  created_by: optional(text),
  /** Of a team: one of several, beside the one that every team can have. */
  is_further: optional(bool),
  /** Tells in which order the tokens of an owner were made; missing in old documents. */
  number: optional(int),
})

/** An API token (behaviour/platform#authentication). */
export interface ApiToken extends StoredOf<typeof tokenShape> {}

/** By bearer text. Under `byOwner` they stand by `<kind>/<owner>/<number>/<id>`, in order of creation. */
export const apiTokens = defineTable({
  service: 'platform',
  name: 'tokens',
  secretKeys: true,
  shape: tokenShape,
  indexes: {
    byId: ({ id }) => id,
    byOwner: (token) =>
      `${ownerPrefix(token)}${String(token.number ?? 0).padStart(12, '0')}/${token.id}`,
  },
})

/** Adds a token; part of a transaction. Without a text of its own it gets one that nobody guesses. */
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

/** The tokens of somebody in order of creation, those included whose time is over. */
export function tokensOf(world: World, owner: Pick<ApiToken, 'kind' | 'owner'>): ApiToken[] {
  return Array.from(world.table(apiTokens).index('byOwner').rows(ownerPrefix(owner)))
}

/** The token of an id, if there is one. */
export function tokenWithId(world: World, id: string): ApiToken | undefined {
  return world.table(apiTokens).index('byId').get(id)
}

/** A token that is known and whose time is not over. */
export function findApiToken(world: World, text: string): ApiToken | undefined {
  const token = world.table(apiTokens).get(text)
  const isExpired = token?.expired_at != null && token.expired_at <= world.clock.now()
  return isExpired ? undefined : token
}

/** Deletes a token; part of a transaction. */
export function removeToken(world: World, token: ApiToken): void {
  world.table(apiTokens).delete(token.text)
}

/** The granularity of `last_used_at`, in milliseconds: not every request should be a write. */
const lastUsedGranularity = 60_000

/** Notes that a token is used, to the minute. */
export function recordTokenUse(world: World, token: ApiToken): void {
  const now = world.clock.now()
  const last = token.last_used_at
  if (last !== null && now >= last && now < last + lastUsedGranularity) return
  world.write(() => world.table(apiTokens).put(token.text, { ...token, last_used_at: now }))
}
