import type { World } from '../../kernel/worlds/world.ts'
import { agentPoolWithId } from '../agents/agent-pools.ts'
import { type Agent, agentsOf, agentWithId, setAgentStatus } from '../agents/agents.ts'
import { optionsOf } from '../options.ts'
import { executionOf } from '../workspaces/execution.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { queueOf } from './queue.ts'
import type { Run } from './runs.ts'

/**
 * Returns the id of the agent pool of a run. Returns an empty id if the workspace uses agents but
 * no pool is set, and undefined if agents do not execute the run.
 */
function poolOf(world: World, { workspace: id }: Pick<Run, 'workspace'>): string | undefined {
  const workspace = workspaceWithId(world, id)
  if (workspace === undefined) return undefined
  const { mode, pool } = executionOf(world, workspace)
  return mode === 'agent' ? (pool ?? '') : undefined
}

function idleAgentOf(world: World, pool: string): Agent | undefined {
  return agentsOf(world, pool).find(({ status }) => status === 'idle')
}

/** Returns whether an agent is busy with a run that has this status. */
function isExecuting(status: Run['status']): boolean {
  return status === 'planning' || status === 'applying'
}

/**
 * Returns whether a run must wait for an agent. A queued run waits until an agent is idle. A run
 * that is planning or applying waits until its lost agent is back (behaviour/platform#agents).
 */
export function lacksAgent(world: World, run: Run): boolean {
  const { agentsRequired, agentsLost } = optionsOf(world)
  if (!agentsRequired && !agentsLost) return false
  if (isExecuting(run.status)) {
    const agent = run.agent === undefined ? undefined : agentWithId(world, run.agent)
    return agent !== undefined && (agentsLost || agent.status === 'unknown')
  }
  if (run.status !== 'plan_queued' && run.status !== 'apply_queued') return false
  const pool = poolOf(world, run)
  if (pool === undefined) return false
  return agentsLost || idleAgentOf(world, pool) === undefined
}

/**
 * Makes the busy agent of a run idle again when the run stops planning or applying. With the option
 * `agentsRequired`, makes an idle agent of the pool busy when the run starts to plan or apply.
 * Returns the new member `agent` of the run, or an empty object if no agent becomes busy. Must run
 * inside a transaction.
 */
export function updateAgent(world: World, run: Run, from: Run['status']): Pick<Run, 'agent'> {
  if (isExecuting(from) && run.agent !== undefined) {
    const agent = agentWithId(world, run.agent)
    if (agent?.status === 'busy') setAgentStatus(world, agent, 'idle')
  }
  const pool = optionsOf(world).agentsRequired ? poolOf(world, run) : undefined
  const agent = pool === undefined ? undefined : idleAgentOf(world, pool)
  if (!isExecuting(run.status) || agent === undefined) return {}
  setAgentStatus(world, agent, 'busy')
  return { agent: agent.id }
}

/**
 * Returns the queued runs that the idle agents of a pool can execute, at most one for each agent,
 * in queue order.
 */
export function runsForAgents(world: World, pool: string): Run[] {
  const { organization = '' } = { ...agentPoolWithId(world, pool) }
  const idleAgents = agentsOf(world, pool).filter(({ status }) => status === 'idle')
  return queueOf(world, organization)
    .filter((run) => run.status === 'plan_queued' || run.status === 'apply_queued')
    .filter((run) => poolOf(world, run) === pool)
    .slice(0, idleAgents.length)
}

/** Returns the run that an agent is planning or applying; undefined if the agent is not busy. */
export function runOfAgent(world: World, { id, pool }: Agent): Run | undefined {
  const { organization = '' } = { ...agentPoolWithId(world, pool) }
  return queueOf(world, organization).find((run) => run.agent === id && isExecuting(run.status))
}

/** Returns a run with an outcome in which its plan or apply fails because the agent was lost. */
export function withLostAgent(run: Run, { status }: Agent): Run {
  const part = run.status === 'planning' ? 'plan' : 'apply'
  const error = {
    summary: 'Agent lost',
    detail: `The agent ${status === 'exited' ? 'exited' : 'failed'} during the ${part}.`,
  }
  return { ...run, outcome: { ...run.outcome, [part]: 'errored', error } }
}
