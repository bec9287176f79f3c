import type { World } from '../../kernel/world.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Constraint } from '../job/scheduling-shapes.ts'
import type { Allocation } from './allocation-shapes.ts'
import { meets, resolveTarget } from './constraints.ts'
import {
  type Candidates,
  candidatesFor,
  type Demand,
  demandOf,
  groupOf,
  unfitReason,
} from './feasibility.ts'
import { allocationsOnNode } from './node-allocations.ts'
import type { Node } from './node-shapes.ts'
import { MetricsBuilder } from './placement-metrics.ts'
import type { PlacementMetrics } from './placement-shapes.ts'

/** Where a group goes, or why nowhere. */
interface Place {
  readonly node: Node | undefined
  readonly metrics: PlacementMetrics
}

/** Returns what a node has to give; undefined when nothing is counted (behaviour/scheduler#nodes). */
function capacityOf({ Capacity }: Node): Demand | undefined {
  if (Capacity === null) return undefined
  const { CPU: cpu, MemoryMB: memory, DiskMB: disk } = Capacity
  return { cpu, memory, disk }
}

const dimensions = ['cpu', 'memory', 'disk'] as const

/** The part of a node's name in metrics that explain a choice. */
const explainedNodes = 5

/**
 * Finds nodes for the allocations of a job, one after the other, each knowing of those before. Writes
 * nothing.
 */
export class Placer {
  readonly #world: World
  readonly #job: Job
  readonly #candidates: Candidates
  readonly #turn: number
  /** Why a node is nothing for a group, whoever is on it. */
  readonly #unfit = new Map<string, Map<string, string | undefined>>()
  /** Allocations of the job that are or will be, by node. */
  readonly #present = new Map<string, { readonly group: string }[]>()
  readonly #used = new Map<string, Demand>()
  readonly #leaving = new Set<string>()

  /**
   * @param staying the job's allocations that are not stopped
   * @param turn shifts the order of equal nodes, so that jobs do not crowd on the first
   */
  constructor(world: World, job: Job, staying: readonly Allocation[], turn: number) {
    this.#world = world
    this.#job = job
    this.#candidates = candidatesFor(world, job)
    this.#turn = turn
    for (const { NodeID, TaskGroup } of staying) this.#add(NodeID, TaskGroup)
  }

  /** Ready nodes of the job's pool and datacenters. */
  get nodes(): readonly Node[] {
    return this.#candidates.nodes
  }

  /** An allocation goes: what it has is free again. */
  leave({ ID, NodeID, TaskGroup }: Allocation): void {
    this.#leaving.add(ID)
    this.#used.delete(NodeID)
    const present = this.#present.get(NodeID) ?? []
    const position = present.findIndex(({ group }) => group === TaskGroup)
    if (position >= 0) present.splice(position, 1)
  }

  /** Takes back `leave`. */
  stay({ ID, NodeID, TaskGroup }: Allocation): void {
    this.#leaving.delete(ID)
    this.#used.delete(NodeID)
    this.#add(NodeID, TaskGroup)
  }

