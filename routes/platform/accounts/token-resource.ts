import { nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import { type ApiToken, tokenAttributes } from '../../../state/platform/accounts/tokens.ts'
import { attributeRenderer, blankable, optionalMembers } from '../json-api/attributes.ts'
import { type Resource, relationOf, resourceShape } from '../json-api/resource.ts'

const type = 'authentication-tokens'

const tokenRenderer = attributeRenderer(tokenAttributes)

const attributes = struct({
  ...tokenRenderer.shape.fields,
  token: secret(
    described(
      nullable(text),
      'The bearer token in the reply to the creation; null in later replies',
    ),
  ),
})

/** Shape of a token in replies (behaviour/platform#surroundings). */
export const tokenShape = resourceShape(type, attributes, {
  relationships: struct({
    'created-by': relationOf('users'),
    team: optional(relationOf('teams')),
  }),
})

/** Renders a token without its bearer text. */
export function tokenResource(token: ApiToken): Resource {
  return {
    id: token.id,
    type,
    attributes: { ...tokenRenderer.render(token), token: null },
    relationships: {
      'created-by': { data: { id: token.created_by ?? token.user, type: 'users' } },
      ...(token.kind === 'team' ? { team: { data: { id: token.owner, type: 'teams' } } } : {}),
    },
  }
}

/** Renders a newly created token with its bearer text, which no later reply contains. */
export function newTokenResource(token: ApiToken): Resource {
  const resource = tokenResource(token)
  return { ...resource, attributes: { ...resource.attributes, token: token.text } }
}

/** Form of the body that creates a token. Every part of the body is optional. */
export const tokenForm = {
  attributes: optionalMembers({ description: blankable, 'expired-at': blankable }),
  dataOptional: true,
} as const
