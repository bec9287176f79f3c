import type { World } from '../../../kernel/worlds/world.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import type { Node } from '../model/node-shapes.ts'
import type { PlacementMetrics } from '../model/placement-shapes.ts'
import { allocationsOnNode } from '../model/tables.ts'
import { AllocationCounts } from './allocation-counts.ts'
import { meetsConstraint, resolveTarget } from './constraints.ts'
import {
  type CandidateNodes,
  candidateNodes,
  groupDemand,
  groupOf,
  infeasibilityReason,
  type ResourceAmounts,
} from './feasibility.ts'
import { MetricsBuilder } from './placement-metrics.ts'

/** Result of a search. Without a node, the metrics explain why no node was found. */
interface PlacementResult {
  readonly node: Node | undefined
  readonly metrics: PlacementMetrics
}

/**
 * Returns the capacity of a node, or undefined if the node's resources are not limited
 * (behaviour/scheduler#nodes).
 */
function limitedCapacity({ Capacity }: Node): ResourceAmounts | undefined {
  if (Capacity === null) return undefined
  const { CPU: cpu, MemoryMB: memory, DiskMB: disk } = Capacity
  return { cpu, memory, disk }
}

const dimensions = ['cpu', 'memory', 'disk'] as const

/** Maximum number of nodes whose scores the metrics contain. */
const maxExplainedNodes = 5

/**
 * Search for the nodes of one job's allocations. Each placement takes account of the placements
 * before it. The placer writes no rows.
 */
export class Placer {
  readonly #world: World
  readonly #job: Job
  readonly #candidates: CandidateNodes
  readonly #rotation: number
  /**
   * Reasons why groups are infeasible, by group name and node ID. Undefined means that the group is
   * feasible on the node.
   */
  readonly #infeasibility = new Map<string, Map<string, string | undefined>>()
  /** Counts of the job's allocations, including placements of this placer. */
  readonly #allocationCounts = new AllocationCounts()
  readonly #usedByNode = new Map<string, ResourceAmounts>()
  readonly #releasedIds = new Set<string>()

  /**
   * @param stayingAllocations the job's allocations that are not terminal; the caller must pass the
   *   allocations that will be stopped to `release`
   * @param rotation offset into the list of equally good nodes, so that not all jobs begin with the
   *   same node
   */
  constructor(world: World, job: Job, stayingAllocations: readonly Allocation[], rotation: number) {
    this.#world = world
    this.#job = job
    this.#candidates = candidateNodes(world, job)
    this.#rotation = rotation
    for (const { NodeID, TaskGroup } of stayingAllocations)
      this.#allocationCounts.add(NodeID, TaskGroup)
  }

  get nodes(): readonly Node[] {
    return this.#candidates.nodes
  }

  /** Frees the resources of an allocation that will be stopped. */
  release({ ID, NodeID, TaskGroup }: Allocation): void {
    this.#releasedIds.add(ID)
    this.#usedByNode.delete(NodeID)
    this.#allocationCounts.remove(NodeID, TaskGroup)
  }

  restore({ ID, NodeID, TaskGroup }: Allocation): void {
    this.#releasedIds.delete(ID)
    this.#usedByNode.delete(NodeID)
    this.#allocationCounts.add(NodeID, TaskGroup)
  }

