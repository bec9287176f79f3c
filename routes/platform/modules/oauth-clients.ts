import { bool, list, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { secret, struct } from '../../../state/kernel/shape/members.ts'
import { checkTokenKind, hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  changeOauthClient,
  createOauthClient,
  deleteOauthClient,
  type OauthClient,
  oauthClientAttributes,
  oauthClientsOf,
  oauthClientWithId,
  providerNames,
  shareOauthClient,
} from '../../../state/platform/modules/oauth-clients.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  blankable,
  inState,
  openQuery,
  optionalMembers,
} from '../json-api/attributes.ts'
import { identifiersIn, relatedId } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import {
  documentOf,
  identifierOf,
  linkedRelation,
  listOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  unpagedListOf,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { findOrganizationFor } from '../organizations/scopes.ts'
import { projectResource, projectShape } from '../projects/project-resource.ts'
import { hasToken, oauthTokenResource, oauthTokenShape } from './oauth-token-resource.ts'

const type = 'oauth-clients'
const spec = 'behaviour/platform#surroundings'

const clientRenderer = attributeRenderer(oauthClientAttributes)

export const oauthClientShape = resourceShape(
  type,
  struct({
    ...clientRenderer.shape.fields,
    'callback-url': text,
    'connect-path': text,
    'service-provider-display-name': text,
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      projects: relationsOf('projects'),
      'oauth-tokens': struct({
        data: list(identifierOf('oauth-tokens')),
        links: struct({ related: text }),
      }),
      'agent-pool': struct({ data: nullable(identifierOf('agent-pools')) }),
    }),
  },
)

export function oauthClientResource(client: OauthClient, origin: string): Resource {
  const { organization, oauth_token_id: token, projects = [], agent_pool: pool = null } = client
  return {
    id: client.id,
    type,
    attributes: {
      ...clientRenderer.render(client),
      'callback-url': `${origin}/auth/${client.callback}/callback`,
      'connect-path': `/auth/${client.callback}?organization_id=1`,
      'service-provider-display-name':
        providerNames[client.service_provider] ?? client.service_provider,
    },
    relationships: {
      organization: linkedRelation('organizations', organization),
      projects: { data: projects.map((id) => ({ id, type: 'projects' })) },
      'oauth-tokens': {
        data: token === null ? [] : [{ id: token, type: 'oauth-tokens' }],
        links: { related: `/api/v2/oauth-clients/${client.id}/oauth-tokens` },
      },
      'agent-pool': { data: pool === null ? null : { id: pool, type: 'agent-pools' } },
    },
  }
}

const createAttributes = optionalMembers({
  'service-provider': blankable,
  name: blankable,
  'http-url': blankable,
  'api-url': blankable,
  'oauth-token-string': secret(blankable),
  key: blankable,
  secret: secret(blankable),
  'private-key': secret(blankable),
  'rsa-public-key': blankable,
  'organization-scoped': bool,
})

/** Attributes that callers can change. Secrets are accepted but not stored. */
const changeAttributes = optionalMembers({
  name: blankable,
  key: blankable,
  secret: secret(blankable),
  'rsa-public-key': blankable,
  'oauth-token-string': secret(blankable),
  'organization-scoped': bool,
})

/**
 * Returns the client in the path. Throws 404 unless the caller manages the organization's
 * connections, and 401 if the organization does not accept the caller's kind of token.
 */
export function findClient({ world, caller, params }: Scope): OauthClient {
  const client = requireFound(oauthClientWithId(world, params['oauth_client_id'] ?? ''))
  if (!hasRight(world, caller, client.organization, 'manage-vcs-settings'))
    throw refuse('not-found')
  checkTokenKind(world, caller, client.organization)
  return client
}

/**
 * Returns the ids of the projects in a list of identifiers. Throws 404 unless all projects belong
 * to the client's organization, and 422 for an invalid identifier.
 */
function projectsIn({ world, subject, list }: PlatformContext<OauthClient>): string[] {
  const ids = identifiersIn(list(), 'projects')
  for (const id of ids) {
    if (projectWithId(world, id)?.organization !== subject.organization) throw refuse('not-found')
  }
  return ids
}

