import { any, bool } from '../../../state/kernel/shape/kinds.ts'
import {
  type ConfigurationVersion,
  createConfigurationVersion,
  versionsOf,
} from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { type OrganizationTag, tagNamed } from '../../../state/platform/tags/organization-tags.ts'
import { addTags, removeTags } from '../../../state/platform/workspaces/tags.ts'
import { ok } from '../../http/declare/operation.ts'
import { inState, openQuery, optionalMembers } from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { listOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type Rendering } from '../operation.ts'
import {
  createdResource,
  createdShape,
  versionInclusions,
  versionResource,
  versionShape,
} from '../test-runs/configuration-versions.ts'
import { requestSource } from '../test-runs/test-source.ts'
import { findWorkspaceFor } from './scopes.ts'
import { tagReferencesIn, tagType } from './tag-input.ts'
import { tagResource, tagShape } from './tag-resource.ts'

const spec = 'behaviour/platform#beyond'
const tagRendering: Rendering<OrganizationTag> = {
  shape: tagShape,
  render: (one, { world }) => tagResource(world, one),
}
const createdRendering = { shape: createdShape, render: createdResource }

const onVisibleWorkspace = operationsOn('caller', findWorkspaceFor('visible'), spec)
const onChangeableWorkspace = operationsOn('caller', findWorkspaceFor('settings'), spec)
const onPlannableWorkspace = operationsOn('caller', findWorkspaceFor({ runs: 'plan' }), spec)
const onRunReadableWorkspace = operationsOn('caller', findWorkspaceFor({ runs: 'read' }), spec)
const tagsPath = '/workspaces/:workspace_id/relationships/tags'
const versionsPath = '/workspaces/:workspace_id/configuration-versions'

export const workspaceTagOperations = [
  onVisibleWorkspace.page(tagsPath, tagRendering, {
    id: 'listWorkspaceTags',
    summary: 'List the tags of a workspace.',
    run: ({ context: { world, subject } }) =>
      subject.tag_names.map((name) => tagNamed(world, subject.organization, name)),
  }),
  ...(
    [
      ['POST', 'add', addTags, 'Add tags to a workspace, by their names or ids.'],
      ['DELETE', 'remove', removeTags, 'Remove tags from a workspace, by their names or ids.'],
    ] as const
  ).map(([method, verb, changeTags, summary]) =>
    onChangeableWorkspace(method, tagsPath, {
      id: `${verb}WorkspaceTags`,
      identifiers: tagType,
      identifiersNamed: true,
      summary,
      run: ({ context: { world, subject, list } }) =>
        changeTags(world, subject, tagReferencesIn(list())),
    }),
  ),
  onPlannableWorkspace.document('POST', versionsPath, createdRendering, {
    id: 'createConfigurationVersion',
    summary: 'Create a configuration version of a workspace to upload files to.',
    body: {
      type: 'configuration-versions',
      attributes: optionalMembers({
        'auto-queue-runs': bool,
        speculative: bool,
        provisional: bool,
        source: any,
      }),
      dataOptional: true,
    },
    run({ context, body }) {
      const { world, subject, caller, header } = context
      const { source: _, ...flags } = body().attributes
      const origin = { user: caller.user.id, source: requestSource(header) }
      return createConfigurationVersion(world, subject, origin, {
        ...inState(flags),
        base: context.origin,
      })
    },
  }),
  onRunReadableWorkspace('GET', versionsPath, {
    id: 'listConfigurationVersions',
    summary: 'List the configuration versions of a workspace, newest first.',
    query: openQuery(versionInclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(listOf(versionShape), versionInclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = versionInclusions.read(query.include, context)
      const render = (version: ConfigurationVersion) =>
        included.add(version, versionResource(version, context))
      return ok({
        ...pageOf(versionsOf(world, subject.id), render, address),
        ...included.members(),
      })
    },
  }),
]
