import { bool, text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described } from '../../../state/kernel/shape/members.ts'
import { seal } from '../../../state/secrets/seal/seal.ts'
import { resetUnseal, sealStatus, submitUnsealKey } from '../../../state/secrets/seal/unseal.ts'
import { bare, empty } from '../envelope/outcome.ts'
import { operation } from '../operation.ts'

const spec = '1-secrets-decisions.md section 3, sys/seal-status, unseal, seal'

const sealStatusSchema = {
  type: 'object',
  required: [
    'type',
    'initialized',
    'sealed',
    't',
    'n',
    'progress',
    'nonce',
    'version',
    'build_date',
    'migration',
    'recovery_seal',
    'storage_type',
  ],
  additionalProperties: false,
  properties: {
    type: { type: 'string' },
    initialized: { type: 'boolean' },
    sealed: { type: 'boolean' },
    t: { type: 'integer', description: 'Shares that unseal' },
    n: { type: 'integer', description: 'Shares there are' },
    progress: { type: 'integer', description: 'Shares handed in so far' },
    nonce: { type: 'string' },
    version: { type: 'string' },
    build_date: { type: 'string' },
    migration: { type: 'boolean' },
    cluster_name: { type: 'string' },
    cluster_id: { type: 'string' },
    recovery_seal: { type: 'boolean' },
    storage_type: { type: 'string' },
  },
} as const

/** The seal: its state, opening it share by share, closing it. */
export const sealOperations = [
  operation({
    id: 'readSealStatus',
    verb: 'read',
    path: 'seal-status',
    summary: 'Read the state of the seal.',
    spec,
    bare: true,
    access: 'anyone',
    onSecondary: true,
    whileSealed: true,
    reply: { 200: sealStatusSchema },
    run: ({ world }) => bare(sealStatus(world)),
  }),
  operation({
    id: 'unseal',
    verb: 'write',
    path: 'unseal',
    summary: 'Hand in one key share, or drop those handed in.',
    spec,
    bare: true,
    rootOnly: true,
    access: 'anyone',
    onSecondary: true,
    whileSealed: true,
    strict: {
      struct: 'UnsealRequest',
      optional: false,
      names: { key: 'Key', reset: 'Reset', migrate: 'Migrate' },
    },
    body: {
      key: byDefault(described(text, 'A key share in hex or base64'), ''),
      reset: byDefault(described(bool, 'Drop the shares handed in'), false),
      migrate: described(bool, 'Ignored: seals do not migrate here'),
    },
    reply: { 200: sealStatusSchema },
    run({ world, fields }) {
      if (fields.reset) {
        resetUnseal(world)
        return bare(sealStatus(world))
      }
      const fault = submitUnsealKey(world, fields.key)
      // The shares are used up.
      if (fault !== undefined) throw fault.keeping()
      return bare(sealStatus(world))
    },
  }),
  operation({
    id: 'seal',
    verb: 'write',
    path: 'seal',
    summary: 'Seal the service.',
    spec,
    verbFirst: true,
    rootOnly: true,
    access: 'sudo',
    reply: { 204: null },
    run({ world }) {
      seal(world)
      return empty
    },
  }),
]
