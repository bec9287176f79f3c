import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, hasRight } from '../accounts/callers.ts'
import { dropTokens } from '../accounts/token-changes.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { checkPlainName, type TextInput, updatedText } from '../names.ts'
import { organizations } from '../organizations/organizations.ts'
import { projectsOf, projectWithId, putProject } from '../projects/projects.ts'
import { putTask, tasksOf } from '../run-tasks/tasks.ts'
import { Violations } from '../violations.ts'
import { executionOf } from '../workspaces/execution.ts'
import { hasWorkspaceRight } from '../workspaces/rights.ts'
import { type Workspace, workspacesOf, workspaceWithId } from '../workspaces/workspaces.ts'
import {
  type AgentPool,
  agentPoolNamed,
  dropAgentPool,
  type PoolListName,
  putAgentPool,
} from './agent-pools.ts'
import { dropAgents } from './agents.ts'

/** Members of a request for an agent pool. A null name is handled like a blank name. */
interface AgentPoolInput
  extends TextInput<'name'>,
    Partial<Readonly<Record<PoolListName, readonly string[]>>> {
  readonly organization_scoped?: boolean
}

/** Returns whether the caller may create, change and delete agent pools of an organization. */
export function managesAgentPools(world: World, caller: Caller, organization: string): boolean {
  return hasRight(world, caller, organization, 'manage-agent-pools')
}

/**
 * Returns whether the caller may read the agent pools of an organization, because the caller
 * manages the pools or is an admin of at least one workspace of the organization.
 */
export function readsAgentPools(world: World, caller: Caller, organization: string): boolean {
  if (managesAgentPools(world, caller, organization)) return true
  return workspacesOf(world, organization).some((one) =>
    hasWorkspaceRight(world, caller, one, 'admin'),
  )
}

/** Returns the workspaces whose runs use the pool, sorted by name. */
export function workspacesUsing(world: World, { id, organization }: AgentPool): Workspace[] {
  return workspacesOf(world, organization).filter((one) => {
    const { mode, pool } = executionOf(world, one)
    return mode === 'agent' && pool === id
  })
}

/**
 * Creates an agent pool, which all workspaces may use unless `input` restricts it. Throws 422 for
 * an invalid name, and 404 for an unknown workspace or project (behaviour/platform#agent-pools).
 */
export function createAgentPool(
  world: World,
  organization: string,
  input: AgentPoolInput,
): AgentPool {
  return store(world, input, {
    id: newId(world, 'apool'),
    organization,
    name: '',
    organization_scoped: true,
    allowed_workspaces: [],
    allowed_projects: [],
    excluded_workspaces: [],
    created_at: world.clock.now(),
  })
}

export function changeAgentPool(world: World, pool: AgentPool, input: AgentPoolInput): AgentPool {
  return store(world, input, pool)
}

function store(world: World, input: AgentPoolInput, before: AgentPool): AgentPool {
  const { organization } = before
  const violations = new Violations()
  const name = updatedText(input.name, before.name)
  checkPlainName(violations, name, before, agentPoolNamed(world, organization, name))
  violations.check()
  const ids = (list: PoolListName) => [...new Set(input[list] ?? before[list])]
  const after: AgentPool = {
    ...before,
    name,
    organization_scoped: input.organization_scoped ?? before.organization_scoped,
    allowed_workspaces: ids('allowed_workspaces'),
    allowed_projects: ids('allowed_projects'),
    excluded_workspaces: ids('excluded_workspaces'),
  }
  const targets = [
    ...[...after.allowed_workspaces, ...after.excluded_workspaces].map((each) =>
      workspaceWithId(world, each),
    ),
    ...after.allowed_projects.map((each) => projectWithId(world, each)),
  ]
  const areKnown = targets.every((target) => target?.organization === organization)
  if (!areKnown) throw refuse('not-found')
  return world.write(() => putAgentPool(world, after))
}

/**
 * Deletes a pool with its tokens and agents, and removes it from run tasks and from the defaults of
 * the organization and its projects. Throws 422 if a workspace uses the pool.
 */
export function deleteAgentPool(world: World, pool: AgentPool): void {
  if (workspacesUsing(world, pool).length > 0) throw refuse('agent-pool-in-use')
  world.write(() => {
    dropAgentPool(world, pool)
    dropTokens(world, { kind: 'agent-pool', owner: pool.id })
    dropAgents(world, pool.id)
    for (const task of tasksOf(world, pool.organization)) {
      if (task.agent_pool === pool.id) putTask(world, { ...task, agent_pool: null })
    }
    const organization = world.table(organizations).get(pool.organization)
    if (organization?.default_agent_pool === pool.id) {
      world
        .table(organizations)
        .put(organization.name, { ...organization, default_agent_pool: null })
    }
    for (const project of projectsOf(world, pool.organization)) {
      if (project.default_agent_pool === pool.id) {
        putProject(world, { ...project, default_agent_pool: null })
      }
    }
  })
}
