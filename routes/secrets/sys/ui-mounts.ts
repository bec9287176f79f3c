import { quoteGo } from '../../../state/go/text.ts'
import { mountPath } from '../../../state/secrets/mounts/changes.ts'
import {
  authPrefix,
  isAuthMount,
  type Mount,
  mountOf,
  mountsIn,
} from '../../../state/secrets/mounts/mounts.ts'
import { mayReach } from '../../../state/secrets/policies/acl.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { type Call, operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import { mountEntry, mountSchema, mountTable } from './mount-entry.ts'

const spec = '1-secrets-decisions.md section 3, CLI preflight'

const tableSchema = { type: 'object', additionalProperties: mountSchema } as const

/**
 * Operations that the command line asks before it reads or writes a secret: which engine is at a
 * path? Told to every token that may do anything there.
 */
export const uiMountOperations = [
  operation({
    id: 'listUiMounts',
    verb: 'read',
    path: 'internal/ui/mounts',
    summary: 'List the mounts that the caller can use.',
    spec,
    access: 'token',
    reply: {
      200: envelopeOf({
        type: 'object',
        required: ['secret', 'auth'],
        additionalProperties: false,
        properties: { secret: tableSchema, auth: tableSchema },
      }),
    },
    run(call) {
      const { world, namespace } = call
      const seen = mountsIn(world, namespace).filter((mount) => reaches(call, mount))
      const engines = seen.filter((mount) => !isAuthMount(mount))
      const methods = seen.filter(isAuthMount)
      const pathOf = (mount: Mount) => mount.path.slice(authPrefix.length)
      return {
        kind: 'envelope',
        dataIn: (dialect) => ({
          secret: mountTable(world, engines, (mount) => mount.path, dialect),
          auth: mountTable(world, methods, pathOf, dialect),
        }),
      }
    },
  }),
  operation({
    id: 'readUiMount',
    verb: 'read',
    path: 'internal/ui/mounts/*path',
    summary: 'Read which mount a path belongs to.',
    spec,
    access: 'token',
    reply: { 200: envelopeOf({ ...mountSchema, required: ['type', 'options', 'path'] }) },
    run(call) {
      const at = mountPath(call.params.path)
      const mount = mountOf(call.world, call.namespace, at)
      if (mount === undefined || !reaches(call, mount)) {
        // One answer for both, so that nobody learns what is mounted.
        throw refuse('preflight-denied', { at: quoteGo(at) })
      }
      return {
        kind: 'envelope',
        dataIn: (dialect) => ({ ...mountEntry(call.world, mount, dialect), path: mount.path }),
      }
    },
  }),
]

/** Tells whether the caller has any capability at or under a mount. */
function reaches({ world, namespace, token }: Call<unknown>, mount: Mount): boolean {
  return token !== undefined && mayReach(world, token, namespace.path + mount.path)
}
