import { map } from '../../../state/kernel/shape/kinds.ts'
import type { Said } from '../../../state/kernel/wording.ts'
import {
  disableMount,
  enableMount,
  mountPath,
  tunableMount,
  tuneMount,
} from '../../../state/secrets/mounts/changes.ts'
import { isAuthMount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { done, empty } from '../envelope/outcome.ts'
import { envelopeOf, warningEnvelope } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { refuse, say } from '../texts.ts'
import { mountEntry, mountSchema, mountTable, tuningOf, tuningSchema } from './mount-entry.ts'
import { mountFields, tuneFields } from './mount-fields.ts'

const spec = 'behaviour/secrets#mounts'

/** First segments that belong to another API where one port serves all (behaviour/program#http). */
const foreign: ReadonlySet<string> = new Set(['namespace', 'namespaces', 'jobs', 'job', 'object'])

/** A remark for mounts that only a dedicated secrets port can serve. */
export function sharedPortWarnings(mountedAt: string): Said[] {
  const first = mountedAt.split('/')[0] ?? ''
  if (!foreign.has(first)) return []
  return [say('mount-on-shared-port', { mountedAt })]
}

/** Secrets engines: list, mount, unmount and tune them. */
export const mountOperations = [
  operation({
    id: 'listMounts',
    verb: 'read',
    path: 'mounts',
    summary: 'List the mounted secrets engines by path.',
    spec,
    reply: { 200: envelopeOf(map(mountSchema)) },
    run({ world, namespace }) {
      const engines = mountsIn(world, namespace).filter((mount) => !isAuthMount(mount))
      return {
        kind: 'envelope',
        dataIn: (dialect) => mountTable(world, engines, (mount) => mount.path, dialect),
        repeat: true,
      }
    },
  }),
  operation({
    id: 'readMountTuning',
    verb: 'read',
    path: 'mounts/*path/tune',
    summary: 'Read the settings of a mount.',
    spec,
    reply: { 200: envelopeOf(tuningSchema) },
    run: ({ world, namespace, params }) => ({
      kind: 'envelope',
      data: tuningOf(tunableMount(world, namespace, params.path)),
      repeat: true,
    }),
  }),
  operation({
    id: 'tuneMount',
    verb: 'write',
    path: 'mounts/*path/tune',
    summary: 'Change the settings of a mount.',
    spec,
    body: tuneFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      done(tuneMount(world, namespace, params.path, fields)),
  }),
  operation({
    id: 'readMount',
    verb: 'read',
    path: 'mounts/*path',
    summary: 'Read one mounted secrets engine.',
    spec,
    reply: { 200: envelopeOf(mountSchema) },
    run({ world, namespace, params }) {
      const at = mountPath(params.path)
      const mount = mountOf(world, namespace, at)
      if (mount === undefined) throw refuse('mount-absent', { at })
      return {
        kind: 'envelope',
        dataIn: (dialect) => mountEntry(world, mount, dialect),
        repeat: true,
      }
    },
  }),
  operation({
    id: 'enableMount',
    verb: 'write',
    path: 'mounts/*path',
    summary: 'Mount a secrets engine.',
    spec,
    body: mountFields,
    reply: { 200: warningEnvelope, 204: null },
    run({ world, namespace, params, fields }) {
      const mount = enableMount(world, namespace, { ...fields, path: params.path })
      return done(sharedPortWarnings(mount.path))
    },
  }),
  operation({
    id: 'disableMount',
    verb: 'delete',
    path: 'mounts/*path',
    summary: 'Unmount a secrets engine; its data and leases go with it.',
    spec,
    reply: { 204: null },
    run({ world, namespace, params }) {
      disableMount(world, namespace, params.path)
      return empty
    },
  }),
]
