import { bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { writeRole } from '../../../state/secrets/tokens/role-changes.ts'
import { deleteRole, findRole, readRole, roleNames } from '../../../state/secrets/tokens/roles.ts'
import { dataOutcome, emptyWithWarnings, keysOutcome } from '../envelope/outcome.ts'
import { keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { duration, texts } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { roleData, roleEnvelope } from './token-replies.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#tokens' })

const roleFields = {
  allowed_policies: texts('Policies that requests may ask for, even if the caller lacks them'),
  allowed_policies_glob: texts('Globs of policies that requests may ask for'),
  disallowed_policies: texts('Policies that tokens of the role must not have'),
  disallowed_policies_glob: texts('Globs of policies that tokens of the role must not have'),
  orphan: described(bool, 'Whether tokens of the role have no parent'),
  renewable: described(bool, 'Whether tokens of the role are renewable; true if left out'),
  allowed_entity_aliases: texts('Globs of the entity aliases that requests may ask for'),
  path_suffix: described(text, 'Suffix of the creation path of the tokens'),
  token_type: described(text, '`service`, `batch`, `default-service` or `default-batch`'),
  period: duration('Old name of token_period'),
  token_period: duration('Period of the tokens'),
  explicit_max_ttl: duration('Old name of token_explicit_max_ttl'),
  token_explicit_max_ttl: duration('Maximum lifetime, including renewals'),
  token_no_default_policy: described(bool, 'Whether tokens lack the policy `default`'),
  token_num_uses: described(int, 'Maximum number of uses of a token; 0 means unlimited'),
  token_bound_cidrs: texts('Networks from which clients may use the tokens'),
  bound_cidrs: texts('Old name of token_bound_cidrs'),
} as const

/**
 * Operations on token roles. A token role sets the properties of the tokens that callers create
 * with it.
 */
export const tokenRoleOperations: readonly SecretsOperation[] = [
  operation.list('listTokenRoles', 'roles', {
    summary: 'List the names of the token roles.',
    reply: { 200: keysEnvelope },
    run: ({ world, namespace }) => keysOutcome(roleNames(world, namespace)),
  }),
  operation.read('readTokenRole', 'roles/:name', {
    summary: 'Read a token role.',
    reply: { 200: roleEnvelope },
    run: ({ world, namespace, params }) =>
      dataOutcome(roleData(readRole(world, namespace, params.name))),
  }),
  operation.write('writeTokenRole', 'roles/:name', {
    summary: 'Create or change a token role.',
    exists: ({ world, namespace, params }) => findRole(world, namespace, params.name) !== undefined,
    body: roleFields,
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, namespace, params, fields }) =>
      emptyWithWarnings(writeRole(world, namespace, params.name, fields)),
  }),
  operation.delete('deleteTokenRole', 'roles/:name', {
    summary: 'Delete a token role.',
    apply: ({ world, namespace, params }) => deleteRole(world, namespace, params.name),
  }),
]
