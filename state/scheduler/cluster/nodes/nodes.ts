import { list, map, name, nullable, text, textOf, uint, word } from '../../../kernel/shape/kinds.ts'
import { optional, struct } from '../../../kernel/shape/members.ts'
import type { InputOf } from '../../../kernel/shape/values.ts'
import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import { optionsOf } from '../../options.ts'
import { refuse } from '../model/messages.ts'
import type { Node, NodeEvent } from '../model/node-shapes.ts'
import { nodePools, nodes } from '../model/tables.ts'
import { addNodePool } from './node-pools.ts'

/** Maximum number of events that a node keeps. */
const maxNodeEvents = 10

/** Subsystem and message of each node event, copied from the reference. */
const nodeEventTexts = {
  registered: ['Cluster', 'Node registered'],
  missed: ['Cluster', 'Node heartbeat missed'],
  back: ['Cluster', 'Node reregistered by heartbeat'],
  eligible: ['Cluster', 'Node marked as eligible for scheduling'],
  ineligible: ['Cluster', 'Node marked as ineligible for scheduling'],
  drainSet: ['Drain', 'Node drain strategy set'],
  drainUpdated: ['Drain', 'Node drain strategy updated'],
  drainDisabled: ['Drain', 'Node drain disabled'],
  drainComplete: ['Drain', 'Node drain complete'],
} as const

export type NodeEventName = keyof typeof nodeEventTexts

/**
 * Returns the events of a new node: only its registration. As in the reference, the `CreateIndex`
 * of this event is 0.
 */
function initialEvents(world: World): readonly NodeEvent[] {
  return [{ ...newEvent(world, 'registered', null), CreateIndex: 0 }]
}

/**
 * Returns the events of a node with a new event at the end. Only the newest `maxNodeEvents` events
 * are kept.
 */
export function withEvent(
  world: World,
  { Events }: Pick<Node, 'Events'>,
  eventName: NodeEventName,
  details: NodeEvent['Details'] = null,
): readonly NodeEvent[] {
  return [...(Events ?? []), newEvent(world, eventName, details)].slice(-maxNodeEvents)
}

function newEvent(world: World, eventName: NodeEventName, Details: NodeEvent['Details']) {
  const [Subsystem, Message] = nodeEventTexts[eventName]
  const Timestamp = formatTimestamp(world.clock.now())
  return { Message, Subsystem, Details, Timestamp, CreateIndex: nextIndex(world) }
}

/** Drivers of a node whose settings have no `drivers` (behaviour/scheduler#nodes). */
export const defaultDrivers = ['docker', 'exec', 'raw_exec', 'java', 'qemu', 'podman', 'mock']

/** Value of the attribute that lists the signals a client can send to tasks. */
const signals =
  'SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGNULL,SIGPIPE,SIGPROF,SIGQUIT,SIGSEGV,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGWINCH,SIGXCPU,SIGXFSZ'

/** Network plugins that every node has by default, with their versions. */
const networkPlugins = [
  ['bridge', 'v1.6.2'],
  ['firewall', 'v1.6.2'],
  ['host-local', 'v1.6.2'],
  ['loopback', 'v1.6.2'],
  ['mesh-cni', 'v1.7.0'],
  ['portmap', 'v1.6.2'],
] as const

const capacityShape = struct({ cpu: uint, memory: uint, disk: uint })

/**
 * Settings from which `putNode` creates a node. `putNode` chooses the values of missing members.
 */
export const nodeSettingsShape = struct({
  id: optional(textOf({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })),
  name,
  address: optional(name),
  datacenter: optional(name),
  pool: optional(name),
  class: optional(text),
  drivers: optional(list(name)),
  /** Changes to the default attributes. Null removes an attribute. */
  attributes: optional(map(nullable(text))),
  meta: optional(map(text)),
  /** Without this member, the resources of the node are not limited. */
  capacity: optional(capacityShape),
  status: optional(word('initializing', 'ready', 'down', 'disconnected')),
  eligibility: optional(word('eligible', 'ineligible')),
})
export interface NodeSettings extends InputOf<typeof nodeSettingsShape> {}

