import type { World } from '../../kernel/worlds/world.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { agentCheck, putAgentCheck, removeAgentCheck } from './registry.ts'
import type { AgentService } from './tables.ts'

/**
 * A change of the maintenance mode. If the reason is empty, the check that marks maintenance mode
 * contains a default text.
 */
export interface MaintenanceMode {
  readonly isOn: boolean
  readonly reason: string
}

/**
 * Returns the ID of the critical check that marks maintenance mode.
 *
 * @param serviceId undefined for the maintenance mode of the node
 */
export function maintenanceCheckId(serviceId: string | undefined): string {
  return serviceId === undefined ? '_node_maintenance' : `_service_maintenance:${serviceId}`
}

/**
 * Turns maintenance mode on or off by adding or removing the check that marks it. If maintenance
 * mode is already on, its reason stays (behaviour/mesh#agent-services).
 *
 * @param service undefined for the maintenance mode of the node
 */
export function setMaintenance(
  world: World,
  service: AgentService | undefined,
  { isOn, reason }: MaintenanceMode,
): void {
  const namespace = service?.namespace ?? defaultNamespace
  const check_id = maintenanceCheckId(service?.id)
  const existing = agentCheck(world, namespace, check_id)
  if (isOn === (existing !== undefined)) return
  const [subject, Subject] = service === undefined ? ['node', 'Node'] : ['service', 'Service']
  world.write(() => {
    if (existing !== undefined) {
      removeAgentCheck(world, existing)
      return
    }
    putAgentCheck(world, {
      ...{ namespace, check_id, name: `${Subject} Maintenance Mode`, status: 'critical' },
      notes:
        reason ||
        `Maintenance mode is enabled for this ${subject}, but no reason was provided. This is a default message.`,
      ...{ output: '', service_id: service?.id ?? '', service_name: service?.name ?? '' },
      ...{ service_tags: service?.tags ?? [], type: 'maintenance', interval: '', timeout: '' },
      definition: {},
    })
  })
}
