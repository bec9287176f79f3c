import {
  deleteCubbyhole,
  hasCubbyholeEntry,
  listCubbyhole,
  readCubbyhole,
  writeCubbyhole,
} from '../../../state/secrets/kv/cubbyhole.ts'
import { callerOf } from '../caller.ts'
import type { Engine } from '../operation.ts'
import { data, empty, JsonText, keys } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { envelopeOf, keysEnvelope } from '../schemas.ts'

const path = pathsOf('1-secrets-decisions.md section 3, Start state')

const pairsEnvelope = envelopeOf({ type: 'object', description: 'The stored pairs' })

/** Each token's private storage, gone with the token. */
export const cubbyholeEngine: Engine = {
  type: 'cubbyhole',
  paths: [
    path('*path', {
      exists: ({ world, token, params }) =>
        token !== undefined && hasCubbyholeEntry(world, token, params.path),
      read: {
        summary: "Reads an entry of the caller's cubbyhole.",
        anyFields: true,
        reply: { 200: pairsEnvelope },
        run: (call) =>
          data(new JsonText(readCubbyhole(call.world, callerOf(call), call.params.path))),
      },
      list: {
        summary: "Lists the names in a folder of the caller's cubbyhole.",
        anyFields: true,
        reply: { 200: keysEnvelope },
        run: (call) => keys(listCubbyhole(call.world, callerOf(call), call.params.path)),
      },
      write: {
        summary: "Replaces an entry of the caller's cubbyhole by any pairs of keys and values.",
        anyFields: true,
        reply: { 204: null },
        run: (call) => {
          writeCubbyhole(call.world, callerOf(call), call.params.path, call.input)
          return empty
        },
      },
      delete: {
        summary: "Deletes an entry of the caller's cubbyhole.",
        reply: { 204: null },
        run: (call) => {
          deleteCubbyhole(call.world, callerOf(call), call.params.path)
          return empty
        },
      },
    }),
  ],
}
