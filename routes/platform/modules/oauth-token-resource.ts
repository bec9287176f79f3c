import { bool, constant, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { OauthClient } from '../../../state/platform/modules/oauth-clients.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { type Resource, relationOf, resourceShape, selfLink } from '../json-api/resource.ts'

export const tokenType = 'oauth-tokens'

/** Invented account at the version-control provider. The provider is never contacted. */
const account = { uid: '1', 'service-provider-user': 'example-user' } as const

export const oauthTokenShape = resourceShape(
  tokenType,
  struct({
    uid: described(nullable(constant(account.uid)), 'Null for a token that was entered as text'),
    'created-at': text,
    'service-provider-user': constant(account['service-provider-user']),
    'has-ssh-key': bool,
  }),
  { relationships: struct({ 'oauth-client': relationOf('oauth-clients') }), links: selfLink },
)

export interface ClientWithToken extends OauthClient {
  readonly oauth_token_id: string
}

export function hasToken(client: OauthClient | undefined): client is ClientWithToken {
  return client?.oauth_token_id != null
}

export function oauthTokenResource({
  id,
  oauth_token_id,
  created_at,
  has_ssh_key = false,
  is_user_unknown = false,
}: ClientWithToken): Resource {
  return {
    id: oauth_token_id,
    type: tokenType,
    attributes: {
      ...account,
      ...(is_user_unknown ? { uid: null } : {}),
      'created-at': attributeTime(created_at),
      'has-ssh-key': has_ssh_key,
    },
    relationships: { 'oauth-client': { data: { id, type: 'oauth-clients' } } },
    links: { self: `/api/v2/oauth-tokens/${oauth_token_id}` },
  }
}
