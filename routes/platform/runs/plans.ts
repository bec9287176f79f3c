import { requireFound } from '../../../state/platform/messages.ts'
import { addObject, type StoredObject } from '../../../state/platform/objects.ts'
import type { PlanForm } from '../../../state/platform/runs/plan-json.ts'
import type { Run } from '../../../state/platform/runs/runs.ts'
import { stateText } from '../../../state/platform/states/state-versions.ts'
import { answer } from '../../http/declare/operation.ts'
import { objectUrl } from '../objects/object-url.ts'
import { operationsOn, type PlatformContext, type TaskScope } from '../operation.ts'
import { applyResource, applyShape, planResource, planShape } from './plan-resource.ts'
import { findRunFor, findRunOfPart } from './run-scope.ts'

const spec = 'behaviour/platform#plans-and-applies'
const planRendering = { shape: planShape, render: planResource }
const applyRendering = { shape: applyShape, render: applyResource }

const onPlan = operationsOn('caller', findRunOfPart('plan', { runs: 'read' }), spec)
const onAppliedState = operationsOn(
  'caller',
  findRunOfPart('apply', { state: 'read' }),
  'behaviour/platform#run-state',
)
const onApply = operationsOn('caller', findRunOfPart('apply', { runs: 'read' }), spec)

/** JSON documents about a plan: last segment of the path, form, and required right. */
const jsonPaths = [
  ['json-output', 'json-plan', 'admin'],
  ['json-output-redacted', 'redacted-plan', { runs: 'read' }],
  ['json-schema', 'plan-schemas', { runs: 'read' }],
] as const

/** Parts of operation ids, by the last segment of the path. */
const operationNames = {
  'json-output': 'Json',
  'json-output-redacted': 'RedactedJson',
  'json-schema': 'Schemas',
} as const

/**
 * Returns a redirection to a new downloadable object with the JSON of a plan. Stores nothing and
 * returns 204 if the plan is not finished.
 */
function findPlanJson(context: PlatformContext<Run>, form: PlanForm) {
  const { subject } = context
  if (subject.plan.status !== 'finished') return answer(204, undefined)
  return redirection(context, form, subject.plan.id)
}

/**
 * Stores a new downloadable object about a plan or an apply, and returns a redirection to the
 * object.
 */
function redirection(context: PlatformContext<Run>, kind: StoredObject['kind'], subject: string) {
  const { world } = context
  const id = world.write(() => addObject(world, kind, subject))
  return answer(307, undefined, { headers: { location: objectUrl(context, id) } })
}

const jsonSpec = 'behaviour/platform#plan-json'

/** Operations that redirect to the JSON of a plan. The path names the plan or its run. */
const planJsonOperations = jsonPaths.flatMap(([name, form, right]) => {
  const declaration = {
    summary: `Find the ${form} of a run as JSON, once the plan is finished.`,
    reply: { 204: null, 307: null },
    run: ({ context }: { readonly context: PlatformContext<Run> }) => findPlanJson(context, form),
  } as const
  return [
    operationsOn('caller', findRunOfPart('plan', right), jsonSpec)(
      'GET',
      `/plans/:plan_id/${name}`,
      {
        ...declaration,
        id: `findPlan${operationNames[name]}`,
        ...(name === 'json-output' && {
          findForTask: ({ params, run }: TaskScope) =>
            run.plan.id === params['plan_id'] ? run : undefined,
        }),
      },
    ),
    operationsOn('caller', findRunFor(right), jsonSpec)('GET', `/runs/:run_id/plan/${name}`, {
      ...declaration,
      id: `findRunPlan${operationNames[name]}`,
    }),
  ]
})

export const planOperations = [
  onPlan.document('GET', '/plans/:plan_id', planRendering, {
    id: 'readPlan',
    summary: 'Read the plan of a run.',
    run: ({ context }) => context.subject,
  }),
  onApply.document('GET', '/applies/:apply_id', applyRendering, {
    id: 'readApply',
    summary: 'Read the apply of a run.',
    run: ({ context }) => context.subject,
  }),
  ...planJsonOperations,
  onAppliedState('GET', '/applies/:apply_id/errored-state', {
    id: 'findErroredState',
    summary: 'Return the state that an apply could not store.',
    reply: { 307: null },
    run: ({ context }) => {
      const { world, subject } = context
      const { id } = subject.apply
      requireFound(stateText(world, { id }, 'raw'))
      return redirection(context, 'errored-state', id)
    },
  }),
]
