import { quoteGo } from '../../go/text.ts'
import { formatGoValue } from '../../json/go-value.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import { definedMembers } from '../../kernel/objects.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import { checkPeriod, defaultTokenFields, type TokenFieldsChange } from '../logins/token-fields.ts'
import { type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { message, refuse } from './messages.ts'
import { type JwtRole, jwtRoles } from './roles.ts'

type JwtRoleMember =
  | 'expiration_leeway'
  | 'not_before_leeway'
  | 'clock_skew_leeway'
  | 'bound_audiences'
  | 'bound_subject'
  | 'claim_mappings'
  | 'user_claim'
  | 'user_claim_json_pointer'
  | 'groups_claim'
  | 'oidc_scopes'
  | 'allowed_redirect_uris'
  | 'verbose_oidc_logging'
  | 'max_age'

/**
 * A change of a role. Members that are left out keep their values, except the role type and the
 * type of bound claims, which return to their defaults.
 */
type JwtRoleChange = TokenFieldsChange &
  DeprecatedFieldsChange & { readonly [Name in JwtRoleMember]?: JwtRole[Name] | undefined } & {
    readonly role_type?: string | undefined
    readonly bound_claims_type?: string | undefined
    readonly bound_claims?: JsonObject | undefined
  }

const defaultRole = {
  ...defaultTokenFields,
  expiration_leeway: 0,
  not_before_leeway: 0,
  clock_skew_leeway: 0,
  bound_audiences: null,
  bound_subject: '',
  bound_claims: null,
  claim_mappings: null,
  user_claim: '',
  user_claim_json_pointer: false,
  groups_claim: '',
  oidc_scopes: null,
  allowed_redirect_uris: null,
  verbose_oidc_logging: false,
  max_age: 0,
  old_names: [],
}

/**
 * Creates or changes a role (behaviour/secrets#jwt-roles).
 *
 * @returns warnings about settings that are truncated or insecure
 * @throws Refusal `invalid`. The checks run in the reference's order: type, token fields, period,
 *   bound claims, mappings, user claim, redirects, constraints, TTLs.
 */
export function writeJwtRole(
  world: World,
  mount: Mount,
  name: string,
  change: JwtRoleChange,
): readonly Message[] {
  const before = jwtRoles.find(world, mount, name) ?? defaultRole
  const { role_type: type = '', bound_claims_type: boundType = 'string', ...commonChange } = change
  const role_type = roleTypeIn(type)
  const {
    tokens,
    oldNamesInUse,
    otherFields: others,
  } = applyChangeUnderBothNames(before, before.old_names, commonChange)
  checkPeriod(mount, tokens.token_period, (limits) => refuse('jwt-period-above-max', limits))
  const bound_claims_type = boundTypeIn(boundType)
  const { bound_claims = before.bound_claims, ...roleFields } = others
  const role: JwtRole = {
    ...before,
    ...definedMembers(roleFields),
    ...tokens,
    bound_claims: bound_claims === null ? null : toStoredJson(bound_claims),
    role_type,
    bound_claims_type,
    old_names: oldNamesInUse,
  }
  if (bound_claims_type === 'glob') checkGlobs(change.bound_claims ?? {})
  checkMappings(change.claim_mappings ?? {})
  checkRole(role)
  jwtRoles.put(world, mount, name, role)
  return [
    ...(role.token_max_ttl > maxLeaseTtl(mount) ? [message('jwt-max-ttl-truncated')] : []),
    ...(role.verbose_oidc_logging ? [message('jwt-verbose-logging')] : []),
  ]
}

function roleTypeIn(text: string): JwtRole['role_type'] {
  if (text === '') return 'oidc'
  if (text !== 'jwt' && text !== 'oidc') throw refuse('jwt-role-type-unknown', { type: text })
  return text
}

function boundTypeIn(text: string): JwtRole['bound_claims_type'] {
  if (text !== 'string' && text !== 'glob') throw refuse('jwt-bound-type-unknown', { type: text })
  return text
}

/**
 * Throws a refusal for bound claims other than strings and lists of strings, because globs match
 * only strings.
 */
function checkGlobs(claims: JsonObject): void {
  for (const value of Object.values(claims)) {
    if (
      typeof value === 'object' &&
      !Array.isArray(value) &&
      (value === null || !isNumber(value))
    ) {
      throw refuse('jwt-bound-claim-not-list', { value: formatGoValue(value) })
    }
    const other = [value].flat().find((each) => typeof each !== 'string')
    if (other !== undefined)
      throw refuse('jwt-bound-claim-not-text', { value: formatGoValue(other) })
  }
}

function isNumber(value: Json): boolean {
  return typeof toStoredJson(value) === 'number'
}

function checkMappings(mappings: Readonly<Record<string, string>>): void {
  const seen = new Set<string>()
  for (const key of Object.values(mappings)) {
    if (key === 'role') throw refuse('jwt-metadata-reserved', { key: quoteGo(key) })
    if (seen.has(key)) throw refuse('jwt-metadata-twice', { key: quoteGo(key) })
    seen.add(key)
  }
}

function checkRole(role: JwtRole): void {
  if (role.user_claim === '') throw refuse('jwt-user-claim-missing')
  if (role.role_type === 'oidc') {
    if ((role.allowed_redirect_uris ?? []).length === 0) throw refuse('jwt-redirects-missing')
  } else if (
    (role.bound_audiences ?? []).length === 0 &&
    role.token_bound_cidrs.length === 0 &&
    role.bound_subject === '' &&
    Object.keys(role.bound_claims ?? {}).length === 0
  ) {
    throw refuse('jwt-unconstrained')
  }
  if (role.token_max_ttl > 0 && role.token_ttl > role.token_max_ttl) {
    throw refuse('jwt-ttl-above-max')
  }
}

/** Converts a value to the JSON form that rows store: all numbers become JavaScript numbers. */
function toStoredJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
