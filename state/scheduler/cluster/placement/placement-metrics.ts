import type { Node } from '../model/node-shapes.ts'
import type { PlacementMetrics } from '../model/placement-shapes.ts'
import type { CandidateNodes } from './feasibility.ts'

interface RankedNode {
  readonly node: Node
  readonly scores: Readonly<Record<string, number>>
  readonly total: number
}

/** Builder of the metrics of one search for a node (behaviour/scheduler#placement-metrics). */
export class MetricsBuilder {
  readonly #candidates: CandidateNodes
  readonly #classFiltered = new Map<string, number>()
  readonly #constraintFiltered = new Map<string, number>()
  readonly #classExhausted = new Map<string, number>()
  readonly #dimensionExhausted = new Map<string, number>()
  #filteredCount = 0
  #exhaustedCount = 0
  #rankedNodes: readonly RankedNode[] = []

  constructor(candidates: CandidateNodes) {
    this.#candidates = candidates
  }

  recordFiltered({ NodeClass }: Node, reason: string): void {
    this.#filteredCount += 1
    increment(this.#constraintFiltered, reason)
    if (NodeClass !== '') increment(this.#classFiltered, NodeClass)
  }

  /** Records that a node is feasible but has too little of the resource `dimension`. */
  recordExhausted({ NodeClass }: Node, dimension: string): void {
    this.#exhaustedCount += 1
    increment(this.#dimensionExhausted, dimension)
    if (NodeClass !== '') increment(this.#classExhausted, NodeClass)
  }

  setRankedNodes(rankedNodes: readonly RankedNode[]): void {
    this.#rankedNodes = rankedNodes
  }

  get result(): PlacementMetrics {
    return {
      NodesEvaluated: this.#candidates.nodes.length,
      NodesFiltered: this.#filteredCount,
      NodesInPool: this.#candidates.nodes.length,
      NodesAvailable: this.#candidates.countByDatacenter,
      ClassFiltered: countsOrNull(this.#classFiltered),
      ConstraintFiltered: countsOrNull(this.#constraintFiltered),
      NodesExhausted: this.#exhaustedCount,
      ClassExhausted: countsOrNull(this.#classExhausted),
      DimensionExhausted: countsOrNull(this.#dimensionExhausted),
      QuotaExhausted: null,
      ResourcesExhausted: null,
      Scores: null,
      ScoreMetaData:
        this.#rankedNodes.length === 0
          ? null
          : this.#rankedNodes.map(({ node, scores, total }) => ({
              NodeID: node.ID,
              Scores: { ...scores },
              NormScore: total,
            })),
      AllocationTime: 0,
      CoalescedFailures: 0,
    }
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function countsOrNull(counts: ReadonlyMap<string, number>) {
  return counts.size === 0 ? null : Object.fromEntries(counts)
}
