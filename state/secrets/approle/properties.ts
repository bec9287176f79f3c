import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { normalizePolicies } from '../logins/old-names.ts'
import { applyTokenFieldsChange, defaultTokenFields } from '../logins/token-fields.ts'
import type { Mount } from '../mounts/mounts.ts'
import { refuse } from './messages.ts'
import { isNetwork } from './networks.ts'
import { checkPeriod, putRole } from './role-changes.ts'
import { type AppRole, appRoles } from './roles.ts'

/** A value that can be assigned to a property. */
type PropertyValue = string | number | boolean | readonly string[]

/** A property of roles with its own endpoint (behaviour/secrets#approle-properties). */
export interface RoleProperty {
  /** The member of the role that stores the property. */
  readonly field: keyof AppRole & string
  /** An old name, which reads also return once it was written. */
  readonly oldName?: string
  /** The value in a new role; undefined if the property cannot be reset. */
  readonly defaultValue?: unknown
  /** Converts the stored value for replies; identity by default. */
  render?(value: unknown): unknown
  /** Checks a value and returns the form to store. */
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

/** Parses token networks as role writes do, with a more specific refusal. */
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

/** The properties by the last segment of their paths. */
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
      checkPeriod(mount, Number(value))
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
  'token-num-uses': {
    field: 'token_num_uses',
    defaultValue: 0,
    validate: nonNegative('token_num_uses'),
  },
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
  'bound-cidr-list': boundCidrs,
  'token-bound-cidrs': {
    field: 'token_bound_cidrs',
    defaultValue: [],
    validate: validateTokenNetworks,
    render: (value) => ((value as readonly string[]).length === 0 ? null : value),
  },
  'role-id': { field: 'role_id', validate: identity },
} as const satisfies Readonly<Record<string, RoleProperty>>

/**
 * Writes a property of a role.
 *
 * @param isOldName true if the value came under the property's old name
 * @throws absent for an unknown role; invalid for an invalid value.
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

/** Resets a property to its value in a new role; does nothing for an unknown role. */
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

function oldNamesAfter(
  role: AppRole,
  property: RoleProperty,
  isOldName: boolean,
): readonly string[] {
  const others = role.old_names.filter((name) => name !== property.oldName)
  return isOldName && property.oldName !== undefined ? [...others, property.oldName] : others
}
