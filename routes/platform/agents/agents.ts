import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { createPoolToken } from '../../../state/platform/accounts/token-changes.ts'
import { tokensOf } from '../../../state/platform/accounts/tokens.ts'
import { agentPoolWithId } from '../../../state/platform/agents/agent-pools.ts'
import {
  type Agent,
  agentAttributes,
  agentsOf,
  agentWithId,
  deleteAgent,
  shownStatus,
} from '../../../state/platform/agents/agents.ts'
import { managesAgentPools, readsAgentPools } from '../../../state/platform/agents/changes.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  newTokenResource,
  tokenForm,
  tokenResource,
  tokenShape,
} from '../accounts/token-resource.ts'
import { attributeRenderer, openQuery } from '../json-api/attributes.ts'
import { type Resource, resourceShape, selfLink } from '../json-api/resource.ts'
import { operationsOn, type Rendering, type Scope } from '../operation.ts'
import { findPoolWith, type PoolPermission } from './pool-scope.ts'

const renderer = attributeRenderer(agentAttributes)
const shape = resourceShape('agents', renderer.shape, { links: selfLink })

function resourceOf(world: World, agent: Agent): Resource {
  const { id } = agent
  const shown = { ...agent, status: shownStatus(world, agent) }
  const links = { self: `/api/v2/agents/${id}` }
  return { id, type: 'agents', attributes: renderer.render(shown), links }
}

/**
 * Returns a function that finds the agent in the path. The function throws 404 unless the caller
 * has the given permission over the pools of the agent's organization, and 401 if the organization
 * does not accept the caller's kind of token.
 */
function findAgentWith(permits: PoolPermission): (scope: Scope) => Agent {
  const findPool = findPoolWith(permits)
  return (scope) => {
    const agent = requireFound(agentWithId(scope.world, scope.params['agent_id'] ?? ''))
    const pool = requireFound(agentPoolWithId(scope.world, agent.pool))
    findPool({ ...scope, params: { agent_pool_id: pool.id } })
    return agent
  }
}

const spec = 'behaviour/platform#agents'
const rendering: Rendering<Agent> = { shape, render: (one, { world }) => resourceOf(world, one) }
const tokenRendering = { shape: tokenShape, render: tokenResource }
const newTokenRendering = { shape: tokenShape, render: newTokenResource }

const onPool = operationsOn('caller', findPoolWith(readsAgentPools), spec)
const onManagedPool = operationsOn('caller', findPoolWith(managesAgentPools), spec)
const onAgent = operationsOn('caller', findAgentWith(readsAgentPools), spec)
const onManagedAgent = operationsOn('caller', findAgentWith(managesAgentPools), spec)
const tokensPath = '/agent-pools/:agent_pool_id/authentication-tokens'

/** Operations on the agents of pools and on the tokens that agents register with. */
export const agentOperations = [
  onPool.page('/agent-pools/:agent_pool_id/agents', rendering, {
    id: 'listAgents',
    summary: 'List the agents of a pool, newest first.',
    query: openQuery({
      'filter[last-ping-since]': described(text, 'Earliest time of the last ping'),
    }),
    run({ context: { world, subject }, query }) {
      const since = parseTimestamp(query['filter[last-ping-since]'] ?? '') ?? 0
      const found = agentsOf(world, subject.id).filter((one) => one.last_ping_at >= since)
      return found.toReversed()
    },
  }),
  onAgent.document('GET', '/agents/:agent_id', rendering, {
    id: 'readAgent',
    summary: 'Read an agent.',
    run: ({ context }) => context.subject,
  }),
  onManagedAgent('DELETE', '/agents/:agent_id', {
    id: 'deleteAgent',
    summary: 'Delete an agent that is neither idle nor busy.',
    failures: [412],
    run: ({ context: { world, subject } }) => deleteAgent(world, subject),
  }),
  onPool.page(tokensPath, tokenRendering, {
    id: 'listAgentTokens',
    summary: 'List the tokens of a pool, newest first.',
    run({ context: { world, subject } }) {
      const tokens = tokensOf(world, { kind: 'agent-pool', owner: subject.id })
      return tokens.toReversed()
    },
  }),
  onManagedPool.document('POST', tokensPath, newTokenRendering, {
    id: 'createAgentToken',
    summary: 'Create a token with which agents register in a pool.',
    body: tokenForm,
    run({ context: { world, subject, caller }, body }) {
      const { description } = body().attributes
      return createPoolToken(world, subject.id, description ?? '', caller.user)
    },
  }),
]
