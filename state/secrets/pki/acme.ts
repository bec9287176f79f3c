import { bool, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** Members of the ACME settings in a reply. A row also has `wal`. */
export const acmeMembers = {
  allow_role_ext_key_usage: bool,
  allowed_issuers: list(text),
  allowed_roles: list(text),
  default_directory_policy: text,
  dns_resolver: text,
  eab_policy: text,
  enabled: bool,
} as const

const acmeShape = struct({ ...acmeMembers, ...walField })
export interface AcmeConfig extends StoredOf<typeof acmeShape> {}

/**
 * ACME settings, one row per mount. A mount without a row has the defaults
 * (behaviour/secrets#pki-acme).
 */
export const acmeTable = secretsTable('pki-acme', acmeShape, { secrets: 'none' })

const acmeRows = new MountRow(acmeTable, () => refuse('nothing-here'))

const defaults: AcmeConfig = {
  allow_role_ext_key_usage: false,
  allowed_issuers: ['*'],
  allowed_roles: ['*'],
  default_directory_policy: 'sign-verbatim',
  dns_resolver: '',
  eab_policy: 'not-required',
  enabled: false,
}

/** Returns the settings of a mount; the defaults if no settings are stored. */
export function acmeConfig(world: World, mount: Mount): AcmeConfig {
  return acmeRows.find(world, mount) ?? defaults
}

/**
 * Changes the given settings and returns all of them. Throws an `invalid` refusal for empty lists
 * and unknown values, and for `enabled: true`, because this server does not implement the ACME
 * protocol.
 */
export function writeAcmeConfig(
  world: World,
  mount: Mount,
  change: Partial<AcmeConfig>,
): AcmeConfig {
  if (change.enabled) throw refuse('pki-acme-unsupported')
  for (const field of ['allowed_roles', 'allowed_issuers'] as const) {
    if (change[field]?.length === 0) throw refuse('pki-acme-empty', { field })
  }
  const config = { ...acmeConfig(world, mount), ...change }
  const policy = config.default_directory_policy
  if (!/^(?:forbid|sign-verbatim|role:.+)$/.test(policy)) {
    throw refuse('pki-acme-directory-policy', { policy })
  }
  if (!['not-required', 'new-account-required', 'always-required'].includes(config.eab_policy)) {
    throw refuse('pki-acme-eab-policy')
  }
  acmeRows.put(world, mount, config)
  return config
}
