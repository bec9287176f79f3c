import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Project } from '../../../state/platform/projects/projects.ts'
import {
  type OrganizationTag,
  organizationTagAttributes,
} from '../../../state/platform/tags/organization-tags.ts'
import {
  bindingAttributes,
  bindingsOf,
  type TagBinding,
} from '../../../state/platform/tags/tags.ts'
import { effectiveTags } from '../../../state/platform/workspaces/tags.ts'
import { type Workspace, workspacesTagged } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { type Resource, relationOf, resourceShape, withExtraFields } from '../json-api/resource.ts'
import { bindingType, tagType } from './tag-input.ts'

/** Resource type of the tags in effect on a workspace or project, including inherited ones. */
export const effectiveType = 'effective-tag-bindings'

const bindingRenderer = attributeRenderer(bindingAttributes)

/** Shape of a tag with its value. */
export const bindingShape = resourceShape(bindingType, bindingRenderer.shape, {
  links: struct({ target: optional(text) }),
})

/** Shape of a tag in effect; `inherited-from` links to its project if the tag is inherited. */
export const effectiveShape = withExtraFields(
  resourceShape(effectiveType, struct({ key: text, value: text })),
  { links: optional(struct({ 'inherited-from': text })) },
)

/**
 * Renders a tag with its value, and with a link to the object that has the tag, if `target` is
 * given.
 */
export function bindingResource(binding: TagBinding, target?: string): Resource {
  return {
    id: binding.id,
    type: bindingType,
    attributes: bindingRenderer.render(binding),
    links: target === undefined ? {} : { target },
  }
}

/** Renders a tag in effect, with a link to the project that the tag is inherited from, if any. */
function effectiveResource(key: string, value: string, project?: string): Resource {
  return {
    id: `effective-${key}`,
    type: effectiveType,
    attributes: { key, value },
    ...(project === undefined
      ? {}
      : { links: { 'inherited-from': `/api/v2/projects/${project}` } }),
  }
}

/** Renders the tags in effect on a workspace, including those of its project. */
export function effectiveBindings(world: World, workspace: Workspace): Resource[] {
  return effectiveTags(world, workspace).map(({ key, value, project }) =>
    effectiveResource(key, value, project),
  )
}

/** Renders the tags in effect on a project. Projects do not inherit tags. */
export function projectBindings(project: Project): Resource[] {
  return bindingsOf(project).map(({ key, value }) => effectiveResource(key, value))
}

const tagRenderer = attributeRenderer(organizationTagAttributes)

/** Shape of a flat tag of an organization. */
export const tagShape = resourceShape(
  tagType,
  struct({ ...tagRenderer.shape.fields, 'instance-count': int }),
  { relationships: struct({ organization: relationOf('organizations') }) },
)

/** Renders a flat tag of an organization with the number of its workspaces. */
export function tagResource(world: World, tag: OrganizationTag): Resource {
  const { id, organization, name } = tag
  const count = workspacesTagged(world, organization, name).length
  return {
    id,
    type: tagType,
    attributes: { ...tagRenderer.render(tag), 'instance-count': count },
    relationships: { organization: { data: { id: organization, type: 'organizations' } } },
  }
}
