import { message } from '../../../state/secrets/pki/messages.ts'
import { deleteRoot, generateRoot } from '../../../state/secrets/pki/roots.ts'
import { outcomeWithWarning } from '../envelope/outcome.ts'
import { warningEnvelope } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'
import { rootFields, rootReply } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-roots' })

const generateOptions = {
  summary: 'Generate a root certificate and its key.',
  body: rootFields,
  failures: [500],
  secrets: { reply: ['data/private_key'] },
  reply: rootReply,
} as const

export const rootOperations = [
  operation.write('pkiGenerateRoot', 'root/generate/:exported', {
    ...generateOptions,
    run({ world, mount, params, fields }) {
      const { data, warnings } = generateRoot(world, mount, params.exported, fields)
      return { kind: 'envelope', data, warnings }
    },
  }),
  operation.write('pkiGenerateRootIssuer', 'issuers/generate/root/:exported', {
    ...generateOptions,
    run({ world, mount, params, fields }) {
      const { data, warnings } = generateRoot(world, mount, params.exported, fields)
      return { kind: 'envelope', data, warnings }
    },
  }),
  operation.write('pkiRotateRoot', 'root/rotate/:exported', {
    ...generateOptions,
    summary: 'Generate another root certificate; its default name is `next`.',
    run({ world, mount, params, fields }) {
      const issuer_name = fields.issuer_name || 'next'
      const request = { ...fields, issuer_name }
      const { data, warnings } = generateRoot(world, mount, params.exported, request)
      return { kind: 'envelope', data, warnings }
    },
  }),
  operation.delete('pkiDeleteRoot', 'root', {
    summary: 'Delete all issuers and keys.',
    access: 'sudo',
    reply: { 200: warningEnvelope },
    run({ world, mount }) {
      deleteRoot(world, mount)
      return outcomeWithWarning(message('pki-root-deleted'))
    },
  }),
]
