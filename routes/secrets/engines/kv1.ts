import {
  deletePlainSecret,
  hasPlainSecret,
  listPlainSecrets,
  readPlainSecret,
  writePlainSecret,
} from '../../../state/secrets/kv/v1.ts'
import type { Engine } from '../operation.ts'
import { empty, JsonText, keys } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { envelopeOf, keysEnvelope } from '../schemas.ts'

const path = pathsOf('1-secrets.md › Endpoints › Key-value v1')

const pairsEnvelope = envelopeOf({
  type: 'object',
  description: 'The stored pairs; lease_duration is only advice',
})

/** The key-value engine without versions (1-secrets.md, Key-value v1). */
export const kv1Engine: Engine = {
  type: 'kv-v1',
  paths: [
    path('*path', {
      exists: ({ world, mount, params }) => hasPlainSecret(world, mount, params.path),
      read: {
        summary: 'Reads a secret.',
        anyFields: true,
        reply: { 200: pairsEnvelope },
        run: ({ world, mount, params }) => {
          const { data, ttl } = readPlainSecret(world, mount, params.path)
          return {
            kind: 'envelope',
            data: new JsonText(data),
            lease: { id: '', renewable: false, duration: ttl },
          }
        },
      },
      list: {
        summary: 'Lists the names in a folder.',
        anyFields: true,
        reply: { 200: keysEnvelope },
        run: ({ world, mount, params }) => keys(listPlainSecrets(world, mount, params.path)),
      },
      write: {
        summary: 'Replaces a secret by any pairs of keys and values.',
        anyFields: true,
        reply: { 204: null },
        run: ({ world, mount, params, input }) => {
          writePlainSecret(world, mount, params.path, input)
          return empty
        },
      },
      delete: {
        summary: 'Deletes a secret.',
        reply: { 204: null },
        run: ({ world, mount, params }) => {
          deletePlainSecret(world, mount, params.path)
          return empty
        },
      },
    }),
  ],
}
