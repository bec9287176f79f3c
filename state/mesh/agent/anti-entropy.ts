import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { catalogServices, instanceKey, nodeKey } from '../catalog/tables.ts'
import { checksOfNode, dropCheck, dropService, servicesOfNode } from '../catalog/writes.ts'
import { milliseconds, optionsOf } from '../options.ts'
import { nextPassAt, restoreServer, serfHealth, storeOwnNode } from '../server.ts'
import { agentCheck, agentService, syncCheck, syncService } from './registry.ts'
import { agentChecks, agentServices } from './tables.ts'

const syncJob = 'mesh.anti-entropy'

/**
 * Schedules the next anti-entropy pass after a write to the catalog. Does nothing in these cases:
 * the write does not concern the agent's node; a pass is already scheduled; `antiEntropyInterval`
 * is `manual`. Must run inside a transaction.
 */
export function scheduleSync(world: World, node: string): void {
  const { antiEntropyInterval, nodeName } = optionsOf(world)
  if (nodeKey(node) !== nodeKey(nodeName) || antiEntropyInterval === 'manual') return
  if (world.agenda.find(syncJob, '') !== undefined) return
  const at = nextPassAt(world, milliseconds(antiEntropyInterval), world.clock.now())
  world.agenda.schedule({ at, job: syncJob, id: '' })
}

/**
 * Writes the agent's node, services and checks to the catalog. Removes the node's services and
 * checks that the agent does not have. The tags of a service with `EnableTagOverride` keep their
 * values from the catalog.
 */
function syncAgent(world: World): void {
  storeOwnNode(world)
  restoreServer(world)
  const { nodeName } = optionsOf(world)
  for (const service of servicesOfNode(world, nodeName)) {
    const isKnown = service.id === '' || agentService(world, service.namespace, service.id)
    if (!isKnown) dropService(world, service)
  }
  for (const check of checksOfNode(world, nodeName)) {
    const isKnown =
      check.check_id === serfHealth || agentCheck(world, check.namespace, check.check_id)
    if (!isKnown) dropCheck(world, check)
  }
  for (const service of [...world.table(agentServices).rows()]) {
    const location = instanceKey(nodeName, service.namespace, service.id)
    const tags = world.table(catalogServices).get(location)?.tags ?? service.tags
    syncService(world, service.enable_tag_override ? { ...service, tags } : service)
  }
  for (const check of [...world.table(agentChecks).rows()]) syncCheck(world, check)
}

/** Handler of the anti-entropy job. */
export const antiEntropyJobs: Readonly<Record<string, JobHandler>> = { [syncJob]: syncAgent }
