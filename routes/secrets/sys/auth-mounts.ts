import { map } from '../../../state/kernel/shape/kinds.ts'
import {
  disableAuth,
  enableAuth,
  mountPath,
  tunableMount,
  tuneMount,
} from '../../../state/secrets/mounts/changes.ts'
import {
  authPrefix,
  isAuthMount,
  type Mount,
  mountKey,
  mounts,
  mountsIn,
} from '../../../state/secrets/mounts/mounts.ts'
import { done, empty } from '../envelope/outcome.ts'
import { envelopeOf, warningEnvelope } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import { mountEntry, mountSchema, mountTable, tuningOf, tuningSchema } from './mount-entry.ts'
import { mountFields, tuneFields } from './mount-fields.ts'

const spec = 'behaviour/secrets#mounts'

/** Authentication methods, as `mountOperations` has secrets engines; changes need `sudo`. */
export const authMountOperations = [
  operation({
    id: 'listAuthMethods',
    verb: 'read',
    path: 'auth',
    summary: 'List the enabled authentication methods by path.',
    spec,
    reply: { 200: envelopeOf(map(mountSchema)) },
    run({ world, namespace }) {
      const methods = mountsIn(world, namespace).filter(isAuthMount)
      const pathOf = (mount: Mount) => mount.path.slice(authPrefix.length)
      return {
        kind: 'envelope',
        dataIn: (dialect) => mountTable(world, methods, pathOf, dialect),
        repeat: true,
      }
    },
  }),
  operation({
    id: 'readAuthMethodTuning',
    verb: 'read',
    path: 'auth/*path/tune',
    summary: 'Read the settings of an authentication method.',
    spec,
    access: 'sudo',
    reply: { 200: envelopeOf(tuningSchema) },
    run: ({ world, namespace, params }) => ({
      kind: 'envelope',
      data: tuningOf(tunableMount(world, namespace, authPrefix + params.path)),
      repeat: true,
    }),
  }),
  operation({
    id: 'tuneAuthMethod',
    verb: 'write',
    path: 'auth/*path/tune',
    summary: 'Change the settings of an authentication method.',
    spec,
    access: 'sudo',
    body: tuneFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      done(tuneMount(world, namespace, authPrefix + params.path, fields)),
  }),
  operation({
    id: 'readAuthMethod',
    verb: 'read',
    path: 'auth/*path',
    summary: 'Read one authentication method.',
    spec,
    access: 'sudo',
    reply: { 200: envelopeOf(mountSchema) },
    run({ world, namespace, params }) {
      const at = mountPath(params.path)
      const mount = world.table(mounts).get(mountKey(namespace.id, authPrefix + at))
      if (mount === undefined) throw refuse('auth-engine-absent', { at })
      return {
        kind: 'envelope',
        dataIn: (dialect) => mountEntry(world, mount, dialect),
        repeat: true,
      }
    },
  }),
  operation({
    id: 'enableAuthMethod',
    verb: 'write',
    path: 'auth/*path',
    summary: 'Enable an authentication method.',
    spec,
    access: 'sudo',
    body: mountFields,
    reply: { 204: null },
    run({ world, namespace, params, fields }) {
      enableAuth(world, namespace, { ...fields, path: params.path })
      return empty
    },
  }),
  operation({
    id: 'disableAuthMethod',
    verb: 'delete',
    path: 'auth/*path',
    summary: 'Disable an authentication method; the tokens it gave out die.',
    spec,
    access: 'sudo',
    reply: { 204: null },
    run({ world, namespace, params }) {
      disableAuth(world, namespace, params.path)
      return empty
    },
  }),
]
