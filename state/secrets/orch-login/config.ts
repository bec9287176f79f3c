import { bool, list, text } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { publicKeyIn } from '../logins/jws.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** The orchestrator whose service accounts log in (behaviour/secrets#orch-login-config). */
const configShape = struct({
  orch_host: text,
  orch_ca_cert: text,
  /** Never returned. */
  token_reviewer_jwt: secret(text),
  /** PEM. */
  pem_keys: list(text),
  issuer: text,
  disable_iss_validation: bool,
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchLoginConfig extends StoredOf<typeof configShape> {}

/** One row per configured mount, under the mount's prefix. */
export const orchLoginConfigTable = secretsTable('orch-login-configs', configShape)

/** The configurations of mounts. */
export const orchLoginConfigs = new MountRow(orchLoginConfigTable, () => refuse('nothing-here'))

/**
 * Replaces the configuration. A CA certificate is optional and is not parsed (named choice
 * `orch-login-ca`).
 *
 * @throws invalid without a host, without a CA if the pod's is disabled, and for bad keys.
 */
export function writeOrchLoginConfig(world: World, mount: Mount, config: OrchLoginConfig): void {
  if (config.orch_host === '') throw refuse('orch-login-host-missing')
  if (config.disable_local_ca_jwt && config.orch_ca_cert === '') {
    throw refuse('orch-login-ca-missing')
  }
  if (!config.pem_keys.every(isKey)) throw refuse('orch-login-key-unreadable')
  orchLoginConfigs.put(world, mount, config)
}

/**
 * Returns whether a text is an RSA or elliptic curve key, the only types that sign for service
 * accounts.
 */
function isKey(pem: string): boolean {
  const type = publicKeyIn(pem)?.asymmetricKeyType
  return type === 'rsa' || type === 'ec'
}
