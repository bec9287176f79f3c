import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import {
  deleteKey,
  generateKey,
  importKeyBundle,
  renameKey,
  requireKey,
  setDefaultKey,
} from '../../../state/secrets/pki/keys.ts'
import { message, refuse } from '../../../state/secrets/pki/messages.ts'
import { colonHex, encodedPublicKey, keyIdentifier } from '../../../state/secrets/pki/signing.ts'
import { keyObjectOf, keysOf, type PkiKey, pkiDefaults } from '../../../state/secrets/pki/tables.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, keyInfoEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { requiredText, textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-keys' })

const keyView = ({ id, name, type }: PkiKey) => ({ key_id: id, key_name: name, key_type: type })

const keyMembers = { key_id: text, key_name: text, key_type: text } as const

const keyReply = enveloped(keyMembers)

const defaultReply = enveloped({ default: text })

export const keyOperations = [
  operation.list('pkiListKeys', 'keys', {
    summary: 'List the keys.',
    reply: { 200: keyInfoEnvelope },
    run({ world, mount }) {
      const all = keysOf(world, mount)
      const defaultId = pkiDefaults(world, mount).key
      const key_info = all.map(({ id, name }) => [
        id,
        { is_default: id === defaultId, key_name: name },
      ])
      return keysOutcome(
        all.map(({ id }) => id),
        { key_info: Object.fromEntries(key_info) },
      )
    },
  }),
  operation.read('pkiReadKey', 'key/:key_ref', {
    summary: 'Read the public parts of a key.',
    failures: [500],
    reply: enveloped({ ...keyMembers, subject_key_id: text }),
    run({ world, mount, params }) {
      const key = requireKey(world, mount, params.key_ref)
      const subject_key_id = colonHex(keyIdentifier(encodedPublicKey(keyObjectOf(world, key))))
      return dataOutcome({ ...keyView(key), subject_key_id })
    },
  }),
  operation.write('pkiWriteKey', 'key/:key_ref', {
    summary: 'Rename a key.',
    body: { key_name: textField('New name; empty removes the name') },
    failures: [500],
    reply: keyReply,
    run({ world, mount, params, fields }) {
      const key = renameKey(world, mount, params.key_ref, fields.key_name)
      const warnings = key.name === '' ? [message('pki-key-name-deleted', { id: key.id })] : []
      return { kind: 'envelope', data: keyView(key), warnings }
    },
  }),
  operation.delete('pkiDeleteKey', 'key/:key_ref', {
    summary: 'Delete a key that no issuer uses.',
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, params }) => emptyWithWarnings(deleteKey(world, mount, params.key_ref)),
  }),
  operation.write('pkiGenerateKey', 'keys/generate/:exported', {
    summary: 'Generate a key without an issuer.',
    body: {
      key_type: withDefault(described(text, '`rsa`, `ec` or `ed25519`'), 'rsa'),
      key_bits: withDefault(described(int, 'Key length in bits; 0 means the default'), 0),
      key_name: textField('Name of the key'),
    },
    secrets: { reply: ['data/private_key'] },
    failures: [500],
    reply: enveloped({ ...keyMembers, private_key: optional(text) }),
    run({ world, mount, params: { exported }, fields }) {
      if (exported === 'kms') throw refuse('pki-kms-raised')
      if (exported !== 'internal' && exported !== 'exported') throw refuse('unsupported-path')
      const { row, pem } = generateKey(world, mount, fields)
      return dataOutcome({ ...keyView(row), ...(exported === 'exported' && { private_key: pem }) })
    },
  }),
  operation.write('pkiImportKey', 'keys/import', {
    summary: 'Import a key.',
    body: {
      pem_bundle: requiredText('Private key in PEM'),
      key_name: textField('Name of the key'),
    },
    secrets: { body: ['pem_bundle'] },
    reply: keyReply,
    run({ world, mount, fields }) {
      const { row, isNew } = importKeyBundle(world, mount, fields.pem_bundle, fields.key_name)
      return {
        kind: 'envelope',
        data: keyView(row),
        warnings: isNew ? [] : [message('pki-key-known')],
      }
    },
  }),
  operation.read('pkiReadDefaultKey', 'config/keys', {
    summary: 'Read which key is the default.',
    reply: defaultReply,
    run: ({ world, mount }) => dataOutcome({ default: pkiDefaults(world, mount).key }),
  }),
  operation.write('pkiWriteDefaultKey', 'config/keys', {
    summary: 'Choose the default key.',
    body: { default: requiredText('Id or name of the key') },
    reply: defaultReply,
    run: ({ world, mount, fields }) =>
      dataOutcome({ default: setDefaultKey(world, mount, fields.default) }),
  }),
]
