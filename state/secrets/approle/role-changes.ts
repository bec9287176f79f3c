import { formatGoDuration, SECOND } from '../../go/duration.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type OldNamesChange, renameOldFields } from '../logins/old-names.ts'
import {
  applyTokenFieldsChange,
  defaultTokenFields,
  type TokenFieldsChange,
} from '../logins/token-fields.ts'
import { type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { message, refuse } from './messages.ts'
import { isNetwork } from './networks.ts'
import { type AppRole, appRoleOfId, appRoles, roleName } from './roles.ts'
import { deleteSecretIdsOf } from './secret-ids.ts'

/** A change of a role; members that are left out keep their values. TTLs in seconds. */
export interface AppRoleChange extends TokenFieldsChange, OldNamesChange {
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
 * @returns warnings about settings with less effect than requested.
 * @throws invalid in the reference's order: token fields, local ids, role id, networks, period,
 * uses, constraints, a role id in use.
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
  const { fields, oldNamesInUse } = renameOldFields(before?.old_names ?? [], rest)
  const { type, warnings } = adjustedType(fields.token_type)
  const tokens = applyTokenFieldsChange(before ?? defaultTokenFields, {
    ...fields,
    token_type: type,
  })
  if (before !== undefined && change.local_secret_ids !== undefined) {
    throw refuse('approle-local-fixed')
  }
  if (role_id === '') throw refuse('approle-role-id-empty')
  const invalid = secret_id_bound_cidrs?.find((text) => !isNetwork(text))
  if (invalid !== undefined) throw refuse('approle-networks-unreadable', { text: invalid })
  checkPeriod(mount, tokens.token_period)
  if (secret_id_num_uses < 0) throw refuse('approle-negative', { name: 'secret_id_num_uses' })
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
export function putRole(world: World, mount: Mount, role: AppRole): void {
  const isOpen =
    !role.bind_secret_id &&
    (role.secret_id_bound_cidrs ?? []).length === 0 &&
    role.token_bound_cidrs.length === 0
  if (isOpen) throw refuse('approle-unconstrained')
  const holder = appRoleOfId(world, mount, role.role_id)
  if (holder !== undefined && holder.name !== role.name) throw refuse('approle-role-id-taken')
  appRoles.put(world, mount, role.name, role)
}

/** Deletes a role with its secret ids; does nothing for an unknown role. */
export function deleteAppRole(world: World, mount: Mount, requested: string): void {
  const name = roleName(requested)
  world.write(() => {
    deleteSecretIdsOf(world, mount, name)
    appRoles.remove(world, mount, name)
  })
}

/** Refuses a period above the mount's maximum. In seconds. */
export function checkPeriod(mount: Mount, period: number): void {
  const max = maxLeaseTtl(mount)
  if (period <= max) return
  throw refuse('approle-period-above-max', {
    period: formatGoDuration(period * SECOND),
    max: formatGoDuration(max * SECOND),
  })
}

/** Reduces the token types of mounts, such as `default-service`, to their last part. */
function adjustedType(type: string | undefined): {
  readonly type: string | undefined
  readonly warnings: readonly Message[]
} {
  const [, plain] = /^default-(service|batch)$/.exec(type ?? '') ?? []
  if (plain === undefined) return { type, warnings: [] }
  return { type: plain, warnings: [message('approle-type-adjusted', { type: plain })] }
}
