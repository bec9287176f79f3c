import { quoteGo } from '../../go/text.ts'
import { goMap, map, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { queryOptionMembers } from '../body-addresses.ts'
import { unblockEvaluations } from '../cluster/model/evaluations.ts'
import type { Node } from '../cluster/model/node-shapes.ts'
import { writeNode } from '../cluster/nodes/nodes.ts'
import { setEventType } from '../events/buffer.ts'
import { schedulerTable } from '../indexes.ts'
import { refuse } from './messages.ts'

/** Request to change the metadata of a node. A null value removes the key. */
export const metadataShape = struct('NodeMetaApplyRequest', {
  NodeID: text,
  Meta: goMap(nullable(text)),
  ...queryOptionMembers,
})

/** Reply to reads and changes of a node's metadata (behaviour/scheduler#node-metadata). */
export const metadataReplyShape = struct('NodeMetaResponse', {
  /** Metadata in effect: `Static`, overridden by `Dynamic`. */
  Meta: map(text),
  /** Metadata set by requests. Null means that a request removed a configured key. */
  Dynamic: map(nullable(text)),
  /** Metadata from the node's configuration. */
  Static: map(text),
})
type Metadata = StoredOf<typeof metadataReplyShape>

/**
 * Metadata that requests have changed, by node ID. A node without a row has its configured
 * metadata.
 */
export const nodeMetadata = schedulerTable(
  'node-metadata',
  struct({ Dynamic: map(nullable(text)), Static: map(text) }),
  { secrets: 'none' },
)

export function readMetadata(world: World, { ID, Meta }: Node): Metadata {
  const stored = world.table(nodeMetadata).get(ID)
  const current = Meta ?? {}
  return { Meta: current, Dynamic: stored?.Dynamic ?? {}, Static: stored?.Static ?? current }
}

/** Pattern of a part of a metadata key: an identifier, as in job files. */
const identifierPattern = /^[\p{ID_Start}][\p{ID_Continue}-]*$/u

/**
 * Changes the metadata of a node. If the node is ready, retries blocked evaluations, because the
 * node may now meet their constraints.
 *
 * @throws Refusal 400 if Meta is missing or empty, or if a key is invalid
 */
export function applyMetadata(
  world: World,
  node: Node,
  { Meta }: Pick<ParsedOf<typeof metadataShape>, 'Meta'>,
): Metadata {
  const changes = Object.entries(Meta ?? {})
  if (changes.length === 0) throw refuse('metadata-missing')
  for (const [key] of changes) {
    if (key === '') throw refuse('metadata-key-empty')
    if (!key.split('.').every((part) => identifierPattern.test(part))) {
      throw refuse('metadata-key-invalid', { key: quoteGo(key) })
    }
  }
  const { Dynamic, Static } = readMetadata(world, node)
  const dynamic = new Map([...Object.entries(Dynamic), ...changes])
  for (const [key, value] of changes) {
    if (value === null && !Object.hasOwn(Static, key)) dynamic.delete(key)
  }
  const current = new Map(Object.entries(node.Meta ?? {}))
  for (const [key, value] of changes) {
    if (value === null) current.delete(key)
    else current.set(key, value)
  }
  return world.write(() => {
    world
      .table(nodeMetadata)
      .put(node.ID, { Dynamic: Object.fromEntries(dynamic), Static: { ...Static } })
    const changed = writeNode(world, { ...node, Meta: Object.fromEntries(current) })
    setEventType(world, 'NodeRegistration')
    if (changed.Status === 'ready') unblockEvaluations(world)
    return readMetadata(world, changed)
  })
}