  #add(nodeId: string, group: string): void {
    const present = this.#present.get(nodeId)
    if (present === undefined) this.#present.set(nodeId, [{ group }])
    else present.push({ group })
  }

  /** Why a node is nothing for a group, whoever is on it. */
  unfit(group: TaskGroup, node: Node): string | undefined {
    let reasons = this.#unfit.get(group.Name)
    if (reasons === undefined) {
      reasons = new Map()
      this.#unfit.set(group.Name, reasons)
    }
    if (!reasons.has(node.ID)) reasons.set(node.ID, unfitReason(this.#job, group, node))
    return reasons.get(node.ID)
  }

  /**
   * Finds the best node for one more allocation of a group and takes it.
   *
   * @param avoid the node on which the last attempt failed
   * @param only the node that it has to be
   */
  place(group: TaskGroup, { avoid = '', only }: { avoid?: string; only?: string } = {}): Place {
    const metrics = new MetricsBuilder(this.#job, this.#candidates)
    const demand = demandOf(group)
    const distinct = this.#distinctProperties(group)
    const fitting: Node[] = []
    for (const node of this.#candidates.nodes) {
      if (only !== undefined && node.ID !== only) continue
      const reason = this.unfit(group, node) ?? this.#collision(group, node, distinct)
      const missing = reason === undefined ? this.#exhausted(node, demand) : undefined
      if (reason !== undefined) metrics.filtered(node, reason)
      else if (missing !== undefined) metrics.exhausted(node, missing)
      else fitting.push(node)
    }
    const best = this.#best(group, fitting, avoid, metrics)
    if (best !== undefined) {
      this.#add(best.ID, group.Name)
      const used = this.#used.get(best.ID)
      if (used !== undefined) this.#used.set(best.ID, sum(used, demand))
    }
    return { node: best, metrics: metrics.result }
  }

  /** Why those that are there already keep a node from a group. */
  #collision(
    group: TaskGroup,
    node: Node,
    distinct: readonly DistinctProperty[],
  ): string | undefined {
    const present = this.#present.get(node.ID) ?? []
    const ofJob = isDistinctHosts(this.#job.Constraints) && present.length > 0
    const ofGroup =
      isDistinctHosts(group.Constraints) && present.some((one) => one.group === group.Name)
    if (ofJob || ofGroup) return 'distinct_hosts'
    for (const { target, limit, used } of distinct) {
      const value = resolveTarget(target, node)
      if (value === undefined) return `missing property "${target}"`
      const count = used.get(value) ?? 0
      if (count >= limit) return `distinct_property: ${target}=${value} used by ${count} allocs`
    }
    return undefined
  }

  #distinctProperties(group: TaskGroup): DistinctProperty[] {
    return [
      ...this.#properties(this.#job.Constraints, undefined),
      ...this.#properties(group.Constraints, group.Name),
      ...(group.Tasks ?? []).flatMap(({ Constraints }) =>
        this.#properties(Constraints, group.Name),
      ),
    ]
  }

  #properties(
    constraints: readonly Constraint[] | null,
    group: string | undefined,
  ): DistinctProperty[] {
    const wanted = (constraints ?? []).filter(({ Operand }) => Operand === 'distinct_property')
    return wanted.map(({ LTarget, RTarget }) => ({
      target: LTarget,
      limit: /^\d+$/.test(RTarget) ? Number(RTarget) : 1,
      used: this.#usedValues(LTarget, group),
    }))
  }

  /** Tells how many allocations of the job, or of a group, have each value of a target. */
  #usedValues(target: string, group: string | undefined): Map<string, number> {
    const used = new Map<string, number>()
    for (const node of this.#candidates.nodes) {
      const value = resolveTarget(target, node)
      if (value === undefined) continue
      const present = this.#present.get(node.ID) ?? []
      const count = present.filter((one) => group === undefined || one.group === group).length
      used.set(value, (used.get(value) ?? 0) + count)
    }
    return used
  }

  /** Returns what a node has too little of. */
  #exhausted(node: Node, demand: Demand): string | undefined {
    const capacity = capacityOf(node)
    if (capacity === undefined) return undefined
    let used = this.#used.get(node.ID)
    if (used === undefined) {
      used = this.#usedOn(node)
      this.#used.set(node.ID, used)
    }
    const wanted = sum(used, demand)
    return dimensions.find((dimension) => wanted[dimension] > capacity[dimension])
  }

  #usedOn({ ID }: Node): Demand {
    let used: Demand = { cpu: 0, memory: 0, disk: 0 }
    for (const allocation of allocationsOnNode(this.#world, ID)) {
      if (allocation.DesiredStatus !== 'run' || this.#leaving.has(allocation.ID)) continue
      used = sum(used, demandOf(groupOf(allocation)))
    }
    return used
  }

  #best(
    group: TaskGroup,
    nodes: readonly Node[],
    avoid: string,
    metrics: MetricsBuilder,
  ): Node | undefined {
    const byName = nodes.toSorted((a, b) => (a.Name < b.Name ? -1 : a.Name > b.Name ? 1 : 0))
    const shift = byName.length === 0 ? 0 : this.#turn % byName.length
    const inTurn = [...byName.slice(shift), ...byName.slice(0, shift)]
    const scored = inTurn.map((node) => ({ node, scores: this.#scores(group, node, avoid) }))
    const ranked = scored
      .map(({ node, scores }) => ({ node, scores, total: average(Object.values(scores)) }))
      .sort((a, b) => b.total - a.total)
    metrics.explain(ranked.slice(0, explainedNodes))
    return ranked[0]?.node
  }

  /** Reasons for and against a node, each from -1 to 1, as the reference calls them. */
  #scores(group: TaskGroup, node: Node, avoid: string): Record<string, number> {
    const collisions = (this.#present.get(node.ID) ?? []).filter(
      (one) => one.group === group.Name,
    ).length
    return {
      'job-anti-affinity': collisions === 0 ? 0 : -(collisions + 1) / Math.max(group.Count, 1),
      'node-affinity': this.#affinity(group, node),
      'node-reschedule-penalty': node.ID === avoid ? -1 : 0,
      'allocation-spread': this.#spread(group, node),
    }
  }

  #affinity(group: TaskGroup, node: Node): number {
    const affinities = [
      ...(this.#job.Affinities ?? []),
      ...(group.Affinities ?? []),
      ...(group.Tasks ?? []).flatMap(({ Affinities }) => Affinities ?? []),
    ]
    let met = 0
    let all = 0
    for (const affinity of affinities) {
      all += Math.abs(affinity.Weight)
      if (meets(node, affinity)) met += affinity.Weight
    }
    return all === 0 ? 0 : met / all
  }

  #spread(group: TaskGroup, node: Node): number {
    const spreads = [...(this.#job.Spreads ?? []), ...(group.Spreads ?? [])]
    const weights = spreads.reduce((total, { Weight }) => total + Weight, 0)
    let score = 0
    for (const { Attribute, Weight, SpreadTarget } of spreads) {
      const value = resolveTarget(Attribute, node)
      if (value === undefined) {
        score -= 1
        continue
      }
      const used = this.#usedValues(Attribute, group.Name)
      const share = SpreadTarget?.find(({ Value }) => Value === value)?.Percent
      const even = 100 / Math.max(1, used.size)
      const desired = (group.Count * (SpreadTarget === null ? even : (share ?? 0))) / 100
      const lack = desired === 0 ? -1 : (desired - (used.get(value) ?? 0)) / desired
      score += Math.max(-1, lack) * (weights === 0 ? 0 : Weight / weights)
    }
    return score
  }
}

interface DistinctProperty {
  readonly target: string
  readonly limit: number
  readonly used: ReadonlyMap<string, number>
}

/** Values that Go's ParseBool takes for false: they switch the constraint off. */
const falseTexts = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function isDistinctHosts(constraints: readonly Constraint[] | null): boolean {
  return (constraints ?? []).some(
    ({ Operand, RTarget }) => Operand === 'distinct_hosts' && !falseTexts.has(RTarget),
  )
}

function sum(a: Demand, b: Demand): Demand {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory, disk: a.disk + b.disk }
}

/** Reasons that do not apply do not count. */
function average(scores: readonly number[]): number {
  const said = scores.filter((score) => score !== 0)
  return said.length === 0 ? 0 : said.reduce((total, score) => total + score, 0) / said.length
}