  /**
   * Returns the reason why a group is infeasible on a node, or undefined if the group is feasible.
   * The node's load is not considered. The result is cached.
   */
  infeasibility(group: TaskGroup, node: Node): string | undefined {
    let reasons = this.#infeasibility.get(group.Name)
    if (reasons === undefined) {
      reasons = new Map()
      this.#infeasibility.set(group.Name, reasons)
    }
    if (!reasons.has(node.ID)) reasons.set(node.ID, infeasibilityReason(this.#job, group, node))
    return reasons.get(node.ID)
  }

  /**
   * Finds the best node for another allocation of a group, and reserves the allocation's resources
   * on the node.
   *
   * @param avoidNode ID of the node on which the previous attempt failed; this node gets a lower
   *   score
   * @param onlyNode ID of the only node to consider; by default, all candidates are considered
   */
  place(
    group: TaskGroup,
    { avoidNode = '', onlyNode }: { avoidNode?: string; onlyNode?: string } = {},
  ): PlacementResult {
    const metrics = new MetricsBuilder(this.#candidates)
    const demand = groupDemand(group)
    const distinctProperties = this.#distinctProperties(group)
    const feasibleNodes: Node[] = []
    for (const node of this.#candidates.nodes) {
      if (onlyNode !== undefined && node.ID !== onlyNode) continue
      const reason =
        this.infeasibility(group, node) ?? this.#conflictReason(group, node, distinctProperties)
      const dimension = reason === undefined ? this.#exhaustedDimension(node, demand) : undefined
      if (reason !== undefined) metrics.recordFiltered(node, reason)
      else if (dimension !== undefined) metrics.recordExhausted(node, dimension)
      else feasibleNodes.push(node)
    }
    const bestNode = this.#bestNode(group, feasibleNodes, avoidNode, metrics)
    if (bestNode !== undefined) {
      this.#allocationCounts.add(bestNode.ID, group.Name)
      const used = this.#usedByNode.get(bestNode.ID)
      if (used !== undefined) this.#usedByNode.set(bestNode.ID, addAmounts(used, demand))
    }
    return { node: bestNode, metrics: metrics.result }
  }

  /**
   * Returns the reason why `distinct_hosts` or `distinct_property` excludes a node: other
   * allocations of the job, or a property that the node does not have. Returns undefined if neither
   * constraint excludes the node.
   */
  #conflictReason(group: TaskGroup, node: Node, distinctProperties: readonly DistinctProperty[]) {
    const isTakenByJob =
      isDistinctHosts(this.#job.Constraints) && this.#allocationCounts.countOn(node.ID) > 0
    const isTakenByGroup =
      isDistinctHosts(group.Constraints) && this.#allocationCounts.countOn(node.ID, group.Name) > 0
    if (isTakenByJob || isTakenByGroup) return 'distinct_hosts'
    for (const { target, limit, used } of distinctProperties) {
      const value = resolveTarget(target, node)
      if (value === undefined) return `missing property "${target}"`
      const count = used.get(value) ?? 0
      if (count >= limit) return `distinct_property: ${target}=${value} used by ${count} allocs`
    }
    return undefined
  }

  #distinctProperties(group: TaskGroup): DistinctProperty[] {
    return [
      ...this.#propertiesOf(this.#job.Constraints, undefined),
      ...this.#propertiesOf(group.Constraints, group.Name),
      ...(group.Tasks ?? []).flatMap(({ Constraints }) =>
        this.#propertiesOf(Constraints, group.Name),
      ),
    ]
  }

  #propertiesOf(constraints: readonly Constraint[] | null, group: string | undefined) {
    const distinctConstraints = (constraints ?? []).filter(
      ({ Operand }) => Operand === 'distinct_property',
    )
    return distinctConstraints.map(({ LTarget, RTarget }) => ({
      target: LTarget,
      limit: /^\d+$/.test(RTarget) ? Number(RTarget) : 1,
      used: this.#countByValue(LTarget, group),
    }))
  }

  /**
   * Counts allocations by the value that the target of a constraint has on their node. If `group`
   * is undefined, counts the allocations of all groups of the job.
   */
  #countByValue(target: string, group: string | undefined): Map<string, number> {
    const used = new Map<string, number>()
    for (const node of this.#candidates.nodes) {
      const value = resolveTarget(target, node)
      if (value === undefined) continue
      used.set(value, (used.get(value) ?? 0) + this.#allocationCounts.countOn(node.ID, group))
    }
    return used
  }

  /**
   * Returns the name of the first resource of which the node has too little left; undefined if the
   * allocation fits.
   */
  #exhaustedDimension(node: Node, demand: ResourceAmounts): string | undefined {
    const capacity = limitedCapacity(node)
    if (capacity === undefined) return undefined
    let used = this.#usedByNode.get(node.ID)
    if (used === undefined) {
      used = this.#usedOn(node)
      this.#usedByNode.set(node.ID, used)
    }
    const total = addAmounts(used, demand)
    return dimensions.find((dimension) => total[dimension] > capacity[dimension])
  }

