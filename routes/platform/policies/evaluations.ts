import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  evaluationGroupOf,
  evaluationGroupsOf,
  evaluationWithId,
  type PolicyEvaluation,
} from '../../../state/platform/policies/evaluations.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery } from '../json-api/attributes.ts'
import { pageOf, queryOf } from '../json-api/pagination.ts'
import { documentOf, listOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findStage } from '../run-tasks/stages.ts'
import { requireWorkspace } from '../runs/run-scope.ts'
import {
  evaluationOfOutcome,
  evaluationResource,
  evaluationShape,
  setOutcomeResource,
  setOutcomeShape,
} from './evaluation-resource.ts'

/**
 * Returns an evaluation by its id. Throws 404 unless the caller may read the run of the evaluation,
 * and 401 if the organization does not accept the caller's kind of token.
 */
function requireEvaluation(scope: Scope, id: string): PolicyEvaluation {
  const evaluation = requireFound(evaluationWithId(scope.world, id))
  const run = requireFound(runWithId(scope.world, evaluation.run))
  requireWorkspace(scope, run.workspace, { runs: 'read' })
  return evaluation
}

/**
 * Returns a predicate that selects policies by `filter[N][status]` and
 * `filter[N][enforcementLevel]`. Parameters with the same number form a pair, and a pair can lack
 * one of its members. Without pairs, every policy is selected.
 */
function outcomeFilter(url: string): (policy: PolicyEvaluation['policies'][number]) => boolean {
  const pairs = new Map<string, Record<string, string>>()
  for (const [name, value] of queryOf(url)) {
    const [, number, member] = /^filter\[(\d+)\]\[(status|enforcementLevel)\]$/.exec(name) ?? []
    if (number === undefined || member === undefined) continue
    pairs.set(number, { ...pairs.get(number), [member]: value })
  }
  return ({ status, level }) =>
    pairs.size === 0 ||
    [...pairs.values()].some(
      (pair) =>
        (pair['status'] ?? status) === status && (pair['enforcementLevel'] ?? level) === level,
    )
}

const spec = 'behaviour/platform#policy-evaluations'
const evaluationRendering = { shape: evaluationShape, render: evaluationResource }

const onStage = operationsOn('caller', findStage, spec)
const onEvaluation = operationsOn(
  'caller',
  (scope) => requireEvaluation(scope, scope.params['policy_evaluation_id'] ?? ''),
  spec,
)
const onOutcome = operationsOn(
  'caller',
  (scope) => {
    const id = scope.params['policy_set_outcome_id'] ?? ''
    return requireEvaluation(scope, evaluationOfOutcome(id))
  },
  spec,
)

export const policyEvaluationOperations = [
  onStage.page('/task-stages/:task_stage_id/policy-evaluations', evaluationRendering, {
    id: 'listPolicyEvaluations',
    summary: 'List the evaluations of policies in a stage, oldest first.',
    run: ({ context: { world, subject } }) => evaluationGroupsOf(world, subject.id),
  }),
  onEvaluation('GET', '/policy-evaluations/:policy_evaluation_id/policy-set-outcomes', {
    id: 'listPolicySetOutcomes',
    summary: 'List the outcomes of the sets of an evaluation; `filter[n]` selects policies.',
    query: openQuery({
      'filter[0][status]': described(
        text,
        'Status of a policy; more pairs have the numbers 1, 2, …',
      ),
      'filter[0][enforcementLevel]': described(text, 'Enforcement level of the policy'),
    }),
    reply: { 200: listOf(setOutcomeShape) },
    run: ({ context: { world, subject, address } }) => {
      const shows = outcomeFilter(address.url)
      const group = evaluationGroupOf(world, subject)
      const shown = group.filter(({ policies }) => policies.some(shows))
      return ok(pageOf(shown, (one) => setOutcomeResource(one, group, shows), address))
    },
  }),
  onOutcome('GET', '/policy-set-outcomes/:policy_set_outcome_id', {
    id: 'readPolicySetOutcome',
    summary: 'Read the outcome of a policy set.',
    reply: { 200: documentOf(setOutcomeShape) },
    run: ({ context: { world, subject } }) =>
      ok({ data: setOutcomeResource(subject, evaluationGroupOf(world, subject)) }),
  }),
]
