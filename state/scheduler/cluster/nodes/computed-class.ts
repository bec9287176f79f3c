import { createHash } from 'node:crypto'
import type { Node } from '../model/node-shapes.ts'

/**
 * Returns a name that is equal for all nodes with equal datacenters, classes, pools, attributes and
 * metadata. Keys that begin with `unique.` are ignored.
 */
export function computedClass({ Datacenter, NodeClass, NodePool, Attributes, Meta }: Node): string {
  const sharedEntries = (members: Node['Meta']) =>
    Object.entries(members ?? {})
      .filter(([key]) => !key.startsWith('unique.'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  const classKey = JSON.stringify([
    Datacenter,
    NodeClass,
    NodePool,
    sharedEntries(Attributes),
    sharedEntries(Meta),
  ])
  return `v1:${createHash('sha256').update(classKey).digest().readBigUInt64BE()}`
}
