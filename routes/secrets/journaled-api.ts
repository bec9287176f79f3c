import type { Field } from '../../state/kernel/shape/kinds.ts'
import { requireUsableToken, type Token } from '../../state/secrets/tokens/tokens.ts'
import type { JournaledApi } from '../http/journal-hooks/request-record.ts'
import { fieldInfo } from './fields/fields.ts'
import type { SecretsOperation } from './operation.ts'

/** What the journal has to know of requests of this API. */
export const journaledApi: Omit<JournaledApi, 'name'> = {
  secretHeaders: ['x-secrets-token', 'x-vault-token', 'authorization'],
  secretReplies: ['auth/client_token', 'wrap_info/token'],
  hidesUnknown: true,
  bodyShape(operation) {
    // Operations of this API are noted with it alone.
    const { fields } = operation as SecretsOperation
    const members = Object.entries(fields).map(([name, field]): [string, Field] => [
      name,
      'presence' in field ? field : { shape: fieldInfo(field).shape, presence: 'optional' },
    ])
    return { kind: 'struct', name: '', fields: Object.fromEntries(members), others: undefined }
  },
  findCaller: (token, world) => requireUsableToken(world, token),
  describeCaller(caller) {
    // So are callers, by the row of their token.
    const { display_name, policies } = caller as Token
    return { name: display_name, policies }
  },
}
