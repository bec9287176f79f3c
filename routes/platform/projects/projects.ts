import { struct } from '../../../state/kernel/shape/members.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  changeProject,
  createProject,
  deleteProject,
} from '../../../state/platform/projects/changes.ts'
import {
  type Project,
  projectAttributes,
  projectsOf,
  projectWithId,
} from '../../../state/platform/projects/projects.ts'
import { mayCreateWorkspaces } from '../../../state/platform/workspaces/rights.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  blankable,
  inState,
  openQuery,
  optionalMembers,
} from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import {
  documentOf,
  flags,
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import {
  checkMember,
  findOrganization,
  findOrganizationFor,
  nameFilter,
  nameQuery,
} from '../organizations/scopes.ts'

const type = 'projects'
const spec = 'behaviour/platform#beyond'

const permissionNames = ['can-read', 'can-update', 'can-destroy', 'can-create-workspace'] as const

const projectRenderer = attributeRenderer(projectAttributes)

const shape = resourceShape(
  type,
  struct({ ...projectRenderer.shape.fields, permissions: flags(permissionNames) }),
  { relationships: struct({ organization: relationOf('organizations') }), links: selfLink },
)

function resourceOf(project: Project, { world, caller }: PlatformContext<unknown>): Resource {
  const { id, organization } = project
  const isManager = hasRight(world, caller, organization, 'manage-projects')
  return {
    id,
    type,
    attributes: {
      ...projectRenderer.render(project),
      permissions: {
        'can-read': true,
        'can-update': isManager,
        'can-destroy': isManager && !project.is_default,
        'can-create-workspace': mayCreateWorkspaces(world, caller, organization),
      },
    },
    relationships: { organization: { data: { id: organization, type: 'organizations' } } },
    links: { self: `/api/v2/projects/${id}` },
  }
}

/** Returns the project in the path. Throws 404 unless the caller belongs to its organization. */
function findProject({ world, caller, params }: Scope): Project {
  const project = requireFound(projectWithId(world, params['project_id'] ?? ''))
  checkMember(world, caller, project.organization)
  return project
}

/** Returns the project in the path. Throws 404 unless the caller manages projects. */
function findManagedProject(scope: Scope): Project {
  const project = findProject(scope)
  const { world, caller } = scope
  if (!hasRight(world, caller, project.organization, 'manage-projects')) throw refuse('not-found')
  return project
}

/** Attributes that callers can set. */
const inputAttributes = optionalMembers({ name: blankable, description: blankable })

const onOrganization = operationsOn('caller', findOrganization, spec)
const onManaged = operationsOn('caller', findOrganizationFor('manage-projects'), spec)
const onProject = operationsOn('caller', findProject, spec)
const onManagedProject = operationsOn('caller', findManagedProject, spec)

const listPath = '/organizations/:organization_name/projects'
const onePath = '/projects/:project_id'

/** Operations on projects, which hold workspaces. */
export const projectOperations = [
  onOrganization('GET', listPath, {
    id: 'listProjects',
    summary: 'List the projects of an organization, oldest first.',
    query: openQuery(nameQuery),
    reply: { 200: listOf(shape) },
    run: ({ context, query: { q = '', 'filter[names]': names = '' } }) => {
      const { world, subject, address } = context
      const matches = projectsOf(world, subject.name).filter(nameFilter(q, names))
      return ok(pageOf(matches, (project) => resourceOf(project, context), address))
    },
  }),
  onManaged('POST', listPath, {
    id: 'createProject',
    summary: 'Add a project to an organization.',
    body: { type, attributes: inputAttributes },
    reply: { 201: documentOf(shape) },
    run: ({ context, body }) => {
      const { world, subject } = context
      const project = createProject(world, subject.name, inState(body().attributes))
      return answer(201, { data: resourceOf(project, context) })
    },
  }),
  onProject('GET', onePath, {
    id: 'readProject',
    summary: 'Read a project.',
    reply: { 200: documentOf(shape) },
    run: ({ context }) => ok({ data: resourceOf(context.subject, context) }),
  }),
  onManagedProject('PATCH', onePath, {
    id: 'changeProject',
    summary: 'Change what is named of a project.',
    body: { type, attributes: inputAttributes },
    reply: { 200: documentOf(shape) },
    run: ({ context, body }) => {
      const project = changeProject(context.world, context.subject, inState(body().attributes))
      return ok({ data: resourceOf(project, context) })
    },
  }),
  onManagedProject('DELETE', onePath, {
    id: 'deleteProject',
    summary: 'Delete a project, but not the one that an organization began with.',
    failures: [403],
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteProject(world, subject),
  }),
]
