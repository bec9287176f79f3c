import { bool, int } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { configureTransit, transitConfig } from '../../../state/secrets/transit/keys.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope } from '../envelope/schemas.ts'
import { flag } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-keys' })

const keysConfigEnvelope = structEnvelope({ disable_upsert: bool })

export const configOperations = [
  operation.read('transitReadKeysConfig', 'config/keys', {
    summary: 'Read the settings for all keys.',
    reply: { 200: keysConfigEnvelope },
    run({ world, mount }) {
      const { disable_upsert } = transitConfig(world, mount)
      return dataOutcome({ disable_upsert })
    },
  }),
  operation.write('transitWriteKeysConfig', 'config/keys', {
    summary: 'Change the settings for all keys.',
    body: {
      disable_upsert: flag(
        'Whether encryption fails for a key that does not exist; false if left out',
      ),
    },
    reply: { 200: keysConfigEnvelope },
    run({ world, mount, fields }) {
      configureTransit(world, mount, fields)
      const { disable_upsert } = transitConfig(world, mount)
      return dataOutcome({ disable_upsert })
    },
  }),
  operation.read('transitReadCacheConfig', 'cache-config', {
    summary: 'Read the size of the cache of keys.',
    reply: enveloped({ size: int }),
    run: ({ world, mount }) => dataOutcome({ size: transitConfig(world, mount).cache_size }),
  }),
  operation.write('transitWriteCacheConfig', 'cache-config', {
    summary: 'Change the size of the cache of keys, which has no effect.',
    body: {
      size: described(int, 'Number of cached keys; 0 means unlimited, otherwise at least 10'),
    },
    reply: enveloped({ size: int }),
    run({ world, mount, fields: { size = 0 } }) {
      configureTransit(world, mount, { cache_size: size })
      return dataOutcome({ size })
    },
  }),
]
