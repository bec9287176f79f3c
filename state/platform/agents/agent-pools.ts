import { bool, instant, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { requireFound } from '../messages.ts'

/** Attributes of an agent pool as the API returns them. */
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
  /** Ids of the workspaces and projects that may use a pool that is not for all. */
  allowed_workspaces: list(text),
  allowed_projects: list(text),
  /** Ids of the workspaces that may not use the pool. */
  excluded_workspaces: list(text),
})

/** A pool of agents, which workspaces with the mode `agent` use (behaviour/platform#agent-pools). */
export interface AgentPool extends StoredOf<typeof poolShape> {}

/** Lists of a pool with ids of workspaces or projects. */
export type PoolList = 'allowed_workspaces' | 'allowed_projects' | 'excluded_workspaces'

/** Agent pools by `<organization>/<number>`, numbered in creation order. */
export const agentPools = defineTable({
  service: 'platform',
  name: 'agent-pools',
  secrets: 'none',
  shape: poolShape,
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

/** Returns the pools of an organization, oldest first. */
export function agentPoolsOf(world: World, organization: string): AgentPool[] {
  return Array.from(world.table(agentPools).rows(`${organization}/`))
}

/** Returns the pool with this id, if it exists. */
export function agentPoolWithId(world: World, id: string): AgentPool | undefined {
  return world.table(agentPools).index('byId').get(id)
}

/** Returns the pool with this name in an organization, if it exists. */
export function agentPoolNamed(
  world: World,
  organization: string,
  name: string,
): AgentPool | undefined {
  return world.table(agentPools).index('byName').get(`${organization}/${name}`)
}

/** Returns whether a workspace may use a pool; a new workspace has no id. */
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

/** Adds a pool or stores a changed one. Must run inside a transaction. */
export function putAgentPool(world: World, pool: AgentPool): AgentPool {
  const table = world.table(agentPools)
  table.put(table.index('byId').keyOf(pool.id) ?? nextKey(table, `${pool.organization}/`), pool)
  return pool
}

/** Deletes a pool. Must run inside a transaction. */
export function dropAgentPool(world: World, { id }: AgentPool): void {
  const table = world.table(agentPools)
  table.delete(requireFound(table.index('byId').keyOf(id)))
}

/** Takes a deleted workspace or project out of all pools. Must run inside a transaction. */
export function dropTargetFromPools(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): void {
  const others = (ids: readonly string[]) => ids.filter((each) => each !== id)
  for (const pool of agentPoolsOf(world, organization)) {
    putAgentPool(world, {
      ...pool,
      allowed_workspaces: others(pool.allowed_workspaces),
      allowed_projects: others(pool.allowed_projects),
      excluded_workspaces: others(pool.excluded_workspaces),
    })
  }
}

/** Deletes the pools of an organization. Must run inside a transaction. */
export function dropAgentPools(world: World, organization: string): void {
  world.table(agentPools).deleteAll(`${organization}/`)
}

/** Moves the pools of an organization to its new name. Must run inside a transaction. */
export function moveAgentPools(world: World, before: string, organization: string): void {
  const table = world.table(agentPools)
  for (const [key, pool] of Array.from(table.entries(`${before}/`))) {
    table.delete(key)
    table.put(organization + key.slice(before.length), { ...pool, organization })
  }
}
