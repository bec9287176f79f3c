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
import { answer, ok } from '../../http/declare/operation.ts'
import {
  newTokenResource,
  tokenForm,
  tokenResource,
  tokenShape,
} from '../accounts/token-resource.ts'
import { attributeRenderer, openQuery } from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, type Resource, resourceShape, selfLink } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findPoolWith, type PoolPermission } from './pool-scope.ts'

const renderer = attributeRenderer(agentAttributes)
const shape = resourceShape('agents', renderer.shape, { links: selfLink })

function resourceOf(world: World, agent: Agent): Resource {
  const { id } = agent
  const shown = { ...agent, status: shownStatus(world, agent) }
  const links = { self: `/api/v2/agents/${id}` }
  return { id, type: 'agents', attributes: renderer.render(shown), links }
}

/** Returns a function that finds the agent in the path like `findPoolWith` finds its pool. */
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
const onPool = operationsOn('caller', findPoolWith(readsAgentPools), spec)
const onManagedPool = operationsOn('caller', findPoolWith(managesAgentPools), spec)
const onAgent = operationsOn('caller', findAgentWith(readsAgentPools), spec)
const onManagedAgent = operationsOn('caller', findAgentWith(managesAgentPools), spec)
const tokensPath = '/agent-pools/:agent_pool_id/authentication-tokens'

/** Operations on the agents of pools and on the tokens that agents register with. */
export const agentOperations = [
  onPool('GET', '/agent-pools/:agent_pool_id/agents', {
    id: 'listAgents',
    summary: 'List the agents of a pool, newest first.',
    query: openQuery({
      'filter[last-ping-since]': described(text, 'Time of the earliest last ping'),
    }),
    reply: { 200: listOf(shape) },
    run: ({ context: { world, subject, address }, query }) => {
      const since = parseTimestamp(query['filter[last-ping-since]'] ?? '') ?? 0
      const found = agentsOf(world, subject.id).filter((one) => one.last_ping_at >= since)
      return ok(pageOf(found.toReversed(), (one) => resourceOf(world, one), address))
    },
  }),
  onAgent('GET', '/agents/:agent_id', {
    id: 'readAgent',
    summary: 'Read an agent.',
    reply: { 200: documentOf(shape) },
    run: ({ context }) => ok({ data: resourceOf(context.world, context.subject) }),
  }),
  onManagedAgent('DELETE', '/agents/:agent_id', {
    id: 'deleteAgent',
    summary: 'Delete an agent that does not work.',
    failures: [412],
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteAgent(world, subject),
  }),
  onPool('GET', tokensPath, {
    id: 'listAgentTokens',
    summary: 'List the tokens of a pool, newest first.',
    reply: { 200: listOf(tokenShape) },
    run: ({ context: { world, subject, address } }) => {
      const tokens = tokensOf(world, { kind: 'agent-pool', owner: subject.id })
      return ok(pageOf(tokens.toReversed(), tokenResource, address))
    },
  }),
  onManagedPool('POST', tokensPath, {
    id: 'createAgentToken',
    summary: 'Make a token that agents register with in a pool.',
    body: tokenForm,
    reply: { 201: documentOf(tokenShape) },
    run: ({ context: { world, subject, caller }, body }) => {
      const { description } = body().attributes
      const token = createPoolToken(world, subject.id, description ?? '', caller.user)
      return answer(201, { data: newTokenResource(token) })
    },
  }),
]
