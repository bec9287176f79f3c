import { any, map } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  deleteCubbyhole,
  hasCubbyholeEntry,
  listCubbyhole,
  readCubbyhole,
  writeCubbyhole,
} from '../../../state/secrets/kv/cubbyhole.ts'
import { isWrapping } from '../../../state/secrets/wrapping/wrapping.ts'
import { JsonText } from '../../http/json-text.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { keysOutcome } from '../envelope/outcome.ts'
import { envelopeOf, keysEnvelope } from '../envelope/schemas.ts'
import { message } from '../messages.ts'
import { type Engine, operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#start-state' })

const pairsEnvelope = envelopeOf(described(map(any), 'The stored keys and values'))

/**
 * The engine for the private storage of tokens. The storage of a token is deleted with the token.
 */
export const cubbyholeEngine: Engine = {
  type: 'cubbyhole',
  operations: [
    operation.read('cubbyholeRead', '*path', {
      secrets: { reply: ['data/**'] },
      summary: "Read an entry of the caller's cubbyhole.",
      failures: [500],
      reply: { 200: pairsEnvelope },
      run: (call) => {
        const token = requireCaller(call)
        const { path } = call.params
        const stored = new JsonText(readCubbyhole(call.world, token, path))
        const isLegacyRead = path === 'response' && isWrapping(token)
        return {
          kind: 'envelope',
          data: stored,
          warnings: isLegacyRead ? [message('cubbyhole-response-deprecated')] : [],
        }
      },
    }),
    operation.list('cubbyholeList', '*path', {
      summary: "List the names in a folder of the caller's cubbyhole.",
      reply: { 200: keysEnvelope },
      run: (call) => keysOutcome(listCubbyhole(call.world, requireCaller(call), call.params.path)),
    }),
    operation.write('cubbyholeWrite', '*path', {
      secrets: { body: [''] },
      summary: "Replace an entry of the caller's cubbyhole with any pairs of keys and values.",
      exists: ({ world, token, params }) =>
        token !== undefined && hasCubbyholeEntry(world, token, params.path),
      acceptsUnknownFields: true,
      failures: [500],
      apply: (call) =>
        writeCubbyhole(call.world, requireCaller(call), call.params.path, call.input),
    }),
    operation.delete('cubbyholeDelete', '*path', {
      summary: "Delete an entry of the caller's cubbyhole.",
      apply: (call) => deleteCubbyhole(call.world, requireCaller(call), call.params.path),
    }),
  ],
}
