import { isLoopbackHost } from '../../kernel/loopback.ts'
import { bool, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { type AgentCheck, agentChecks, agentRowKey, type CheckCall } from './tables.ts'

const callStateShape = struct({
  /** Number of the last call. Results of calls with other numbers are discarded. */
  number: uint,
  is_waiting: bool,
  /** Number of consecutive results that were passing or warning. */
  successes: uint,
  /** Number of consecutive critical results. */
  failures: uint,
})

interface CallState extends StoredOf<typeof callStateShape> {}

/** State of the calls of HTTP and TCP checks, by `agentRowKey` of the check. */
export const checkCalls = meshTable('check-calls', callStateShape, {
  secrets: 'none',
  keepsIndex: true,
})

const callJob = 'mesh.check-call'

const noCalls: CallState = { number: 0, is_waiting: false, successes: 0, failures: 0 }

/**
 * Returns whether the option `callChecks` allows a call to this target. The option allows any host,
 * only loopback hosts, or no host.
 */
export function mayCall(world: World, { kind, target }: Pick<CheckCall, 'kind' | 'target'>) {
  const { callChecks } = optionsOf(world)
  if (callChecks === 'any' || callChecks === false) return callChecks === 'any'
  if (kind === 'tcp') return isLoopbackHost(target.replace(/:[^:]*$/, ''))
  return URL.canParse(target) && isLoopbackHost(new URL(target).hostname)
}

/**
 * Stops the calls of a registered check. If the check makes calls and the option `callChecks`
 * allows them, schedules the first call for the present instant. Must run inside a transaction.
 */
export function restartCalls(world: World, check: AgentCheck): void {
  const key = agentRowKey(check.namespace, check.check_id)
  const { number } = world.table(checkCalls).get(key) ?? noCalls
  stopCalls(world, key)
  if (check.call === undefined || !mayCall(world, check.call)) return
  world.table(checkCalls).put(key, { ...noCalls, number: number + 1, is_waiting: true })
}

/**
 * Cancels the next call of a check, and discards the result of a call that is running. Must run
 * inside a transaction.
 */
export function stopCalls(world: World, key: string): void {
  world.table(checkCalls).delete(key)
  world.agenda.cancel(callJob, key)
}

/**
 * Handler of the job that runs when the next call of a check is due. The handler marks the call as
 * waiting; the server then makes the call.
 */
export const callJobs: Readonly<Record<string, JobHandler>> = {
  [callJob]: (world, { id }) => {
    const state = world.table(checkCalls).get(id)
    const call = world.table(agentChecks).get(id)?.call
    if (state === undefined || call === undefined || !mayCall(world, call)) return
    world.table(checkCalls).put(id, { ...state, number: state.number + 1, is_waiting: true })
  },
}

/** A call that is due. The server makes it outside the world's transactions. */
export interface WaitingCall {
  readonly key: string
  readonly number: number
  readonly check: AgentCheck
  readonly call: CheckCall
}

/** Returns the calls that are due and have no result yet. */
export function waitingCalls(world: World): readonly WaitingCall[] {
  const table = world.table(checkCalls)
  return [...world.table(agentChecks).entries()].flatMap(([key, check]) => {
    const state = table.get(key)
    if (state?.is_waiting !== true || check.call === undefined) return []
    return [{ key, number: state.number, check, call: check.call }]
  })
}

/**
 * Records the result of a call and schedules the next call. Returns the new numbers of consecutive
 * results. Returns undefined if the check was removed or registered again during the call. Must run
 * inside a transaction.
 */
export function recordCallResult(
  world: World,
  { key, number, call }: WaitingCall,
  isSuccess: boolean,
): Pick<CallState, 'successes' | 'failures'> | undefined {
  const state = world.table(checkCalls).get(key)
  if (state?.is_waiting !== true || state.number !== number) return undefined
  const successes = isSuccess ? state.successes + 1 : 0
  const failures = isSuccess ? 0 : state.failures + 1
  world.table(checkCalls).put(key, { number, is_waiting: false, successes, failures })
  const at = world.clock.now() + call.interval
  world.agenda.schedule({ at, job: callJob, id: key })
  return { successes, failures }
}
