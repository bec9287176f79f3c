import type { World } from '../../../state/kernel/worlds/world.ts'
import { type SchedulerCaller, schedulerCaller } from '../../../state/scheduler/acl/callers.ts'
import { putPolicy } from '../../../state/scheduler/acl/policies.ts'
import type { Capability } from '../../../state/scheduler/acl/rules.ts'
import {
  type AclToken,
  aclPolicyShape,
  aclTokenShape,
} from '../../../state/scheduler/acl/tables.ts'
import { putToken } from '../../../state/scheduler/acl/tokens.ts'
import { decodeValue } from '../../../state/scheduler/decoding.ts'
import type { SchedulerOptions } from '../../../state/scheduler/options.ts'
import { schedulerWorld } from './scheduler-world.ts'

/**
 * Capabilities in a namespace (behaviour/scheduler#auth). The list is written out here instead of
 * imported from the code under test.
 */
export const capabilities: readonly Capability[] = [
  'list-jobs',
  'read-job',
  'parse-job',
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-node-exec',
  'alloc-lifecycle',
  'policy-override',
  'csi-list-volume',
  'csi-read-volume',
  'csi-mount-volume',
  'csi-register-plugin',
]

/**
 * Returns a world of the scheduler, with ACLs on unless the options say otherwise. The first commit
 * has the index 10.
 */
export function aclWorld(options: Partial<SchedulerOptions> = {}): World {
  return schedulerWorld({ aclEnabled: true, ...options })
}

/** Returns the caller with the management token of a fresh world. */
export function manager(world: World): SchedulerCaller {
  return schedulerCaller(world, 'scheduler-management-token')
}

export function policy(world: World, name: string, rules: string): void {
  const sent = decodeValue({ Name: name, Rules: rules }, aclPolicyShape)
  putPolicy(world, manager(world), sent, name)
}

/** Creates a client token with some policies, and returns it. */
export function clientToken(world: World, ...policies: string[]): AclToken {
  const sent = { Name: 'client', Type: 'client', Policies: policies }
  return putToken(world, manager(world), decodeValue(sent, aclTokenShape))
}

/** Returns the caller of a token that has only the given rules, in a new world. */
export function callerWith(...rules: string[]): SchedulerCaller {
  const world = aclWorld()
  const names = rules.map((each, at) => {
    policy(world, `p${at}`, each)
    return `p${at}`
  })
  return schedulerCaller(world, clientToken(world, ...names).SecretID)
}
