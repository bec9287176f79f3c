import { defineRule } from '../../kernel/store/rules.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  type CatalogCheck,
  catalogChecks,
  catalogServices,
  instanceKey,
} from '../catalog/tables.ts'
import {
  checksOfService,
  dropCheck,
  dropService,
  storeCheck,
  storeService,
} from '../catalog/writes.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { milliseconds, optionsOf } from '../options.ts'
import { ensureOwnNode, nextPassAt } from '../server.ts'
import {
  callJobs,
  recordCallResult,
  restartCalls,
  stopCalls,
  type WaitingCall,
} from './check-calls.ts'
import {
  type AgentCheck,
  type AgentService,
  agentChecks,
  agentRowKey,
  agentServices,
} from './tables.ts'

const ttlJob = 'mesh.check-ttl'
const reapJob = 'mesh.service-reap'

export function agentService(
  world: World,
  namespace: string,
  id: string,
): AgentService | undefined {
  return world.table(agentServices).get(agentRowKey(namespace, id))
}

export function agentCheck(world: World, namespace: string, id: string): AgentCheck | undefined {
  return world.table(agentChecks).get(agentRowKey(namespace, id))
}

/** Returns the agent's checks of a service or, if `id` is empty, of the node. */
export function agentChecksOf(world: World, namespace: string, id: string): readonly AgentCheck[] {
  return [
    ...world
      .table(agentChecks)
      .index('byService')
      .rows(`${agentRowKey(namespace, id)}/`),
  ]
}

/** Copies a service of the agent to the catalog. Must run inside a transaction. */
export function syncService(world: World, service: AgentService): void {
  const { token: _, sidecar_of: __, ...content } = service
  storeService(world, { node: ensureOwnNode(world), ...content })
}

/**
 * Copies a check of the agent to the catalog. If the catalog lacks the service of the check, copies
 * the service first. Must run inside a transaction.
 */
export function syncCheck(world: World, check: AgentCheck): void {
  const {
    ttl: _ttl,
    alias_node: _node,
    alias_service: _service,
    deregister_after: _after,
    output_limit: _limit,
    token: _token,
    call: _call,
    ...content
  } = check
  const node = ensureOwnNode(world)
  const service =
    check.service_id === '' ? undefined : agentService(world, check.namespace, check.service_id)
  const isServiceMissing = !world
    .table(catalogServices)
    .has(instanceKey(node, check.namespace, check.service_id))
  if (service !== undefined && isServiceMissing) syncService(world, service)
  storeCheck(world, { node, ...content })
}

/**
 * Stores a service in the agent and in the catalog, and updates the service's name and tags in its
 * checks. Must run inside a transaction.
 */
export function putAgentService(world: World, service: AgentService): void {
  world.table(agentServices).put(agentRowKey(service.namespace, service.id), service)
  syncService(world, service)
  for (const check of agentChecksOf(world, service.namespace, service.id)) {
    const content = { service_name: service.name, service_tags: service.tags }
    writeCheck(world, { ...check, ...content })
  }
}

function writeCheck(world: World, check: AgentCheck): void {
  world.table(agentChecks).put(agentRowKey(check.namespace, check.check_id), check)
  syncCheck(world, check)
}

/**
 * Registers a check at the agent and in the catalog, and restarts its TTL and its calls. An
 * existing check keeps its status and output. An alias check gets the status and output of the
 * checks that it follows. If the check is critical and has `deregister_after`, schedules the
 * removal of its service. Must run inside a transaction.
 */
export function putAgentCheck(world: World, check: AgentCheck): void {
  const before = agentCheck(world, check.namespace, check.check_id)
  const state = before === undefined ? {} : { status: before.status, output: before.output }
  const alias = check.alias_service === undefined ? {} : aliasState(world, check)
  const stored = { ...check, ...state, ...alias }
  writeCheck(world, stored)
  restartTtl(world, stored)
  restartCalls(world, stored)
  updateReapJob(world, stored, true)
}

/**
 * Sets the status and output of a check and restarts its TTL. If the status changes, schedules or
 * cancels the removal of the check's service. Must run inside a transaction.
 */
