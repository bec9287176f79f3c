import { any, map } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  deletePlainSecret,
  hasPlainSecret,
  listPlainSecrets,
  readPlainSecret,
  writePlainSecret,
} from '../../../state/secrets/kv/v1.ts'
import { JsonText } from '../../http/json-text.ts'
import { keysOutcome } from '../envelope/outcome.ts'
import { envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { type Engine, operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#api-kv1' })

const pairsEnvelope = envelopeOf(
  described(map(any), 'The stored keys and values. `lease_duration` has no effect on the server'),
)

/** The key-value engine without versions (behaviour/secrets#api-kv1). */
export const kv1Engine: Engine = {
  type: 'kv-v1',
  operations: [
    operation.read('kv1Read', '*path', {
      secrets: { reply: ['data/**'] },
      summary: 'Read a secret.',
      reply: { 200: pairsEnvelope },
      run: ({ world, mount, params }) => {
        const { data, ttl } = readPlainSecret(world, mount, params.path)
        return {
          kind: 'envelope',
          data: new JsonText(data),
          lease: { id: '', renewable: false, duration: ttl },
        }
      },
    }),
    operation.list('kv1List', '*path', {
      summary: 'List the names in a folder.',
      reply: { 200: keysEnvelope },
      run: ({ world, mount, params }) => keysOutcome(listPlainSecrets(world, mount, params.path)),
    }),
    operation.write('kv1Write', '*path', {
      secrets: { body: [''] },
      summary: 'Replace a secret with any pairs of keys and values.',
      exists: ({ world, mount, params }) => hasPlainSecret(world, mount, params.path),
      acceptsUnknownFields: true,
      apply: ({ world, mount, params, input }) =>
        writePlainSecret(world, mount, params.path, input),
    }),
    operation.delete('kv1Delete', '*path', {
      summary: 'Delete a secret.',
      apply: ({ world, mount, params }) => deletePlainSecret(world, mount, params.path),
    }),
  ],
}
