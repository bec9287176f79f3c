import { ok } from '../../http/declare/operation.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { applyResource, applyShape, planResource, planShape } from './plan-resource.ts'
import { findRunOfPart } from './run-scope.ts'

const spec = 'behaviour/platform#plans-and-applies'
const onPlan = operationsOn('caller', findRunOfPart('plan', { runs: 'read' }), spec)
const onApply = operationsOn('caller', findRunOfPart('apply', { runs: 'read' }), spec)

/** Operations on plans and applies. */
export const planOperations = [
  onPlan('GET', '/plans/:plan_id', {
    id: 'readPlan',
    summary: 'Read the plan of a run.',
    reply: { 200: documentOf(planShape) },
    run: ({ context }) => ok({ data: planResource(context.subject, context) }),
  }),
  onApply('GET', '/applies/:apply_id', {
    id: 'readApply',
    summary: 'Read the apply of a run.',
    reply: { 200: documentOf(applyShape) },
    run: ({ context }) => ok({ data: applyResource(context.subject, context) }),
  }),
]
