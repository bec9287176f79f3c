import { emptyValueOf } from '../../../kernel/shape/fill-defaults.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { dynamicPorts } from '../allocations/free-ports.ts'
import {
  type Node,
  type NodeCapacity,
  type nodeResourcesShape,
  reservedResourcesShape,
} from '../model/node-shapes.ts'

/** Capacity that a node without limits reports. */
const defaultCapacity: NodeCapacity = { CPU: 4000, MemoryMB: 8192, DiskMB: 100_000 }

/**
 * Returns the capacity that a node reports. A node without limits reports `defaultCapacity`, but
 * accepts any number of allocations.
 */
export function nodeCapacity({ Capacity }: Pick<Node, 'Capacity'>): NodeCapacity {
  return Capacity ?? defaultCapacity
}

export function processorCount({ Attributes }: Pick<Node, 'Attributes'>): number {
  return Math.max(1, Number(Attributes?.['cpu.numcores'] ?? 1) || 1)
}

export function nodeResources(node: Node): StoredOf<typeof nodeResourcesShape> {
  const { CPU, MemoryMB, DiskMB } = nodeCapacity(node)
  const count = processorCount(node)
  const processors = Array.from({ length: count }, (_, at) => at)
  const Device = 'eth0'
  return {
    Cpu: { CpuShares: CPU, TotalCpuCores: count, ReservableCpuCores: processors },
    Memory: { MemoryMB },
    Disk: { DiskMB },
    Devices: null,
    MinDynamicPort: dynamicPorts.first,
    MaxDynamicPort: dynamicPorts.last,
    Networks: [{ Mode: 'host', Device, CIDR: `${node.Address}/32`, IP: node.Address, MBits: 1000 }],
    NodeNetworks: [
      {
        Mode: 'host',
        Device,
        MacAddress: '',
        Speed: 1000,
        Addresses: [
          {
            Family: 'ipv4',
            Alias: 'default',
            Address: node.Address,
            ReservedPorts: '',
            Gateway: '',
          },
        ],
      },
    ],
    Processors: {
      Topology: {
        Distances: [[10]],
        Cores: processors.map((ID) => ({
          SocketID: 0,
          NodeID: 0,
          ID,
          Grade: true,
          Disable: false,
          BaseSpeed: Math.floor(CPU / count),
          MaxSpeed: 0,
          GuessSpeed: 0,
        })),
        OverrideTotalCompute: 0,
        OverrideWitholdCompute: 0,
        BusAssociativity: null,
      },
    },
  }
}

/** Reserved resources of every node. All amounts are 0. */
export const noReservedResources = emptyValueOf(reservedResourcesShape)
