import { bool, instant, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

export const agentPoolAttributes = {
  name: text,
  created_at: instant,
  /** Whether all workspaces of the organization may use the pool. */
  organization_scoped: bool,
}

const poolShape = struct({
  ...agentPoolAttributes,
  /** Id of the form `apool-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Ids of the workspaces that may use the pool if it is not organization-scoped. */
  allowed_workspaces: list(text),
  /** Ids of the projects whose workspaces may use the pool if it is not organization-scoped. */
  allowed_projects: list(text),
  /** Ids of the workspaces that may not use the pool, even if it is organization-scoped. */
  excluded_workspaces: list(text),
})

/**
 * A pool of agents, used by workspaces with the execution mode `agent`
 * (behaviour/platform#agent-pools).
 */
export interface AgentPool extends StoredOf<typeof poolShape> {}

/** Members of a pool that contain ids of workspaces or projects. */
export type PoolListName = 'allowed_workspaces' | 'allowed_projects' | 'excluded_workspaces'

/** Agent pools by `<organization>/<number>`, numbered in creation order. */
export const agentPools = platformTable('agent-pools', poolShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

/**
 * Functions of `ownedRows` for the pools of an organization. Lists are in creation order.
 * `moveAgentPools` moves the pools of an organization that is renamed.
 */
export const {
  of: agentPoolsOf,
  withId: agentPoolWithId,
  put: putAgentPool,
  drop: dropAgentPool,
  dropAll: dropAgentPools,
  move: moveAgentPools,
} = ownedRows(agentPools, 'organization')

/** Returns the pool with this name in an organization; undefined if there is none. */
export const agentPoolNamed = lookupByName(agentPools)

/**
 * Returns whether a workspace may use a pool.
 *
 * @param workspace id of the workspace; undefined for a workspace that is being created, or to ask
 * whether the pool allows the whole project
 * @param project id of the workspace's project; undefined in a document of an old release without
 * projects
 */
export function allowsWorkspace(
  pool: AgentPool,
  workspace: string | undefined,
  project: string | undefined,
): boolean {
  if (workspace !== undefined && pool.excluded_workspaces.includes(workspace)) return false
  return (
    pool.organization_scoped ||
    (workspace !== undefined && pool.allowed_workspaces.includes(workspace)) ||
    (project !== undefined && pool.allowed_projects.includes(project))
  )
}

/**
 * Removes a deleted workspace or project from the lists of all pools of its organization. Must run
 * inside a transaction.
 */
export function dropTargetFromPools(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): void {
  const withoutTarget = (ids: readonly string[]) => ids.filter((each) => each !== id)
  for (const pool of agentPoolsOf(world, organization)) {
    putAgentPool(world, {
      ...pool,
      allowed_workspaces: withoutTarget(pool.allowed_workspaces),
      allowed_projects: withoutTarget(pool.allowed_projects),
      excluded_workspaces: withoutTarget(pool.excluded_workspaces),
    })
  }
}
