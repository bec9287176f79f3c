import { appendAll } from '../../kernel/lists.ts'
import { refuse } from '../messages.ts'
import { normalizedWeight } from './chain-problems.ts'
import type { ChainNode } from './chain-types.ts'

type ChainNodes = Map<string, ChainNode>

function nextNodes({ Routes = [], Splits = [] }: ChainNode): readonly string[] {
  return [...Routes, ...Splits].map(({ NextNode }) => NextNode)
}

/**
 * Throws a refusal if the nodes below `key` form a cycle.
 *
 * @param path keys of the nodes that lead to `key`
 */
export function refuseCycles(
  nodes: ReadonlyMap<string, ChainNode>,
  key: string,
  path: readonly string[],
): void {
  const visited = [...path, key]
  if (path.includes(key)) {
    const problem = `detected circular reference: [${visited.join(' -> ')}]`
    throw refuse('entry-invalid', { problem })
  }
  const node = nodes.get(key)
  if (node === undefined) return
  for (const next of nextNodes(node)) refuseCycles(nodes, next, visited)
}

/**
 * Replaces each split that leads to another splitter by the splits of that splitter, and multiplies
 * the weights.
 */
export function flattenSplitters(nodes: ChainNodes): void {
  let isChanged = true
  while (isChanged) {
    isChanged = false
    for (const node of nodes.values()) {
      if (node.Splits === undefined) continue
      node.Splits = node.Splits.flatMap((split) => {
        const inner = nodes.get(split.NextNode)?.Splits
        if (inner === undefined) return [split]
        isChanged = true
        return inner.map((each) => ({
          ...each,
          Weight: normalizedWeight((split.Weight * each.Weight) / 100),
        }))
      })
    }
  }
}

/** Removes the nodes that cannot be reached from the start node. */
export function dropUnused(nodes: ChainNodes, startNode: string): void {
  const used = new Set<string>()
  const pending = [startNode]
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    if (used.has(key)) continue
    used.add(key)
    const node = nodes.get(key)
    if (node !== undefined) appendAll(pending, nextNodes(node))
  }
  for (const key of [...nodes.keys()]) if (!used.has(key)) nodes.delete(key)
}
