import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { any, bool, goList, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { serverAddress } from '../../../state/scheduler/body-addresses.ts'
import { message, refuse } from '../../../state/scheduler/cluster/model/messages.ts'
import {
  createSnapshotsShape,
  createVolumesShape,
  refuseSnapshotDeletion,
  refuseSnapshots,
  refuseVolumeWrite,
  registerVolumesShape,
} from '../../../state/scheduler/cluster/volume-requests.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  requireCapability,
  requiresAnyOf,
  requiresCapability,
  requireUnlabelledRight,
  within,
} from '../access.ts'
import { queryMeta, queryMetaOf } from '../jobs/reply-shapes.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#volumes' })

const typeQuery = parameters({
  type: described(text, '`csi`; lists of other types have no body'),
})

/**
 * Answers a list request for a kind of object that the simulated cluster never has. As in the
 * reference, only lists of the type `csi` check rights.
 */
function emptyList(context: SchedulerContext) {
  const { query } = context
  if (!query.has('type')) return { status: 200, body: [] } satisfies Answer
  if (query.value('type') !== 'csi') return { status: 200, body: undefined } satisfies Answer
  return context.read(() => ({ index: 0, body: [] }))
}

const pluginQuery = parameters({ plugin_id: described(text, 'ID of the plugin') })

const listAccess = requiresCapability(
  'csi-list-volume',
  'csi-read-volume',
  'csi-mount-volume',
  'list-jobs',
)

/** Access for writing volumes. The reference also requires the right to read plugins. */
const writeAccess = {
  ...within(requiresCapability('csi-write-volume')),
  also: 'plugin:read',
} as const
const detachAccess = {
  ...within(requiresCapability('csi-mount-volume')),
  also: 'plugin:read',
} as const

/** Throws a refusal if the caller lacks the capability or the right to read plugins. */
function requireVolumeRights(
  context: SchedulerContext,
  capability: 'csi-write-volume' | 'csi-mount-volume' = 'csi-write-volume',
): void {
  requireCapability(context, context.namespace, capability)
  requireUnlabelledRight(context, 'plugin:read')
}

/**
 * Operations that register or create volumes. Volumes cannot exist, so these operations refuse
 * every request with the error for its first volume.
 */
const volumeWrites = [
  operation.post('registerVolumes', '/volumes', volumeWrite('Register', registerVolumesShape)),
  operation.put('registerVolume', '/volume/csi/:id', volumeWrite('Register', registerVolumesShape)),
  operation.put(
    'createVolume',
    '/volume/csi/:id/create',
    volumeWrite('Create', createVolumesShape),
  ),
]

interface VolumeWriteCall {
  readonly context: SchedulerContext
  readonly body: () => ParsedOf<typeof registerVolumesShape>
}

function volumeWrite(verb: string, shape: typeof registerVolumesShape) {
  return {
    access: writeAccess,
    summary: `${verb} CSI volumes: no plugin exists that could hold them.`,
    body: shape,
    bodyAddress: serverAddress,
    reply: {},
    run({ context, body }: VolumeWriteCall): never {
      const request = body()
      requireUnlabelledRight(context, 'plugin:read')
      return refuseVolumeWrite(request, context.namespace, (namespace) =>
        requireCapability(context, namespace, 'csi-write-volume'),
      )
    },
  }
}

