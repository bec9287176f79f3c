import { text, union } from '../../../state/kernel/shape/kinds.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type PolicyCheck,
  policyCheckOf,
  policyCheckWithId,
} from '../../../state/platform/policies/policy-checks.ts'
import { moveRun } from '../../../state/platform/runs/moves.ts'
import { addComment } from '../../../state/platform/runs/run-events.ts'
import { type Run, runWithId } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { blankable, openQuery, optionalMembers } from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { runResource, runShape } from '../runs/run-resource.ts'
import { findRunFor, requireWorkspace } from '../runs/run-scope.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import {
  isOverridable,
  mayOverride,
  policyCheckResource,
  policyCheckShape,
  resultOf,
} from './policy-check-resource.ts'

/**
 * Returns the log of a check: its result, then the policies with their results. Returns an empty
 * text until the check is over.
 */
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
  const explanation = result.result
    ? ['This result means that all Sentinel policies passed and the protected behavior is allowed.']
    : [
        'Sentinel evaluated to false because one or more Sentinel policies evaluated',
        'to false. This false was not due to an undefined value or runtime error.',
      ]
  const head = [`Sentinel Result: ${result.result}`, '', ...explanation, '']
  return [...head, `${policies.length} policies evaluated.`, '', ...lines].join('\n')
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

const inclusions = inclusionsOf<Run>(
  {
    run: { find: (run, context) => [runResource(run, context)] },
    'run.workspace': {
      find({ workspace: id }, context) {
        const workspace = workspaceWithId(context.world, id)
        return workspace === undefined ? [] : [workspaceResource(workspace, context)]
      },
    },
  },
  [runShape, workspaceShape],
)

const spec = 'behaviour/platform#policy-checks'
const onRun = operationsOn('caller', findRunFor({ runs: 'read' }), spec)
const onCheck = operationsOn('caller', findCheck, spec)
const onOverridableCheck = operationsOn('caller', findOverridable, spec)
const onePath = '/policy-checks/:policy_check_id'

export const policyCheckOperations = [
  onRun('GET', '/runs/:run_id/policy-checks', {
    id: 'listPolicyChecks',
    summary: 'List the policy checks of a run: at most one.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: {
      200: union(
        withExtraFields(unpagedListOf(policyCheckShape), inclusions.shape),
        withExtraFields(listOf(policyCheckShape), inclusions.shape),
      ),
    },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const check = policyCheckOf(world, subject.id)
      const checks = check === undefined ? [] : [check]
      const render = (one: PolicyCheck) =>
        included.add(subject, policyCheckResource(one, subject, context))
      return ok({ ...pageOrAll(checks, render, address), ...included.members() })
    },
  }),
  onCheck('GET', onePath, {
    id: 'readPolicyCheck',
    summary: 'Read a policy check.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(documentOf(policyCheckShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { check, run } = context.subject
      return ok(
        inclusions.document(query.include, context, run, policyCheckResource(check, run, context)),
      )
    },
  }),
  onCheck('GET', `${onePath}/output`, {
    id: 'readPolicyCheckOutput',
    summary: 'Read the output of a policy check.',
    mediaType: 'text/plain',
    reply: { 200: text },
    run: ({ context: { subject } }) => answer(200, outputOf(subject.check)),
  }),
  onOverridableCheck('POST', `${onePath}/actions/override`, {
    id: 'overridePolicyCheck',
    summary: 'Override the failed mandatory policies of a run.',
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
