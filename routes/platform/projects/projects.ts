import { any, bool, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  changeProject,
  createProject,
  deleteProject,
  moveWorkspacesTo,
} from '../../../state/platform/projects/changes.ts'
import {
  type Project,
  projectsOf,
  projectWithId,
} from '../../../state/platform/projects/projects.ts'
import { bindingsOf } from '../../../state/platform/tags/tags.ts'
import { managesProject } from '../../../state/platform/team-access/rights.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  blankable,
  inState,
  openQuery,
  optionalMembers,
  readMembers,
} from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { type ListAddress, pageOf } from '../json-api/pagination.ts'
import { listOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext, type Scope } from '../operation.ts'
import {
  checkMember,
  findOrganization,
  findOrganizationFor,
  nameFilter,
  nameQuery,
} from '../organizations/scopes.ts'
import { relatedBindings } from '../workspaces/tag-input.ts'
import { effectiveShape, effectiveType, projectBindings } from '../workspaces/tag-resource.ts'
import { hasTags, tagFilters, tagQuery } from '../workspaces/workspace-query.ts'
import {
  type ProjectReader,
  permissionsOf,
  projectResource,
  projectShape,
  projectType,
} from './project-resource.ts'

const spec = 'behaviour/platform#projects'

/**
 * Returns the project in the path. Throws 404 unless the caller belongs to its organization, and
 * 401 if the organization does not accept the caller's kind of token.
 */
export function findProject({ world, caller, params }: Scope): Project {
  const project = requireFound(projectWithId(world, params['project_id'] ?? ''))
  checkMember(world, caller, project.organization)
  return project
}

/**
 * Returns a function that finds the project in the path. The function throws 404 unless the caller
 * has the given right on the project. The function also throws the refusals of `findProject`.
 */
function findProjectFor(right: 'update' | 'delete'): (scope: Scope) => Project {
  return (scope) => {
    const project = findProject(scope)
    if (!managesProject(scope.world, scope.caller, project, right)) throw refuse('not-found')
    return project
  }
}

/**
 * Returns the project in the path if the caller may change the project. See `findProjectFor` for
 * the refusals.
 */
export const findManagedProject = findProjectFor('update')

const inputAttributes = optionalMembers({
  name: blankable,
  description: blankable,
  'default-execution-mode': blankable,
  'default-agent-pool-id': blankable,
  'auto-destroy-activity-duration': blankable,
  'setting-overwrites': any,
})

const overwriteAttributes = optionalMembers({
  'default-execution-mode': bool,
  'default-agent-pool': bool,
})

function inputOf(
  { attributes, relationships }: ParsedBody<typeof inputAttributes>,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
) {
  const { 'setting-overwrites': sent, ...rest } = attributes
  const overwrites = readMembers('setting-overwrites', overwriteAttributes, sent, dialect)
  return {
    ...inState(rest),
    ...relatedBindings(relationships),
    ...(overwrites === undefined ? {} : { setting_overwrites: inState(overwrites) }),
  }
}

const inclusions = inclusionsOf<Project>(
  { [effectiveType]: { find: projectBindings, relationship: effectiveType } },
  [effectiveShape],
)

/** Query of the list: filters by name and permission, and the order. */
const query = openQuery({
  ...inclusions.query,
  ...nameQuery,
  ...tagQuery,
  'filter[permissions][create-workspace]': described(
    text,
    '`true` for only projects in which the caller can create workspaces',
  ),
  'filter[permissions][update]': described(
    text,
    '`true` for only projects that the caller can change',
  ),
  sort: described(text, '`name` or `-name`; newest first if left out'),
})

function matches(
  project: Project,
  context: ProjectReader,
  filters: InputOf<typeof query>,
  address: ListAddress,
): boolean {
  const permissions = permissionsOf(context, project)
  const tagged = tagFilters(address)
  const names = (filters['filter[names]'] ?? '').toLowerCase()
  return (
    nameFilter(filters.q ?? '', names)({ name: project.name.toLowerCase() }) &&
    hasTags(bindingsOf(project), tagged) &&
    (filters['filter[permissions][create-workspace]'] !== 'true' ||
      permissions['can-create-workspace']) &&
    (filters['filter[permissions][update]'] !== 'true' || permissions['can-update'])
  )
}

const projectRendering = { shape: projectShape, render: projectResource }

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManagedOrganization = operationsOn('caller', findOrganizationFor('manage-projects'), spec)
const onProject = operationsOn('caller', findProject, spec)
const onManagedProject = operationsOn('caller', findManagedProject, spec)
const onDeletableProject = operationsOn('caller', findProjectFor('delete'), spec)

const listPath = '/organizations/:organization_name/projects'
const onePath = '/projects/:project_id'

export const projectOperations = [
  onOrganization('GET', listPath, {
    id: 'listProjects',
    summary: 'List the projects of an organization, newest first.',
    query,
    failures: [400],
    reply: { 200: withExtraFields(listOf(projectShape), inclusions.shape) },
    run: ({ context, query: filters }) => {
      const { world, subject, address } = context
      const included = inclusions.read(filters.include, context)
      const found = projectsOf(world, subject.name)
        .filter((one) => matches(one, context, filters, address))
        .toReversed()
      const direction = { name: 1, '-name': -1 }[filters.sort ?? '']
      if (direction !== undefined) {
        found.sort((one, other) => direction * one.name.localeCompare(other.name, 'en'))
      }
      const resourceOf = (one: Project) => included.add(one, projectResource(one, context))
      return ok({ ...pageOf(found, resourceOf, address), ...included.members() })
    },
  }),
  onManagedOrganization.document('POST', listPath, projectRendering, {
    id: 'createProject',
    summary: 'Add a project to an organization.',
    body: { type: projectType, attributes: inputAttributes },
    run({ context, body }) {
      const { world, subject } = context
      return createProject(world, subject.name, inputOf(body(), context))
    },
  }),
  onProject('GET', onePath, {
    id: 'readProject',
    summary: 'Read a project.',
    ...inclusions.readOperation(projectShape, projectResource),
  }),
  onManagedProject.document('PATCH', onePath, projectRendering, {
    id: 'changeProject',
    summary: 'Change the given attributes of a project.',
    body: { type: projectType, attributes: inputAttributes },
    run: ({ context, body }) =>
      changeProject(context.world, context.subject, inputOf(body(), context)),
  }),
  onDeletableProject('DELETE', onePath, {
    id: 'deleteProject',
    summary:
      'Delete a project without workspaces; the default project of an organization cannot be deleted.',
    failures: [403],
    run: ({ context: { world, subject } }) => deleteProject(world, subject),
  }),
  onProject('POST', `${onePath}/relationships/workspaces`, {
    id: 'moveWorkspacesToProject',
    identifiers: 'workspaces',
    summary: 'Move workspaces to a project: all of them or none.',
    failures: [403],
    run: ({ context: { world, caller, subject, list } }) =>
      moveWorkspacesTo(world, caller, subject, identifiersIn(list(), 'workspaces')),
  }),
]
