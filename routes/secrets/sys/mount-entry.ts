import { any, bool, int, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  defaultLeaseTtl,
  isAuthMount,
  type Mount,
  type MountConfig,
  maxLeaseTtl,
} from '../../../state/secrets/mounts/mounts.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'

const configSchema = withOthers(
  struct({
    default_lease_ttl: described(int, "Seconds; 0 for the system's"),
    max_lease_ttl: described(int, "Seconds; 0 for the system's"),
    force_no_cache: bool,
  }),
  any,
)

/** One mount as `sys/mounts` and `sys/auth` list it. */
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
    deprecation_status: text,
  }),
  any,
)

/** The fields that `tune` reads. */
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

/** A mount as replies describe it (behaviour/secrets#mounts). */
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
    config: { ...config, ...tokenTypeOf(mount, config) },
    options,
    local,
    seal_wrap: mount.seal_wrap,
    external_entropy_access: mount.external_entropy_access,
    uuid,
    plugin_version: '',
    running_plugin_version: pluginVersion(world, dialect),
    running_sha256: '',
    deprecation_status: 'supported',
  }
}

/** A mount's accessor, which begins with the name that its type has here. */
export function accessorOf({ accessor, type: neutral }: Mount, type: string): string {
  const [kind = ''] = /^(?:auth_)?/.exec(accessor) ?? []
  const rest = accessor.slice(kind.length)
  return rest.startsWith(`${neutral}_`) ? kind + type + rest.slice(neutral.length) : accessor
}

/** Mounts by path, as lists of them are written. */
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

/** A mount's settings as `tune` reads them, TTLs as they hold. */
export function tuningOf(mount: Mount): object {
  const { default_lease_ttl, max_lease_ttl, force_no_cache, ...more } = mount.config
  return {
    description: mount.description,
    default_lease_ttl: defaultLeaseTtl(mount),
    max_lease_ttl: maxLeaseTtl(mount),
    force_no_cache,
    ...(Object.keys(mount.options ?? {}).length === 0 ? {} : { options: mount.options }),
    ...more,
    ...tokenTypeOf(mount, mount.config),
  }
}

/** Authentication methods always tell which tokens they make. */
function tokenTypeOf(mount: Mount, { token_type }: MountConfig): object {
  return isAuthMount(mount) ? { token_type: token_type ?? 'default-service' } : {}
}

/** Everything mounted is built in, so it has the server's own version (decided). */
export function pluginVersion(world: World, { builtin }: SecretsDialect): string {
  return `v${optionsOf(world).version.split('+')[0]}${builtin}`
}
