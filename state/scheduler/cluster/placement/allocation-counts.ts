/** Counter of one job's allocations, by node and group. */
export class AllocationCounts {
  readonly #countsByNode = new Map<string, Map<string, number>>()
  readonly #totalByNode = new Map<string, number>()

  /**
   * Returns the number of allocations on a node: those of `group` or, without `group`, those of all
   * groups.
   */
  countOn(nodeId: string, group?: string): number {
    if (group === undefined) return this.#totalByNode.get(nodeId) ?? 0
    return this.#countsByNode.get(nodeId)?.get(group) ?? 0
  }

  add(nodeId: string, group: string): void {
    this.#change(nodeId, group, 1)
  }

  /**
   * Subtracts one allocation of a group. Does nothing if the group's count on the node is 0
   * already.
   */
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
