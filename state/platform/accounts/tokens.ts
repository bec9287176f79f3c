import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId, newSecret } from '../ids.ts'

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
  /** Tells in which order the tokens of an owner were made; missing in old documents. */
  readonly number?: number
  readonly last_used_at: number | null
  /** Null: never. */
  readonly expired_at: number | null
}

/** By bearer text. Under `byOwner` they stand by `<kind>/<owner>/<number>/<id>`, in order of creation. */
export const apiTokens = defineTable<ApiToken>()({
  service: 'platform',
  name: 'tokens',
  indexes: {
    byId: ({ id }) => id,
    byOwner: (token) =>
      `${ownerPrefix(token)}${String(token.number ?? 0).padStart(12, '0')}/${token.id}`,
  },
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
      number: { type: 'integer' },
      last_used_at: { type: ['integer', 'null'] },
      expired_at: { type: ['integer', 'null'] },
    },
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
export function tokensOf(world: World, of: Pick<ApiToken, 'kind' | 'owner'>): ApiToken[] {
  return Array.from(world.table(apiTokens).index('byOwner').rows(ownerPrefix(of)))
}

/** The token of an id, if there is one. */
export function tokenWithId(world: World, id: string): ApiToken | undefined {
  return world.table(apiTokens).index('byId').get(id)
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
