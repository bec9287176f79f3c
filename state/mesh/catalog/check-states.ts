import type { World } from '../../kernel/worlds/world.ts'
import { agentCheck, setCheckState } from '../agent/registry.ts'
import { optionsOf } from '../options.ts'
import { type CatalogCheck, nodeKey } from './tables.ts'
import { storeCheck } from './writes.ts'

/**
 * Sets the status and output of a check in the catalog. If the agent has the check, also sets its
 * status and output in the agent, and restarts its TTL. Must run inside a transaction.
 */
export function forceCheckState(
  world: World,
  check: CatalogCheck,
  state: Pick<CatalogCheck, 'status' | 'output'>,
): void {
  const { create_index: _, modify_index: __, ...content } = check
  const isOwn = nodeKey(check.node) === nodeKey(optionsOf(world).nodeName)
  const atAgent = isOwn ? agentCheck(world, check.namespace, check.check_id) : undefined
  if (atAgent === undefined) storeCheck(world, { ...content, ...state })
  else setCheckState(world, atAgent, state)
}
