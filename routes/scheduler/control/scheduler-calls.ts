import { any, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { nodeRowShape } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import { outcomeRuleShape } from '../../../state/scheduler/cluster/model/task-outcomes.ts'
import { nodeSettingsShape } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { partCalls } from '../../http/declare/control-call.ts'
import {
  jobVersionsShape,
  SchedulerControl,
  stepCountShape,
  stepsShape,
} from './scheduler-control.ts'

const call = partCalls(SchedulerControl)

/**
 * Calls of the control plane on the simulated cluster: outcome rules, job versions, steps, nodes.
 */
export const schedulerCalls = [
  call({
    id: 'listSchedulerOutcomes',
    route: 'GET /scheduler/outcomes',
    summary: 'List the rules about the outcome of tasks; the first matching rule applies.',
    reply: struct({ outcomes: list(struct({ id: text, ...outcomeRuleShape.fields })) }),
    run: (scheduler) => ({ outcomes: scheduler.outcomes() }),
  }),
  call({
    id: 'addSchedulerOutcome',
    route: 'POST /scheduler/outcomes',
    summary: 'Add a rule: which tasks (namespace, job, group, task, attempt), and their outcome.',
    body: outcomeRuleShape,
    reply: struct({ id: text }),
    status: 201,
    run: (scheduler, { body }) => ({ id: scheduler.addOutcome(body) }),
  }),
  call({
    id: 'removeSchedulerOutcomes',
    route: 'DELETE /scheduler/outcomes',
    summary: 'Delete all rules.',
    run: (scheduler) => scheduler.removeOutcomes(),
  }),
  call({
    id: 'removeSchedulerOutcome',
    route: 'DELETE /scheduler/outcomes/:id',
    summary: 'Delete a rule.',
    run: (scheduler, { params: { id } }) => scheduler.removeOutcomes(id),
  }),
  call({
    id: 'listJobVersions',
    route: 'GET /scheduler/jobs/:job/versions',
    summary:
      'List the differences between the versions of a job, without a request to the scheduler.',
    query: withOthers(
      struct({ namespace: optional(described(text, '`default` if left out')) }),
      any,
    ),
    reply: struct({ versions: jobVersionsShape }),
    run: (scheduler, { params: { job }, query: { namespace } }) => ({
      versions: scheduler.jobVersions(job, namespace),
    }),
  }),
  call({
    id: 'stepScheduler',
    route: 'POST /scheduler/step',
    summary: "Execute the simulated cluster's next steps, even before they are due.",
    body: stepCountShape,
    reply: struct({ steps: stepsShape }),
    run: (scheduler, { body: { count } }) => ({ steps: scheduler.step(count) }),
  }),
  call({
    id: 'putSchedulerNode',
    route: 'POST /scheduler/nodes',
    summary: 'Add a node to the simulated cluster, or replace the one with the same id.',
    body: nodeSettingsShape,
    reply: nodeRowShape,
    run: (scheduler, { body }) => scheduler.putNode(body),
  }),
]
