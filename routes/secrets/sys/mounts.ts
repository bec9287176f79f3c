import {
  disableMount,
  enableMount,
  mountPath,
  tunableMount,
  tuneMount,
} from '../../../state/secrets/mounts/changes.ts'
import { isAuthMount, mountOf, mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { invalid } from '../../../state/secrets/refusals.ts'
import { done, empty } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { envelopeOf, warningEnvelope } from '../schemas.ts'
import { mountEntry, mountSchema, mountTable, tuningOf, tuningSchema } from './mount-entry.ts'
import { mountFields, tuneFields } from './mount-fields.ts'

const path = pathsOf('1-secrets-decisions.md section 3, Mounts')

/** First segments that belong to another API where one port serves all (DESIGN section 3). */
const foreign: ReadonlySet<string> = new Set(['namespace', 'namespaces', 'jobs', 'job', 'object'])

/** A remark for mounts that only a dedicated secrets port can serve. */
export function sharedPortWarnings(mountedAt: string): string[] {
  const first = mountedAt.split('/')[0] ?? ''
  if (!foreign.has(first)) return []
  return [
    `The path "${mountedAt}" belongs to another API on the shared port. This mount answers on a dedicated secrets port only.`,
  ]
}

/** Secrets engines: list, mount, unmount and tune them. */
export const mountPaths = [
  path('mounts', {
    read: {
      summary: 'List the mounted secrets engines by path.',
      reply: { 200: envelopeOf({ type: 'object', additionalProperties: mountSchema }) },
      run({ world, namespace }) {
        const engines = mountsIn(world, namespace).filter((mount) => !isAuthMount(mount))
        return {
          kind: 'envelope',
          dataIn: (dialect) => mountTable(world, engines, (mount) => mount.path, dialect),
          repeat: true,
        }
      },
    },
  }),
  path('mounts/*path/tune', {
    read: {
      summary: 'Read the settings of a mount.',
      reply: { 200: envelopeOf(tuningSchema) },
      run: ({ world, namespace, params }) => ({
        kind: 'envelope',
        data: tuningOf(tunableMount(world, namespace, params.path)),
        repeat: true,
      }),
    },
    write: {
      summary: 'Change the settings of a mount.',
      fields: tuneFields,
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, namespace, params, fields }) =>
        done(tuneMount(world, namespace, params.path, fields)),
    },
  }),
  path('mounts/*path', {
    read: {
      summary: 'Read one mounted secrets engine.',
      reply: { 200: envelopeOf(mountSchema) },
      run({ world, namespace, params }) {
        const at = mountPath(params.path)
        const mount = mountOf(world, namespace, at)
        if (mount === undefined) throw invalid(`No secret engine mount at ${at}`)
        return {
          kind: 'envelope',
          dataIn: (dialect) => mountEntry(world, mount, dialect),
          repeat: true,
        }
      },
    },
    write: {
      summary: 'Mount a secrets engine.',
      fields: mountFields,
      reply: { 200: warningEnvelope, 204: null },
      run({ world, namespace, params, fields }) {
        const mount = enableMount(world, namespace, { ...fields, path: params.path })
        return done(sharedPortWarnings(mount.path))
      },
    },
    delete: {
      summary: 'Unmount a secrets engine; its data and leases go with it.',
      reply: { 204: null },
      run({ world, namespace, params }) {
        disableMount(world, namespace, params.path)
        return empty
      },
    },
  }),
]
