import { bool, list, text } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { publicKeyIn } from '../logins/jws.ts'
import { type Mount, walField } from '../mounts/mounts.ts'
import { MountRow } from '../mounts/rows.ts'
import { refuse } from './messages.ts'

/** Whose service accounts log in (behaviour/secrets#orch-login-config). */
const configShape = struct({
  orch_host: text,
  orch_ca_cert: text,
  /** Never told. */
  token_reviewer_jwt: secret(text),
  /** PEM. */
  pem_keys: list(text),
  issuer: text,
  disable_iss_validation: bool,
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchLoginConfig extends StoredOf<typeof configShape> {}

/** One for each mount, under its prefix. */
export const orchLoginConfigTable = defineTable({
  service: 'secrets',
  name: 'orch-login-configs',
  shape: configShape,
})

/** The configurations of mounts. */
export const orchLoginConfigs = new MountRow(orchLoginConfigTable, () => refuse('nothing-here'))

/**
 * Writes a configuration as a whole. A CA certificate is not needed, and not looked into (named choice
 * `orch-login-ca`).
 *
 * @throws invalid without a host, without a CA where the pod's is not to be used, and for bad keys.
 */
export function writeOrchLoginConfig(world: World, mount: Mount, config: OrchLoginConfig): void {
  if (config.orch_host === '') throw refuse('orch-login-host-missing')
  if (config.disable_local_ca_jwt && config.orch_ca_cert === '') {
    throw refuse('orch-login-ca-missing')
  }
  if (!config.pem_keys.every(isKey)) throw refuse('orch-login-key-unreadable')
  orchLoginConfigs.put(world, mount, config)
}

/** Service accounts are signed for by RSA and elliptic keys alone. */
function isKey(pem: string): boolean {
  const type = publicKeyIn(pem)?.asymmetricKeyType
  return type === 'rsa' || type === 'ec'
}
