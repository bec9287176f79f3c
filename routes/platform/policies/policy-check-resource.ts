import type { Json } from '../../../state/kernel/json.ts'
import { any, bool, int, map, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import {
  type PolicyCheck,
  policyCheckStatuses,
  policyCheckTimes,
} from '../../../state/platform/policies/policy-checks.ts'
import type { Run } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { timestampRenderer } from '../json-api/attributes.ts'
import { toOne } from '../json-api/relations.ts'
import { flags, type Resource, relationOf, resourceShape } from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'

const timesRenderer = timestampRenderer(policyCheckTimes.fields)

const resultShape = struct({
  result: bool,
  passed: int,
  'total-failed': int,
  'hard-failed': int,
  'soft-failed': int,
  'advisory-failed': int,
  duration: int,
  'duration-ms': int,
  sentinel: map(any),
})

export const policyCheckShape = resourceShape(
  'policy-checks',
  struct({
    status: word(...policyCheckStatuses),
    scope: word('organization'),
    result: nullable(resultShape),
    actions: flags(['is-overridable']),
    permissions: flags(['can-override']),
    'status-timestamps': timesRenderer.shape,
  }),
  {
    relationships: struct({ run: relationOf('runs') }),
    links: struct({ output: text }),
  },
)

/** Returns whether the caller may override policies that failed for a run. */
export function mayOverride(
  { world, caller }: Pick<PlatformContext<unknown>, 'world' | 'caller'>,
  { workspace: id }: Pick<Run, 'workspace'>,
): boolean {
  const { organization = '' } = { ...workspaceWithId(world, id) }
  return hasRight(world, caller, organization, 'manage-policy-overrides')
}

/**
 * Renders the result of a check: the numbers of policies by result and level, and the results by
 * set. Returns null until the check is over.
 */
export function resultOf({ status, policies }: PolicyCheck) {
  if (!['passed', 'soft_failed', 'hard_failed', 'errored', 'overridden'].includes(status))
    return null
  const failed = policies.filter(({ result }) => result !== 'passed')
  const failedAt = (level: string) => failed.filter((one) => one.level === level).length
  return {
    result: status === 'passed',
    passed: policies.length - failed.length,
    'total-failed': failed.length,
    'hard-failed': failedAt('hard-mandatory'),
    'soft-failed': failedAt('soft-mandatory'),
    'advisory-failed': failedAt('advisory'),
    duration: 0,
    'duration-ms': 0,
    sentinel: { 'schema-version': 1, data: resultsBySet(policies) },
  }
}

/** Returns the results of policies by set, as the policy tool writes them. */
function resultsBySet(policies: PolicyCheck['policies']): Readonly<Record<string, Json>> {
  const names = [...new Set(policies.map(({ set }) => set))]
  const entries = names.map((name): [string, Json] => {
    const own = policies.filter(({ set }) => set === name)
    const results = own.map(({ name: policy, level, result }) => ({
      'allowed-failure': level === 'advisory',
      error: null,
      policy,
      result: result === 'passed',
    }))
    const result = results.every((one) => one.result)
    return [name, { 'can-override': false, error: null, policies: results, result }]
  })
  return Object.fromEntries(entries)
}

export function policyCheckResource(
  check: PolicyCheck,
  run: Run,
  context: Pick<PlatformContext<unknown>, 'world' | 'caller'>,
): Resource {
  const { id, status, reached } = check
  return {
    id,
    type: 'policy-checks',
    attributes: {
      status,
      scope: 'organization',
      result: resultOf(check),
      actions: { 'is-overridable': isOverridable(check, run) },
      permissions: { 'can-override': mayOverride(context, run) },
      'status-timestamps': timesRenderer.render(reached),
    },
    relationships: { run: toOne('runs', run.id) },
    links: { output: `/api/v2/policy-checks/${id}/output` },
  }
}

/** Returns whether a check waits for an override. */
export function isOverridable(check: PolicyCheck, run: Run): boolean {
  return check.status === 'soft_failed' && run.status === 'policy_override'
}
