import { bool, int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import {
  type EvaluationGroup,
  evaluationAttributes,
  evaluationTimes,
  type PolicyEvaluation,
} from '../../../state/platform/policies/evaluations.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import { toMany, toOne } from '../json-api/relations.ts'
import { type Resource, relationOf, relationsOf, resourceShape } from '../json-api/resource.ts'

const renderer = attributeRenderer(evaluationAttributes)
const timesRenderer = timestampRenderer(evaluationTimes.fields)

const countShape = struct({
  passed: int,
  'mandatory-failed': int,
  'advisory-failed': int,
  errored: int,
})

export const evaluationShape = resourceShape(
  'policy-evaluations',
  struct({
    ...renderer.shape.fields,
    'result-count': countShape,
    'status-timestamps': timesRenderer.shape,
  }),
  {
    relationships: struct({
      'policy-attachable': relationOf('task-stages'),
      'policy-set-outcomes': relationsOf('policy-set-outcomes'),
    }),
  },
)

/**
 * Counts the results of policies. Leaves out evaluations that have not ended, were canceled or are
 * unreachable.
 */
function countsOf(evaluations: readonly PolicyEvaluation[]) {
  const judgedPolicies = evaluations.flatMap(({ status, policies }) =>
    ['passed', 'failed', 'errored', 'overridden'].includes(status) ? policies : [],
  )
  const countFailed = (level: string) =>
    judgedPolicies.filter((one) => one.status === 'failed' && one.level === level).length
  return {
    passed: judgedPolicies.filter((one) => one.status === 'passed').length,
    'mandatory-failed': countFailed('mandatory'),
    'advisory-failed': countFailed('advisory'),
    errored: judgedPolicies.filter((one) => one.status === 'errored').length,
  }
}

/**
 * Prefix of the ids of outcomes. The id of an outcome is the id of its evaluation with this prefix
 * in place of `evaluationPrefix`.
 */
const outcomePrefix = 'psout'
const evaluationPrefix = 'poleval'

/**
 * Returns the id of the evaluation that an outcome belongs to. The two ids differ only in their
 * prefixes.
 */
export function evaluationOfOutcome(id: string): string {
  return id.replace(outcomePrefix, evaluationPrefix)
}

function outcomeId({ id }: PolicyEvaluation): string {
  return id.replace(evaluationPrefix, outcomePrefix)
}

/**
 * Statuses of evaluations by precedence. A group has the first of these statuses that one of its
 * evaluations has.
 */
const precedence: readonly PolicyEvaluation['status'][] = [
  'pending',
  'running',
  'errored',
  'failed',
  'overridden',
  'canceled',
  'unreachable',
  'passed',
]

/** Renders the evaluations of a group as one evaluation, with the id of the first evaluation. */
export function evaluationResource(group: EvaluationGroup): Resource {
  const [{ id, stage }] = group
  const decisive = group.reduce((one, other) =>
    precedence.indexOf(other.status) < precedence.indexOf(one.status) ? other : one,
  )
  return {
    id,
    type: 'policy-evaluations',
    attributes: {
      ...renderer.render(decisive),
      'result-count': countsOf(group),
      'status-timestamps': timesRenderer.render(decisive.reached),
    },
    relationships: {
      'policy-attachable': toOne('task-stages', stage),
      'policy-set-outcomes': toMany('policy-set-outcomes', group.map(outcomeId)),
    },
  }
}

export const setOutcomeShape = resourceShape(
  'policy-set-outcomes',
  struct({
    'policy-set-name': text,
    'policy-set-description': nullable(text),
    'policy-tool-version': text,
    overridable: bool,
    error: text,
    outcomes: list(
      struct({
        policy_name: text,
        status: text,
        enforcement_level: text,
        query: nullable(text),
        description: nullable(text),
      }),
    ),
    'result-count': countShape,
  }),
  { relationships: struct({ 'policy-evaluation': relationOf('policy-evaluations') }) },
)

type EvaluatedPolicy = PolicyEvaluation['policies'][number]

/**
 * Renders the outcome of an evaluation's policy set. The outcome contains the policies that `shows`
 * selects, and refers to the group of the evaluation.
 */
export function setOutcomeResource(
  evaluation: PolicyEvaluation,
  [{ id: group }]: EvaluationGroup,
  shows: (policy: EvaluatedPolicy) => boolean = () => true,
): Resource {
  const { set_name, set_description, policy_tool_version, overridable, policies } = evaluation
  return {
    id: outcomeId(evaluation),
    type: 'policy-set-outcomes',
    attributes: {
      'policy-set-name': set_name,
      'policy-set-description': set_description,
      'policy-tool-version': policy_tool_version,
      overridable,
      error: '',
      outcomes: policies.filter(shows).map(({ name, status, level, query, description }) => ({
        policy_name: name,
        status,
        enforcement_level: level,
        query,
        description,
      })),
      'result-count': countsOf([evaluation]),
    },
    relationships: { 'policy-evaluation': toOne('policy-evaluations', group) },
  }
}
