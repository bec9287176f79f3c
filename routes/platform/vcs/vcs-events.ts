import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { oauthClientWithId } from '../../../state/platform/modules/oauth-clients.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import {
  type VcsEvent,
  vcsEventAttributes,
  vcsEventsOf,
} from '../../../state/platform/vcs/vcs-events.ts'
import { ok } from '../../http/declare/operation.ts'
import { isWithin, matchesList } from '../admin/queries.ts'
import { attributeRenderer, openQuery } from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  listOf,
  optionalRelationOf,
  type Resource,
  resourceShape,
  withExtraFields,
} from '../json-api/resource.ts'
import { oauthClientResource, oauthClientShape } from '../modules/oauth-clients.ts'
import { operationsOn } from '../operation.ts'
import { findOrganizationFor } from '../organizations/scopes.ts'

const renderer = attributeRenderer(vcsEventAttributes)

const shape = resourceShape(
  'vcs-events',
  struct({ ...renderer.shape.fields, 'organization-id': text }),
  {
    relationships: struct({
      'oauth-client': optionalRelationOf('oauth-clients'),
      'oauth-token': optionalRelationOf('oauth-tokens'),
    }),
  },
)

function resourceOf(event: VcsEvent, { external_id }: Organization): Resource {
  return {
    id: event.id,
    type: 'vcs-events',
    attributes: { ...renderer.render(event), 'organization-id': external_id },
    relationships: {
      'oauth-client': toOne('oauth-clients', event.oauth_client),
      'oauth-token': toOne('oauth-tokens', event.oauth_token_id),
    },
  }
}

const inclusions = inclusionsOf<VcsEvent>(
  {
    'oauth-client': {
      find({ oauth_client }, { world, origin }) {
        const client = oauthClientWithId(world, oauth_client ?? '')
        return client === undefined ? [] : [oauthClientResource(client, origin)]
      },
    },
  },
  [oauthClientShape],
)

const onOrganization = operationsOn(
  'caller',
  findOrganizationFor('manage-vcs-settings'),
  'behaviour/platform#vcs-events',
)

export const vcsEventOperations = [
  onOrganization('GET', '/organizations/:organization_name/vcs-events', {
    id: 'listVcsEvents',
    summary: 'List the connections of repositories and the pushes to them, newest first.',
    query: openQuery({
      ...inclusions.query,
      'filter[from]': described(text, 'Earliest time'),
      'filter[to]': described(text, 'Latest time'),
      'filter[oauth_client_external_ids]': described(text, 'Comma-separated ids of connections'),
      'filter[levels]': described(text, '`info`, `error`, or both, separated by a comma'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(shape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const found = vcsEventsOf(world, subject.name)
        .filter((one) => isWithin(one.created_at, query['filter[from]'], query['filter[to]']))
        .filter((one) => matchesList(query['filter[levels]'], one.level))
        .filter((one) =>
          matchesList(query['filter[oauth_client_external_ids]'], one.oauth_client ?? undefined),
        )
      const render = (event: VcsEvent) => included.add(event, resourceOf(event, subject))
      return ok({ ...pageOf(found, render, address), ...included.members() })
    },
  }),
]
