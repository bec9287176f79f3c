import { bool, constant, text } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import { checkTokenKind, hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse } from '../../../state/platform/messages.ts'
import {
  deleteOauthToken,
  type OauthClient,
  oauthClientOfToken,
  oauthClientsOf,
  setSshKey,
} from '../../../state/platform/modules/oauth-clients.ts'
import { isBlank } from '../../../state/platform/names.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { ok } from '../../http/declare/operation.ts'
import { blankable, optionalMembers } from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, relationOf, resourceShape, selfLink } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findOrganizationFor } from '../organizations/scopes.ts'
import { findClient } from './oauth-clients.ts'

const type = 'oauth-tokens'
const spec = 'behaviour/platform#surroundings'

/** Account at the provider, which is made up because the provider is never contacted. */
const account = { uid: '1', 'service-provider-user': 'example-user' } as const

const shape = resourceShape(
  type,
  struct({
    uid: constant(account.uid),
    'created-at': text,
    'service-provider-user': constant(account['service-provider-user']),
    'has-ssh-key': bool,
  }),
  { relationships: struct({ 'oauth-client': relationOf('oauth-clients') }), links: selfLink },
)

/** A client that has a token. */
interface ClientWithToken extends OauthClient {
  readonly oauth_token_id: string
}

function hasToken(client: OauthClient | undefined): client is ClientWithToken {
  return client?.oauth_token_id != null
}

function resourceOf({ id, oauth_token_id, created_at, has_ssh_key = false }: ClientWithToken) {
  return {
    id: oauth_token_id,
    type,
    attributes: { ...account, 'created-at': attributeTime(created_at), 'has-ssh-key': has_ssh_key },
    relationships: { 'oauth-client': { data: { id, type: 'oauth-clients' } } },
    links: { self: `/api/v2/oauth-tokens/${oauth_token_id}` },
  }
}

/**
 * Returns the client whose token is in the path. Throws 404 unless the caller manages the
 * connections there.
 */
function findClientOfToken({ world, caller, params }: Scope): ClientWithToken {
  const client = oauthClientOfToken(world, params['oauth_token_id'] ?? '')
  if (!hasToken(client)) throw refuse('not-found')
  if (!hasRight(world, caller, client.organization, 'manage-vcs-settings'))
    throw refuse('not-found')
  checkTokenKind(world, caller, client.organization)
  return client
}

const onOrganization = operationsOn('caller', findOrganizationFor('manage-vcs-settings'), spec)
const onClient = operationsOn('caller', findClient, spec)
const onToken = operationsOn('caller', findClientOfToken, spec)
const onePath = '/oauth-tokens/:oauth_token_id'

/**
 * Operations on tokens of connections to version-control providers. A connection has at most one.
 */
export const oauthTokenOperations = [
  onOrganization('GET', '/organizations/:organization_name/oauth-tokens', {
    id: 'listOauthTokens',
    summary: "List the tokens of an organization's connections.",
    reply: { 200: listOf(shape) },
    run: ({ context: { world, subject, address } }) =>
      ok(pageOf(oauthClientsOf(world, subject.name).filter(hasToken), resourceOf, address)),
  }),
  onClient('GET', '/oauth-clients/:oauth_client_id/oauth-tokens', {
    id: 'listOauthClientTokens',
    summary: 'List the tokens of a connection: one, or none.',
    reply: { 200: listOf(shape) },
    run: ({ context: { subject, address } }) =>
      ok(pageOf([subject].filter(hasToken), resourceOf, address)),
  }),
  onToken('GET', onePath, {
    id: 'readOauthToken',
    summary: 'Read the token of a connection.',
    reply: { 200: documentOf(shape) },
    run: ({ context: { subject } }) => ok({ data: resourceOf(subject) }),
  }),
  onToken('PATCH', onePath, {
    id: 'changeOauthToken',
    summary: 'Give the token of a connection a key for SSH, which is never told.',
    body: { type, attributes: optionalMembers({ 'ssh-key': secret(blankable) }) },
    reply: { 200: documentOf(shape) },
    run: ({ context: { world, subject }, body }) => {
      const { 'ssh-key': key } = body().attributes
      if (key !== undefined) setSshKey(world, subject, !isBlank(key))
      const has_ssh_key = key === undefined ? (subject.has_ssh_key ?? false) : !isBlank(key)
      return ok({ data: resourceOf({ ...subject, has_ssh_key }) })
    },
  }),
  onToken('DELETE', onePath, {
    id: 'deleteOauthToken',
    summary: 'Delete the token of a connection, which stays without one.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => {
      deleteOauthToken(world, subject)
    },
  }),
]
