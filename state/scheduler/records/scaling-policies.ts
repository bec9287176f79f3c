import { isEqual } from '../../kernel/equality.ts'
import { defineRule } from '../../kernel/store/rules.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { jobItemPrefix, namespacePrefix } from '../keys.ts'
import type { ScalingPolicy } from './shapes.ts'
import { jobs, scalingPolicies } from './tables.ts'

type ScalingPolicyStub = Omit<ScalingPolicy, 'Policy' | 'Min' | 'Max'>

type PolicyContent = Omit<ScalingPolicy, 'CreateIndex' | 'ModifyIndex'>

const indexMembers: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])

/**
 * Rule that keeps the scaling policies of groups in line with the groups of all jobs, including
 * stopped jobs (behaviour/scheduler#deployments). Scaling blocks of tasks have no policies.
 */
export const scalingPolicyRule = defineRule({
  name: 'scheduler.scaling-policies',
  tables: [jobs],
  apply(world: World, changes) {
    for (const { before, after } of changes) {
      const desired = policyContents(after)
      const desiredIds = new Set(desired.map(({ ID }) => ID))
      for (const { ID } of policyContents(before)) {
        if (!desiredIds.has(ID)) world.table(scalingPolicies).delete(ID)
      }
      for (const policy of desired) writePolicy(world, policy)
    }
  },
})

function policyContents(job: Job | undefined): readonly PolicyContent[] {
  return (job?.TaskGroups ?? []).flatMap(({ Scaling }) => {
    if (Scaling === null) return []
    const { ID, Type, Target, Policy, Min, Max, Enabled } = Scaling
    return [{ ID, Type, Target, Policy, Min, Max, Enabled }]
  })
}

function writePolicy(world: World, policy: PolicyContent): void {
  const table = world.table(scalingPolicies)
  const before = table.get(policy.ID)
  if (before !== undefined && isEqual(before, policy, indexMembers)) return
  const index = nextIndex(world)
  const CreateIndex = before?.CreateIndex ?? index
  table.put(policy.ID, { ...policy, CreateIndex, ModifyIndex: index })
}

/** Conditions that select the policies of a list. */
interface PolicySelection {
  readonly namespace: string
  readonly job?: string | undefined
  readonly type?: string | undefined
}

/**
 * Returns the policies of a namespace or, if `job` is given, of that job, ordered by namespace, job
 * and group. As in the reference, `type` is compared exactly if `job` is given, and otherwise as a
 * prefix. An empty `type` matches all policies.
 */
export function scalingPoliciesOf(world: World, { namespace, job, type = '' }: PolicySelection) {
  const prefix = job === undefined ? namespacePrefix(namespace) : jobItemPrefix(namespace, job)
  const policies = world.table(scalingPolicies).index('byTarget').rows(prefix)
  return Array.from(policies).filter(({ Type }) =>
    job === undefined || type === '' ? Type.startsWith(type) : Type === type,
  )
}

/** Returns the policies whose IDs have a prefix, ordered by ID. */
export function scalingPoliciesByPrefix(world: World, prefix = ''): readonly ScalingPolicy[] {
  return [...world.table(scalingPolicies).rows(prefix)]
}

export function scalingPolicyStub(policy: ScalingPolicy): ScalingPolicyStub {
  const { Policy: _policy, Min: _min, Max: _max, ...stub } = policy
  return stub
}
