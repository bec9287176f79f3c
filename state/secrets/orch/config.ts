import { bool, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** The stored configuration of an engine (behaviour/secrets#api-orch). */
const orchConfigShape = struct({
  /** URL of the orchestrator's API; empty for the one in the pod's environment. */
  orch_host: text,
  /** PEM; empty for the pod's certificates. */
  orch_ca_cert: text,
  /** Token of the engine's service account; empty for the pod's. Never returned. */
  service_account_jwt: text,
  /** True to ignore the pod's CA certificate and token. */
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchConfig extends StoredOf<typeof orchConfigShape> {}

/** One row per configured mount, under the mount's prefix. */
export const orchConfigTable = secretsTable('orch-configs', orchConfigShape)

/** The stored configurations of mounts. */
export const orchConfigs = new MountRow(orchConfigTable, () => refuse('orch-not-configured'))

const unset: OrchConfig = {
  orch_host: '',
  orch_ca_cert: '',
  service_account_jwt: '',
  disable_local_ca_jwt: false,
}

/**
 * Changes the given members and keeps the others. Refuses with `invalid` a configuration without a
 * host if the pod's environment has none (behaviour/secrets#orch-config).
 */
export function writeOrchConfig(world: World, mount: Mount, change: Partial<OrchConfig>): void {
  const config = { ...unset, ...orchConfigs.find(world, mount), ...change }
  hostOf(world, config)
  orchConfigs.put(world, mount, config)
}

/** An engine's connection to the orchestrator, with all defaults applied. */
export interface OrchConnection {
  readonly host: string
  /** Source of the CA certificates: the configuration, the pod or the host's root certificates. */
  readonly ca: 'config' | 'pod' | 'system'
  /** Source of the engine's own token. */
  readonly token: 'config' | 'pod' | 'none'
}

/**
 * Returns the connection that a configuration describes; refuses with `invalid` if it has no host.
 */
export function connectionOf(world: World, config: OrchConfig): OrchConnection {
  const { orchLocalCaCert, orchLocalToken } = optionsOf(world)
  const inPod = (file: string) => file !== '' && !config.disable_local_ca_jwt
  return {
    host: hostOf(world, config),
    ca: config.orch_ca_cert !== '' ? 'config' : inPod(orchLocalCaCert) ? 'pod' : 'system',
    token: config.service_account_jwt !== '' ? 'config' : inPod(orchLocalToken) ? 'pod' : 'none',
  }
}

/** Returns the connection of a mount; refuses with `invalid` if the mount is not configured. */
export function connectMount(world: World, mount: Mount): OrchConnection {
  const config = orchConfigs.find(world, mount)
  if (config === undefined) throw refuse('orch-config-missing')
  return connectionOf(world, config)
}

function hostOf(world: World, { orch_host }: OrchConfig): string {
  const { orchServiceHost, orchServicePort } = optionsOf(world)
  if (orch_host !== '') return orch_host
  if (orchServiceHost !== '' && orchServicePort !== '') {
    return `https://${orchServiceHost}:${orchServicePort}`
  }
  throw refuse('orch-host-unset')
}

/** Refuses with `invalid` if the pod's environment does not name the orchestrator. */
export function checkPodEnvironment(world: World): void {
  const { orchServiceHost, orchServicePort } = optionsOf(world)
  if (orchServiceHost === '' && orchServicePort === '') throw refuse('orch-environment-missing')
  if (orchServiceHost === '') throw refuse('orch-host-missing')
  if (orchServicePort === '') throw refuse('orch-port-missing')
}
