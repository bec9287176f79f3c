import { word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import { pathOf } from '../../journal/record-values.ts'
import { refusalAction } from './refusal-action.ts'

const service = 'platform'
const lockPath = /^\/api\/v2\/workspaces\/[^/]+\/actions\/lock$/

/** Time that a run stays in the queue: 365 days, longer than any test takes. */
const longTime = '8760h'

/** Result that every run task reports, for each value of the preset's parameter. */
const taskReports = {
  failure: { status: 'failed', message: 'The checks of the task failed.' },
  timeout: { status: 'errored', message: 'Timed out' },
} as const

export const runPresets: readonly Preset[] = [
  definePreset({
    name: 'platform-run-errored',
    summary:
      'Runs fail: the plan or, with `at: apply`, the apply half-way; its partial state is saved.',
    service,
    parameters: struct({
      at: withDefault(described(word('plan', 'apply'), 'Phase that fails'), 'plan'),
    }),
    source: 'behaviour/platform#run-outcomes',
    apply: ({ parameters: { at } }) => ({
      options: {
        platform: {
          runOutcome: {
            [at]: 'errored',
            error: {
              summary: 'Provider produced an error',
              detail: 'The API of the provider did not answer in time.',
            },
          },
        },
      },
    }),
  }),
  definePreset({
    name: 'platform-workspace-locked',
    summary:
      'Somebody else holds the locks of workspaces: locking is 409, and new runs stay pending.',
    service,
    parameters: noParameters,
    source: 'behaviour/platform#workspace-locks; behaviour/platform#run-order',
    effect: { appliesTo: (record) => record.method === 'POST' && lockPath.test(pathOf(record)) },
    apply: () => ({
      faults: [{ action: refusalAction('already-locked') }],
      options: { platform: { holdRuns: true } },
    }),
  }),
  definePreset({
    name: 'platform-run-queued',
    summary: 'No worker is free: runs stay in the queue, before their plan and before their apply.',
    service,
    parameters: noParameters,
    source: 'behaviour/platform#run-order',
    apply: () => ({ options: { platform: { runQueuedTime: longTime } } }),
  }),
  definePreset({
    name: 'platform-agent-lost',
    summary:
      'Agents are lost: all are `unknown`, and runs of workspaces with the mode `agent` stay in the queue.',
    service,
    parameters: noParameters,
    source: 'behaviour/platform#agents',
    apply: () => ({ options: { platform: { agentsLost: true } } }),
  }),
  definePreset({
    name: 'platform-policy-failed',
    summary:
      'Policies fail: runs are errored, can be overridden or continue, depending on the enforcement levels of their policies.',
    service,
    parameters: noParameters,
    source: 'behaviour/platform#policy-checks; behaviour/platform#policy-evaluations',
    apply: () => ({ options: { platform: { runOutcome: { policies: { '*': 'failed' } } } } }),
  }),
  definePreset({
    name: 'platform-run-task-failed',
    summary:
      'Run tasks fail, or with `by: timeout` never report: runs are errored if the task is mandatory. No task is called.',
    service,
    parameters: struct({
      by: withDefault(described(word('failure', 'timeout'), 'Why the tasks fail'), 'failure'),
    }),
    source: 'behaviour/platform#task-stages',
    apply: ({ parameters: { by } }) => ({
      options: {
        platform: { deliverRunTasks: false, runOutcome: { tasks: { '*': taskReports[by] } } },
      },
    }),
  }),
]
