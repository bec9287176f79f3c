import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Caller } from '../../../state/platform/accounts/callers.ts'
import { type AgentPool, agentPoolWithId } from '../../../state/platform/agents/agent-pools.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import type { Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'

/** Function that returns whether a caller has a permission over the pools of an organization. */
export type PoolPermission = (world: World, caller: Caller, organization: string) => boolean

/**
 * Returns a function that finds the organization in the path. The function throws 404 unless the
 * caller has the given permission over the pools of the organization, and 401 if the organization
 * does not accept the caller's kind of token.
 */
export function findOrganizationWith(permits: PoolPermission): (scope: Scope) => Organization {
  return (scope) => {
    const organization = findOrganization(scope)
    const isPermitted = permits(scope.world, scope.caller, organization.name)
    return requireFound(isPermitted ? organization : undefined)
  }
}

/**
 * Returns a function that finds the pool in the path. The function throws 404 unless the caller has
 * the given permission over the pools of the organization, and 401 if the organization does not
 * accept the caller's kind of token.
 */
export function findPoolWith(permits: PoolPermission): (scope: Scope) => AgentPool {
  return ({ world, caller, params }) => {
    const pool = requireFound(agentPoolWithId(world, params['agent_pool_id'] ?? ''))
    checkMember(world, caller, pool.organization)
    return requireFound(permits(world, caller, pool.organization) ? pool : undefined)
  }
}
