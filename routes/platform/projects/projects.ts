import {
  any,
  bool,
  constant,
  int,
  nullable,
  text,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import {
  changeProject,
  createProject,
  deleteProject,
  moveWorkspacesTo,
} from '../../../state/platform/projects/changes.ts'
import {
  type Project,
  projectAttributes,
  projectsOf,
  projectWithId,
} from '../../../state/platform/projects/projects.ts'
import { mayCreateWorkspaces } from '../../../state/platform/workspaces/rights.ts'
import { workspacesIn } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  blankable,
  inState,
  openQuery,
  optionalMembers,
  readMembers,
} from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { pageOf } from '../json-api/pagination.ts'
import {
  documentOf,
  flags,
  identifierOf,
  linkShape,
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext, type Scope } from '../operation.ts'
import {
  checkMember,
  findOrganization,
  findOrganizationFor,
  nameFilter,
  nameQuery,
} from '../organizations/scopes.ts'
import { relatedBindings } from '../workspaces/tag-input.ts'

const type = 'projects'
const spec = 'behaviour/platform#projects'

const permissionNames = [
  'can-read',
  'can-update',
  'can-destroy',
  'can-create-workspace',
  'can-move-workspace',
  'can-move-stack',
  'can-deploy-no-code-modules',
  'can-read-teams',
  'can-manage-teams',
] as const

const projectRenderer = attributeRenderer(projectAttributes)

const overwriteNames = ['default-execution-mode', 'default-agent-pool'] as const

const shape = resourceShape(
  type,
  struct({
    ...projectRenderer.shape.fields,
    'auto-destroy-activity-duration': nullable(text),
    'default-execution-mode': word('remote', 'local', 'agent'),
    'setting-overwrites': flags(overwriteNames),
    'workspace-count': int,
    'team-count': int,
    'is-unified': constant(false),
    permissions: flags(permissionNames),
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'default-agent-pool': struct({ data: nullable(identifierOf('agent-pools')) }),
      'tag-bindings': linkShape,
      'effective-tag-bindings': linkShape,
    }),
    links: selfLink,
  },
)

function permissionsOf({ world, caller }: ProjectReader, { organization, is_default }: Project) {
  const isManager = hasRight(world, caller, organization, 'manage-projects')
  const manages = mayCreateWorkspaces(world, caller, organization)
  return {
    'can-read': true,
    'can-update': isManager,
    'can-destroy': isManager && !is_default,
    'can-create-workspace': manages,
    'can-move-workspace': manages,
    'can-move-stack': false,
    'can-deploy-no-code-modules': manages,
    'can-read-teams': isManager,
    'can-manage-teams': isManager,
  }
}

type ProjectReader = Pick<PlatformContext<unknown>, 'world' | 'caller'>

function resourceOf(project: Project, context: ProjectReader): Resource {
  const { world } = context
  const { id, organization, default_execution_mode: mode, default_agent_pool: pool } = project
  const self = `/api/v2/projects/${id}`
  const { default_execution_mode } = { ...world.table(organizations).get(organization) }
  return {
    id,
    type,
    attributes: {
      ...projectRenderer.render({ auto_destroy_activity_duration: null, ...project }),
      'default-execution-mode': mode ?? default_execution_mode ?? 'remote',
      'setting-overwrites': {
        'default-execution-mode': mode != null,
        'default-agent-pool': pool != null,
      },
      'workspace-count': workspacesIn(world, project).length,
      // No team has access to a single project.
      'team-count': 0,
      'is-unified': false,
      permissions: permissionsOf(context, project),
    },
    relationships: {
      organization: { data: { id: organization, type: 'organizations' } },
      'default-agent-pool': { data: pool == null ? null : { id: pool, type: 'agent-pools' } },
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    },
    links: { self },
  }
}

/** Returns the project in the path. Throws 404 unless the caller belongs to its organization. */
export function findProject({ world, caller, params }: Scope): Project {
  const project = requireFound(projectWithId(world, params['project_id'] ?? ''))
  checkMember(world, caller, project.organization)
  return project
}

/** Returns the project in the path. Throws 404 unless the caller manages projects. */
export function findManagedProject(scope: Scope): Project {
  const project = findProject(scope)
  const { world, caller } = scope
  if (!hasRight(world, caller, project.organization, 'manage-projects')) throw refuse('not-found')
  return project
}

/** Attributes that callers can set. */
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

/** Query of the list: filters by name and permission, and the order. */
const query = openQuery({
  ...nameQuery,
  'filter[permissions][create-workspace]': described(text, '`true`: where workspaces can be made'),
  'filter[permissions][update]': described(text, '`true`: those that the caller can change'),
  sort: described(text, '`name` or `-name`; otherwise oldest first'),
})

function matches(
  project: Project,
  context: ProjectReader,
  filters: InputOf<typeof query>,
): boolean {
  const permissions = permissionsOf(context, project)
  const names = (filters['filter[names]'] ?? '').toLowerCase()
  return (
    nameFilter(filters.q ?? '', names)({ name: project.name.toLowerCase() }) &&
    (filters['filter[permissions][create-workspace]'] !== 'true' ||
      permissions['can-create-workspace']) &&
    (filters['filter[permissions][update]'] !== 'true' || permissions['can-update'])
  )
}

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
    query,
    reply: { 200: listOf(shape) },
    run: ({ context, query: filters }) => {
      const { world, subject, address } = context
      const found = projectsOf(world, subject.name).filter((one) => matches(one, context, filters))
      const direction = { name: 1, '-name': -1 }[filters.sort ?? '']
      if (direction !== undefined) {
        found.sort((one, other) => direction * one.name.localeCompare(other.name, 'en'))
      }
      return ok(pageOf(found, (project) => resourceOf(project, context), address))
    },
  }),
  onManaged('POST', listPath, {
    id: 'createProject',
    summary: 'Add a project to an organization.',
    body: { type, attributes: inputAttributes },
    reply: { 201: documentOf(shape) },
    run: ({ context, body }) => {
      const { world, subject } = context
      const project = createProject(world, subject.name, inputOf(body(), context))
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
      const project = changeProject(context.world, context.subject, inputOf(body(), context))
      return ok({ data: resourceOf(project, context) })
    },
  }),
  onManagedProject('DELETE', onePath, {
    id: 'deleteProject',
    summary:
      'Delete a project without workspaces, but not the one that an organization began with.',
    failures: [403],
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteProject(world, subject),
  }),
  onProject('POST', `${onePath}/relationships/workspaces`, {
    id: 'moveWorkspacesToProject',
    identifiers: 'workspaces',
    summary: 'Move workspaces to a project: all of them or none.',
    failures: [403],
    reply: { 204: null },
    run: ({ context: { world, caller, subject, list } }) =>
      moveWorkspacesTo(world, caller, subject, identifiersIn(list(), 'workspaces')),
  }),
]
