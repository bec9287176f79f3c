import { stringifyJson } from '../../../state/kernel/deep-json.ts'
import { any, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { message, refuse } from '../../../state/scheduler/messages.ts'
import {
  scalingPoliciesByPrefix,
  scalingPoliciesOf,
  scalingPolicyStub,
} from '../../../state/scheduler/records/scaling-policies.ts'
import { type ScalingPolicy, scalingPolicyShape } from '../../../state/scheduler/records/shapes.ts'
import { scalingPolicies } from '../../../state/scheduler/records/tables.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { hasAccessIn, requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { readData, readFoundObject } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#deployments' })

export const scalingPolicyOperations = [
  operation.get('listScalingPolicies', '/scaling/policies', {
    access: within(
      requiresAnyOf('namespace:list-scaling-policies', 'namespace:list-jobs+read-job'),
    ),
    summary: 'List the scaling policies of groups; can block.',
    query: parameters({
      job: described(text, 'Only policies of this job'),
      type: described(text, 'Only policies of this type'),
    }),
    reply: { 200: list(any) },
    run: ({ context }) =>
      readData(context, 'scaling-policies', ({ prefix }) =>
        readablePolicies(context, prefix).map((policy) =>
          context.world.derived(policy, scalingPolicyStub),
        ),
      ),
  }),
  operation.get('readScalingPolicy', '/scaling/policy/:id', {
    access: requiresAnyOf('namespace:read-scaling-policy', 'namespace:list-jobs+read-job'),
    summary: 'Read a scaling policy; can block.',
    reply: { 200: scalingPolicyShape },
    run({ context, params: { id } }) {
      const find = () => context.world.table(scalingPolicies).get(id)
      const absent = message('scaling-policy-not-found')
      return readFoundObject(context, 'scaling-policies', find, absent, policyJson)
    },
  }),
]

/**
 * Returns the requested policies. As in the reference, a prefix takes precedence over a job. With
 * `namespace=*`, policies that the caller may not read are left out, and the job is ignored. With a
 * single namespace, throws a refusal if the caller may not read policies there.
 */
function readablePolicies(context: SchedulerContext, prefix: string): readonly ScalingPolicy[] {
  const { world, namespace, query } = context
  const job = query.value('job') || undefined
  const type = query.value('type') || undefined
  if (namespace === '*') {
    return scalingPoliciesByPrefix(world, prefix).filter(
      ({ Type, Target }) =>
        Type.startsWith(type ?? '') && hasAccessIn(context, Target?.Namespace ?? ''),
    )
  }
  if (!hasAccessIn(context, namespace)) throw refuse('permission-denied')
  if (prefix === '') return scalingPoliciesOf(world, { namespace, job, type })
  return scalingPoliciesByPrefix(world, prefix).filter(
    ({ Target }) => Target?.Namespace === namespace,
  )
}

/**
 * Returns the JSON of a policy. As in the reference, numbers in the free-form part are
 * floating-point numbers.
 */
function policyJson({ Policy, ...policy }: ScalingPolicy): JsonText {
  const text = stringifyJson({ ...policy, Policy: null })
  return new JsonText(`${text.slice(0, -'null}'.length)}${floatJson(Policy)}}`)
}

function floatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(floatJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}:${floatJson(each)}`,
    )
    return `{${members.join(',')}}`
  }
  const text = JSON.stringify(value)
  return typeof value === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text
}
