import type { Message } from '../../../state/kernel/message.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { decodeInput, keyBytes } from '../../../state/secrets/transit/ciphertext.ts'
import { publicKeyText } from '../../../state/secrets/transit/export.ts'
import {
  type TransitKey,
  type TransitVersion,
  transitKeys,
  usableVersions,
} from '../../../state/secrets/transit/keys.ts'
import { createTransitKey, rotateTransitKey } from '../../../state/secrets/transit/lifecycle.ts'
import { ed25519Key, ed25519Public } from '../../../state/secrets/transit/material.ts'
import { refuse } from '../../../state/secrets/transit/messages.ts'
import {
  configureTransitKey,
  deleteTransitKey,
  trimTransitKey,
} from '../../../state/secrets/transit/settings.ts'
import {
  derives,
  encrypts,
  isAead,
  keyTypeSpec,
  signs,
} from '../../../state/secrets/transit/types.ts'
import { keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { keysEnvelope } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { keyEnvelope, keySettingsFields, newKeyFields, trimFields } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-keys' })

const noContext: Uint8Array = new Uint8Array()

export const keyOperations = [
  operation.list('transitListKeys', 'keys', {
    summary: 'List the names of the keys.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keysOutcome(transitKeys.names(world, mount)),
  }),
  operation.write('transitCreateKey', 'keys/:name', {
    summary: 'Create a key; an existing key stays unchanged.',
    body: newKeyFields,
    failures: [500],
    reply: { 200: keyEnvelope },
    run({ world, mount, params: { name }, fields }) {
      return keyOutcome(world, createTransitKey(world, mount, name, fields))
    },
  }),
  operation.read('transitReadKey', 'keys/:name', {
    summary: 'Read the settings and the public keys of a key.',
    query: {
      context: textField('Context in base64 of the derived key pair whose public key is returned'),
    },
    reply: { 200: keyEnvelope },
    run({ world, mount, params, fields }) {
      const key = transitKeys.read(world, mount, params.name)
      const context = decodeInput(fields.context, () => refuse('context-base64-invalid'))
      return keyOutcome(world, key, [], context)
    },
  }),
  operation.delete('transitDeleteKey', 'keys/:name', {
    summary: 'Delete a key whose settings allow its deletion.',
    apply: ({ world, mount, params }) => deleteTransitKey(world, mount, params.name),
  }),
  operation.write('transitRotateKey', 'keys/:name/rotate', {
    summary: 'Add a version to a key.',
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params }) =>
      keyOutcome(world, rotateTransitKey(world, mount, params.name)),
  }),
  operation.write('transitConfigureKey', 'keys/:name/config', {
    summary: "Change a key's settings; omitted fields keep their values.",
    body: keySettingsFields,
    reply: { 200: keyEnvelope },
    run({ world, mount, params, fields }) {
      const { key, warnings } = configureTransitKey(world, mount, params.name, fields)
      return keyOutcome(world, key, warnings)
    },
  }),
  operation.write('transitTrimKey', 'keys/:name/trim', {
    summary: 'Delete old versions of a key permanently.',
    body: trimFields,
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params, fields }) =>
      keyOutcome(world, trimTransitKey(world, mount, params.name, fields.min_available_version)),
  }),
]

function keyOutcome(
  world: World,
  key: TransitKey,
  warnings: readonly Message[] = [],
  context = noContext,
): SecretsOutcome {
  return { kind: 'envelope', data: keyView(world, key, context), warnings }
}

/**
 * Returns the data of a key (behaviour/secrets#transit-keys).
 *
 * @param context context from which the public keys of a derived key pair are computed; if empty,
 *   no public keys are returned
 */
function keyView(world: World, key: TransitKey, context: Uint8Array): object {
  const { type } = key
  return {
    name: key.name,
    type,
    derived: key.derived,
    deletion_allowed: key.deletion_allowed,
    min_available_version: key.min_available_version,
    min_decryption_version: key.min_decryption_version,
    min_encryption_version: key.min_encryption_version,
    latest_version: key.latest_version,
    exportable: key.exportable,
    allow_plaintext_backup: key.allow_plaintext_backup,
    supports_encryption: encrypts(type),
    supports_decryption: encrypts(type),
    supports_signing: signs(type),
    supports_derivation: derives(type),
    auto_rotate_period: key.auto_rotate_period,
    imported_key: false,
    ...(type === 'hmac' ? { key_size: key.key_size } : { keys: versionViews(world, key, context) }),
    ...(key.derived && derivation(key)),
  }
}

function derivation({ convergent_encryption }: TransitKey): object {
  return {
    kdf: 'hkdf_sha256',
    convergent_encryption,
    // -1 means that each version of the key has its own convergent version.
    ...(convergent_encryption && { convergent_encryption_version: -1 }),
  }
}

function versionViews(world: World, key: TransitKey, context: Uint8Array): object {
  const views = usableVersions(key).map(([number, version]) => {
    const { created_time } = version
    if (isAead(key.type)) return [number, Math.floor(created_time / 1000)]
    const pair = {
      name: keyTypeSpec(key.type).publicName,
      creation_time: formatTimestamp(created_time),
      public_key: versionPublicKey(world, key, number, version, context),
    }
    return [number, pair]
  })
  return Object.fromEntries(views)
}

function versionPublicKey(
  world: World,
  key: TransitKey,
  number: number,
  version: TransitVersion,
  context: Uint8Array,
): string {
  if (key.derived) {
    if (context.length === 0) return ''
    return ed25519Public(ed25519Key(keyBytes(key, number, context, 32))).toString('base64')
  }
  return publicKeyText(world, key, version)
}
