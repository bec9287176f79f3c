import type { World } from '../../../kernel/worlds/world.ts'
import type { Allocation, NetworkStatus } from '../model/allocation-shapes.ts'
import { allocations, bridgeAddress, hostPrefix } from '../model/tables.ts'

/** Network status of an allocation that uses the network of its node. */
const hostNetworkStatus: NetworkStatus = {
  InterfaceName: '',
  Address: '',
  AddressIPv6: '',
  DNS: null,
}

/**
 * Returns the network status that a client reports for an allocation. In the mode `bridge`, each
 * allocation has an address that is unique on its node (behaviour/scheduler#nodes).
 */
export function networkStatusOf(world: World, allocation: Allocation): NetworkStatus {
  const { AllocatedResources, NodeID, NetworkStatus } = allocation
  if (NetworkStatus !== null) return NetworkStatus
  const isBridge = AllocatedResources.Shared.Networks?.some(({ Mode }) => Mode === 'bridge')
  if (isBridge !== true) return hostNetworkStatus
  return {
    ...hostNetworkStatus,
    InterfaceName: 'eth0',
    Address: bridgeAddress(firstFreeHost(world, NodeID)),
  }
}

/** Returns the lowest free host number on a node's bridge. Number 1 is the bridge itself. */
function firstFreeHost(world: World, node: string): number {
  const prefix = hostPrefix(node)
  let candidate = 2
  for (const key of world.table(allocations).index('hosts').keys(prefix)) {
    const host = Number.parseInt(key.slice(prefix.length), 10)
    if (host > candidate) break
    candidate = Math.max(candidate, host + 1)
  }
  return candidate
}
