import { bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import { disableCors, enableCors, readCors } from '../../../state/secrets/audit-and-cors.ts'
import { allowedHeaders } from '../dispatch/cross-origin.ts'
import { enveloped } from '../envelope/schemas.ts'
import { requiredField } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#cors', rootOnly: true, access: 'sudo' })

const textList = list(text)

/** Operations on the CORS settings, which apply to requests from pages of other origins. */
export const corsOperations: readonly SecretsOperation[] = [
  operation.read('readCors', 'config/cors', {
    summary: 'Read from which other origins pages may call the API.',
    reply: enveloped({
      enabled: bool,
      allowed_origins: optional(textList),
      allowed_headers: optional(textList),
    }),
    run({ world }) {
      const settings = readCors(world)
      if (settings === undefined) {
        return { kind: 'envelope', data: { enabled: false }, repeatsKeys: true }
      }
      const { allowed_origins } = settings
      return {
        kind: 'envelope',
        renderData: (dialect) => ({
          enabled: true,
          allowed_origins,
          allowed_headers: allowedHeaders(settings, dialect),
        }),
        repeatsKeys: true,
      }
    },
  }),
  operation.write('configureCors', 'config/cors', {
    summary: 'Set from which other origins pages may call the API.',
    body: {
      allowed_origins: requiredField(
        described(list(text), 'Exact origins, or `*` alone for all origins'),
      ),
      allowed_headers: described(
        list(text),
        'Allowed request headers in addition to the standard ones',
      ),
    },
    failures: [500],
    apply: ({ world, fields: { allowed_origins = [], allowed_headers = [] } }) =>
      enableCors(world, { allowed_origins, allowed_headers }),
  }),
  operation.delete('deleteCors', 'config/cors', {
    summary: 'Stop checking origins.',
    apply: ({ world }) => disableCors(world),
  }),
]
