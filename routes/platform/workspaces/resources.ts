import {
  type ManagedResource,
  resourceAttributes,
} from '../../../state/platform/states/managed-resources.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { resourcesOf } from '../../../state/platform/workspaces/overview.ts'
import { rowRendererWith } from '../../http/declare/row-renderer.ts'
import { type Resource, resourceShape } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findWorkspaceFor } from './scopes.ts'

const type = 'resources'

/** Renderer of resources. Times are rendered as dates, such as `2024-01-31`. */
const renderer = rowRendererWith({
  renderName: (member) => member.replaceAll('_', '-'),
  time: (instant) => attributeTime(instant).slice(0, 10),
})(resourceAttributes)

const shape = resourceShape(type, renderer.shape)

/** Renders a resource. In the address, the names of modules have no prefix `module.`. */
function resourceOf(resource: ManagedResource): Resource {
  const address = resource.address.replaceAll(/(^|\.)module\./g, '$1')
  return { id: resource.id, type, attributes: { ...renderer.render(resource), address } }
}

const rendering = { shape, render: resourceOf }

const onReadableWorkspace = operationsOn(
  'caller',
  findWorkspaceFor({ state: 'read' }),
  'behaviour/platform#workspace-resources',
)

export const workspaceResourceOperations = [
  onReadableWorkspace.page('/workspaces/:workspace_id/resources', rendering, {
    id: 'listWorkspaceResources',
    summary: 'List the resources in the current state of a workspace.',
    run: ({ context: { world, subject } }) => resourcesOf(world, subject),
  }),
]