function nodeAttributes(settings: NodeSettings, drivers: readonly string[], version: string) {
  const defaults: [string, string | null][] = [
    ['kernel.name', 'linux'],
    ['kernel.version', '6.1.0'],
    ['cpu.arch', 'amd64'],
    ['cpu.numcores', '4'],
    ['os.name', 'debian'],
    ['os.version', '12'],
    ['os.signals', signals],
    ['sched.version', version],
    ['sched.service_discovery', 'true'],
    ['mesh.version', '1.20.6'],
    ['mesh.grpc', '8502'],
    ['secrets.version', '1.18.5'],
    ...networkPlugins.map(([plugin, release]): [string, string] => [
      `plugins.cni.version.${plugin}`,
      release,
    ]),
    ['unique.hostname', settings.name],
    ...drivers.map((driver): [string, string] => [`driver.${driver}`, '1']),
  ]
  const all = new Map([...defaults, ...Object.entries(settings.attributes ?? {})])
  const present = Array.from(all).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(present)
}

/**
 * Adds or replaces a node, and adds the node's pool if the pool does not exist. The caller must
 * create evaluations if allocations are to be placed on the node. Must run inside a transaction.
 */
export function putNode(world: World, settings: NodeSettings): Node {
  const drivers = settings.drivers ?? defaultDrivers
  const updateTime = formatTimestamp(world.clock.now())
  const id = settings.id ?? world.ids.uuid()
  const driverInfo = {
    Attributes: null,
    Detected: true,
    Healthy: true,
    HealthDescription: 'Healthy',
    UpdateTime: updateTime,
  }
  const before = world.table(nodes).get(id)
  const pool = settings.pool ?? 'default'
  if (!world.table(nodePools).has(pool)) addNodePool(world, pool, '')
  const { capacity } = settings
  const { version } = optionsOf(world)
  return writeNode(world, {
    ID: id,
    Address: settings.address ?? '127.0.0.1',
    Datacenter: settings.datacenter ?? 'dc1',
    Name: settings.name,
    NodePool: pool,
    NodeClass: settings.class ?? '',
    Version: version,
    Drain: false,
    SchedulingEligibility: settings.eligibility ?? 'eligible',
    Status: settings.status ?? 'ready',
    StatusDescription: '',
    Drivers: Object.fromEntries(drivers.map((driver) => [driver, driverInfo])),
    HostVolumes: null,
    LastDrain: null,
    CreateIndex: before?.CreateIndex ?? nextIndex(world),
    ModifyIndex: 0,
    Attributes: nodeAttributes(settings, drivers, version),
    Meta: settings.meta ?? null,
    Capacity:
      capacity === undefined
        ? null
        : { CPU: capacity.cpu, MemoryMB: capacity.memory, DiskMB: capacity.disk },
    StatusUpdatedAt: Math.floor(world.clock.now() / 1000),
    Events: before?.Events ?? initialEvents(world),
  })
}

/** Stores a changed node with a new `ModifyIndex`. Must run inside a transaction. */
export function writeNode(world: World, node: Node): Node {
  const changed = { ...node, ModifyIndex: nextIndex(world) }
  world.table(nodes).put(node.ID, changed)
  return changed
}

/** Creates the three default nodes (behaviour/scheduler#nodes). Must run inside a transaction. */
export function seedNodes(world: World): void {
  for (const number of [1, 2, 3]) {
    putNode(world, { name: `sched-client-${number}`, address: `127.0.0.${number}` })
  }
}

export function allNodes(world: World): Node[] {
  return [...world.table(nodes).rows()]
}

/**
 * Returns the node with this ID.
 * @throws Refusal 404 if no node has the ID
 */
export function requireNode(world: World, id: string): Node {
  const node = world.table(nodes).get(id)
  if (node === undefined) throw refuse('node-not-found')
  return node
}

/** Returns true if new allocations may be placed on a node. */
export function isReady({ Status, SchedulingEligibility, Drain }: Node): boolean {
  return Status === 'ready' && SchedulingEligibility === 'eligible' && !Drain
}
