import { any, constant, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { countEntities } from '../../../state/secrets/identity/entities.ts'
import { license } from '../../../state/secrets/seal/health.ts'
import { clusterId } from '../../../state/secrets/seal/seal.ts'
import { countServiceTokens } from '../../../state/secrets/tokens/tokens.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped, envelopeOf } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#small-endpoints' })

/** Returns the schema of a reply with one counter. */
const counterOf = (name: string) =>
  envelopeOf(struct({ counters: struct({ [name]: struct({ total: int }) }) }))

/** Licensed performance standbys: more than anybody starts (decided). */
const performanceStandbys = 9999

/** Operations that return counters and the license. */
export const countOperations = [
  operation.read({
    id: 'countTokens',
    path: 'internal/counters/tokens',
    summary: 'Counts the service tokens of all namespaces.',
    reply: { 200: counterOf('service_tokens') },
    run: ({ world }) =>
      data({ counters: { service_tokens: { total: countServiceTokens(world) } } }),
  }),
  operation.read({
    id: 'countEntities',
    path: 'internal/counters/entities',
    summary: 'Counts the entities of all namespaces.',
    reply: { 200: counterOf('entities') },
    run: ({ world }) => data({ counters: { entities: { total: countEntities(world) } } }),
  }),
  operation.read({
    id: 'readLicenseStatus',
    path: 'license/status',
    summary: 'Reads the license, which is made up.',
    enterprise: true,
    reply: enveloped({
      autoloading_used: constant(true),
      autoloaded: struct({
        license_id: text,
        state: text,
        expiration_time: text,
        features: list(any, { maxItems: 0 }),
        performance_standby_count: int,
      }),
    }),
    run: ({ world }) =>
      data({
        autoloading_used: true,
        autoloaded: {
          license_id: clusterId(world) ?? '',
          state: license.state,
          expiration_time: license.expiry_time,
          features: [],
          performance_standby_count: performanceStandbys,
        },
      }),
  }),
]
