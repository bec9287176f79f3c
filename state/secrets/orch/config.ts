import { bool, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, walField } from '../mounts/mounts.ts'
import { MountRow } from '../mounts/rows.ts'
import { optionsOf } from '../options.ts'
import { refuse } from './messages.ts'

/** An engine's configuration as it was stored (behaviour/secrets#api-orch). */
const orchConfigShape = struct({
  /** URL of the orchestrator's API; empty for that of the pod's environment. */
  orch_host: text,
  /** PEM; empty for the pod's. */
  orch_ca_cert: text,
  /** The token of the engine's own service account; empty for the pod's. Never told. */
  service_account_jwt: text,
  /** Do without the pod's CA certificate and token. */
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchConfig extends StoredOf<typeof orchConfigShape> {}

/** One for each mount, under its prefix. */
export const orchConfigTable = defineTable({
  service: 'secrets',
  name: 'orch-configs',
  shape: orchConfigShape,
})

/** The configurations of mounts, as they were stored. */
export const orchConfigs = new MountRow(orchConfigTable, () => refuse('orch-not-configured'))

const unset: OrchConfig = {
  orch_host: '',
  orch_ca_cert: '',
  service_account_jwt: '',
  disable_local_ca_jwt: false,
}

/**
 * Changes what is given and keeps the rest. Refuses with `invalid` a configuration without a host
 * where the pod's environment has none either (behaviour/secrets#orch-config).
 */
export function writeOrchConfig(world: World, mount: Mount, change: Partial<OrchConfig>): void {
  const config = { ...unset, ...orchConfigs.find(world, mount), ...change }
  hostOf(world, config)
  orchConfigs.put(world, mount, config)
}

/** The connection of an engine to the orchestrator, every default applied. */
export interface OrchConnection {
  readonly host: string
  /** Where the CA certificates come from: the configuration, the pod or the host's root set. */
  readonly ca: 'config' | 'pod' | 'system'
  /** Where the engine's own token comes from. */
  readonly token: 'config' | 'pod' | 'none'
}

/** The connection that a configuration stands for; refuses with `invalid` when it has no host. */
export function connectionOf(world: World, config: OrchConfig): OrchConnection {
  const { orchLocalCaCert, orchLocalToken } = optionsOf(world)
  const inPod = (file: string) => file !== '' && !config.disable_local_ca_jwt
  return {
    host: hostOf(world, config),
    ca: config.orch_ca_cert !== '' ? 'config' : inPod(orchLocalCaCert) ? 'pod' : 'system',
    token: config.service_account_jwt !== '' ? 'config' : inPod(orchLocalToken) ? 'pod' : 'none',
  }
}

/** The connection of a mount; refuses with `invalid` without a configuration. */
export function connectMount(world: World, mount: Mount): OrchConnection {
  const config = orchConfigs.find(world, mount)
  if (config === undefined) {
    throw refuse('orch-config-missing')
  }
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

/** Refuses with `invalid` unless the pod's environment says where the orchestrator is. */
export function checkPodEnvironment(world: World): void {
  const { orchServiceHost, orchServicePort } = optionsOf(world)
  if (orchServiceHost === '' && orchServicePort === '') throw refuse('orch-environment-missing')
  if (orchServiceHost === '') throw refuse('orch-host-missing')
  if (orchServicePort === '') throw refuse('orch-port-missing')
}
