import type { Message } from '../../../state/kernel/message.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { decodeInput } from '../../../state/secrets/transit/ciphertext.ts'
import { createTransitKey } from '../../../state/secrets/transit/create.ts'
import { type TransitKey, transitKeys } from '../../../state/secrets/transit/keys.ts'
import { message, refuse } from '../../../state/secrets/transit/messages.ts'
import { rotateTransitKey } from '../../../state/secrets/transit/rotation.ts'
import {
  configureTransitKey,
  deleteTransitKey,
  trimTransitKey,
} from '../../../state/secrets/transit/settings.ts'
import { empty, keys, type SecretsOutcome } from '../envelope/outcome.ts'
import { keysEnvelope } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { keyView } from './key-view.ts'
import { keyEnvelope, keySettingsFields, newKeyFields, trimFields } from './schemas.ts'

const spec = 'behaviour/secrets#transit-keys'

const noContext: Uint8Array = new Uint8Array()

/** Keys and their settings. */
export const keyOperations = [
  operation({
    id: 'transitListKeys',
    verb: 'list',
    path: 'keys',
    summary: 'Lists the names of the keys.',
    spec,
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keys(transitKeys.names(world, mount)),
  }),
  operation({
    id: 'transitCreateKey',
    verb: 'write',
    path: 'keys/:name',
    summary: 'Makes a key; one that is there stays as it is.',
    spec,
    body: newKeyFields,
    failures: [500],
    reply: { 200: keyEnvelope },
    run({ world, mount, params: { name }, fields }) {
      const { key, existed } = createTransitKey(world, mount, name, fields)
      return told(world, key, existed ? [message('transit-key-exists', { name })] : [])
    },
  }),
  operation({
    id: 'transitReadKey',
    verb: 'read',
    path: 'keys/:name',
    summary: 'Reads what is known of a key, public keys included.',
    spec,
    query: {
      context: withDefault(
        described(text, 'Context of a derived pair whose public keys are wanted, as base64'),
        '',
      ),
    },
    reply: { 200: keyEnvelope },
    run({ world, mount, params, fields }) {
      const key = transitKeys.read(world, mount, params.name)
      const context = decodeInput(fields.context, () => refuse('context-base64-invalid'))
      return told(world, key, [], context)
    },
  }),
  operation({
    id: 'transitDeleteKey',
    verb: 'delete',
    path: 'keys/:name',
    summary: 'Deletes a key that may be deleted.',
    spec,
    reply: { 204: null },
    run({ world, mount, params }) {
      deleteTransitKey(world, mount, params.name)
      return empty
    },
  }),
  operation({
    id: 'transitRotateKey',
    verb: 'write',
    path: 'keys/:name/rotate',
    summary: 'Adds a version to a key.',
    spec,
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params }) => told(world, rotateTransitKey(world, mount, params.name)),
  }),
  operation({
    id: 'transitConfigureKey',
    verb: 'write',
    path: 'keys/:name/config',
    summary: "Changes a key's settings; what is left out stays.",
    spec,
    body: keySettingsFields,
    reply: { 200: keyEnvelope },
    run({ world, mount, params, fields }) {
      const { key, warnings } = configureTransitKey(world, mount, params.name, fields)
      return told(world, key, warnings)
    },
  }),
  operation({
    id: 'transitTrimKey',
    verb: 'write',
    path: 'keys/:name/trim',
    summary: 'Throws old versions of a key away for good.',
    spec,
    body: trimFields,
    reply: { 200: keyEnvelope },
    run: ({ world, mount, params, fields }) =>
      told(world, trimTransitKey(world, mount, params.name, fields.min_available_version)),
  }),
]

function told(
  world: World,
  key: TransitKey,
  warnings: readonly Message[] = [],
  context = noContext,
): SecretsOutcome {
  return { kind: 'envelope', data: keyView(world, key, context), warnings }
}
