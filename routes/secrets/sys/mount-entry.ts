import { any, bool, int, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  defaultLeaseTtl,
  isAuthMount,
  type Mount,
  type MountConfig,
  maxLeaseTtl,
  type UserLockoutConfig,
} from '../../../state/secrets/mounts/mounts.ts'
import { singletonTypes } from '../../../state/secrets/mounts/types.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'

const configSchema = withOthers(
  struct({
    default_lease_ttl: described(int, 'Seconds; 0 means the default of the server'),
    max_lease_ttl: described(int, 'Seconds; 0 means the default of the server'),
    force_no_cache: bool,
  }),
  any,
)

/** Schema of a mount in replies of `sys/mounts`, `sys/auth` and `sys/internal/ui/mounts`. */
export const mountSchema = withOthers(
  struct({
    type: text,
    description: text,
    accessor: text,
    config: configSchema,
    options: nullable(map(text)),
    local: bool,
    seal_wrap: bool,
    external_entropy_access: bool,
    uuid: text,
    plugin_version: text,
    running_plugin_version: text,
    running_sha256: text,
    deprecation_status: optional(described(text, 'Absent on the built-in mounts')),
  }),
  any,
)

/** Schema of the settings that `tune` returns. */
export const tuningSchema = withOthers(
  struct({
    description: text,
    default_lease_ttl: described(int, 'Seconds'),
    max_lease_ttl: described(int, 'Seconds'),
    force_no_cache: bool,
    options: optional(map(text)),
  }),
  any,
)

/** Returns the description of a mount for replies (behaviour/secrets#mounts). */
export function mountEntry(
  world: World,
  mount: Mount,
  dialect: SecretsDialect,
): Readonly<Record<string, unknown>> {
  const { description, config, options, local, uuid } = mount
  const type = dialect.mountType(mount.type)
  return {
    type,
    description,
    accessor: accessorOf(mount, type),
    config: { ...configOf(config), ...tokenTypeOf(mount, config) },
    options,
    local,
    seal_wrap: mount.seal_wrap,
    external_entropy_access: mount.external_entropy_access,
    uuid,
    plugin_version: '',
    running_plugin_version: pluginVersion(world, dialect),
    running_sha256: '',
    ...(!singletonTypes.includes(mount.type) && { deprecation_status: 'supported' }),
  }
}

function configOf({ user_lockout_config: lockout, ...config }: MountConfig): object {
  return lockout === undefined ? config : { ...config, user_lockout_config: lockoutOf(lockout) }
}

function lockoutOf(lockout: UserLockoutConfig): object {
  return {
    user_lockout_counter_reset_duration: lockout.lockout_counter_reset,
    user_lockout_threshold: lockout.lockout_threshold,
    user_lockout_duration: lockout.lockout_duration,
    user_lockout_disable: lockout.lockout_disable,
  }
}

/** Returns the accessor of a mount, with its neutral mount type replaced by `type`. */
export function accessorOf({ accessor, type: neutral }: Mount, type: string): string {
  const [kind = ''] = /^(?:auth_)?/.exec(accessor) ?? []
  const rest = accessor.slice(kind.length)
  return rest.startsWith(`${neutral}_`) ? kind + type + rest.slice(neutral.length) : accessor
}

/** Returns an object with the descriptions of mounts, by path. */
export function mountTable(
  world: World,
  mounts: readonly Mount[],
  pathOf: (mount: Mount) => string,
  dialect: SecretsDialect,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    mounts.map((mount) => [pathOf(mount), mountEntry(world, mount, dialect)]),
  )
}

/** Returns the data of the reply to reading a mount's settings. The TTLs are the effective ones. */
export function tuningOf(mount: Mount): object {
  const { default_lease_ttl, max_lease_ttl, force_no_cache, user_lockout_config, ...more } =
    mount.config
  return {
    description: mount.description,
    default_lease_ttl: defaultLeaseTtl(mount),
    max_lease_ttl: maxLeaseTtl(mount),
    force_no_cache,
    ...(Object.keys(mount.options ?? {}).length === 0 ? {} : { options: mount.options }),
    ...more,
    ...tokenTypeOf(mount, mount.config),
    ...(user_lockout_config === undefined ? {} : lockoutOf(user_lockout_config)),
  }
}

/** Returns an object with the token type of a login method; an empty object for other mounts. */
function tokenTypeOf(mount: Mount, { token_type }: MountConfig): object {
  return isAuthMount(mount) ? { token_type: token_type ?? 'default-service' } : {}
}

/** Returns the version of built-in plug-ins, which is derived from the version of the server. */
export function pluginVersion(world: World, { builtinSuffix }: SecretsDialect): string {
  return `v${optionsOf(world).version.split('+')[0]}${builtinSuffix}`
}
