import { memoizeByKey } from '../../../kernel/memoize.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import { allNodes, isReady } from '../nodes/nodes.ts'
import { meetsConstraint } from './constraints.ts'

/** Returns true if a datacenter matches one of a job's patterns, which may contain `*` and `?`. */
export function matchesDatacenters(datacenter: string, patterns: readonly string[] | null) {
  return (patterns ?? []).some((pattern) => matchesGlob(datacenter, pattern))
}

/**
 * Returns true if a text matches a pattern with `*` and `?`, by the product's rules for
 * datacenters. These rules differ from those of the other globs in this program. To stay fast, the
 * function backtracks only to the last asterisk.
 */
function matchesGlob(text: string, pattern: string): boolean {
  let textAt = 0
  let starAt = -1
  let resumeAt = 0
  let patternAt = 0
  while (textAt < text.length) {
    const patternCharacter = pattern[patternAt]
    if (patternCharacter === '*') {
      starAt = patternAt
      resumeAt = textAt
      patternAt += 1
    } else if (patternCharacter === '?' || patternCharacter === text[textAt]) {
      textAt += 1
      patternAt += 1
    } else if (starAt >= 0) {
      resumeAt += 1
      textAt = resumeAt
      patternAt = starAt + 1
    } else return false
  }
  while (pattern[patternAt] === '*') patternAt += 1
  return patternAt === pattern.length
}

function isInPool(node: Node, pool: string): boolean {
  return pool === 'all' || pool === '' || node.NodePool === pool
}

/** Nodes on which a job may be placed, before its constraints are checked. */
export interface CandidateNodes {
  /** Ready nodes of the job's pool and datacenters. */
  readonly nodes: readonly Node[]
  /** Number of `nodes` by datacenter. */
  readonly countByDatacenter: Readonly<Record<string, number>>
}

export function candidateNodes(world: World, job: Job): CandidateNodes {
  const nodes = allNodes(world).filter(
    (node) =>
      isReady(node) &&
      isInPool(node, job.NodePool) &&
      matchesDatacenters(node.Datacenter, job.Datacenters),
  )
  const counts = new Map<string, number>()
  for (const { Datacenter } of nodes) counts.set(Datacenter, (counts.get(Datacenter) ?? 0) + 1)
  return { nodes, countByDatacenter: Object.fromEntries(counts) }
}

/** Reason in the metrics for nodes that lack a driver of the group. */
const missingDrivers = 'missing drivers'

function formatConstraint({ LTarget, Operand, RTarget }: Constraint): string {
  return `${LTarget} ${Operand} ${RTarget}`
}

/**
 * Returns the reason why a group is infeasible on a node, or undefined if the group is feasible.
 * The node's load is not considered.
 */
export function infeasibilityReason(job: Job, group: TaskGroup, node: Node): string | undefined {
  const tasks = group.Tasks ?? []
  const firstUnmetConstraint = (constraints: readonly Constraint[] | null) =>
    (constraints ?? []).find((constraint) => !meetsConstraint(node, constraint))
  const unmetJobConstraint = firstUnmetConstraint(job.Constraints)
  if (unmetJobConstraint !== undefined) return formatConstraint(unmetJobConstraint)
  if (!tasks.every(({ Driver }) => hasDriver(node, Driver))) return missingDrivers
  const unmetGroupConstraint = firstUnmetConstraint([
    ...(group.Constraints ?? []),
    ...tasks.flatMap(({ Constraints }) => Constraints ?? []),
  ])
  return unmetGroupConstraint === undefined ? undefined : formatConstraint(unmetGroupConstraint)
}

/**
 * Driver names of the vendor dialect, with their neutral names (behaviour/scheduler#vendor-names).
 */
const driverAliases: ReadonlyMap<string, string> = new Map([['mock_driver', 'mock']])

function hasDriver({ Drivers }: Node, driver: string): boolean {
  const found = [driver, driverAliases.get(driver) ?? driver].find(
    (name) => Drivers !== null && Object.hasOwn(Drivers, name),
  )
  const info = found === undefined ? undefined : Drivers?.[found]
  return info?.Detected === true && info.Healthy
}

/** Amounts of resources: `cpu` in the unit of a task's `CPU`, `memory` and `disk` in megabytes. */
export interface ResourceAmounts {
  readonly cpu: number
  readonly memory: number
  readonly disk: number
}

/** Sums up the resources that an allocation of a group needs. */
export function groupDemand(group: TaskGroup | undefined): ResourceAmounts {
  let cpu = 0
  let memory = 0
  for (const { Resources } of group?.Tasks ?? []) {
    cpu += Number(Resources?.CPU ?? 0)
    memory += Number(Resources?.MemoryMB ?? 0)
  }
  return { cpu, memory, disk: Number(group?.EphemeralDisk?.SizeMB ?? 0) }
}

/** Returns the group of an allocation as it was when the allocation was placed or last updated. */
export function groupOf({ Job, TaskGroup }: Allocation): TaskGroup | undefined {
  return Job === null ? undefined : groupsByName(Job).get(TaskGroup)
}

/** Returns the names of an allocation's tasks, in the order of the job. */
export function taskNames(allocation: Allocation): readonly string[] {
  return (groupOf(allocation)?.Tasks ?? []).map(({ Name }) => Name)
}

const groupsByName = memoizeByKey((job: Job): ReadonlyMap<string, TaskGroup> => {
  // If several groups have the same name, the first one wins.
  return new Map((job.TaskGroups ?? []).toReversed().map((group) => [group.Name, group]))
})
