import { any, bool, int, list, map, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { tokenFields } from '../logins/token-fields.ts'
import { NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/**
 * Role of a JWT login method: the JWTs that may log in, and the settings of the tokens that these
 * logins return (behaviour/secrets#jwt-roles).
 */
const roleShape = struct({
  role_type: word('jwt', 'oidc'),
  /** Leeway in seconds; 0 means the default, a negative number means no leeway. */
  expiration_leeway: int,
  /** Leeway in seconds, with the special values of `expiration_leeway`. */
  not_before_leeway: int,
  /** Leeway in seconds, with the special values of `expiration_leeway`. */
  clock_skew_leeway: int,
  bound_audiences: nullable(list(text)),
  bound_subject: text,
  bound_claims_type: word('string', 'glob'),
  /** Required value, or a list of alternative values, by claim. */
  bound_claims: nullable(map(any)),
  /** Metadata keys by claim. */
  claim_mappings: nullable(map(text)),
  user_claim: text,
  user_claim_json_pointer: bool,
  groups_claim: text,
  oidc_scopes: nullable(list(text)),
  allowed_redirect_uris: nullable(list(text)),
  verbose_oidc_logging: bool,
  max_age: uint,
  ...tokenFields,
  /** Old names of token fields under which reads also return the field's value. */
  old_names: list(text),
  ...walField,
})
export interface JwtRole extends StoredOf<typeof roleShape> {}

/** Roles by `<mount uuid>/<name in lower case>`. */
export const jwtRoleTable = secretsTable('jwt-roles', roleShape, { secrets: 'none' })

export const jwtRoles = new NamedRows(jwtRoleTable, () => refuse('nothing-here'))
