import type { TokenInput } from '../../../state/platform/accounts/token-changes.ts'
import type { ApiToken } from '../../../state/platform/accounts/tokens.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { inState } from '../json-api/attributes.ts'
import { identifierOf, type Resource, resourceSchema } from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'

const type = 'authentication-tokens'

/** A token (2-platform-decisions.md section 5.2). */
export const tokenSchema = resourceSchema(
  type,
  {
    'created-at': { type: 'string' },
    'last-used-at': { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    token: {
      type: ['string', 'null'],
      description: 'The bearer text, when it is made; later null',
    },
    'expired-at': { type: ['string', 'null'] },
  },
  {
    relationships: {
      type: 'object',
      required: ['created-by'],
      additionalProperties: false,
      properties: {
        'created-by': {
          type: 'object',
          required: ['data'],
          additionalProperties: false,
          properties: { data: identifierOf('users') },
        },
      },
    },
  },
)

/** A token without its text. */
export function tokenResource(token: ApiToken): Resource {
  const instant = (at: number | null) => (at === null ? null : attributeTime(at))
  return {
    id: token.id,
    type,
    attributes: {
      'created-at': attributeTime(token.created_at),
      'last-used-at': instant(token.last_used_at),
      description: token.description,
      token: null,
      'expired-at': instant(token.expired_at),
    },
    relationships: { 'created-by': { data: { id: token.user, type: 'users' } } },
  }
}

/** A token that was made just now, with its text: nobody can read that later. */
export function newTokenResource(token: ApiToken): Resource {
  const resource = tokenResource(token)
  return { ...resource, attributes: { ...resource.attributes, token: token.text } }
}

/** What a caller says of a token, which may be nothing at all. */
export function tokenInput({ input }: PlatformContext<unknown>): TokenInput {
  const types = { description: 'string', 'expired-at': 'string' } as const
  return inState(input(types, { dataOptional: true }).attributes)
}
