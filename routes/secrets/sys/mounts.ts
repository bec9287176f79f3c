import type { Message } from '../../../state/kernel/message.ts'
import { any, map, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  disableAuth,
  disableMount,
  enableAuth,
  enableMount,
  mountPath,
  tunableMount,
  tuneMount,
} from '../../../state/secrets/mounts/changes.ts'
import {
  authPrefix,
  isAuthMount,
  type Mount,
  mountKey,
  mountOf,
  mounts,
  mountsIn,
} from '../../../state/secrets/mounts/mounts.ts'
import { readMigration, remount } from '../../../state/secrets/mounts/remount.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import {
  dataOutcome,
  emptyOutcome,
  emptyWithWarnings,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { enveloped, envelopeOf, warningEnvelope } from '../envelope/schemas.ts'
import { flag, requiredText, textField, texts } from '../fields/field-kinds.ts'
import { message, refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { mountEntry, mountSchema, mountTable, tuningOf, tuningSchema } from './mount-entry.ts'

const mountFields = {
  type: requiredText('Type of the engine or login method, such as kv'),
  description: textField('Description for people'),
  config: withDefault(
    described(map(any), 'Settings: default_lease_ttl, max_lease_ttl, force_no_cache'),
    {},
  ),
  options: withDefault(
    described(map(text), 'Options of the engine; key-value engines have a version'),
    {},
  ),
  local: flag('Whether the mount is local to the cluster'),
  seal_wrap: flag('Whether the seal encrypts the data a second time'),
  external_entropy_access: flag('Whether the mount uses an external source of entropy'),
  plugin_name: described(text, 'Name of the plug-in, if the type is plugin'),
} as const

/** Fields of a request that tunes a mount. A missing field keeps its value. */
const tuneFields = {
  description: described(text, 'Description for people'),
  default_lease_ttl: described(text, 'Default TTL; system for the TTL of the server'),
  max_lease_ttl: described(text, 'Maximum TTL; system for the TTL of the server'),
  options: described(map(text), 'Options to change; an empty value removes an option'),
  listing_visibility: described(text, 'unauth, hidden or empty'),
  token_type: described(text, 'Type of the tokens that a login method creates'),
  user_lockout_config: described(
    map(any),
    'User lockout of a login method: lockout_threshold, lockout_duration, lockout_counter_reset_duration, lockout_disable',
  ),
  audit_non_hmac_request_keys: texts('Stored and returned, but without effect'),
  audit_non_hmac_response_keys: texts('Stored and returned, but without effect'),
  passthrough_request_headers: texts('Stored and returned, but without effect'),
  allowed_response_headers: texts('Stored and returned, but without effect'),
} as const

const operation = operationsOf({ spec: 'behaviour/secrets#mounts' })

/** First path segments that belong to other APIs on a shared port (behaviour/program#http). */
const pathsOfOtherApis: ReadonlySet<string> = new Set([
  'namespace',
  'namespaces',
  'jobs',
  'job',
  'object',
])

/** A kind of mount, with the parameters that declare its operations. */
interface MountKind {
  /** Path below `sys/`. */
  readonly path: string
  /** Name in operation ids. */
  readonly singularName: string
  /** Prefix that stored mount paths have and that paths in requests lack. */
  readonly prefix: '' | typeof authPrefix
  readonly summaries: Readonly<
    Record<'list' | 'readTuning' | 'tune' | 'read' | 'enable' | 'disable', string>
  >
  /** Access that all operations except listing require. */
  readonly accessFlags: Pick<SecretsOperation, 'access'>
  readonly enableReply: SecretsOperation['reply']
  find(world: World, namespace: Namespace, at: string): Mount | undefined
  absentError(at: string): Error
  enable(...args: Parameters<typeof enableMount>): SecretsOutcome
  disable(world: World, namespace: Namespace, path: string): void
}

/** Operations that list, mount, unmount and tune secrets engines. */
export const mountOperations = operationsOn({
  path: 'mounts',
  singularName: 'Mount',
  prefix: '',
  summaries: {
    list: 'List the mounted secrets engines by path.',
    readTuning: 'Read the settings of a mount.',
    tune: 'Change the settings of a mount.',
    read: 'Read one mounted secrets engine.',
    enable: 'Mount a secrets engine.',
    disable: 'Unmount a secrets engine; its data and leases are deleted.',
  },
  accessFlags: {},
  enableReply: { 200: warningEnvelope, 204: null },
  find: mountOf,
  absentError: (at) => refuse('mount-absent', { at }),
  enable: (...args) => emptyWithWarnings(sharedPortWarnings(enableMount(...args).path)),
  disable: disableMount,
})

/**
 * Operations that list, mount, unmount and tune login methods; all of them except listing need
 * `sudo`.
 */
export const authMountOperations = operationsOn({
  path: 'auth',
  singularName: 'AuthMethod',
  prefix: authPrefix,
  summaries: {
    list: 'List the enabled authentication methods by path.',
    readTuning: 'Read the settings of an authentication method.',
    tune: 'Change the settings of an authentication method.',
    read: 'Read one authentication method.',
    enable: 'Enable an authentication method.',
    disable: 'Disable an authentication method; the tokens that it issued are revoked.',
  },
  accessFlags: { access: 'sudo' },
  enableReply: { 204: null },
  find: (world, namespace, at) => world.table(mounts).get(mountKey(namespace.id, authPrefix + at)),
  absentError: (at) => refuse('auth-engine-absent', { at }),
  enable(...args) {
    enableAuth(...args)
    return emptyOutcome
  },
  disable: disableAuth,
})

const remountOperation = operationsOf({
  spec: 'Extension: moving mounts, as the reference server does it',
})

/**
 * Operations that move mounts. A move is already complete when the reply is sent, but clients still
 * poll for its completion.
 */
export const remountOperations = [
  remountOperation.write('remount', 'remount', {
    summary: 'Move a mount to another path.',
    access: 'sudo',
    body: {
      from: requiredText('Current path of the mount'),
      to: requiredText('New path of the mount'),
    },
    reply: enveloped({ migration_id: text }),
    run({ world, namespace, fields: { from, to } }) {
      const migration_id = remount(world, namespace, from, to)
      const warnings = [
        message('remount-queued'),
        ...sharedPortWarnings(readMigration(world, migration_id).target_mount),
      ]
      return { kind: 'envelope', data: { migration_id }, warnings, repeatsKeys: true }
    },
  }),
  remountOperation.read('readRemountStatus', 'remount/status/:migration_id', {
    summary: 'Read the status of the move of a mount.',
    reply: enveloped({
      migration_id: text,
      migration_info: struct({
        source_mount: text,
        target_mount: text,
        status: word('in-progress', 'success', 'failure'),
      }),
    }),
    run: ({ world, params: { migration_id } }) =>
      dataOutcome({ migration_id, migration_info: readMigration(world, migration_id) }),
  }),
]

/**
 * Returns a warning if another API serves the mount's path on a shared port, so that the mount can
 * be reached only on a port of the secrets API alone. Returns an empty list for other mounts.
 */
function sharedPortWarnings(mountedAt: string): Message[] {
  const first = mountedAt.split('/')[0] ?? ''
  if (!pathsOfOtherApis.has(first)) return []
  return [message('mount-on-shared-port', { mountedAt })]
}

function operationsOn(kind: MountKind): readonly SecretsOperation[] {
  const { path, singularName, prefix, summaries, accessFlags } = kind
  return [
    operation.read(`list${singularName}s`, path, {
      summary: summaries.list,
      reply: { 200: envelopeOf(map(mountSchema)) },
      run({ world, namespace }) {
        const listedMounts = mountsIn(world, namespace).filter(
          (mount) => isAuthMount(mount) === (prefix !== ''),
        )
        const pathOf = (mount: Mount) => mount.path.slice(prefix.length)
        return {
          kind: 'envelope',
          renderData: (dialect) => mountTable(world, listedMounts, pathOf, dialect),
          repeatsKeys: true,
        }
      },
    }),
    operation.read(`read${singularName}Tuning`, `${path}/*path/tune`, {
      summary: summaries.readTuning,
      ...accessFlags,
      reply: { 200: envelopeOf(tuningSchema) },
      run: ({ world, namespace, params }) => ({
        kind: 'envelope',
        data: tuningOf(tunableMount(world, namespace, prefix + params.path)),
        repeatsKeys: true,
      }),
    }),
    operation.write(`tune${singularName}`, `${path}/*path/tune`, {
      summary: summaries.tune,
      ...accessFlags,
      body: tuneFields,
      reply: { 200: warningEnvelope, 204: null },
      run: ({ world, namespace, params, fields }) =>
        emptyWithWarnings(tuneMount(world, namespace, prefix + params.path, fields)),
    }),
    operation.read(`read${singularName}`, `${path}/*path`, {
      summary: summaries.read,
      ...accessFlags,
      reply: { 200: envelopeOf(mountSchema) },
      run({ world, namespace, params }) {
        const at = mountPath(params.path)
        const mount = kind.find(world, namespace, at)
        if (mount === undefined) throw kind.absentError(at)
        return {
          kind: 'envelope',
          renderData: (dialect) => mountEntry(world, mount, dialect),
          repeatsKeys: true,
        }
      },
    }),
    operation.write(`enable${singularName}`, `${path}/*path`, {
      summary: summaries.enable,
      ...accessFlags,
      body: mountFields,
      reply: kind.enableReply,
      run: ({ world, namespace, params, fields }) =>
        kind.enable(world, namespace, { ...fields, path: params.path }),
    }),
    operation.delete(`disable${singularName}`, `${path}/*path`, {
      summary: summaries.disable,
      ...accessFlags,
      apply: ({ world, namespace, params }) => kind.disable(world, namespace, params.path),
    }),
  ]
}
