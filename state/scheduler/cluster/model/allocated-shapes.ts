import { any, goList, goMap, int, nullable, text } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { networkShape } from '../../job/scheduling-shapes.ts'
import { lifecycleShape } from '../../job/task-parts.ts'

/** A port allocated on a node. */
const allocatedPortShape = struct(
  'AllocatedPortMapping',
  { Label: text, Value: int, To: int, HostIP: text },
  { sparse: true },
)
export type AllocatedPort = StoredOf<typeof allocatedPortShape>

/** Resources assigned to an allocation (behaviour/scheduler#nodes). */
export const allocatedResourcesShape = struct('AllocatedResources', {
  Tasks: goMap(
    struct('AllocatedTaskResources', {
      Cpu: struct('AllocatedCpuResources', { CpuShares: int, ReservedCores: goList(int) }),
      Memory: struct('AllocatedMemoryResources', { MemoryMB: int, MemoryMaxMB: int }),
      Networks: goList(networkShape),
      Devices: any,
    }),
  ),
  TaskLifecycles: goMap(nullable(lifecycleShape)),
  Shared: struct('AllocatedSharedResources', {
    DiskMB: int,
    Networks: goList(networkShape),
    /** Reserved (static) ports first, then dynamic ones. */
    Ports: goList(allocatedPortShape),
  }),
})
export type AllocatedResources = StoredOf<typeof allocatedResourcesShape>

/** The network of an allocation as its client set it up. */
export const networkStatusShape = struct('AllocNetworkStatus', {
  InterfaceName: text,
  Address: text,
  AddressIPv6: text,
  DNS: any,
})
export type NetworkStatus = StoredOf<typeof networkStatusShape>
