import { text } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { bindProjectTags } from '../../../state/platform/projects/changes.ts'
import {
  bindingAttributes,
  bindingsOf,
  type TagBinding,
} from '../../../state/platform/tags/tags.ts'
import { bindWorkspaceTags, effectiveTags } from '../../../state/platform/workspaces/tags.ts'
import { ok } from '../../http/declare/operation.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { type Resource, resourceShape, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findManagedProject, findProject } from '../projects/projects.ts'
import { findWorkspaceFor } from './scopes.ts'
import { bindingsIn, bindingType } from './tag-input.ts'

const spec = 'behaviour/platform#tags'
const effectiveType = 'effective-tag-bindings'

const bindingRenderer = attributeRenderer(bindingAttributes)

const bindingShape = resourceShape(bindingType, bindingRenderer.shape, {
  links: struct({ target: optional(text) }),
})

const effectiveShape = resourceShape(effectiveType, struct({ key: text, value: text }), {
  links: struct({ 'inherited-from': optional(text) }),
})

/**
 * Renders a tag with its value, and with a link to its workspace or project if `target` is given.
 */
function bindingResource(binding: TagBinding, target?: string): Resource {
  return {
    id: binding.id,
    type: bindingType,
    attributes: bindingRenderer.render(binding),
    links: target === undefined ? {} : { target },
  }
}

/**
 * Renders a tag that applies to a workspace, with a link to the project that it is inherited from.
 */
function effectiveResource(key: string, value: string, project?: string): Resource {
  return {
    id: `effective-${key}`,
    type: effectiveType,
    attributes: { key, value },
    links: project === undefined ? {} : { 'inherited-from': `/api/v2/projects/${project}` },
  }
}

const onVisible = operationsOn('caller', findWorkspaceFor('visible'), spec)
const onChanged = operationsOn('caller', findWorkspaceFor('settings'), spec)
const onProject = operationsOn('caller', findProject, spec)
const onManagedProject = operationsOn('caller', findManagedProject, spec)

const workspacePath = '/workspaces/:workspace_id'
const projectPath = '/projects/:project_id'

/** Operations on the tags of workspaces and projects that can have values. */
export const tagBindingOperations = [
  onVisible('GET', `${workspacePath}/${bindingType}`, {
    id: 'readTagBindings',
    summary: 'List the tags of a workspace with their values.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { subject } }) => {
      const target = `/api/v2/workspaces/${subject.id}`
      return ok({ data: bindingsOf(subject).map((one) => bindingResource(one, target)) })
    },
  }),
  onVisible('GET', `${workspacePath}/${effectiveType}`, {
    id: 'readEffectiveTagBindings',
    summary: 'List the tags of a workspace and those that it inherits from its project.',
    reply: { 200: unpagedListOf(effectiveShape) },
    run: ({ context: { world, subject } }) => {
      const tags = effectiveTags(world, subject)
      return ok({
        data: tags.map(({ key, value, project }) => effectiveResource(key, value, project)),
      })
    },
  }),
  onChanged('PATCH', `${workspacePath}/${bindingType}`, {
    id: 'changeTagBindings',
    identifiers: bindingType,
    identifiersNamed: true,
    summary: 'Add or change tags of a workspace with their values; the others stay.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { world, subject, list } }) => {
      const bindings = bindWorkspaceTags(world, subject, bindingsIn(list()))
      return ok({ data: bindings.map((one) => bindingResource(one)) })
    },
  }),
  onProject('GET', `${projectPath}/${bindingType}`, {
    id: 'readProjectTagBindings',
    summary: 'List the tags of a project with their values.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { subject } }) =>
      ok({ data: bindingsOf(subject).map((one) => bindingResource(one)) }),
  }),
  onProject('GET', `${projectPath}/${effectiveType}`, {
    id: 'readEffectiveProjectTagBindings',
    summary: 'List the tags of a project.',
    reply: { 200: unpagedListOf(effectiveShape) },
    run: ({ context: { subject } }) =>
      ok({ data: bindingsOf(subject).map(({ key, value }) => effectiveResource(key, value)) }),
  }),
  onManagedProject('PATCH', `${projectPath}/${bindingType}`, {
    id: 'changeProjectTagBindings',
    identifiers: bindingType,
    identifiersNamed: true,
    summary: 'Add or change tags of a project with their values; the others stay.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { world, subject, list } }) => {
      const bindings = bindProjectTags(world, subject, bindingsIn(list()))
      return ok({ data: bindings.map((one) => bindingResource(one)) })
    },
  }),
]
