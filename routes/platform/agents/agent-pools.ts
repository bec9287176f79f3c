import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import {
  type AgentPool,
  agentPoolAttributes,
  agentPoolsOf,
  allowsWorkspace,
} from '../../../state/platform/agents/agent-pools.ts'
import { countAgents } from '../../../state/platform/agents/agents.ts'
import {
  changeAgentPool,
  createAgentPool,
  deleteAgentPool,
  managesAgentPools,
  readsAgentPools,
  workspacesUsing,
} from '../../../state/platform/agents/changes.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import { projectNamed } from '../../../state/platform/projects/projects.ts'
import { projectOf } from '../../../state/platform/workspaces/execution.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { workspaceNamed } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { identifiersIn, relatedItems } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import {
  linkShape,
  listOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext } from '../operation.ts'
import { nameFilter } from '../organizations/scopes.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import { findOrganizationWith, findPoolWith } from './pool-scope.ts'

const type = 'agent-pools'
const renderer = attributeRenderer(agentPoolAttributes)

const shape = resourceShape(type, struct({ ...renderer.shape.fields, 'agent-count': int }), {
  relationships: struct({
    organization: relationOf('organizations'),
    agents: linkShape,
    'authentication-tokens': linkShape,
    workspaces: relationsOf('workspaces'),
    'allowed-workspaces': relationsOf('workspaces'),
    'allowed-projects': relationsOf('projects'),
    'excluded-workspaces': relationsOf('workspaces'),
  }),
  links: selfLink,
})

const inputAttributes = optionalMembers({ name: strictText, 'organization-scoped': strictFlag })
const form = { type, attributes: inputAttributes } as const

/** Renders an agent pool with the workspaces that use it. */
function resourceOf(pool: AgentPool, { world }: Pick<PlatformContext<unknown>, 'world'>): Resource {
  const related = (of: string, ids: readonly string[]) => ({
    data: ids.map((id) => ({ id, type: of })),
  })
  const users = workspacesUsing(world, pool).map(({ id }) => id)
  const self = `/api/v2/agent-pools/${pool.id}`
  return {
    id: pool.id,
    type,
    attributes: { ...renderer.render(pool), 'agent-count': countAgents(world, pool.id) },
    relationships: {
      organization: { data: { id: pool.organization, type: 'organizations' } },
      agents: { links: { related: `${self}/agents` } },
      'authentication-tokens': { links: { related: `${self}/authentication-tokens` } },
      workspaces: related('workspaces', users),
      'allowed-workspaces': related('workspaces', pool.allowed_workspaces),
      'allowed-projects': related('projects', pool.allowed_projects),
      'excluded-workspaces': related('workspaces', pool.excluded_workspaces),
    },
    links: { self },
  }
}

function inputOf({ attributes, relationships }: ParsedBody<typeof inputAttributes>) {
  const ids = (name: string, of: 'workspaces' | 'projects') => {
    const items = relatedItems(relationships, name)
    return items === undefined ? {} : { [name.replace('-', '_')]: identifiersIn(items, of) }
  }
  return {
    ...inState(attributes),
    ...ids('allowed-workspaces', 'workspaces'),
    ...ids('allowed-projects', 'projects'),
    ...ids('excluded-workspaces', 'workspaces'),
  }
}

const inclusions = inclusionsOf<AgentPool>(
  {
    workspaces: {
      find: (pool, context) =>
        workspacesUsing(context.world, pool)
          .filter((one) => hasWorkspaceRight(context.world, context.caller, one, 'visible'))
          .map((one) => workspaceResource(one, context)),
    },
  },
  [workspaceShape],
)

const listQuery = openQuery({
  ...inclusions.query,
  q: described(text, 'Part of a name'),
  sort: described(text, '`name` or `created-at`; a leading `-` reverses the order'),
  'filter[allowed_workspaces][name]': described(text, 'Workspace that may use the pool'),
  'filter[allowed_projects][name]': described(text, 'Project that may use the pool'),
})

/**
 * Returns the pools of an organization that match a query, in the order that the query requests.
 */
function selectPools(
  { world, subject }: PlatformContext<Organization>,
  query: InputOf<typeof listQuery>,
) {
  const { q = '', sort = '-created-at' } = query
  const { 'filter[allowed_workspaces][name]': workspaceName } = query
  const { 'filter[allowed_projects][name]': projectName } = query
  const workspace = workspaceNamed(world, subject.name, workspaceName ?? '')
  const project = projectNamed(world, subject.name, projectName ?? '')
  const found = agentPoolsOf(world, subject.name)
    .filter(nameFilter(q, ''))
    .filter((pool) => {
      const isUsable =
        workspaceName === undefined ||
        (workspace !== undefined &&
          allowsWorkspace(pool, workspace.id, projectOf(world, workspace)?.id))
      const isUsableIn =
        projectName === undefined ||
        (project !== undefined && allowsWorkspace(pool, undefined, project.id))
      return isUsable && isUsableIn
    })
  if (/^-?name$/.test(sort)) found.sort((one, other) => (one.name < other.name ? -1 : 1))
  return sort.startsWith('-') ? found.toReversed() : found
}

const spec = 'behaviour/platform#agent-pools'
const rendering = { shape, render: resourceOf }

const onReadableOrganization = operationsOn('caller', findOrganizationWith(readsAgentPools), spec)
const onManagedOrganization = operationsOn('caller', findOrganizationWith(managesAgentPools), spec)
const onReadablePool = operationsOn('caller', findPoolWith(readsAgentPools), spec)
const onManagedPool = operationsOn('caller', findPoolWith(managesAgentPools), spec)

const listPath = '/organizations/:organization_name/agent-pools'
const onePath = '/agent-pools/:agent_pool_id'
const counts = { 'status-counts': struct({ total: int, matching: int }) }

export const agentPoolOperations = [
  onReadableOrganization('GET', listPath, {
    id: 'listAgentPools',
    summary:
      'List the agent pools of an organization, newest first unless the query asks for another order.',
    query: listQuery,
    failures: [400],
    reply: { 200: withExtraFields(listOf(shape, counts), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const found = selectPools(context, query)
      const render = (one: AgentPool) => included.add(one, resourceOf(one, context))
      const { meta, ...page } = pageOf(found, render, address)
      const total = agentPoolsOf(world, subject.name).length
      const status = { 'status-counts': { total, matching: found.length } }
      return ok({ ...page, meta: { ...meta, ...status }, ...included.members() })
    },
  }),
  onManagedOrganization.document('POST', listPath, rendering, {
    id: 'createAgentPool',
    summary: 'Add an agent pool to an organization.',
    body: form,
    run: ({ context, body }) =>
      createAgentPool(context.world, context.subject.name, inputOf(body())),
  }),
  onReadablePool('GET', onePath, {
    id: 'readAgentPool',
    summary: 'Read an agent pool.',
    ...inclusions.readOperation(shape, resourceOf),
  }),
  onManagedPool.document('PATCH', onePath, rendering, {
    id: 'changeAgentPool',
    summary: 'Change the given attributes of an agent pool.',
    body: form,
    run: ({ context, body }) => changeAgentPool(context.world, context.subject, inputOf(body())),
  }),
  onManagedPool('DELETE', onePath, {
    id: 'deleteAgentPool',
    summary: 'Delete an agent pool that no workspace uses.',
    failures: [422],
    run: ({ context: { world, subject } }) => deleteAgentPool(world, subject),
  }),
]
