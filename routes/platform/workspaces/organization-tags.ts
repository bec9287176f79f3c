import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  type OrganizationTag,
  organizationTagWithId,
} from '../../../state/platform/tags/organization-tags.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { deleteTags, tagsOf, tagWorkspaces } from '../../../state/platform/workspaces/tags.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { openQuery } from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { operationsOn, type Rendering, type Scope } from '../operation.ts'
import { checkMember, findOrganization, findOrganizationFor } from '../organizations/scopes.ts'
import { tagType } from './tag-input.ts'
import { tagResource, tagShape } from './tag-resource.ts'

const spec = 'behaviour/platform#organization-tags'

/**
 * Returns the tag in the path. Throws 404 unless the caller belongs to its organization, and 401 if
 * the organization does not accept the caller's kind of token.
 */
function findTag({ world, caller, params }: Scope): OrganizationTag {
  const tag = requireFound(organizationTagWithId(world, params['tag_id'] ?? ''))
  checkMember(world, caller, tag.organization)
  return tag
}

const tagRendering: Rendering<OrganizationTag> = {
  shape: tagShape,
  render: (one, { world }) => tagResource(world, one),
}

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-workspaces'), spec)
const onTag = operationsOn('caller', findTag, spec)
const listPath = '/organizations/:organization_name/tags'

export const organizationTagOperations = [
  onOrganization.page(listPath, tagRendering, {
    id: 'listOrganizationTags',
    summary: 'List the flat tags that workspaces of an organization have, by name.',
    query: openQuery({
      q: described(text, 'Part of a name'),
      'filter[exclude][taggable][id]': described(text, 'Id of a workspace whose tags are left out'),
    }),
    run({ context, query }) {
      const { world, caller, subject } = context
      const excluded = workspaceWithId(world, query['filter[exclude][taggable][id]'] ?? '')
      const isKnown =
        excluded !== undefined && hasWorkspaceRight(world, caller, excluded, 'visible')
      const names = isKnown ? excluded.tag_names : []
      const part = (query.q ?? '').toLowerCase()
      return tagsOf(world, subject.name).filter(
        ({ name }) => name.toLowerCase().includes(part) && !names.includes(name),
      )
    },
  }),
  onManagedOrganization('DELETE', listPath, {
    id: 'deleteOrganizationTags',
    identifiers: tagType,
    summary: 'Remove flat tags from all workspaces of an organization: all tags or none.',
    run: ({ context: { world, subject, list } }) =>
      deleteTags(world, subject.name, identifiersIn(list(), tagType)),
  }),
  onTag('POST', '/tags/:tag_id/relationships/workspaces', {
    id: 'addTagToWorkspaces',
    identifiers: 'workspaces',
    summary: 'Add a flat tag to workspaces: to all of them or none.',
    run: ({ context: { world, caller, subject, list } }) => {
      const targets = identifiersIn(list(), 'workspaces').map((id) => {
        const workspace = requireFound(workspaceWithId(world, id))
        const isTarget =
          workspace.organization === subject.organization &&
          hasWorkspaceRight(world, caller, workspace, 'settings')
        return requireFound(isTarget ? workspace : undefined)
      })
      tagWorkspaces(world, subject, targets)
    },
  }),
]
