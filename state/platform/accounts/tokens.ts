import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId, newSecret } from '../ids.ts'
import { nextKey } from '../order.ts'

/** An API token (2-platform-decisions.md section 1.5). Instants in milliseconds since 1970. */
export interface ApiToken {
  /** `at-…` */
  readonly id: string
  /** The bearer text. */
  readonly text: string
  /** Whose it is, and with it which `owner` names: a user's id, a team's id, an organization. */
  readonly kind: 'user' | 'team' | 'organization'
  readonly owner: string
  /** The user as whom it acts: the owner, or a service user. */
  readonly user: string
  readonly description: string | null
  readonly created_at: number
  readonly last_used_at: number | null
  /** Null: never. */
  readonly expired_at: number | null
}

/** By bearer text. */
export const apiTokens = defineTable<ApiToken>({
  service: 'platform',
  name: 'tokens',
  schema: {
    type: 'object',
    required: [
      'id',
      'text',
      'kind',
      'owner',
      'user',
      'description',
      'created_at',
      'last_used_at',
      'expired_at',
    ],
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      text: { type: 'string', minLength: 1 },
      kind: { enum: ['user', 'team', 'organization'] },
      owner: { type: 'string' },
      user: { type: 'string' },
      description: { type: ['string', 'null'] },
      created_at: { type: 'integer' },
      last_used_at: { type: ['integer', 'null'] },
      expired_at: { type: ['integer', 'null'] },
    },
  },
})

/** By `<kind>/<owner>/<number>`, the numbers in order of creation: the bearer text. */
export const tokenOwners = defineTable<{ readonly text: string }>({
  service: 'platform',
  name: 'token-owners',
  schema: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
})

/** By id: the bearer text. */
export const tokenTexts = defineTable<{ readonly text: string }>({
  service: 'platform',
  name: 'token-texts',
  schema: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: { text: { type: 'string' } },
  },
})

/** Adds a token; part of a transaction. Without a text of its own it gets one that nobody guesses. */
export function addToken(
  world: World,
  token: Pick<ApiToken, 'kind' | 'owner' | 'user'> & Partial<ApiToken>,
): ApiToken {
  const added: ApiToken = {
    id: newId(world, 'at'),
    text: `${newSecret(world, 14)}.atlasv1.${newSecret(world, 60)}`,
    description: null,
    created_at: world.clock.now(),
    last_used_at: null,
    expired_at: null,
    ...token,
  }
  world.table(apiTokens).put(added.text, added)
  world.table(tokenTexts).put(added.id, { text: added.text })
  const prefix = ownerPrefix(added)
  world.table(tokenOwners).put(nextKey(world.table(tokenOwners), prefix), { text: added.text })
  return added
}

function ownerPrefix({ kind, owner }: Pick<ApiToken, 'kind' | 'owner'>): string {
  return `${kind}/${owner}/`
}

/** The tokens of somebody in order of creation, those included whose time is over. */
export function tokensOf(world: World, of: Pick<ApiToken, 'kind' | 'owner'>): ApiToken[] {
  const texts = Array.from(world.table(tokenOwners).rows(ownerPrefix(of)))
  return texts.flatMap(({ text }) => world.table(apiTokens).get(text) ?? [])
}

/** The token of an id, if there is one. */
export function tokenWithId(world: World, id: string): ApiToken | undefined {
  const entry = world.table(tokenTexts).get(id)
  return entry === undefined ? undefined : world.table(apiTokens).get(entry.text)
}

/** A token that is known and whose time is not over. */
export function findApiToken(world: World, text: string): ApiToken | undefined {
  const token = world.table(apiTokens).get(text)
  const over = token?.expired_at != null && token.expired_at <= world.clock.now()
  return over ? undefined : token
}

/** Deletes a token; part of a transaction. */
export function removeToken(world: World, token: ApiToken): void {
  world.table(apiTokens).delete(token.text)
  world.table(tokenTexts).delete(token.id)
  for (const [key, { text }] of Array.from(world.table(tokenOwners).entries(ownerPrefix(token)))) {
    if (text === token.text) world.table(tokenOwners).delete(key)
  }
}

/** How fine `last_used_at` is: not every request should be a write. */
const useGranularity = 60_000

/** Notes that a token is used, to the minute. */
export function touchToken(world: World, token: ApiToken): void {
  const now = world.clock.now()
  const last = token.last_used_at
  if (last !== null && now >= last && now < last + useGranularity) return
  world.write(() => world.table(apiTokens).put(token.text, { ...token, last_used_at: now }))
}
