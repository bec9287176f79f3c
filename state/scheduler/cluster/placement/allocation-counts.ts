/** Number of allocations of one job, by node and group. */
export class AllocationCounts {
  readonly #countsByNode = new Map<string, Map<string, number>>()
  readonly #totalByNode = new Map<string, number>()

  /** Counts the allocations of all groups, or only those of `group`. */
  countOn(nodeId: string, group?: string): number {
    if (group === undefined) return this.#totalByNode.get(nodeId) ?? 0
    return this.#countsByNode.get(nodeId)?.get(group) ?? 0
  }

  add(nodeId: string, group: string): void {
    this.#change(nodeId, group, 1)
  }

  /** Subtracts one allocation. Does nothing if the count is 0 already. */
  remove(nodeId: string, group: string): void {
    if (this.countOn(nodeId, group) > 0) this.#change(nodeId, group, -1)
  }

  #change(nodeId: string, group: string, by: number): void {
    this.#totalByNode.set(nodeId, this.countOn(nodeId) + by)
    let counts = this.#countsByNode.get(nodeId)
    if (counts === undefined) {
      counts = new Map()
      this.#countsByNode.set(nodeId, counts)
    }
    counts.set(group, (counts.get(group) ?? 0) + by)
  }
}
