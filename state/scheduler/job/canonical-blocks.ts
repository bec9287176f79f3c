import { zeroesOf } from '../../kernel/shape/fill-defaults.ts'
import { mapOrNull, nullIfEmpty, withDefaults } from './fill-defaults.ts'
import {
  type InputAffinity,
  type InputNetwork,
  type InputScaling,
  type InputSpread,
  networkShape,
  portShape,
} from './scheduling-shapes.ts'

/** Returns an affinity with its default weight of 50 (behaviour/scheduler#canonical-form). */
export function canonicalAffinity(affinity: InputAffinity): InputAffinity {
  return withDefaults(affinity, { LTarget: '', RTarget: '', Operand: '', Weight: 50 })
}

/** Returns a spread with its default weight. */
export function canonicalSpread(spread: InputSpread): InputSpread {
  return {
    ...withDefaults(spread, { Attribute: '', Weight: 50 }),
    SpreadTarget: mapOrNull(spread.SpreadTarget, (target) =>
      withDefaults(target, { Value: '', Percent: 0 }),
    ),
  }
}

const noNetwork = zeroesOf(networkShape)
const noPort = zeroesOf(portShape)

/** Returns a network with the defaults of its ports. */
export function canonicalNetwork(network: InputNetwork): InputNetwork {
  return {
    ...withDefaults(network, noNetwork),
    ReservedPorts: mapOrNull(network.ReservedPorts, (port) => withDefaults(port, noPort)),
    DynamicPorts: mapOrNull(network.DynamicPorts, (port) => withDefaults(port, noPort)),
  }
}

/**
 * Returns a scaling policy with its defaults. A missing Max becomes -1, which validation refuses.
 *
 * @param count the group's count; 0 for a task
 */
export function canonicalScaling(scaling: InputScaling, count: number): InputScaling {
  return {
    ...withDefaults(scaling, { ID: '', Enabled: true, Min: count, Max: -1 }),
    Type: scaling.Type || 'horizontal',
    Policy: nullIfEmpty(scaling.Policy),
    Target: nullIfEmpty(scaling.Target),
  }
}
