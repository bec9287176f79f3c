import { zeroesOf } from '../../kernel/shape/complete.ts'
import { each, filled, unlessEmpty } from './filling.ts'
import {
  type InputAffinity,
  type InputNetwork,
  type InputScaling,
  type InputSpread,
  networkShape,
  portShape,
} from './scheduling-shapes.ts'

/** An affinity weighs 50 unless it says otherwise (behaviour/scheduler#canonical-form). */
export function canonicalAffinity(affinity: InputAffinity): InputAffinity {
  return filled(affinity, { LTarget: '', RTarget: '', Operand: '', Weight: 50 })
}

/** So does a spread. */
export function canonicalSpread(spread: InputSpread): InputSpread {
  return {
    ...filled(spread, { Attribute: '', Weight: 50 }),
    SpreadTarget: each(spread.SpreadTarget, (target) => filled(target, { Value: '', Percent: 0 })),
  }
}

const noNetwork = zeroesOf(networkShape)
const noPort = zeroesOf(portShape)

/** A network with its ports. */
export function canonicalNetwork(network: InputNetwork): InputNetwork {
  return {
    ...filled(network, noNetwork),
    ReservedPorts: each(network.ReservedPorts, (port) => filled(port, noPort)),
    DynamicPorts: each(network.DynamicPorts, (port) => filled(port, noPort)),
  }
}

/**
 * A scaling policy. A missing Max becomes -1, which validation refuses.
 *
 * @param count how many a group has; 0 for a task
 */
export function canonicalScaling(scaling: InputScaling, count: number): InputScaling {
  return {
    ...filled(scaling, { ID: '', Enabled: true, Min: count, Max: -1 }),
    Type: scaling.Type || 'horizontal',
    Policy: unlessEmpty(scaling.Policy),
    Target: unlessEmpty(scaling.Target),
  }
}
