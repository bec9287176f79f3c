import type { ComparedRequest, ReplyVariable } from '../../../src/cli/compare/request.ts'
import { jobOf, look, removal, step } from './scenarios.ts'

/** Variables of the scenarios: the only node. */
export const drainVariables: readonly ReplyVariable[] = [
  { name: '$node', operationPattern: /^find the node$/, memberPath: ['0', 'ID'] },
]

type Job = ReturnType<typeof jobOf>

/** A change of the node, with the name of the step. */
type NodeChange = readonly [name: string, path: 'drain' | 'eligibility', body: object]

const second = 1_000_000_000

/** Returns a drain of the node. The deadline -1 stops everything at once; 0 means no deadline. */
function drain(deadline: number, members: object = {}): NodeChange {
  const DrainSpec = { Deadline: deadline * second, ...members }
  return [`drain ${JSON.stringify(DrainSpec)}`, 'drain', { DrainSpec, Meta: { reason: 'oracle' } }]
}

function endDrain(isEligible: boolean): NodeChange {
  return [`end the drain, ${isEligible}`, 'drain', { DrainSpec: null, MarkEligible: isEligible }]
}

function mark(eligibility: 'eligible' | 'ineligible'): NodeChange {
  return [eligibility, 'eligibility', { Eligibility: eligibility }]
}

const migrateOne = { MaxParallel: 1, HealthCheck: 'task_states', MinHealthyTime: second / 10 }

/** Each scenario runs a job on the node, then changes the node, and reads both after each step. */
const scenarios: readonly (readonly [string, Job, readonly NodeChange[]])[] = [
  ['a service is stopped at once', jobOf('d1', 'service', { count: 2 }), [drain(-1)]],
  [
    'two allocations leave one after the other',
    jobOf('d2', 'service', { count: 2, members: { Migrate: migrateOne } }),
    [drain(4)],
  ],
  ['a batch job runs until the deadline', jobOf('d3', 'batch', {}), [drain(3)]],
  [
    'a batch job ends before the deadline',
    jobOf('d4', 'batch', { config: { run_for: '6s' } }),
    [drain(60)],
  ],
  ['a system job stays until the end', jobOf('d5', 'system', {}), [drain(3)]],
  [
    'a system job is left alone',
    jobOf('d6', 'system', {}),
    [drain(3, { IgnoreSystemJobs: true }), drain(-1)],
  ],
  ['a sysbatch job runs until the deadline', jobOf('d7', 'sysbatch', {}), [drain(3)]],
  ['a second drain is shorter', jobOf('d8', 'batch', {}), [drain(600), drain(2)]],
  [
    'an ineligible node keeps what it runs',
    jobOf('d9', 'service', {}),
    [mark('ineligible'), mark('ineligible'), mark('eligible'), drain(-1), mark('eligible')],
  ],
]

/**
 * Scenarios whose first drain never ends by itself, so the runner only waits after the last change.
 */
const endedDrains: readonly (readonly [string, Job, readonly NodeChange[]])[] = [
  ['a drain is ended', jobOf('d10', 'batch', {}), [drain(600), endDrain(true)]],
  [
    'a drain is ended and the node stays ineligible',
    jobOf('d11', 'batch', {}),
    [drain(0), endDrain(false), endDrain(true)],
  ],
  ['a node is not drained', jobOf('d12', 'batch', {}), [endDrain(false), mark('eligible')]],
  [
    'a drained node cannot become eligible',
    jobOf('d13', 'batch', {}),
    [drain(600), mark('eligible'), endDrain(true)],
  ],
]

function sequence(
  [name, job, changes]: (typeof scenarios)[number],
  comesToRest: boolean,
): readonly ComparedRequest[] {
  const { ID: id } = job.Job
  const wait = `wait for ${id}`
  const readNode = (when: string) => step(`${name}, ${when}, node`, 'GET', 'node/$node')
  const begin = [
    step('find the node', 'GET', 'nodes'),
    step('make eligible', 'PUT', 'node/$node/drain', { DrainSpec: null, MarkEligible: true }),
    step(wait, 'POST', 'jobs', job),
  ]
  const steps = changes.flatMap(([change, path, body], at) => [
    step(
      comesToRest || at === changes.length - 1 ? wait : `${name}, ${change}`,
      'PUT',
      `node/$node/${path}`,
      body,
    ),
    ...look(`${name}, ${change}`, id),
    readNode(change),
  ])
  const end = [
    step(wait, 'PUT', 'node/$node/eligibility', { Eligibility: 'eligible' }),
    ...look(`${name}, eligible again`, id),
    readNode('eligible again'),
    step(wait, 'DELETE', `job/${id}`),
  ]
  return [...begin, ...steps, ...end, ...removal(id)]
}

/** Returns the sequences of the scenarios in which the only node is drained. */
export function drainSequences(): readonly (readonly ComparedRequest[])[] {
  return [
    ...scenarios.map((scenario) => sequence(scenario, true)),
    ...endedDrains.map((scenario) => sequence(scenario, false)),
  ]
}
