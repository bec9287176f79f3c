import { instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forcedTransition } from '../forced-transitions.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

/** All statuses of an agent. Agents that the API reports as `idle` or `busy` cannot be deleted. */
export const agentStatuses = ['idle', 'busy', 'unknown', 'errored', 'exited'] as const

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
  /** Id of the agent pool. */
  pool: text,
})

/** An agent of a pool: a record only, which executes nothing (behaviour/platform#agents). */
export interface Agent extends StoredOf<typeof agentShape> {}

/** Agents by `<pool>/<number>`, numbered in creation order. */
export const agents = platformTable('agents', agentShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(agents, 'pool')

/** Functions of `ownedRows` for the agents of a pool. Lists are in creation order. */
export const { of: agentsOf, withId: agentWithId, dropAll: dropAgents } = rows

/**
 * Name of the job that continues the queued runs of an agent pool after an agent of the pool became
 * idle. The job's id is the pool's id.
 */
export const agentFreedJob = 'platform.agent-freed'

/**
 * Name of the job that continues or fails an agent's run after a forced transition of the agent.
 * The job's id is the agent's id.
 */
export const agentMovedJob = 'platform.agent-moved'

/**
 * Stores a new status of an agent, together with the members in `ping`, such as `last_ping_at`. If
 * the new status is `idle` and the option `agentsRequired` is set, schedules the job that continues
 * the runs that wait for an agent. Must run inside a transaction.
 */
export function setAgentStatus(
  world: World,
  agent: Agent,
  status: Agent['status'],
  ping = {},
): void {
  rows.put(world, { ...agent, status, ...ping })
  scheduleRunsIfIdle(world, { ...agent, status })
}

function scheduleRunsIfIdle(world: World, { pool, status }: Agent): void {
  if (status !== 'idle' || !optionsOf(world).agentsRequired) return
  world.agenda.schedule({ at: world.clock.now(), job: agentFreedJob, id: pool })
}

/**
 * Returns the status that the API reports. With the option `agentsLost`, agents that are idle or
 * busy are reported as unknown.
 */
export function shownStatus(world: World, { status }: Agent): Agent['status'] {
  const isAlive = status === 'idle' || status === 'busy'
  return isAlive && optionsOf(world).agentsLost ? 'unknown' : status
}

/**
 * Adds an agent; its status is `idle` unless `agent` contains a status. If the agent is idle and
 * the option `agentsRequired` is set, schedules the job that continues the runs that wait for an
 * agent. Must run inside a transaction.
 */
export function addAgent(
  world: World,
  agent: Pick<Agent, 'pool'> & Partial<Pick<Agent, 'name' | 'status' | 'ip_address'>>,
): Agent {
  const added = rows.put(world, {
    id: newId(world, 'agent'),
    name: null,
    status: 'idle',
    ip_address: '127.0.0.1',
    last_ping_at: world.clock.now(),
    ...agent,
  })
  scheduleRunsIfIdle(world, added)
  return added
}

const goneStatuses: readonly string[] = ['errored', 'exited']

export function isAgentGone({ status }: Agent): boolean {
  return goneStatuses.includes(status)
}

/** Returns the number of agents of a pool that are neither errored nor exited. */
export function countAgents(world: World, pool: string): number {
  return agentsOf(world, pool).filter((agent) => !isAgentGone(agent)).length
}

/** Deletes an agent. Throws `agent-works` if the API reports the agent as idle or busy. */
export function deleteAgent(world: World, agent: Agent): void {
  const status = shownStatus(world, agent)
  if (status === 'idle' || status === 'busy') throw refuse('agent-works')
  world.write(() => rows.drop(world, agent))
}

/**
 * Forced transition of agents through `/_mock/transitions`. If the option `agentsRequired` is set,
 * runs change agents to `busy` and back to `idle`. An agent gets any other status only from a
 * forced transition, a fixture or the control call that adds the agent.
 */
export const agentTransition = forcedTransition({
  subject: 'agent',
  table: agents,
  kind: 'platform.agent',
  summary: 'Agents of pools, which change their status only if forced.',
  targets: agentStatuses,
  reachableTargets: (_world, { status }) => agentStatuses.filter((other) => other !== status),
  move(world, agent, status) {
    const last_ping_at = world.clock.now()
    world.write(() => {
      setAgentStatus(world, agent, status, { last_ping_at })
      world.agenda.schedule({ at: last_ping_at, job: agentMovedJob, id: agent.id })
    })
  },
})
