import {
  any,
  bool,
  int,
  map,
  nullable,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type PolicyCheck,
  policyCheckOf,
  policyCheckStatuses,
  policyCheckTimes,
  policyCheckWithId,
} from '../../../state/platform/policies/policy-checks.ts'
import { moveRun } from '../../../state/platform/runs/moves.ts'
import { addComment } from '../../../state/platform/runs/run-events.ts'
import { type Run, runWithId } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { blankable, openQuery, optionalMembers, timestampRenderer } from '../json-api/attributes.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  documentOf,
  flags,
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  unpagedListOf,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { findRunFor, requireWorkspace } from '../runs/run-scope.ts'

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

/** Shape of a policy check. */
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

/** Returns how many policies of a check passed and failed; null until the check is over. */
function resultOf({ status, policies }: PolicyCheck) {
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
    sentinel: {},
  }
}

/** Renders a policy check of a run. */
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

function isOverridable(check: PolicyCheck, run: Run): boolean {
  return check.status === 'soft_failed' && run.status === 'policy_override'
}

/** Returns what a check prints: its result, then the policies with their results. */
function outputOf(check: PolicyCheck): string {
  const { policies } = check
  const result = resultOf(check)
  if (result === null) return ''
  const lines = policies.flatMap(({ name, level, result: own }, index) => [
    `## Policy ${index + 1}: ${name} (${level})`,
    '',
    `Result: ${own === 'passed'}`,
    '',
  ])
  return [`Sentinel Result: ${result.result}`, '', ...lines].join('\n')
}

/** A policy check in the path, with its run. */
interface CheckOfRun {
  readonly check: PolicyCheck
  readonly run: Run
}

function findCheck(scope: Scope): CheckOfRun {
  const check = requireFound(policyCheckWithId(scope.world, scope.params['policy_check_id'] ?? ''))
  const run = requireFound(runWithId(scope.world, check.run))
  requireWorkspace(scope, run.workspace, { runs: 'read' })
  return { check, run }
}

function findOverridable(scope: Scope): CheckOfRun {
  const found = findCheck(scope)
  if (!mayOverride(scope, found.run)) throw refuse('not-found')
  return found
}

const spec = 'behaviour/platform#policy-checks'
const onRun = operationsOn('caller', findRunFor({ runs: 'read' }), spec)
const onCheck = operationsOn('caller', findCheck, spec)
const onOverridable = operationsOn('caller', findOverridable, spec)
const onePath = '/policy-checks/:policy_check_id'

/** Operations on policy checks. */
export const policyCheckOperations = [
  onRun('GET', '/runs/:run_id/policy-checks', {
    id: 'listPolicyChecks',
    summary: 'List the policy checks of a run, of which there is at most one.',
    query: openQuery({}),
    reply: { 200: union(unpagedListOf(policyCheckShape), listOf(policyCheckShape)) },
    run: ({ context }) => {
      const { world, subject, address } = context
      const check = policyCheckOf(world, subject.id)
      const checks = check === undefined ? [] : [check]
      return ok(pageOrAll(checks, (one) => policyCheckResource(one, subject, context), address))
    },
  }),
  onCheck('GET', onePath, {
    id: 'readPolicyCheck',
    summary: 'Read a policy check.',
    reply: { 200: documentOf(policyCheckShape) },
    run: ({ context }) => {
      const { check, run } = context.subject
      return ok({ data: policyCheckResource(check, run, context) })
    },
  }),
  onCheck('GET', `${onePath}/output`, {
    id: 'readPolicyCheckOutput',
    summary: 'Read what a policy check has printed.',
    mediaType: 'text/plain',
    reply: { 200: text },
    run: ({ context: { subject } }) => answer(200, outputOf(subject.check)),
  }),
  onOverridable('POST', `${onePath}/actions/override`, {
    id: 'overridePolicyCheck',
    summary: 'Let a run go on although mandatory policies failed.',
    body: {
      attributes: optionalMembers({ comment: blankable }),
      topLevel: ['comment'],
      dataOptional: true,
    },
    failures: [409],
    reply: { 200: documentOf(policyCheckShape) },
    run: ({ context, body }) => {
      const { world, caller, subject } = context
      const { comment } = body().attributes
      if (!isOverridable(subject.check, subject.run)) throw refuse('transition-not-allowed')
      const run = world.write(() => {
        const moved = moveRun(world, subject.run, 'override', { actor: caller.user.id })
        if (comment?.trim()) addComment(world, moved, comment, caller.user.id)
        return moved
      })
      const check = requireFound(policyCheckOf(world, run.id))
      return ok({ data: policyCheckResource(check, run, context) })
    },
  }),
]
