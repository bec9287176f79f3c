import { bool, int, text } from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../../state/kernel/shape/members.ts'
import { seal } from '../../../../state/secrets/seal/seal.ts'
import { resetUnseal, sealStatus, submitUnsealKey } from '../../../../state/secrets/seal/unseal.ts'
import { bare } from '../../envelope/outcome.ts'
import { flag, textField } from '../../fields/field-kinds.ts'
import { operationsOf } from '../../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#seal' })

const sealStatusSchema = struct({
  type: text,
  initialized: bool,
  sealed: bool,
  t: described(int, 'Shares that unseal'),
  n: described(int, 'Shares there are'),
  progress: described(int, 'Shares handed in so far'),
  nonce: text,
  version: text,
  build_date: text,
  migration: bool,
  cluster_name: optional(text),
  cluster_id: optional(text),
  recovery_seal: bool,
  storage_type: text,
})

/** Operations on the seal: its status, unsealing share by share, sealing. */
export const sealOperations = [
  operation.read({
    id: 'readSealStatus',
    path: 'seal-status',
    summary: 'Read the state of the seal.',
    unenveloped: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    reply: { 200: sealStatusSchema },
    run: ({ world }) => bare(sealStatus(world)),
  }),
  operation.write({
    id: 'unseal',
    secrets: { body: ['key'] },
    path: 'unseal',
    summary: 'Hand in one key share, or drop those handed in.',
    unenveloped: true,
    rootOnly: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    strict: {
      struct: 'UnsealRequest',
      optional: false,
      names: { key: 'Key', reset: 'Reset', migrate: 'Migrate' },
    },
    body: {
      key: textField('A key share in hex or base64'),
      reset: flag('Drop the shares handed in'),
      migrate: described(bool, 'Ignored: seals do not migrate here'),
    },
    reply: { 200: sealStatusSchema },
    run({ world, fields }) {
      if (fields.reset) {
        resetUnseal(world)
        return bare(sealStatus(world))
      }
      const fault = submitUnsealKey(world, fields.key)
      // The refusal commits the use of the shares.
      if (fault !== undefined) throw fault.commitWrites()
      return bare(sealStatus(world))
    },
  }),
  operation.write({
    id: 'seal',
    path: 'seal',
    summary: 'Seal the service.',
    methods: 'checked-first',
    rootOnly: true,
    access: 'sudo',
    apply: ({ world }) => seal(world),
  }),
]
