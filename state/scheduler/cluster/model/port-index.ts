import { paddedNumber } from '../../keys.ts'
import type { Allocation } from './allocation-shapes.ts'
import { hasEnded } from './allocation-status.ts'

/**
 * The keys under which a node's ports and addresses are found that somebody has: whoever wants one looks
 * for those, and not through everything that is on the node.
 */

type NodeAllocation = Pick<Allocation, 'NodeID' | 'ID' | 'ClientStatus'>

/** A port of a node: what has it begins so. */
export function portPrefix(node: string, port: number): string {
  return `${node} ${port} `
}

/** The ports that an allocation has on its node until it has ended. */
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

/** The hosts of a node's bridge: what is one begins so. */
export function hostPrefix(node: string): string {
  return `${node} `
}

/** The place of an allocation among the hosts of its node's bridge, in their order, until it has ended. */
export function hostKey(
  row: NodeAllocation & Pick<Allocation, 'NetworkStatus'>,
): string | undefined {
  const address = addressPattern.exec(row.NetworkStatus?.Address ?? '')
  if (address === null || hasEnded(row)) return undefined
  const host = (Number(address[1]) - 64) * 256 + Number(address[2])
  return `${hostPrefix(row.NodeID)}${paddedNumber(host)} ${row.ID}`
}

/** The address of a host: the bridge's network has 20 bits; its first address is the bridge. */
export function bridgeAddress(host: number): string {
  return `172.26.${64 + (host >> 8)}.${host & 0xff}`
}

const addressPattern = /^172\.26\.(\d+)\.(\d+)$/
