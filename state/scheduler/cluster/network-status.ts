import type { World } from '../../kernel/world.ts'
import type { NetworkStatus } from './allocated-shapes.ts'
import type { Allocation } from './allocation-shapes.ts'
import { allocationsOnNode } from './node-allocations.ts'

/** An allocation without a network of its own. */
const hostStatus: NetworkStatus = { InterfaceName: '', Address: '', AddressIPv6: '', DNS: null }

/**
 * Tells the network of an allocation once its client reports: a bridge gives each on its node an address
 * of its own (3b-scheduler-decisions.md section 7, Objects).
 */
export function networkStatusOf(world: World, allocation: Allocation): NetworkStatus {
  const { AllocatedResources, NodeID, NetworkStatus } = allocation
  if (NetworkStatus !== null) return NetworkStatus
  const isBridge = AllocatedResources.Shared.Networks?.some(({ Mode }) => Mode === 'bridge')
  if (isBridge !== true) return hostStatus
  const used = new Set(
    allocationsOnNode(world, NodeID).map((other) => other.NetworkStatus?.Address ?? ''),
  )
  let host = 2
  while (used.has(addressAt(host))) host++
  return { ...hostStatus, InterfaceName: 'eth0', Address: addressAt(host) }
}

/** The bridge's network has 20 bits; its first address is the bridge. */
function addressAt(host: number): string {
  return `172.26.${64 + (host >> 8)}.${host & 0xff}`
}
