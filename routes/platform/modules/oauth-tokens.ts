import { union } from '../../../state/kernel/shape/kinds.ts'
import { secret } from '../../../state/kernel/shape/members.ts'
import { checkTokenKind, hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse } from '../../../state/platform/messages.ts'
import {
  deleteOauthToken,
  oauthClientOfToken,
  oauthClientsOf,
  setSshKey,
} from '../../../state/platform/modules/oauth-clients.ts'
import { isBlank } from '../../../state/platform/names.ts'
import { invalidAttributes, violation } from '../../../state/platform/violations.ts'
import { ok } from '../../http/declare/operation.ts'
import { blankable, optionalMembers } from '../json-api/attributes.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { listOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findOrganizationFor } from '../organizations/scopes.ts'
import { findClient } from './oauth-clients.ts'
import {
  type ClientWithToken,
  hasToken,
  oauthTokenResource,
  oauthTokenShape,
  tokenType,
} from './oauth-token-resource.ts'

const spec = 'behaviour/platform#surroundings'

/**
 * Returns the client whose token is in the path. Throws 404 unless the caller manages the
 * connections of the organization, and 401 if the organization does not accept the caller's kind of
 * token.
 */
function findClientOfToken({ world, caller, params }: Scope): ClientWithToken {
  const client = oauthClientOfToken(world, params['oauth_token_id'] ?? '')
  if (!hasToken(client)) throw refuse('not-found')
  if (!hasRight(world, caller, client.organization, 'manage-vcs-settings'))
    throw refuse('not-found')
  checkTokenKind(world, caller, client.organization)
  return client
}

const oauthTokenRendering = { shape: oauthTokenShape, render: oauthTokenResource }

const onOrganization = operationsOn('caller', findOrganizationFor('manage-vcs-settings'), spec)
const onClient = operationsOn('caller', findClient, spec)
const onToken = operationsOn('caller', findClientOfToken, spec)
const onePath = '/oauth-tokens/:oauth_token_id'

/**
 * Operations on tokens of connections to version-control providers. A connection has at most one
 * token.
 */
export const oauthTokenOperations = [
  onOrganization('GET', '/organizations/:organization_name/oauth-tokens', {
    id: 'listOauthTokens',
    summary:
      "List the tokens of an organization's connections; paginated only if the query asks for a page.",
    reply: { 200: union(unpagedListOf(oauthTokenShape), listOf(oauthTokenShape)) },
    run: ({ context: { world, subject, address } }) =>
      ok(
        pageOrAll(
          oauthClientsOf(world, subject.name).filter(hasToken),
          oauthTokenResource,
          address,
        ),
      ),
  }),
  onClient('GET', '/oauth-clients/:oauth_client_id/oauth-tokens', {
    id: 'listOauthClientTokens',
    summary: 'List the tokens of a connection: at most one.',
    reply: { 200: union(unpagedListOf(oauthTokenShape), listOf(oauthTokenShape)) },
    run: ({ context: { subject, address } }) =>
      ok(pageOrAll([subject].filter(hasToken), oauthTokenResource, address)),
  }),
  onToken.document('GET', onePath, oauthTokenRendering, {
    id: 'readOauthToken',
    summary: 'Read the token of a connection.',
    run: ({ context: { subject } }) => subject,
  }),
  onToken.document('PATCH', onePath, oauthTokenRendering, {
    id: 'changeOauthToken',
    summary: 'Set the SSH key of the token of a connection; no reply contains it.',
    body: { type: tokenType, attributes: optionalMembers({ 'ssh-key': secret(blankable) }) },
    run({ context: { world, subject }, body }) {
      const { 'ssh-key': key } = body().attributes
      if (!isBlank(key) && !key.trimStart().startsWith('-----BEGIN ')) {
        throw invalidAttributes([violation('ssh-key', 'invalid')])
      }
      if (key !== undefined) setSshKey(world, subject, !isBlank(key))
      const has_ssh_key = key === undefined ? (subject.has_ssh_key ?? false) : !isBlank(key)
      return { ...subject, has_ssh_key }
    },
  }),
  onToken('DELETE', onePath, {
    id: 'deleteOauthToken',
    summary: 'Delete the token of a connection, which stays without one.',
    run: ({ context: { world, subject } }) => {
      deleteOauthToken(world, subject)
    },
  }),
]
