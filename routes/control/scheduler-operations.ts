import { nodeRowShape } from '../../state/scheduler/cluster/model/node-shapes.ts'
import { outcomeRuleShape } from '../../state/scheduler/cluster/model/task-outcomes.ts'
import { nodeSettingsShape } from '../../state/scheduler/cluster/nodes/nodes.ts'
import { answer, noContent, ok } from '../http/declare/operation.ts'
import { operation, spec } from './context.ts'
import { schedulerPart } from './scheduler-control.ts'
import {
  jobVersionsQueryShape,
  jobVersionsShape,
  outcomeIdShape,
  outcomesShape,
  stepCountShape,
  stepsShape,
} from './scheduler-shapes.ts'

/** Operations on the simulated cluster of one world's job scheduler. */
export const schedulerOperations = [
  operation({
    id: 'listSchedulerOutcomes',
    method: 'GET',
    path: '/scheduler/outcomes',
    summary: 'List the rules about the outcome of tasks; the first matching rule applies.',
    spec,
    reply: { 200: outcomesShape },
    run: ({ context }) => ok({ outcomes: context.world.part(schedulerPart).outcomes() }),
  }),
  operation({
    id: 'addSchedulerOutcome',
    method: 'POST',
    path: '/scheduler/outcomes',
    summary: 'Add a rule: which tasks (namespace, job, group, task, attempt), and their outcome.',
    spec,
    body: outcomeRuleShape,
    reply: { 201: outcomeIdShape },
    run: ({ context, body }) =>
      answer(201, { id: context.world.part(schedulerPart).addOutcome(body) }),
  }),
  operation({
    id: 'removeSchedulerOutcomes',
    method: 'DELETE',
    path: '/scheduler/outcomes',
    summary: 'Delete all rules.',
    spec,
    reply: { 204: null },
    run: ({ context }) => {
      context.world.part(schedulerPart).removeOutcomes()
      return noContent
    },
  }),
  operation({
    id: 'removeSchedulerOutcome',
    method: 'DELETE',
    path: '/scheduler/outcomes/:id',
    summary: 'Delete a rule.',
    spec,
    reply: { 204: null },
    run: ({ context, params: { id } }) => {
      context.world.part(schedulerPart).removeOutcomes(id)
      return noContent
    },
  }),
  operation({
    id: 'listJobVersions',
    method: 'GET',
    path: '/scheduler/jobs/:job/versions',
    summary:
      'List the differences between the versions of a job, without a request to the scheduler.',
    spec,
    query: jobVersionsQueryShape,
    reply: { 200: jobVersionsShape },
    run: ({ context, params: { job }, query: { namespace } }) =>
      ok({ versions: context.world.part(schedulerPart).jobVersions(job, namespace) }),
  }),
  operation({
    id: 'stepScheduler',
    method: 'POST',
    path: '/scheduler/step',
    summary: "Execute the simulated cluster's next steps, even before they are due.",
    spec,
    body: stepCountShape,
    reply: { 200: stepsShape },
    run: ({ context, body }) => ok({ steps: context.world.part(schedulerPart).step(body.count) }),
  }),
  operation({
    id: 'putSchedulerNode',
    method: 'POST',
    path: '/scheduler/nodes',
    summary: 'Add a node to the simulated cluster, or replace the one with the same id.',
    spec,
    body: nodeSettingsShape,
    reply: { 200: nodeRowShape },
    run: ({ context, body }) => ok(context.world.part(schedulerPart).putNode(body)),
  }),
]