/** Operations on a storage provider's volumes and snapshots. */
const storageOperations = [
  ...(
    [
      ['listExternalVolumes', '/volumes/external', 'volumes of a storage provider'],
      ['listSnapshots', '/volumes/snapshot', 'snapshots of volumes'],
    ] as const
  ).map(([id, path, what]) =>
    operation.get(id, path, {
      access: listAccess,
      summary: `List the ${what}: no plugin exists that knows them.`,
      query: pluginQuery,
      reply: {},
      run: ({ context }) =>
        context.readWithoutWaiting(() => {
          throw refuse('external-plugin-unknown')
        }),
    }),
  ),
  operation.post('createSnapshots', '/volumes/snapshot', {
    access: writeAccess,
    summary: 'Take snapshots of CSI volumes: there are none.',
    body: createSnapshotsShape,
    bodyAddress: serverAddress,
    reply: {
      200: struct('CSISnapshotCreateResponse', { Snapshots: goList(any), ...queryMeta }),
    },
    run({ context, body }) {
      const request = body()
      requireVolumeRights(context)
      refuseSnapshots(request)
      const reply = { Snapshots: null, Index: 0, ...queryMetaOf(context, false) }
      return {
        ...context.writeReply(reply, 0),
        headers: context.dialect.encodeHeaders({
          Index: '0',
          KnownLeader: 'false',
          LastContact: '0',
        }),
      }
    },
  }),
  operation.delete('deleteSnapshot', '/volumes/snapshot', {
    access: writeAccess,
    summary: 'Delete a snapshot of a CSI volume: no plugin exists that holds it.',
    query: parameters({
      plugin_id: described(text, 'ID of the plugin'),
      snapshot_id: described(text, 'ID of the snapshot'),
    }),
    reply: {},
    run({ context }) {
      requireVolumeRights(context)
      return refuseSnapshotDeletion()
    },
  }),
]

/** Operations on CSI volumes and plugins, which the simulated cluster never has. */
export const volumeOperations = [
  ...volumeWrites,
  ...storageOperations,
  operation.delete('deleteVolume', '/volume/csi/:id/delete', {
    access: writeAccess,
    summary: 'Delete a CSI volume with its data: there are none.',
    reply: {},
    run({ context, params: { id } }) {
      requireVolumeRights(context)
      throw refuse('volume-unknown', { id })
    },
  }),
  operation.delete('detachVolume', '/volume/csi/:id/detach', {
    access: detachAccess,
    summary: 'Detach a CSI volume from a node: there are none.',
    query: parameters({ node: described(text, 'ID of the node') }),
    failures: [400],
    reply: {},
    run({ context }) {
      if (!context.query.value('node')) throw refuse('detach-node-missing')
      requireVolumeRights(context, 'csi-mount-volume')
      throw refuse('volume-detached-unknown')
    },
  }),
  operation.get('listVolumes', '/volumes', {
    access: listAccess,
    summary: 'List CSI volumes: there are none.',
    query: typeQuery,
    reply: { 200: list(any) },
    schema: () => ({ anyOf: [{ type: 'array' }, { type: 'string' }] }),
    run: ({ context }) => emptyList(context),
  }),
  operation.get('readVolume', '/volume/csi/:id', {
    access: requiresCapability('csi-read-volume', 'csi-mount-volume', 'read-job'),
    summary: 'Read a CSI volume: there are none.',
    failures: [404],
    reply: { 200: any },
    run: ({ context, params: { id } }) =>
      context.read(() => {
        if (id === '') throw refuse('volume-id-missing')
        return { index: 0, absentMessage: message('volume-not-found') }
      }),
  }),
  operation.delete('deregisterVolume', '/volume/csi/:id', {
    access: within(requiresCapability('csi-write-volume')),
    summary: 'Deregister a CSI volume: there are none.',
    query: parameters({ force: described(bool, 'Whether to deregister a volume that is claimed') }),
    failures: [400],
    run({ context, params: { id } }) {
      const force = context.query.value('force') ?? ''
      if (force !== '' && parseGoBoolean(force) === undefined) throw refuse('volume-force-no-bool')
      requireCapability(context, context.namespace, 'csi-write-volume')
      throw refuse('volume-unknown', { id })
    },
  }),
  operation.get('listPlugins', '/plugins', {
    access: requiresAnyOf('plugin:list'),
    summary: 'List CSI plugins: there are none.',
    query: typeQuery,
    reply: { 200: list(any) },
    schema: () => ({ anyOf: [{ type: 'array' }, { type: 'string' }] }),
    run: ({ context }) => emptyList(context),
  }),
  operation.get('readPlugin', '/plugin/csi/:id', {
    access: requiresAnyOf('plugin:read'),
    summary: 'Read a CSI plugin: there are none.',
    failures: [404],
    reply: { 200: any },
    run: ({ context, params: { id } }) =>
      context.read(() => {
        if (id === '') throw refuse('plugin-id-missing')
        return { index: 0, absentMessage: message('plugin-not-found') }
      }),
  }),
]
