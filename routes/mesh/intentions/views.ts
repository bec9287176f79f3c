import { createHash } from 'node:crypto'
import { any, int, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { intentionEnds, intentionMembers } from '../../../state/mesh/intentions/intention-body.ts'
import {
  destinationOf,
  type Intention,
  sourceOf,
} from '../../../state/mesh/intentions/intentions.ts'
import { isCommunity } from '../../../state/mesh/options.ts'
import { withoutEmpty } from '../catalog/records.ts'
import type { MeshDialect } from '../dialect.ts'

export const filterableIntention = struct(intentionMembers)

export const intentionReply = struct({
  ...partial(filterableIntention).fields,
  ...intentionEnds,
  SourceType: text,
  Precedence: int,
  CreatedAt: optional(text),
  UpdatedAt: optional(text),
  Permissions: optional(list(any)),
  JWT: optional(any),
  Hash: optional(text),
  CreateIndex: uint,
  ModifyIndex: uint,
})

/**
 * Renders an intention. The ID, the times and the hash exist only if the intention was created with
 * an ID.
 */
export function intentionView(world: World, { showsPartition }: MeshDialect, intention: Intention) {
  const { entry, source } = intention
  const [from, to] = [sourceOf(intention), destinationOf(intention)]
  const isLegacy = source.LegacyID !== undefined
  const hasPartition = showsPartition && !isCommunity(world)
  return {
    ...withoutEmpty({ CreatedAt: source.LegacyCreateTime, UpdatedAt: source.LegacyUpdateTime }),
    ...withoutEmpty({ ID: source.LegacyID, Description: source.Description }),
    SourceNS: from.namespace,
    SourceName: from.name,
    DestinationNS: to.namespace,
    DestinationName: to.name,
    ...(hasPartition && { SourcePartition: 'default', DestinationPartition: 'default' }),
    ...withoutEmpty({ SourcePeer: source.Peer }),
    SourceType: source.Type,
    ...withoutEmpty({
      Action: source.Action,
      Permissions: source.Permissions,
      JWT: entry.members.JWT,
    }),
    ...withoutEmpty({ Meta: isLegacy ? source.LegacyMeta : entry.members.Meta }),
    Precedence: source.Precedence,
    ...(isLegacy && {
      Hash: createHash('sha256').update(JSON.stringify(source)).digest('base64'),
    }),
    CreateIndex: entry.create_index,
    ModifyIndex: entry.modify_index,
  }
}
