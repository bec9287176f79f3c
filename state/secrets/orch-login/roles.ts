import type { Message } from '../../kernel/message.ts'
import { bool, list, text, word } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { JwsError, parseJws, publicKeyIn } from '../logins/jws.ts'
import { applyChangeUnderBothNames, type DeprecatedFieldsChange } from '../logins/old-names.ts'
import {
  checkPeriod,
  defaultTokenFields,
  type TokenFieldsChange,
  tokenFields,
} from '../logins/token-fields.ts'
import { type Mount, MountRow, maxLeaseTtl, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { message, refuse } from './messages.ts'

/**
 * Configuration of an orchestrator login method: the orchestrator whose service accounts may log in
 * (behaviour/secrets#orch-login-config).
 */
const configShape = struct({
  orch_host: text,
  orch_ca_cert: text,
  /** Token with which the method would request reviews; no reply contains it. */
  token_reviewer_jwt: secret(text),
  /** Public keys in PEM format. */
  pem_keys: list(text),
  issuer: text,
  disable_iss_validation: bool,
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchLoginConfig extends StoredOf<typeof configShape> {}

/** Configurations by `<mount uuid>/`. */
export const orchLoginConfigTable = secretsTable('orch-login-configs', configShape, {
  secrets: { members: ['token_reviewer_jwt'] },
})

export const orchLoginConfigs = new MountRow(orchLoginConfigTable, () => refuse('nothing-here'))

/**
 * Replaces the configuration. A CA certificate is optional unless the pod's CA is disabled, and is
 * not parsed (named choice `orch-login-ca`).
 *
 * @throws Refusal `invalid` for a missing host, a token for reviews that is not a JWT, an invalid
 *   key, and a missing CA while the pod's CA is disabled
 */
export function writeOrchLoginConfig(world: World, mount: Mount, config: OrchLoginConfig): void {
  if (config.orch_host === '') throw refuse('orch-login-host-missing')
  if (config.token_reviewer_jwt !== '') checkReviewerToken(config.token_reviewer_jwt)
  if (config.disable_local_ca_jwt && config.orch_ca_cert === '') {
    throw refuse('orch-login-ca-missing')
  }
  if (!config.pem_keys.every(isKey)) throw refuse('orch-login-key-unreadable')
  orchLoginConfigs.put(world, mount, config)
}

/**
 * Checks the form of a JWT. Does not verify the signature.
 * @throws Refusal for a string that is not a JWT
 */
function checkReviewerToken(jwt: string): void {
  try {
    parseJws(jwt)
  } catch (error) {
    if (!(error instanceof JwsError)) throw error
    throw refuse('orch-login-reviewer-unreadable', { why: error.message })
  }
}

/**
 * Returns whether PEM data contain an RSA or elliptic curve key. Service account tokens use no
 * other types of keys.
 */
function isKey(pem: string): boolean {
  const type = publicKeyIn(pem)?.asymmetricKeyType
  return type === 'rsa' || type === 'ec'
}

/**
 * Role of an orchestrator login method: the service accounts that may log in, and the settings of
 * their tokens (behaviour/secrets#orch-login-roles).
 */
const roleShape = struct({
  /** Accepted account names: either only `*`, or globs. */
  bound_service_account_names: list(text),
  bound_service_account_namespaces: list(text),
  /** Required audience; empty for any audience. */
  audience: text,
  alias_name_source: word('serviceaccount_uid', 'serviceaccount_name'),
  ...tokenFields,
  /**
   * Old names under which token fields were written. Reads also return the fields under these
   * names.
   */
  old_names: list(text),
  ...walField,
})
export interface OrchLoginRole extends StoredOf<typeof roleShape> {}

/** Roles by `<mount uuid>/<name in lower case>`. */
export const orchLoginRoleTable = secretsTable('orch-login-roles', roleShape, { secrets: 'none' })

export const orchLoginRoles = new NamedRows(orchLoginRoleTable, () => refuse('nothing-here'))

/** A change of a role; members that are left out keep their values. */
interface OrchLoginRoleChange extends TokenFieldsChange, DeprecatedFieldsChange {
  readonly bound_service_account_names?: readonly string[] | undefined
  readonly bound_service_account_namespaces?: readonly string[] | undefined
  readonly audience?: string | undefined
  readonly alias_name_source?: string | undefined
}

const defaultRole = {
  ...defaultTokenFields,
  bound_service_account_names: [],
  bound_service_account_namespaces: [],
  audience: '',
  alias_name_source: undefined,
  old_names: [],
}

/**
 * Creates or changes a role (behaviour/secrets#orch-login-roles).
 *
 * @returns a warning if the maximum TTL is above the maximum of the mount
 * @throws Refusal `invalid`. The checks run in the reference's order: token fields, period, TTLs,
 *   accounts, namespaces, alias.
 */
export function writeOrchLoginRole(
  world: World,
  mount: Mount,
  name: string,
  change: OrchLoginRoleChange,
): readonly Message[] {
  const before = orchLoginRoles.find(world, mount, name) ?? defaultRole
  const {
    tokens,
    oldNamesInUse,
    otherFields: others,
  } = applyChangeUnderBothNames(before, before.old_names, change)
  checkPeriod(mount, tokens.token_period, (limits) => refuse('orch-login-period-above-max', limits))
  if (tokens.token_max_ttl > 0 && tokens.token_ttl > tokens.token_max_ttl) {
    throw refuse('orch-login-ttl-above-max')
  }
  const bound = {
    bound_service_account_names:
      others.bound_service_account_names ?? before.bound_service_account_names,
    bound_service_account_namespaces:
      others.bound_service_account_namespaces ?? before.bound_service_account_namespaces,
  }
  for (const [field, values] of Object.entries(bound)) {
    if (values.length === 0) throw refuse('orch-login-empty', { name: field })
    if (values.length > 1 && values.includes('*')) throw refuse('orch-login-star-mixed')
  }
  const role = {
    ...tokens,
    ...bound,
    audience: others.audience ?? before.audience,
    alias_name_source: aliasSource(before.alias_name_source, others.alias_name_source),
    old_names: oldNamesInUse,
  }
  orchLoginRoles.put(world, mount, name, role)
  return role.token_max_ttl > maxLeaseTtl(mount) ? [message('orch-login-max-ttl-truncated')] : []
}

type AliasSource = OrchLoginRole['alias_name_source']

/**
 * Returns the alias source after a write. A new role without a source gets `serviceaccount_uid`. An
 * existing role without a source in the write keeps its source.
 * @throws Refusal for an unknown source, and for an empty source of an existing role
 */
function aliasSource(before: AliasSource | undefined, requested: string | undefined): AliasSource {
  switch (requested) {
    case 'serviceaccount_uid':
    case 'serviceaccount_name':
      return requested
    case undefined:
      return before ?? 'serviceaccount_uid'
    case '':
      if (before === undefined) return 'serviceaccount_uid'
  }
  throw refuse('orch-login-alias-source')
}
