import { bool, text } from '../../../state/kernel/shape/kinds.ts'
import { partial, struct } from '../../../state/kernel/shape/members.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import {
  createOauthClient,
  deleteOauthClient,
  type OauthClient,
  oauthClientTold,
  oauthClientWithId,
} from '../../../state/platform/modules/oauth-clients.ts'
import { refuse } from '../../../state/platform/texts.ts'
import { answer, noContent } from '../../http/operation.ts'
import { blankable, inState } from '../json-api/attributes.ts'
import {
  documentOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
} from '../json-api/resource.ts'
import { telling } from '../json-api/telling.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findOrganizationFor } from '../organizations/scopes.ts'

const type = 'oauth-clients'
const spec = '2-platform-decisions.md section 5.2'

const told = telling(oauthClientTold)

const shape = resourceShape(
  type,
  struct({
    ...told.shape.fields,
    'callback-url': text,
    'connect-path': text,
    'service-provider-display-name': text,
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'oauth-tokens': relationsOf('oauth-tokens'),
    }),
  },
)

function resourceOf(client: OauthClient, origin: string): Resource {
  const { organization } = client
  return {
    id: client.id,
    type,
    attributes: {
      ...told.of(client),
      'callback-url': `${origin}/auth/${client.callback}/callback`,
      'connect-path': `/auth/${client.callback}?organization_id=${organization}`,
      'service-provider-display-name': client.name ?? client.service_provider,
    },
    relationships: {
      organization: {
        data: { id: organization, type: 'organizations' },
        links: { related: `/api/v2/organizations/${organization}` },
      },
      'oauth-tokens': { data: [{ id: client.oauth_token_id, type: 'oauth-tokens' }] },
    },
  }
}

/** The attributes that callers can give. */
const taken = partial(
  struct({
    'service-provider': blankable,
    name: blankable,
    'http-url': blankable,
    'api-url': blankable,
    'oauth-token-string': blankable,
    key: blankable,
    secret: blankable,
    'private-key': blankable,
    'rsa-public-key': blankable,
    'organization-scoped': bool,
  }),
)

/** The client that a path names, for those who manage its organization's connections; else 404. */
function findClient({ world, caller, params }: Scope): OauthClient {
  const client = oauthClientWithId(world, params['oauth_client_id'] ?? '')
  // The same table knows clients by their tokens' ids.
  if (client === undefined || client.id !== params['oauth_client_id']) throw refuse('not-found')
  if (!hasRight(world, caller, client.organization, 'manage-vcs-settings'))
    throw refuse('not-found')
  return client
}

const onOrganization = operationsOn('caller', findOrganizationFor('manage-vcs-settings'))
const onClient = operationsOn('caller', findClient)

/** Connections to version-control providers. */
export const oauthClientOperations = [
  onOrganization({
    id: 'createOauthClient',
    method: 'POST',
    path: '/organizations/:organization_name/oauth-clients',
    summary: 'Add a connection to a version-control provider, which is never contacted.',
    spec,
    body: { type, attributes: taken },
    reply: { 201: documentOf(shape) },
    run: ({ context, body }) => {
      const input = inState(body().attributes)
      const client = createOauthClient(context.world, context.subject.name, input)
      return answer(201, { data: resourceOf(client, context.origin) })
    },
  }),
  onClient({
    id: 'deleteOauthClient',
    method: 'DELETE',
    path: '/oauth-clients/:oauth_client_id',
    summary: 'Delete a connection to a version-control provider.',
    spec,
    reply: { 204: null },
    run: ({ context: { world, subject } }) => {
      deleteOauthClient(world, subject)
      return noContent
    },
  }),
]
