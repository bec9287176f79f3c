import { each, filled, unlessEmpty } from './filling.ts'
import type { SentAffinity, SentNetwork, SentScaling, SentSpread } from './scheduling-shapes.ts'

/** An affinity weighs 50 unless it says otherwise (3b-scheduler-decisions.md section 4). */
export function canonicalAffinity(affinity: SentAffinity): SentAffinity {
  return filled(affinity, { LTarget: '', RTarget: '', Operand: '', Weight: 50 })
}

/** So does a spread. */
export function canonicalSpread(spread: SentSpread): SentSpread {
  return {
    ...filled(spread, { Attribute: '', Weight: 50 }),
    SpreadTarget: each(spread.SpreadTarget, (target) => filled(target, { Value: '', Percent: 0 })),
  }
}

/** Ports listen on the network `default`. */
export function canonicalNetwork(network: SentNetwork): SentNetwork {
  return {
    ...filled(network, { Device: '', CIDR: '', IP: '', MBits: 0, Mode: '' }),
    ReservedPorts: each(network.ReservedPorts, canonicalPort),
    DynamicPorts: each(network.DynamicPorts, canonicalPort),
  }
}

type SentPort = NonNullable<SentNetwork['ReservedPorts']>[number]

function canonicalPort(port: SentPort): SentPort {
  return {
    ...filled(port, { Label: '', Value: 0, To: 0 }),
    HostNetwork: port.HostNetwork || 'default',
  }
}

/**
 * A scaling policy, its target what it stands in. A missing Max becomes -1, which validation refuses.
 *
 * @param count how many a group has; 0 for a task
 */
export function canonicalScaling(
  scaling: SentScaling,
  count: number,
  target: Readonly<Record<string, string>>,
): SentScaling {
  return {
    ...filled(scaling, { Enabled: true, Min: count, Max: -1 }),
    Type: scaling.Type || 'horizontal',
    Policy: unlessEmpty(scaling.Policy),
    Target: target,
  }
}
