import { paddedNumber } from '../../keys.ts'
import type { Allocation } from './allocation-shapes.ts'
import { hasEnded } from './allocation-status.ts'

/**
 * The members of an allocation that the index keys of ports and bridge addresses depend on. The
 * keys find the user of a port without a scan of all allocations on the node.
 */

type NodeAllocation = Pick<Allocation, 'NodeID' | 'ID' | 'ClientStatus'>

/** Returns the prefix of the index keys for a port of a node. */
export function portPrefix(node: string, port: number): string {
  return `${node} ${port} `
}

/** Returns the keys of an allocation's ports; none once it has ended. */
export function portKeys(
  row: NodeAllocation & Pick<Allocation, 'AllocatedResources'>,
): readonly string[] | undefined {
  const { Shared, Tasks } = row.AllocatedResources
  const networks = [Shared, ...Object.values(Tasks ?? {})].flatMap(
    (resources) => resources.Networks ?? [],
  )
  if (networks.length === 0 || hasEnded(row)) return undefined
  return networks.flatMap(({ ReservedPorts, DynamicPorts }) =>
    [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])].map(
      ({ Value }) => portPrefix(row.NodeID, Value) + row.ID,
    ),
  )
}

/** Returns the prefix of the index keys for the hosts on a node's bridge. */
export function hostPrefix(node: string): string {
  return `${node} `
}

/**
 * Returns the key of an allocation among the hosts of its node's bridge, in numeric order;
 * undefined once it has ended.
 */
export function hostKey(
  row: NodeAllocation & Pick<Allocation, 'NetworkStatus'>,
): string | undefined {
  const address = addressPattern.exec(row.NetworkStatus?.Address ?? '')
  if (address === null || hasEnded(row)) return undefined
  const host = (Number(address[1]) - 64) * 256 + Number(address[2])
  return `${hostPrefix(row.NodeID)}${paddedNumber(host)} ${row.ID}`
}

/**
 * Returns the address of a host on the bridge network, 172.26.64.0/20, whose first address is the
 * bridge.
 */
export function bridgeAddress(host: number): string {
  return `172.26.${64 + (host >> 8)}.${host & 0xff}`
}

const addressPattern = /^172\.26\.(\d+)\.(\d+)$/