export function setCheckState(
  world: World,
  check: AgentCheck,
  state: Pick<AgentCheck, 'status' | 'output'>,
): void {
  const updatedCheck = { ...check, ...state }
  const isChanged = check.status !== state.status || check.output !== state.output
  if (isChanged) writeCheck(world, updatedCheck)
  restartTtl(world, updatedCheck)
  if (check.status !== state.status) updateReapJob(world, updatedCheck)
}

/**
 * Counts the result of a call and schedules the next call. The status of the check changes after as
 * many consecutive results as the check requires (behaviour/mesh#agent-checks). Does nothing if the
 * check was removed or registered again during the call.
 */
export function storeCallResult(
  world: World,
  waitingCall: WaitingCall,
  { status, output }: Pick<AgentCheck, 'status' | 'output'>,
): void {
  world.write(() => {
    const isSuccess = status !== 'critical'
    const consecutiveResults = recordCallResult(world, waitingCall, isSuccess)
    const check = world.table(agentChecks).get(waitingCall.key)
    if (consecutiveResults === undefined || check === undefined) return
    const { failures_before_critical: failureLimit, failures_before_warning } = waitingCall.call
    if (isSuccess) {
      if (consecutiveResults.successes < waitingCall.call.successes_before_passing) return
      setCheckState(world, check, { status, output })
    } else if (consecutiveResults.failures >= failureLimit)
      setCheckState(world, check, { status, output })
    else if (consecutiveResults.failures >= (failures_before_warning || failureLimit)) {
      setCheckState(world, check, { status: 'warning', output })
    }
  })
}

function restartTtl(world: World, { namespace, check_id, ttl }: AgentCheck): void {
  const id = agentRowKey(namespace, check_id)
  if (ttl === undefined) world.agenda.cancel(ttlJob, id)
  else world.agenda.schedule({ at: world.clock.now() + ttl, job: ttlJob, id })
}

/**
 * Schedules the removal of a critical check's service. Cancels the removal if the check is not
 * critical, has no service, or has no `deregister_after`.
 *
 * @param keepsScheduled true to keep the time of a removal that is already scheduled
 */
function updateReapJob(world: World, check: AgentCheck, keepsScheduled = false): void {
  const { namespace, check_id, status, deregister_after: after, service_id } = check
  const id = agentRowKey(namespace, check_id)
  if (status !== 'critical' || after === undefined || service_id === '') {
    world.agenda.cancel(reapJob, id)
    return
  }
  if (keepsScheduled && world.agenda.find(reapJob, id) !== undefined) return
  const { deregisterMinimum, reapInterval } = optionsOf(world)
  const delay = Math.max(after, milliseconds(deregisterMinimum))
  const at = nextPassAt(world, milliseconds(reapInterval), world.clock.now() + delay)
  world.agenda.schedule({ at, job: reapJob, id })
}

/** Removes a check from the agent and from the catalog. Must run inside a transaction. */
export function removeAgentCheck(world: World, { namespace, check_id }: AgentCheck): void {
  const id = agentRowKey(namespace, check_id)
  world.table(agentChecks).delete(id)
  world.agenda.cancel(ttlJob, id)
  world.agenda.cancel(reapJob, id)
  stopCalls(world, id)
  const { nodeName } = optionsOf(world)
  const row = world.table(catalogChecks).get(instanceKey(nodeName, namespace, check_id))
  if (row !== undefined) dropCheck(world, row)
}

/**
 * Removes a service from the agent and from the catalog, with its checks and its sidecar. Must run
 * inside a transaction.
 */
export function removeAgentService(world: World, { namespace, id }: AgentService): void {
  for (const check of agentChecksOf(world, namespace, id)) removeAgentCheck(world, check)
  world.table(agentServices).delete(agentRowKey(namespace, id))
  const { nodeName } = optionsOf(world)
  const row = world.table(catalogServices).get(instanceKey(nodeName, namespace, id))
  if (row !== undefined) dropService(world, row)
  const sidecar = agentService(world, namespace, `${id}-sidecar-proxy`)
  if (sidecar?.sidecar_of === id) removeAgentService(world, sidecar)
}

