import { constant, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  type CostEstimate,
  costEstimateAttributes,
  costEstimateTimes,
  costEstimateWithId,
} from '../../../state/platform/runs/cost-estimates.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { answer } from '../../http/declare/operation.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import { type Resource, resourceShape, selfLink } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { requireWorkspace } from './run-scope.ts'

const renderer = attributeRenderer(costEstimateAttributes)
const timesRenderer = timestampRenderer(costEstimateTimes.fields)

export const costEstimateShape = resourceShape(
  'cost-estimates',
  struct({
    ...renderer.shape.fields,
    'error-message': constant(null),
    'status-timestamps': timesRenderer.shape,
  }),
  { links: selfLink },
)

export function costEstimateResource(estimate: CostEstimate): Resource {
  const { id, reached } = estimate
  return {
    id,
    type: 'cost-estimates',
    attributes: {
      ...renderer.render(estimate),
      'error-message': null,
      'status-timestamps': timesRenderer.render(reached),
    },
    links: { self: `/api/v2/cost-estimates/${id}` },
  }
}

function findEstimate(scope: Scope): CostEstimate {
  const id = scope.params['cost_estimate_id'] ?? ''
  const estimate = requireFound(costEstimateWithId(scope.world, id))
  const run = requireFound(runWithId(scope.world, estimate.run))
  requireWorkspace(scope, run.workspace, { runs: 'read' })
  return estimate
}

/** Returns the log of an estimate; empty until the estimate is finished. */
function outputOf(estimate: CostEstimate): string {
  if (estimate.status !== 'finished') return ''
  const { resources_count: all, matched_resources_count: matched } = estimate
  const { proposed_monthly_cost: proposed, delta_monthly_cost: delta } = estimate
  const sign = delta.startsWith('-') ? '-' : '+'
  return [
    `Resources: ${matched} of ${all} estimated`,
    `           $${proposed}/mo ${sign}$${delta.replace('-', '')}`,
    '',
  ].join('\n')
}

const costEstimateRendering = { shape: costEstimateShape, render: costEstimateResource }

const onEstimate = operationsOn('caller', findEstimate, 'behaviour/platform#cost-estimates')
const onePath = '/cost-estimates/:cost_estimate_id'

export const costEstimateOperations = [
  onEstimate.document('GET', onePath, costEstimateRendering, {
    id: 'readCostEstimate',
    summary: 'Read the cost estimate of a run.',
    run: ({ context: { subject } }) => subject,
  }),
  onEstimate('GET', `${onePath}/output`, {
    id: 'readCostEstimateOutput',
    summary: 'Read the output of the cost estimate.',
    mediaType: 'text/plain',
    reply: { 200: text },
    run: ({ context: { subject } }) => answer(200, outputOf(subject)),
  }),
]
