import { bool, int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import {
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

/** Shape of an evaluation of policies. */
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

/** Returns how many policies of an evaluation passed and failed; none before it has ended. */
function countsOf({ status, policies }: PolicyEvaluation) {
  const isOver = ['passed', 'failed', 'errored', 'overridden'].includes(status)
  const judged = isOver ? policies : []
  const failedAt = (level: string) =>
    judged.filter((one) => one.status === 'failed' && one.level === level).length
  return {
    passed: judged.filter((one) => one.status === 'passed').length,
    'mandatory-failed': failedAt('mandatory'),
    'advisory-failed': failedAt('advisory'),
    errored: judged.filter((one) => one.status === 'errored').length,
  }
}

/** Prefix of the ids of outcomes. The rest of an id is equal to that of the evaluation. */
const outcomePrefix = 'psout'
const evaluationPrefix = 'poleval'

/** Returns the id of the evaluation that an outcome belongs to. */
export function evaluationOfOutcome(id: string): string {
  return id.replace(outcomePrefix, evaluationPrefix)
}

function outcomeId({ id }: PolicyEvaluation): string {
  return id.replace(evaluationPrefix, outcomePrefix)
}

/** Renders an evaluation of policies. */
export function evaluationResource(evaluation: PolicyEvaluation): Resource {
  const { id, stage, reached } = evaluation
  return {
    id,
    type: 'policy-evaluations',
    attributes: {
      ...renderer.render(evaluation),
      'result-count': countsOf(evaluation),
      'status-timestamps': timesRenderer.render(reached),
    },
    relationships: {
      'policy-attachable': toOne('task-stages', stage),
      'policy-set-outcomes': toMany('policy-set-outcomes', [outcomeId(evaluation)]),
    },
  }
}

/** Shape of the outcome of a policy set. */
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

/** Policy of an evaluation. */
type EvaluatedPolicy = PolicyEvaluation['policies'][number]

/** Renders the outcome of the set of an evaluation, with the policies that `shows` selects. */
export function setOutcomeResource(
  evaluation: PolicyEvaluation,
  shows: (policy: EvaluatedPolicy) => boolean = () => true,
): Resource {
  const { id, set_name, set_description, policy_tool_version, overridable, policies } = evaluation
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
      'result-count': countsOf(evaluation),
    },
    relationships: { 'policy-evaluation': toOne('policy-evaluations', id) },
  }
}