  #usedOn({ ID }: Node): ResourceAmounts {
    let used: ResourceAmounts = { cpu: 0, memory: 0, disk: 0 }
    for (const allocation of allocationsOnNode(this.#world, ID)) {
      if (allocation.DesiredStatus !== 'run' || this.#releasedIds.has(allocation.ID)) continue
      used = addAmounts(used, groupDemand(groupOf(allocation)))
    }
    return used
  }

  #bestNode(group: TaskGroup, nodes: readonly Node[], avoidNode: string, metrics: MetricsBuilder) {
    const byName = nodes.toSorted((a, b) => (a.Name < b.Name ? -1 : a.Name > b.Name ? 1 : 0))
    const offset = byName.length === 0 ? 0 : this.#rotation % byName.length
    const rotatedNodes = [...byName.slice(offset), ...byName.slice(0, offset)]
    const scoredNodes = rotatedNodes.map((node) => ({
      node,
      scores: this.#scoreNode(group, node, avoidNode),
    }))
    const ranked = scoredNodes
      .map(({ node, scores }) => ({ node, scores, total: average(Object.values(scores)) }))
      .sort((a, b) => b.total - a.total)
    metrics.setRankedNodes(ranked.slice(0, maxExplainedNodes))
    return ranked[0]?.node
  }

  /**
   * Returns the scores of a node, by the names that the reference uses. A score that does not apply
   * is 0.
   */
  #scoreNode(group: TaskGroup, node: Node, avoidNode: string): Record<string, number> {
    const collisions = this.#allocationCounts.countOn(node.ID, group.Name)
    return {
      'job-anti-affinity':
        collisions === 0 ? 0 : -(collisions + 1) / Math.max(Number(group.Count), 1),
      'node-affinity': this.#affinityScore(group, node),
      'node-reschedule-penalty': node.ID === avoidNode ? -1 : 0,
      'allocation-spread': this.#spreadScore(group, node),
    }
  }

  #affinityScore(group: TaskGroup, node: Node): number {
    const affinities = [
      ...(this.#job.Affinities ?? []),
      ...(group.Affinities ?? []),
      ...(group.Tasks ?? []).flatMap(({ Affinities }) => Affinities ?? []),
    ]
    let matchedWeight = 0
    let totalWeight = 0
    for (const affinity of affinities) {
      totalWeight += Math.abs(affinity.Weight)
      if (meetsConstraint(node, affinity)) matchedWeight += affinity.Weight
    }
    return totalWeight === 0 ? 0 : matchedWeight / totalWeight
  }

  #spreadScore(group: TaskGroup, node: Node): number {
    const spreads = [...(this.#job.Spreads ?? []), ...(group.Spreads ?? [])]
    const weights = spreads.reduce((total, { Weight }) => total + Weight, 0)
    let score = 0
    for (const { Attribute, Weight, SpreadTarget } of spreads) {
      const value = resolveTarget(Attribute, node)
      if (value === undefined) {
        score -= 1
        continue
      }
      const used = this.#countByValue(Attribute, group.Name)
      const share = SpreadTarget?.find(({ Value }) => Value === value)?.Percent
      const evenShare = 100 / Math.max(1, used.size)
      const desired =
        (Number(group.Count) * (SpreadTarget === null ? evenShare : (share ?? 0))) / 100
      const deficit = desired === 0 ? -1 : (desired - (used.get(value) ?? 0)) / desired
      score += Math.max(-1, deficit) * (weights === 0 ? 0 : Weight / weights)
    }
    return score
  }
}

interface DistinctProperty {
  readonly target: string
  readonly limit: number
  readonly used: ReadonlyMap<string, number>
}

/**
 * Values that Go's ParseBool reads as false. A `distinct_hosts` constraint with such a value has no
 * effect.
 */
const falseValues = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function isDistinctHosts(constraints: readonly Constraint[] | null): boolean {
  return (constraints ?? []).some(
    ({ Operand, RTarget }) => Operand === 'distinct_hosts' && !falseValues.has(RTarget),
  )
}

function addAmounts(a: ResourceAmounts, b: ResourceAmounts): ResourceAmounts {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory, disk: a.disk + b.disk }
}

/**
 * Returns the mean of the scores other than 0, because a score of 0 does not apply. Returns 0 if
 * all scores are 0.
 */
function average(scores: readonly number[]): number {
  const nonzeroScores = scores.filter((score) => score !== 0)
  return nonzeroScores.length === 0
    ? 0
    : nonzeroScores.reduce((total, score) => total + score, 0) / nonzeroScores.length
}
