import type { StoredOf } from '../../../kernel/shape/values.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { ports } from '../../agent/server.ts'
import { legacyResourceFields } from '../allocations/allocation-resources.ts'
import type { Node, nodeShape } from '../model/node-shapes.ts'
import { allAllocationsOnNode } from '../model/tables.ts'
import { computedClass } from './computed-class.ts'
import { nodeResources, noReservedResources } from './node-resources.ts'

type NodeView = StoredOf<typeof nodeShape>

/** Builds the reply for a single node (behaviour/scheduler#node-endpoints). */
export function nodeView(world: World, node: Node): NodeView {
  // The read is not observed, so that changes of allocations do not wake a blocking query for the
  // node.
  const LastAllocUpdateIndex = world.unobserved(() => lastReportIndex(world, node))
  return { ...nodeDetails(world, node), LastAllocUpdateIndex }
}

/**
 * Builds a node as `nodeView` does, but with 0 as `LastAllocUpdateIndex`. Lists and their filters
 * use this form.
 */
export function nodeDetails(world: World, node: Node): NodeView {
  return world.derived(node, buildNodeDetails)
}

/**
 * Returns the highest `ModifyIndex` among those allocations on the node whose task states a client
 * has reported. Returns 0 if the node has no such allocations.
 */
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
