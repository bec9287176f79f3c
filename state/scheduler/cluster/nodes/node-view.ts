import { createHash } from 'node:crypto'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { ports } from '../../agent/server.ts'
import { legacyResourceFields } from '../allocations/allocation-resources.ts'
import { allAllocationsOnNode } from '../allocations/node-allocations.ts'
import type { Node, nodeShape } from '../model/node-shapes.ts'
import { nodeResources, noReservedResources } from './node-resources.ts'

type NodeView = StoredOf<typeof nodeShape>

/** A node in full, as it is now (behaviour/scheduler#node-endpoints). */
export function nodeView(world: World, node: Node): NodeView {
  // Who waits for a node does not wait for what is on it.
  const LastAllocUpdateIndex = world.unobserved(() => lastReportIndex(world, node))
  return { ...nodeDetails(world, node), LastAllocUpdateIndex }
}

/** The same without what its allocations say of it: what lists and their filters look at. */
export function nodeDetails(world: World, node: Node): NodeView {
  return world.derived(node, buildNodeDetails)
}

/** The index at which the node's client last told of an allocation; 0 when it never did. */
function lastReportIndex(world: World, { ID }: Node): number {
  const reported = allAllocationsOnNode(world, ID).filter(({ TaskStates }) => TaskStates !== null)
  return reported.reduce((last, { ModifyIndex }) => Math.max(last, ModifyIndex), 0)
}

function buildNodeDetails(node: Node): NodeView {
  const { Capacity: _capacity, Version: _version, Drivers, ...members } = node
  return {
    DrainStrategy: null,
    Events: null,
    LastMissedHeartbeatIndex: 0,
    ...members,
    SecretID: '',
    Drivers: Object.fromEntries(
      Object.entries(Drivers ?? {}).map(([name, driver]) => [
        name,
        { ...driver, Attributes: { [`driver.${name}`]: 'true' } },
      ]),
    ),
    Links: {},
    ComputedClass: computedClass(node),
    HTTPAddr: `${node.Address}:${ports.HTTP}`,
    TLSEnabled: false,
    NodeResources: nodeResources(node),
    ReservedResources: noReservedResources,
    Resources: legacyResourceFields({}),
    Reserved: legacyResourceFields({}),
    LastAllocUpdateIndex: 0,
    CgroupParent: 'sched.slice',
    HostNetworks: null,
    CSIControllerPlugins: {},
    CSINodePlugins: {},
  }
}

/** One name for all nodes that are alike, whatever is theirs alone. */
function computedClass({ Datacenter, NodeClass, NodePool, Attributes, Meta }: Node): string {
  const sharedEntries = (members: Node['Meta']) =>
    Object.entries(members ?? {})
      .filter(([key]) => !key.startsWith('unique.'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  const classKey = JSON.stringify([
    Datacenter,
    NodeClass,
    NodePool,
    sharedEntries(Attributes),
    sharedEntries(Meta),
  ])
  return `v1:${createHash('sha256').update(classKey).digest().readBigUInt64BE()}`
}
