import { any, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { message, refuse } from '../../../state/scheduler/cluster/model/messages.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { can, requiresAnyOf } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#volumes' })

const typeQuery = parameters({
  type: described(text, '`csi`; the list of another type has no body'),
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

/** Operations on CSI volumes and plugins, of which there are none. */
export const volumeOperations = [
  operation.get('listVolumes', '/volumes', {
    access: can('csi-list-volume', 'csi-read-volume', 'csi-mount-volume', 'list-jobs'),
    summary: 'List CSI volumes: there are none.',
    query: typeQuery,
    reply: { 200: list(any) },
    schema: () => ({ anyOf: [{ type: 'array' }, { type: 'string' }] }),
    run: ({ context }) => emptyList(context),
  }),
  operation.get('readVolume', '/volume/csi/:id', {
    access: can('csi-read-volume', 'csi-mount-volume', 'read-job'),
    summary: 'Read a CSI volume: there are none.',
    failures: [404],
    reply: { 200: any },
    run: ({ context, params: { id } }) =>
      context.read(() => {
        if (id === '') throw refuse('volume-id-missing')
        return { index: 0, absent: message('volume-not-found') }
      }),
  }),
  operation.delete('deregisterVolume', '/volume/csi/:id', {
    access: can('csi-write-volume'),
    summary: 'Deregister a CSI volume: there are none.',
    run({ params: { id } }) {
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
        return { index: 0, absent: message('plugin-not-found') }
      }),
  }),
]
