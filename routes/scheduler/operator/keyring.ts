import { quoteGo } from '../../../state/go/text.ts'
import { list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { dataIndex, writtenIndex } from '../../../state/scheduler/indexes.ts'
import { keyMetadata, rootKeyRows } from '../../../state/scheduler/operator/keyring.ts'
import { refuse } from '../../../state/scheduler/operator/messages.ts'
import { rootKeyShape } from '../../../state/scheduler/operator/root-keys.ts'
import { deleteKey, rotateKeys } from '../../../state/scheduler/operator/rotation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { requireManagement, requiresAnyOf, within } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { intError, parseBool } from '../query.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator' })

/** Operations on the keys that encrypt variables and sign workload identities. */
export const keyringOperations = [
  operation.get({
    id: 'listRootKeys',
    path: '/operator/keyring/keys',
    access: requiresAnyOf('management'),
    summary: 'List the keys that encrypt variables and sign identities; can block.',
    reply: { 200: list(rootKeyShape) },
    run: ({ context }) =>
      context.read(() => ({
        index: dataIndex(context.world, 'root-keys'),
        body: rootKeyRows(context.world).map(keyMetadata),
      })),
  }),
  operation.post({
    id: 'rotateRootKeys',
    path: '/operator/keyring/rotate',
    access: within(requiresAnyOf('management')),
    summary: 'Make a new key, at once or at a later time the active one.',
    query: parameters({
      algo: described(text, 'Of the key; there is one alone'),
      full: described(text, 'Encrypt all variables anew'),
      publish_time: described(text, 'When it becomes active, in nanoseconds since 1970'),
    }),
    reply: { 200: struct('KeyringRotateRootKeyResponse', { Key: rootKeyShape, Index: uint }) },
    run({ context }) {
      const { query, world } = context
      const rotation = { full: query.has('full'), publishTime: parsePublishTime(query) }
      requireManagement(context)
      const Key = rotateKeys(world, rotation)
      const index = writtenIndex(world)
      return context.writeReply({ Key, Index: index }, index)
    },
  }),
  operation.delete({
    id: 'deleteRootKey',
    path: '/operator/keyring/key/:id',
    access: requiresAnyOf('management'),
    summary: 'Delete a key that is not active, and with `force` one that is needed still.',
    query: parameters({ force: described(text, 'Also one that is needed') }),
    failures: [422],
    beforeMethod: parseForce,
    reply: { 200: struct('KeyringDeleteRootKeyResponse', { Index: uint }) },
    run({ context, params: { id } }) {
      const { query, world } = context
      deleteKey(world, id, parseForce(query))
      const index = writtenIndex(world)
      return context.writeReply({ Index: index }, index)
    },
  }),
]

function parsePublishTime(query: Query): number {
  const value = query.value('publish_time')
  if (value === undefined) return 0
  const why = intError(value)
  if (why !== undefined) throw refuse('publish-time-unreadable', { value: quoteGo(value), why })
  return Number(value)
}

function parseForce(query: Query): boolean {
  if (!query.has('force')) return false
  const force = parseBool(query.value('force') ?? '')
  if (force === undefined) throw refuse('force-unreadable')
  return force
}
