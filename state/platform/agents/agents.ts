import { instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { optionsOf } from '../options.ts'

/** Statuses of an agent; only agents with one of the last three can be deleted. */
export const agentStatuses = ['idle', 'busy', 'unknown', 'errored', 'exited'] as const

/** Attributes of an agent as the API returns them. */
export const agentAttributes = {
  name: nullable(text),
  status: word(...agentStatuses),
  ip_address: text,
  last_ping_at: instant,
}

const agentShape = struct({
  ...agentAttributes,
  /** Id of the form `agent-…`. */
  id: text,
  /** Id of the pool. */
  pool: text,
})

/** An agent of a pool: a record, which runs nothing (behaviour/platform#agents). */
export interface Agent extends StoredOf<typeof agentShape> {}

/** Agents by `<pool>/<number>`, numbered in creation order. */
export const agents = defineTable({
  service: 'platform',
  name: 'agents',
  secrets: 'none',
  shape: agentShape,
  indexes: { byId: ({ id }) => id },
})

/** Returns the agents of a pool, oldest first. */
export function agentsOf(world: World, pool: string): Agent[] {
  return Array.from(world.table(agents).rows(`${pool}/`))
}

/** Returns the agent with this id, if it exists. */
export function agentWithId(world: World, id: string): Agent | undefined {
  return world.table(agents).index('byId').get(id)
}

/**
 * Job that continues queued runs after an agent of a pool became idle. The job has the id of the pool.
 */
export const agentFreed = 'platform.agent-freed'

/** Job that continues or fails the run of an agent after a forced transition of the agent. */
export const agentMoved = 'platform.agent-moved'

/** Stores the status of an agent. Must run inside a transaction. */
export function moveAgent(world: World, agent: Agent, status: Agent['status'], ping = {}): void {
  const table = world.table(agents)
  table.put(requireFound(table.index('byId').keyOf(agent.id)), { ...agent, status, ...ping })
  announceIdle(world, { ...agent, status })
}

function announceIdle(world: World, { pool, status }: Agent): void {
  if (status !== 'idle' || !optionsOf(world).agentsRequired) return
  world.agenda.schedule({ at: world.clock.now(), job: agentFreed, id: pool })
}

/** Returns the status of an agent as the API returns it: all are unknown if they are lost. */
export function shownStatus(world: World, { status }: Agent): Agent['status'] {
  const isAlive = status === 'idle' || status === 'busy'
  return isAlive && optionsOf(world).agentsLost ? 'unknown' : status
}

/** Adds an agent to a pool. Must run inside a transaction. */
export function addAgent(
  world: World,
  agent: Pick<Agent, 'pool'> & Partial<Pick<Agent, 'name' | 'status' | 'ip_address'>>,
): Agent {
  const table = world.table(agents)
  const added: Agent = {
    id: newId(world, 'agent'),
    name: null,
    status: 'idle',
    ip_address: '127.0.0.1',
    last_ping_at: world.clock.now(),
    ...agent,
  }
  table.put(nextKey(table, `${agent.pool}/`), added)
  announceIdle(world, added)
  return added
}

const gone: readonly string[] = ['errored', 'exited']

/** Returns whether an agent has exited or failed. */
export function isGone({ status }: Agent): boolean {
  return gone.includes(status)
}

/** Returns how many agents of a pool are idle, busy or unknown. */
export function countAgents(world: World, pool: string): number {
  return agentsOf(world, pool).filter((agent) => !isGone(agent)).length
}

/** Deletes an agent that does not work. Throws `precondition` for an idle or busy one. */
export function deleteAgent(world: World, agent: Agent): void {
  const { id } = agent
  const status = shownStatus(world, agent)
  if (status === 'idle' || status === 'busy') throw refuse('agent-works')
  const table = world.table(agents)
  world.write(() => table.delete(requireFound(table.index('byId').keyOf(id))))
}

/** Deletes the agents of a pool. Must run inside a transaction. */
export function dropAgents(world: World, pool: string): void {
  world.table(agents).deleteAll(`${pool}/`)
}

/** Agents for `/_mock/transitions`: only a forced transition changes the status of an agent. */
export const agentTransition: TransitionKind = {
  kind: 'platform.agent',
  summary: 'Agents of pools, which change their status only if forced.',
  targets: agentStatuses,
  items: (world) =>
    Array.from(world.table(agents).index('byId').rows(), ({ id, status }) => ({
      id,
      state: status,
      to: agentStatuses.filter((other) => other !== status),
    })),
  force(world, id, to) {
    const agent = agentWithId(world, id)
    if (agent === undefined) throw refuse('no-agent-to-push', { id })
    const status = agentStatuses.find((each) => each === to && each !== agent.status)
    if (status === undefined) {
      throw refuse('agent-push-impossible', { status: agent.status, target: to })
    }
    const last_ping_at = world.clock.now()
    world.write(() => {
      moveAgent(world, agent, status, { last_ping_at })
      world.agenda.schedule({ at: last_ping_at, job: agentMoved, id })
    })
  },
}
