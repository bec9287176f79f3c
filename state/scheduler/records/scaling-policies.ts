import { defineRule } from '../../kernel/rules.ts'
import { isEqual } from '../../kernel/same.ts'
import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { namespacePrefix, ofJobPrefix } from '../keys.ts'
import type { ScalingPolicy } from './shapes.ts'
import { jobs, scalingPolicies } from './tables.ts'

/** A policy as lists have it. */
export type ScalingPolicyStub = Omit<ScalingPolicy, 'Policy' | 'Min' | 'Max'>

/** What a policy is, whoever wrote it when. */
type Content = Omit<ScalingPolicy, 'CreateIndex' | 'ModifyIndex'>

const indexes: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex'])

/**
 * Keeps the policies of groups in line with their jobs, stopped ones included: they go with the block, or
 * with the job (behaviour/scheduler#deployments). Those of tasks are no policies of their own.
 */
export const scalingPolicyRule = defineRule({
  name: 'scheduler.scaling-policies',
  tables: [jobs],
  apply(world: World, changes) {
    for (const { before, after } of changes) {
      const wanted = contentsOf(after)
      const kept = new Set(wanted.map(({ ID }) => ID))
      for (const { ID } of contentsOf(before)) {
        if (!kept.has(ID)) world.table(scalingPolicies).delete(ID)
      }
      for (const content of wanted) putPolicy(world, content)
    }
  },
})

function contentsOf(job: Job | undefined): readonly Content[] {
  return (job?.TaskGroups ?? []).flatMap(({ Scaling }) => {
    if (Scaling === null) return []
    const { ID, Type, Target, Policy, Min, Max, Enabled } = Scaling
    return [{ ID, Type, Target, Policy, Min, Max, Enabled }]
  })
}

function putPolicy(world: World, content: Content): void {
  const table = world.table(scalingPolicies)
  const before = table.get(content.ID)
  if (before !== undefined && isEqual(before, content, indexes)) return
  const index = nextIndex(world)
  const CreateIndex = before?.CreateIndex ?? index
  table.put(content.ID, { ...content, CreateIndex, ModifyIndex: index })
}

/** Which policies are listed. */
interface PolicySelection {
  readonly namespace: string
  /** An ID of a job. */
  readonly job?: string | undefined
  readonly type?: string | undefined
}

/**
 * The policies of a namespace in order of namespace, job and group. As in the reference a type counts
 * whole beside a job, else by what it begins with.
 */
export function scalingPoliciesOf(
  world: World,
  { namespace, job, type = '' }: PolicySelection,
): readonly ScalingPolicy[] {
  const prefix = job === undefined ? namespacePrefix(namespace) : ofJobPrefix(namespace, job)
  const found = world.table(scalingPolicies).index('byTarget').rows(prefix)
  return Array.from(found).filter(({ Type }) =>
    job === undefined || type === '' ? Type.startsWith(type) : Type === type,
  )
}

/** The policies whose ID begins so, in order of ID. */
export function scalingPoliciesWith(world: World, prefix = ''): readonly ScalingPolicy[] {
  return [...world.table(scalingPolicies).rows(prefix)]
}

/** A policy as lists show it. */
export function scalingPolicyStub(policy: ScalingPolicy): ScalingPolicyStub {
  const { Policy: _policy, Min: _min, Max: _max, ...stub } = policy
  return stub
}
