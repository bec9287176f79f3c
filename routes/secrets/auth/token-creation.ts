import { bool, int, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { type RequestedToken, requestToken } from '../../../state/secrets/tokens/request.ts'
import { requireCaller } from '../dispatch/caller.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { authEnvelope } from '../envelope/schemas.ts'
import { unsplitTexts } from '../fields/field-kinds.ts'
import type { FieldValues } from '../fields/fields.ts'
import { type Call, operationsOf } from '../operation.ts'
import { authOutcome } from './token-replies.ts'

const createFields = {
  id: described(text, 'Id of the token; requires sudo'),
  policies: unsplitTexts("Policies of the token; the caller's policies if left out"),
  meta: described(map(text), 'Metadata of the token'),
  no_parent: described(bool, 'Whether the token has no parent; requires sudo'),
  no_default_policy: described(bool, 'Whether the token lacks the policy `default`'),
  renewable: described(bool, 'Whether the token is renewable; true if left out'),
  ttl: described(text, 'Lifetime of the token'),
  lease: described(text, 'Old name of ttl'),
  explicit_max_ttl: described(text, 'Maximum lifetime of the token, including renewals'),
  display_name: described(text, 'Display name of the token'),
  num_uses: described(int, 'Maximum number of uses; 0 means unlimited'),
  period: described(
    text,
    'Period of the token, which renewals can extend without limit; requires sudo',
  ),
  type: described(text, '`service` or `batch`'),
  entity_alias: described(text, 'Name of the entity alias; the role must allow it'),
} as const

type CreateCall = Call<object, FieldValues<typeof createFields>>

function create(call: CreateCall, orphan: boolean, role?: string): SecretsOutcome {
  const { world, namespace, fields, input } = call
  const context = { parent: requireCaller(call), namespace, path: call.path, orphan, role }
  // A null `meta` counts as missing, whereas an empty object is stored.
  const requested = input['meta'] === null ? { ...fields, meta: undefined } : fields
  const created: RequestedToken = requestToken(world, context, requested)
  return authOutcome(world, created)
}

/** Members that the declarations of all operations that create tokens share. */
const creationOptions = {
  secrets: { body: ['id'] },
  body: createFields,
  reply: { 200: authEnvelope },
} as const

const operation = operationsOf({ spec: 'behaviour/secrets#tokens' })

/** Operations that create tokens: children of the caller, orphans, or tokens of a role. */
export const tokenCreationOperations = [
  operation.write('createToken', 'create', {
    summary: 'Create a child token of the calling token.',
    ...creationOptions,
    run: (call) => create(call, false),
  }),
  operation.write('createOrphanToken', 'create-orphan', {
    summary: 'Create a token without a parent.',
    ...creationOptions,
    run: (call) => create(call, true),
  }),
  operation.write('createRoleToken', 'create/:role_name', {
    summary: 'Create a token with a token role.',
    ...creationOptions,
    run: (call) => create(call, false, call.params.role_name),
  }),
]
