import type { World } from '../../../kernel/worlds/world.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import { allNodes, isReady } from '../nodes/nodes.ts'
import { meetsConstraint } from './constraints.ts'

/** Tells whether a datacenter is among those that a job names; `*` and `?` are wildcards. */
export function matchesDatacenters(
  datacenter: string,
  patterns: readonly string[] | null,
): boolean {
  return (patterns ?? []).some((pattern) => matchesGlob(datacenter, pattern))
}

/** Wildcards without regular expressions: linear but for one step back to the last star. */
function matchesGlob(formatConstraint: string, pattern: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let read = 0
  while (at < formatConstraint.length) {
    const wanted = pattern[read]
    if (wanted === '*') {
      star = read
      resume = at
      read += 1
    } else if (wanted === '?' || wanted === formatConstraint[at]) {
      at += 1
      read += 1
    } else if (star >= 0) {
      resume += 1
      at = resume
      read = star + 1
    } else return false
  }
  while (pattern[read] === '*') read += 1
  return read === pattern.length
}

/** Tells whether a node belongs to a pool; every node belongs to `all`. */
function isInPool(node: Node, pool: string): boolean {
  return pool === 'all' || pool === '' || node.NodePool === pool
}

/** The nodes that a job may be placed on, before its constraints are asked. */
export interface CandidateNodes {
  /** Ready nodes of the job's pool and datacenters. */
  readonly nodes: readonly Node[]
  /** Ready nodes of the pool. */
  readonly poolSize: number
  /** Candidates by datacenter. */
  readonly countByDatacenter: Readonly<Record<string, number>>
}

/** The nodes that a job may be placed on. */
export function candidateNodes(world: World, job: Job): CandidateNodes {
  const pool = allNodes(world).filter((node) => isReady(node) && isInPool(node, job.NodePool))
  const nodes = pool.filter(({ Datacenter }) => matchesDatacenters(Datacenter, job.Datacenters))
  const counts = new Map<string, number>()
  for (const { Datacenter } of nodes) counts.set(Datacenter, (counts.get(Datacenter) ?? 0) + 1)
  return { nodes, poolSize: pool.length, countByDatacenter: Object.fromEntries(counts) }
}

/** The reason that counts nodes without a driver. */
const missingDrivers = 'missing drivers'

function formatConstraint({ LTarget, Operand, RTarget }: Constraint): string {
  return `${LTarget} ${Operand} ${RTarget}`
}

/** Why a node is nothing for a group, whoever is on it; undefined when it fits. */
export function infeasibilityReason(job: Job, group: TaskGroup, node: Node): string | undefined {
  const tasks = group.Tasks ?? []
  const firstUnmet = (constraints: readonly Constraint[] | null) =>
    (constraints ?? []).find((constraint) => !meetsConstraint(node, constraint))
  const unmetByJob = firstUnmet(job.Constraints)
  if (unmetByJob !== undefined) return formatConstraint(unmetByJob)
  if (!tasks.every(({ Driver }) => hasDriver(node, Driver))) return missingDrivers
  const unmetByGroup = firstUnmet([
    ...(group.Constraints ?? []),
    ...tasks.flatMap(({ Constraints }) => Constraints ?? []),
  ])
  return unmetByGroup === undefined ? undefined : formatConstraint(unmetByGroup)
}

/** The neutral name of a driver goes for the vendor's as well (behaviour/scheduler#vendor-names). */
const driverAliases: ReadonlyMap<string, string> = new Map([['mock_driver', 'mock']])

function hasDriver({ Drivers }: Node, driver: string): boolean {
  const found = [driver, driverAliases.get(driver) ?? driver].find(
    (name) => Drivers !== null && Object.hasOwn(Drivers, name),
  )
  const info = found === undefined ? undefined : Drivers?.[found]
  return info?.Detected === true && info.Healthy
}

/** The resources of a node that a group takes, in the units of a task's resources. */
export interface ResourceAmounts {
  readonly cpu: number
  readonly memory: number
  readonly disk: number
}

/** Returns what an allocation of a group takes of its node. */
export function groupDemand(group: TaskGroup | undefined): ResourceAmounts {
  let cpu = 0
  let memory = 0
  for (const { Resources } of group?.Tasks ?? []) {
    cpu += Resources?.CPU ?? 0
    memory += Resources?.MemoryMB ?? 0
  }
  return { cpu, memory, disk: group?.EphemeralDisk?.SizeMB ?? 0 }
}

/** The group that an allocation is of, as its version of the job has it. */
export function groupOf({ Job, TaskGroup }: Allocation): TaskGroup | undefined {
  return Job?.TaskGroups?.find(({ Name }) => Name === TaskGroup)
}
