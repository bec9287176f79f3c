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
  allowed_policies: texts("Policies that may be asked for, instead of the caller's"),
  allowed_policies_glob: texts('The same, with `*` for any text'),
  disallowed_policies: texts('Policies that tokens of the role may not have'),
  disallowed_policies_glob: texts('The same, with `*` for any text'),
  orphan: described(bool, 'Whether tokens of the role have no parent'),
  renewable: described(bool, 'Whether they are renewable; default true'),
  allowed_entity_aliases: texts('Entity aliases that may be asked for, with `*` for any text'),
  path_suffix: described(text, 'Appended to the path of their creation'),
  token_type: described(text, '`service`, `batch`, `default-service` or `default-batch`'),
  period: duration('Old name of token_period'),
  token_period: duration('Period of the tokens'),
  explicit_max_ttl: duration('Old name of token_explicit_max_ttl'),
  token_explicit_max_ttl: duration('Longest life, renewals included'),
  token_no_default_policy: described(bool, 'Leave out the policy `default`'),
  token_num_uses: described(int, 'How often they can be used; 0 for any number'),
  token_bound_cidrs: texts('Networks that the tokens belong to'),
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