const inclusions = inclusionsOf<OauthClient>(
  {
    'oauth-tokens': { find: (client) => (hasToken(client) ? [oauthTokenResource(client)] : []) },
    projects: {
      find: ({ projects = [] }, context) =>
        projects
          .map((id) => projectWithId(context.world, id))
          .filter((project) => project !== undefined)
          .map((project) => projectResource(project, context)),
    },
  },
  [oauthTokenShape, projectShape],
)

const onOrganization = operationsOn('caller', findOrganizationFor('manage-vcs-settings'), spec)
const onClient = operationsOn('caller', findClient, spec)

const listPath = '/organizations/:organization_name/oauth-clients'
const onePath = '/oauth-clients/:oauth_client_id'
/**
 * Returns an object whose member `agent_pool` has the value of the relationship `agent-pool`; an
 * empty object if the document has no such relationship.
 */
function poolIn(relationships: Parameters<typeof relatedId>[0]): { agent_pool?: string | null } {
  if (!Object.hasOwn(relationships, 'agent-pool')) return {}
  return { agent_pool: relatedId(relationships, 'agent-pool') ?? null }
}

const projectsPath = `${onePath}/relationships/projects` as const
const document = documentOf(oauthClientShape)

/** Operations on OAuth clients, which are connections to version-control providers. */
export const oauthClientOperations = [
  onOrganization('GET', listPath, {
    id: 'listOauthClients',
    summary:
      'List the connections of an organization; paginated only if the query asks for a page.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: {
      200: union(
        withExtraFields(unpagedListOf(oauthClientShape), inclusions.shape),
        withExtraFields(listOf(oauthClientShape), inclusions.shape),
      ),
    },
    run: ({ context, query }) => {
      const { world, subject, origin, address } = context
      const included = inclusions.read(query.include, context)
      const clients = oauthClientsOf(world, subject.name)
      const toResource = (client: OauthClient) =>
        included.add(client, oauthClientResource(client, origin))
      return ok({ ...pageOrAll(clients, toResource, address), ...included.members() })
    },
  }),
  onOrganization('POST', listPath, {
    id: 'createOauthClient',
    summary: 'Add a connection to a version-control provider, which is never contacted.',
    body: { type, attributes: createAttributes },
    reply: { 201: document },
    run: ({ context, body }) => {
      const { attributes, relationships } = body()
      const client = createOauthClient(context.world, context.subject.name, {
        ...inState(attributes),
        ...poolIn(relationships),
      })
      return answer(201, { data: oauthClientResource(client, context.origin) })
    },
  }),
  onClient('GET', onePath, {
    id: 'readOauthClient',
    summary: 'Read a connection to a version-control provider.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(document, inclusions.shape) },
    run: ({ context, query }) => {
      const { subject, origin } = context
      const included = inclusions.read(query.include, context)
      return ok({
        data: included.add(subject, oauthClientResource(subject, origin)),
        ...included.members(),
      })
    },
  }),
  ...(
    [
      ['PATCH', 'changeOauthClient'],
      ['PUT', 'replaceOauthClient'],
    ] as const
  ).map(([method, id]) =>
    onClient(method, onePath, {
      id,
      summary: 'Change the given attributes of a connection, except its provider and addresses.',
      body: { type, attributes: changeAttributes },
      reply: { 200: document },
      run: ({ context, body }) => {
        const { world, subject, origin } = context
        const { attributes, relationships } = body()
        const { secret: _, 'oauth-token-string': __, ...storedInput } = attributes
        const client = changeOauthClient(world, subject, {
          ...inState(storedInput),
          ...poolIn(relationships),
        })
        return ok({ data: oauthClientResource(client, origin) })
      },
    }),
  ),
  onClient('POST', projectsPath, {
    id: 'addOauthClientProjects',
    identifiers: 'projects',
    summary: 'Allow projects to use a connection.',
    run: ({ context }) => {
      shareOauthClient(context.world, context.subject, projectsIn(context), true)
    },
  }),
  onClient('DELETE', projectsPath, {
    id: 'removeOauthClientProjects',
    identifiers: 'projects',
    summary: 'Withdraw a connection from projects.',
    run: ({ context }) => {
      shareOauthClient(context.world, context.subject, projectsIn(context), false)
    },
  }),
  onClient('DELETE', onePath, {
    id: 'deleteOauthClient',
    summary: 'Delete a connection to a version-control provider.',
    run: ({ context: { world, subject } }) => deleteOauthClient(world, subject),
  }),
]
