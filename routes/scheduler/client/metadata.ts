import { serverAddress } from '../../../state/scheduler/body-addresses.ts'
import {
  applyMetadata,
  metadataReplyShape,
  metadataShape,
  readMetadata,
} from '../../../state/scheduler/client/metadata.ts'
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { nodeQuery, requireClientNode } from './statistics.ts'

const operation = operationsOf({
  spec: 'behaviour/scheduler#node-metadata',
  withoutLeader: true,
  tokenResolver: 'client',
})

/**
 * Operations on the metadata of nodes. In the product, each node serves these operations itself.
 */
export const metadataOperations = [
  operation.get('readNodeMetadata', '/client/metadata', {
    access: requiresAnyOf('node:read'),
    summary: "Read a node's metadata: as configured, as changed, and as in effect.",
    query: nodeQuery,
    reply: { 200: metadataReplyShape },
    run: ({ context }) =>
      context.readUnindexed(() => readMetadata(context.world, requireClientNode(context))),
  }),
  operation.post('applyNodeMetadata', '/client/metadata', {
    refusesPut: true,
    access: requiresAnyOf('node:write'),
    summary: "Update a node's metadata; null removes a key.",
    query: nodeQuery,
    body: metadataShape,
    bodyAddress: serverAddress,
    reply: { 200: metadataReplyShape },
    run({ context, body }) {
      const input = body()
      return context.readUnindexed(() =>
        applyMetadata(context.world, requireClientNode(context, input.NodeID || undefined), input),
      )
    },
  }),
]