/**
 * Removes a namespace's services and their checks from the agent and from the catalog, because the
 * namespace is being removed. Returns whether there were any services.
 */
export function removeServices(world: World, namespace: string): boolean {
  const key = namespaceKey(namespace)
  const isInRemovedNamespace = (row: { readonly namespace: string }) =>
    namespaceKey(row.namespace) === key
  const removedAgentServices = [...world.table(agentServices).rows(`${key}/`)]
  const removedCatalogServices = [...world.table(catalogServices).rows()].filter(
    isInRemovedNamespace,
  )
  world.write(() => {
    for (const service of removedAgentServices) removeAgentService(world, service)
    for (const { node, namespace: location, id } of removedCatalogServices) {
      const service = world.table(catalogServices).get(instanceKey(node, location, id))
      if (service !== undefined) dropService(world, service)
    }
  })
  return removedCatalogServices.length > 0 || removedAgentServices.length > 0
}

/**
 * Jobs of the agent: expired TTLs, calls of checks, and removals of services whose checks stay
 * critical.
 */
export const agentJobs: Readonly<Record<string, JobHandler>> = {
  ...callJobs,
  [ttlJob]: (world, { id }) => {
    const check = world.table(agentChecks).get(id)
    if (check === undefined) return
    const { output } = check
    const isExpired = output.startsWith('TTL expired')
    const prefix = 'TTL expired (last output before timeout follows): '
    const expiredOutput = output === '' ? 'TTL expired' : prefix + output
    const updatedCheck = {
      ...check,
      status: 'critical',
      output: isExpired ? output : expiredOutput,
    }
    writeCheck(world, updatedCheck)
    if (check.status !== 'critical') updateReapJob(world, updatedCheck)
  },
  [reapJob]: (world, { id }) => {
    const check = world.table(agentChecks).get(id)
    const service = check && agentService(world, check.namespace, check.service_id)
    if (service !== undefined) removeAgentService(world, service)
  },
}

/**
 * Rule that updates the alias checks of the agent after every change of the checks that they
 * follow.
 */
export const aliasRule = defineRule<World, typeof catalogChecks>({
  name: 'alias checks follow their services',
  tables: [catalogChecks],
  apply(world) {
    let isStable = false
    // If an alias follows another alias, it changes one round after that alias. The limit ends the
    // rounds of aliases that follow each other in a cycle.
    const aliases = [...world.table(agentChecks).index('byAlias').rows()]
    for (let round = 0; !isStable && round < aliases.length; round++) {
      isStable = true
      for (const { namespace, check_id } of aliases) {
        const check = agentCheck(world, namespace, check_id)
        if (check === undefined) continue
        const state = aliasState(world, check)
        if (state.status === check.status && state.output === check.output) continue
        setCheckState(world, check, state)
        isStable = false
      }
    }
  },
})

/**
 * Returns the state of an alias check, which follows the worst check of its service or node
 * (behaviour/mesh#agent-checks). An alias check ignores itself.
 */
function aliasState(
  world: World,
  { namespace, check_id, alias_node, alias_service = '' }: AgentCheck,
): Pick<CatalogCheck, 'status' | 'output'> {
  const { nodeName } = optionsOf(world)
  const node = alias_node ?? nodeName
  const location = alias_service === '' ? defaultNamespace : namespace
  const selfKey = instanceKey(nodeName, namespace, check_id)
  const targets = checksOfService(world, { node, namespace: location, id: alias_service }).filter(
    (check) => instanceKey(check.node, check.namespace, check.check_id) !== selfKey,
  )
  if (targets.length === 0) return { status: 'passing', output: 'No checks found.' }
  for (const status of ['critical', 'warning']) {
    const worstCheck = targets.find((check) => check.status === status)
    if (worstCheck === undefined) continue
    return { status, output: `Aliased check "${worstCheck.name}" failing: ${worstCheck.output}` }
  }
  return { status: 'passing', output: 'All checks passing.' }
}
