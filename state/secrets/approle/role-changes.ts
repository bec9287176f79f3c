import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  applyChangeUnderBothNames,
  type DeprecatedFieldsChange,
  normalizePolicies,
} from '../logins/old-names.ts'
import {
  applyTokenFieldsChange,
  checkPeriod,
  defaultTokenFields,
  type TokenFieldsChange,
} from '../logins/token-fields.ts'
import { type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { message, refuse } from './messages.ts'
import { isNetwork } from './networks.ts'
import { type AppRole, appRoleOfId, appRoles, roleName } from './roles.ts'
import { deleteSecretIdsOf } from './secret-ids.ts'

/** A change of a role; members that are left out keep their values. TTLs are in seconds. */
interface AppRoleChange extends TokenFieldsChange, DeprecatedFieldsChange {
  readonly bind_secret_id?: boolean | undefined
  readonly local_secret_ids?: boolean | undefined
  readonly secret_id_bound_cidrs?: readonly string[] | undefined
  /** Old name of `secret_id_bound_cidrs`. */
  readonly bound_cidr_list?: readonly string[] | undefined
  readonly secret_id_num_uses?: number | undefined
  readonly secret_id_ttl?: number | undefined
  readonly role_id?: string | undefined
}

/**
 * Creates or changes a role (behaviour/secrets#approle-roles).
 *
 * @returns warnings about a replaced token type, and about a maximum TTL above the mount's maximum
 *   TTL
 * @throws Refusal `absent` for a name that is invalid in a path, otherwise `invalid`. The checks
 *   run in the reference's order: name, token fields, local ids, role id, networks, uses, period,
 *   constraints, role id already in use.
 */
export function writeAppRole(
  world: World,
  mount: Mount,
  requested: string,
  change: AppRoleChange,
): readonly Message[] {
  const name = roleName(requested)
  const before = appRoles.find(world, mount, name)
  const {
    bind_secret_id = before?.bind_secret_id ?? true,
    local_secret_ids = before?.local_secret_ids ?? false,
    bound_cidr_list,
    secret_id_bound_cidrs = bound_cidr_list ?? before?.secret_id_bound_cidrs ?? null,
    secret_id_num_uses = before?.secret_id_num_uses ?? 0,
    secret_id_ttl = before?.secret_id_ttl ?? 0,
    role_id = before?.role_id ?? world.ids.uuid(),
    ...rest
  } = change
  const { type, warnings } = adjustedType(rest.token_type)
  const { tokens, oldNamesInUse } = applyChangeUnderBothNames(
    before ?? defaultTokenFields,
    before?.old_names ?? [],
    { ...rest, token_type: type },
  )
  if (before !== undefined && change.local_secret_ids !== undefined) {
    throw refuse('approle-local-fixed')
  }
  if (role_id === '') throw refuse('approle-role-id-empty')
  const invalid = secret_id_bound_cidrs?.find((text) => !isNetwork(text))
  if (invalid !== undefined) throw refuse('approle-networks-unreadable', { text: invalid })
  if (secret_id_num_uses < 0) throw refuse('approle-negative', { name: 'secret_id_num_uses' })
  // As in the product, only a period that was set under its old name is compared with the mount's
  // maximum.
  if (oldNamesInUse.includes('period')) checkRolePeriod(mount, tokens.token_period)
  putRole(world, mount, {
    mount: mount.uuid,
    name,
    bind_secret_id,
    local_secret_ids,
    secret_id_bound_cidrs,
    secret_id_num_uses,
    secret_id_ttl,
    ...tokens,
    role_id,
    old_names: oldNamesInUse,
  })
  return tokens.token_max_ttl > maxLeaseTtl(mount)
    ? [...warnings, message('approle-max-ttl-truncated')]
    : warnings
}

/**
 * Stores a role. Refuses a role without login constraints, and a role id in use by another role of
 * the mount.
 */
function putRole(world: World, mount: Mount, role: AppRole): void {
  const isUnconstrained =
    !role.bind_secret_id &&
    (role.secret_id_bound_cidrs ?? []).length === 0 &&
    role.token_bound_cidrs.length === 0
  if (isUnconstrained) throw refuse('approle-unconstrained')
  const holder = appRoleOfId(world, mount, role.role_id)
  if (holder !== undefined && holder.name !== role.name) throw refuse('approle-role-id-taken')
  appRoles.put(world, mount, role.name, role)
}

/**
 * Deletes a role with its secret ids. Does nothing if the role does not exist. Throws a refusal for
 * a name that no role can have.
 */
export function deleteAppRole(world: World, mount: Mount, requested: string): void {
  const name = roleName(requested)
  world.write(() => {
    deleteSecretIdsOf(world, mount, name)
    appRoles.remove(world, mount, name)
  })
}

/** Throws an `invalid` refusal if a period, in seconds, exceeds the mount's maximum TTL. */
function checkRolePeriod(mount: Mount, period: number): void {
  checkPeriod(mount, period, (limits) => refuse('approle-period-above-max', limits))
}

/**
 * Returns the token type to store, with a warning if the type was replaced: `default-service` and
 * `default-batch`, which only mounts can have, become `service` and `batch`.
 */
function adjustedType(type: string | undefined) {
  const [, plain] = /^default-(service|batch)$/.exec(type ?? '') ?? []
  if (plain === undefined) return { type, warnings: [] }
  return { type: plain, warnings: [message('approle-type-adjusted', { type: plain })] }
}

type PropertyValue = string | number | boolean | readonly string[]

/** A property of roles with its own endpoint (behaviour/secrets#approle-properties). */
export interface RoleProperty {
  /** The member of the role that stores the property. */
  readonly field: keyof AppRole & string
  /**
   * Old name of the property. After a write under this name, reads return the value under both
   * names.
   */
  readonly oldName?: string
  /** The value in a new role; undefined if the property cannot be reset. */
  readonly defaultValue?: unknown
  /** Converts the stored value for replies. If left out, replies contain the stored value. */
  render?(value: unknown): unknown
  /**
   * Returns the form in which to store a value.
   * @throws Refusal `invalid`
   */
  validate(value: PropertyValue, role: AppRole, mount: Mount): unknown
}

const identity = (value: PropertyValue) => value

function nonNegative(name: string) {
  return (value: PropertyValue) => {
    if (Number(value) < 0) throw refuse('approle-negative', { name })
    return value
  }
}

function validateNetworks(value: PropertyValue): unknown {
  const list = value as readonly string[]
  if (list.length === 0) throw refuse('approle-property-missing', { name: 'bound_cidr_list' })
  const invalid = list.find((text) => !isNetwork(text))
  if (invalid !== undefined) throw refuse('approle-property-networks-unreadable', { text: invalid })
  return list
}

/**
 * Returns token networks in the form in which a write of the whole role stores them. For a string
 * that is not a network, throws a refusal that names the property.
 */
function validateTokenNetworks(value: PropertyValue): unknown {
  const token_bound_cidrs = value as readonly string[]
  try {
    return applyTokenFieldsChange(defaultTokenFields, { token_bound_cidrs }).token_bound_cidrs
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('approle-token-networks-unreadable', { why: error.reason })
  }
}

const boundCidrs = {
  field: 'secret_id_bound_cidrs',
  defaultValue: null,
  validate: validateNetworks,
} as const

/** The properties of roles, by the last segment of their paths. */
export const roleProperties = {
  policies: {
    field: 'token_policies',
    oldName: 'policies',
    defaultValue: [],
    validate: (value) => normalizePolicies(value as readonly string[]),
  },
  period: {
    field: 'token_period',
    oldName: 'period',
    defaultValue: 0,
    validate(value, _role, mount) {
      checkRolePeriod(mount, Number(value))
      return value
    },
  },
  'bind-secret-id': { field: 'bind_secret_id', defaultValue: true, validate: identity },
  'secret-id-num-uses': {
    field: 'secret_id_num_uses',
    defaultValue: 0,
    validate: nonNegative('secret_id_num_uses'),
  },
  'secret-id-ttl': { field: 'secret_id_ttl', defaultValue: 0, validate: identity },
  // As in the product, a negative number is refused only when the whole role is written.
  'token-num-uses': { field: 'token_num_uses', defaultValue: 0, validate: identity },
  'token-ttl': {
    field: 'token_ttl',
    defaultValue: 0,
    validate(value, { token_max_ttl: max }) {
      if (max > 0 && Number(value) > max) throw refuse('approle-ttl-above-max')
      return value
    },
  },
  'token-max-ttl': {
    field: 'token_max_ttl',
    defaultValue: 0,
    validate(value, { token_ttl: ttl }) {
      if (Number(value) > 0 && Number(value) < ttl) throw refuse('approle-max-below-ttl')
      return value
    },
  },
  'secret-id-bound-cidrs': boundCidrs,
  // The product stores the networks only under the new name, so a read under the old name always
  // returns null.
  'bound-cidr-list': { ...boundCidrs, render: () => null },
  'token-bound-cidrs': {
    field: 'token_bound_cidrs',
    defaultValue: [],
    validate: validateTokenNetworks,
    render: (value) => ((value as readonly string[]).length === 0 ? null : value),
  },
  'role-id': { field: 'role_id', validate: identity },
} as const satisfies Readonly<Record<string, RoleProperty>>

/**
 * Throws an `absent` refusal if the role does not exist, and an `invalid` refusal if the name is
 * too long.
 */
export function checkRoleOfProperty(world: World, mount: Mount, name: string): void {
  if (appRoles.find(world, mount, name) === undefined) throw refuse('unsupported-path')
}

/**
 * Writes a property of a role.
 *
 * @param isOldName true if the request sets the property under its old name
 * @throws Refusal `absent` for an unknown role, `invalid` for an invalid value
 */
export function writeRoleProperty(
  world: World,
  mount: Mount,
  name: string,
  property: RoleProperty,
  value: PropertyValue,
  isOldName = false,
): void {
  const role = appRoles.find(world, mount, name)
  if (role === undefined) throw refuse('unsupported-path')
  putRole(world, mount, {
    ...role,
    [property.field]: property.validate(value, role, mount),
    old_names: oldNamesAfter(role, property, isOldName),
  })
}

/**
 * Sets a property to the value that it has in a new role. Does nothing if the role does not exist.
 * Throws a refusal if the role would be left without login constraints.
 */
export function resetRoleProperty(
  world: World,
  mount: Mount,
  name: string,
  property: RoleProperty,
): void {
  const role = appRoles.find(world, mount, name)
  if (role === undefined) return
  putRole(world, mount, {
    ...role,
    [property.field]: property.defaultValue,
    old_names: oldNamesAfter(role, property, false),
  })
}

function oldNamesAfter(role: AppRole, property: RoleProperty, isOldName: boolean) {
  const others = role.old_names.filter((name) => name !== property.oldName)
  return isOldName && property.oldName !== undefined ? [...others, property.oldName] : others
}
