import { bindProjectTags } from '../../../state/platform/projects/changes.ts'
import { bindingsOf } from '../../../state/platform/tags/tags.ts'
import { bindWorkspaceTags } from '../../../state/platform/workspaces/tags.ts'
import { ok } from '../../http/declare/operation.ts'
import { unpagedListOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findManagedProject, findProject } from '../projects/projects.ts'
import { findWorkspaceFor } from './scopes.ts'
import { bindingsIn, bindingType } from './tag-input.ts'
import {
  bindingResource,
  bindingShape,
  effectiveBindings,
  effectiveShape,
  effectiveType,
  projectBindings,
} from './tag-resource.ts'

const spec = 'behaviour/platform#tags'
const onVisibleWorkspace = operationsOn('caller', findWorkspaceFor('visible'), spec)
const onChangeableWorkspace = operationsOn('caller', findWorkspaceFor('settings'), spec)
const onProject = operationsOn('caller', findProject, spec)
const onManagedProject = operationsOn('caller', findManagedProject, spec)

const workspacePath = '/workspaces/:workspace_id'
const projectPath = '/projects/:project_id'

/**
 * Operations on tag bindings: tags of workspaces and projects, each with a key and an optional
 * value.
 */
export const tagBindingOperations = [
  onVisibleWorkspace('GET', `${workspacePath}/${bindingType}`, {
    id: 'readTagBindings',
    summary: 'List the tags of a workspace with their values.',
    reply: { 200: unpagedListOf(bindingShape) },
    run: ({ context: { subject } }) => {
      const target = `/api/v2/workspaces/${subject.id}`
      return ok({ data: bindingsOf(subject).map((one) => bindingResource(one, target)) })
    },
  }),
  onVisibleWorkspace('GET', `${workspacePath}/${effectiveType}`, {
    id: 'readEffectiveTagBindings',
    summary: 'List the tags of a workspace and those that it inherits from its project.',
    reply: { 200: unpagedListOf(effectiveShape) },
    run: ({ context: { world, subject } }) => ok({ data: effectiveBindings(world, subject) }),
  }),
  onChangeableWorkspace('PATCH', `${workspacePath}/${bindingType}`, {
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
    run: ({ context: { subject } }) => ok({ data: projectBindings(subject) }),
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
