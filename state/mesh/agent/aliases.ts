import type { World } from '../../kernel/worlds/world.ts'
import { type CatalogCheck, placeOf } from '../catalog/tables.ts'
import { checksOfService } from '../catalog/writes.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import type { AgentCheck } from './tables.ts'

/**
 * Returns the state of an alias check: that of the worst check of its service, or of its node
 * (behaviour/mesh#agent-checks). An alias check ignores itself.
 */
export function aliasState(
  world: World,
  { namespace, check_id, alias_node, alias_service = '' }: AgentCheck,
): Pick<CatalogCheck, 'status' | 'output'> {
  const { nodeName } = optionsOf(world)
  const node = alias_node ?? nodeName
  const place = alias_service === '' ? defaultNamespace : namespace
  const own = placeOf(nodeName, namespace, check_id)
  const targets = checksOfService(world, { node, namespace: place, id: alias_service }).filter(
    (check) => placeOf(check.node, check.namespace, check.check_id) !== own,
  )
  if (targets.length === 0) return { status: 'passing', output: 'No checks found.' }
  for (const status of ['critical', 'warning']) {
    const worst = targets.find((check) => check.status === status)
    if (worst === undefined) continue
    return { status, output: `Aliased check "${worst.name}" failing: ${worst.output}` }
  }
  return { status: 'passing', output: 'All checks passing.' }
}
