import { any, bool, int, list, map, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { tokenFields } from '../logins/token-fields.ts'
import { walField } from '../mounts/mounts.ts'
import { NamedRows } from '../mounts/rows.ts'
import { refuse } from './messages.ts'

/** Who may log in with which JWTs, and what tokens they get (behaviour/secrets#jwt-roles). */
const roleShape = struct({
  role_type: word('jwt', 'oidc'),
  /** In seconds; 0 for the usual, below for none. */
  expiration_leeway: int,
  not_before_leeway: int,
  clock_skew_leeway: int,
  bound_audiences: nullable(list(text)),
  bound_subject: text,
  bound_claims_type: word('string', 'glob'),
  /** Values, or lists of them, by claim. */
  bound_claims: nullable(map(any)),
  /** Keys of metadata by claim. */
  claim_mappings: nullable(map(text)),
  user_claim: text,
  user_claim_json_pointer: bool,
  groups_claim: text,
  oidc_scopes: nullable(list(text)),
  allowed_redirect_uris: nullable(list(text)),
  verbose_oidc_logging: bool,
  max_age: uint,
  ...tokenFields,
  /** The old names under which reads tell values too. */
  old_names: list(text),
  ...walField,
})
export interface JwtRole extends StoredOf<typeof roleShape> {}

/** By `<mount uuid>/<name in lower case>`. */
export const jwtRoleTable = defineTable({
  service: 'secrets',
  name: 'jwt-roles',
  shape: roleShape,
})

/** The roles of mounts, whatever the case of their names. */
export const jwtRoles = new NamedRows(jwtRoleTable, () => refuse('nothing-here'))
