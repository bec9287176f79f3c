import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import { renderMessage } from '../../../../state/kernel/message.ts'
import {
  refuseInvalid,
  validationErrors,
} from '../../../../state/scheduler/validation/admission.ts'
import { multiError as saidTogether } from '../../../../state/scheduler/validation/errors.ts'
import { exampleJob, type Members, registeredJob } from '../job/sample-job.ts'
import { multiError, rejected } from '../support.ts'
import { errorsOf, openCluster } from './job-errors.ts'

const section = 'behaviour/scheduler#validation'

describe(`${section}: format`, () => {
  const said = (text: string) => ({ rule: text, template: '{text}', params: { text } })
  const [a, b] = [said('a'), said('b')]

  test('the message for one error has the singular', () => {
    expect(renderMessage(saidTogether([a]))).toBe('1 error occurred:\n\t* a\n\n')
  })

  test('the message for two errors has the plural', () => {
    expect(renderMessage(saidTogether([a, b]))).toBe('2 errors occurred:\n\t* a\n\t* b\n\n')
  })

  test('the example: an error of a task', () => {
    const job = registeredJob({ ID: 'a', TaskGroups: [{ Name: 'web', Tasks: [{ Name: 't' }] }] })
    expect(() => refuseInvalid(job, openCluster)).toThrow(
      rejected(
        '1 error occurred:\n\t* Task group web validation failed: 1 error occurred:\n\t* Task t ' +
          'validation failed: 1 error occurred:\n\t* Missing task driver\n\n\n\n\n\n',
      ),
    )
  })

  test('a valid job is not refused', () => {
    expect(() => refuseInvalid(registeredJob(exampleJob({})), openCluster)).not.toThrow()
  })
})

describe(`${section}: order`, () => {
  test('errors of namespace, node pool, job, groups and tasks in order, then members that may not be sent', () => {
    const job = registeredJob({
      ID: 'a b',
      Name: '',
      Type: 'x',
      Priority: 101,
      NodePool: 'gpu',
      Payload: 'aGk=',
      TaskGroups: [
        { Name: 'one', Count: -1, Tasks: [{ Name: 't' }, { Name: 'u' }] },
        { Name: 'two' },
      ],
    })
    const params = { ...openCluster, findNamespace: () => undefined, nodePoolExists: () => false }
    expect(validationErrors(job, params).map((error) => renderMessage(error))).toEqual([
      'job "a b" is in nonexistent namespace "default"',
      'job "a b" is in nonexistent node pool "gpu"',
      'Job ID contains a space',
      'Missing job name',
      'Invalid job type: "x"',
      `Task group one validation failed: ${multiError([
        "Task group count can't be negative",
        `Task t validation failed: ${multiError(['Missing task driver'])}`,
        `Task u validation failed: ${multiError(['Missing task driver'])}`,
      ])}`,
      `Task group two validation failed: ${multiError(['Missing tasks for task group'])}`,
      "job can't be submitted with a payload, only dispatched",
      'job priority must be between [1, 100]',
    ])
  })
})

describe(`${section}: admission`, () => {
  test.each<{ title: string; job: Members; errors: string[] }>([
    {
      title: 'type _core',
      job: { Type: '_core', TaskGroups: [] },
      errors: ['Missing job task groups', 'job type cannot be core'],
    },
    {
      title: 'a payload',
      job: { Payload: 'aGk=' },
      errors: ["job can't be submitted with a payload, only dispatched"],
    },
    {
      title: 'priority below',
      job: { Priority: -1 },
      errors: ['job priority must be between [1, 100]'],
    },
    {
      title: 'priority above',
      job: { Priority: 101 },
      errors: ['job priority must be between [1, 100]'],
    },
  ])('$title', ({ job, errors }) => {
    expect(errorsOf(exampleJob({ job }))).toEqual(errors)
  })

  test('total count', () => {
    const job = exampleJob({ group: { Count: 60_000 } })
    const text = 'total count was greater than configured job_max_count: 60000 > 50000'
    expect(errorsOf(job)).toEqual([text])
    expect(errorsOf(job, { ...openCluster, maxCount: 60_000 })).toEqual([])
    expect(errorsOf(job, { ...openCluster, maxCount: 0 })).toEqual([])
  })

  test('a NUMA layout is refused in this edition', () => {
    const numa = (Affinity: string) => exampleJob({ task: { Resources: { NUMA: { Affinity } } } })
    expect(errorsOf(numa('require'))).toEqual(['numa scheduling requires Sched Enterprise'])
    expect([errorsOf(numa('none')), errorsOf(numa(''))]).toEqual([[], []])
  })

  test('several regions, and schedules of tasks, are refused because only the other edition has them', () => {
    const Schedule = { Cron: { Start: '0 0 * * *', End: '', Timezone: '' } }
    const job = exampleJob({
      job: { Multiregion: { Strategy: null, Regions: [{ Name: 'west' }] }, Priority: 101 },
      task: { Schedule },
    })
    expect(errorsOf(job)).toEqual([
      'Multiregion jobs are unlicensed.',
      'job priority must be between [1, 100]',
      'task schedules requires Sched Enterprise',
    ])
  })

  // choice/scheduler#job-secrets-without-service
  // choice/scheduler#validation-left-out
  test('strategies of regions and CNI arguments are not checked', () => {
    const job = exampleJob({
      job: { Multiregion: { Strategy: { MaxParallel: -1 }, Regions: [] } },
      group: {
        Networks: [{ Mode: 'bridge', CNI: { Args: { '': 'nonsense' } } }],
      },
    })
    expect(errorsOf(job)).toEqual([])
  })

  test('secrets blocks, when the integration is off', () => {
    const params = { ...openCluster, secretsEnabled: false }
    const disabled = 'Secrets "default" not enabled but used in the job'
    const empty = 'Task t has a Secrets block with an empty list of policies'
    const block = (Secrets: Members, more: Members = {}) =>
      errorsOf(exampleJob({ task: { Secrets, ...more } }), params)
    expect(block({})).toEqual([disabled, empty])
    expect(block({ Policies: ['p'] })).toEqual([disabled])
    expect(block({}, { Identities: [{ Name: 'secrets_default' }] })).toEqual([disabled])
    expect(block({ Cluster: 'b', Policies: ['p'] })).toEqual([
      'Secrets "b" not enabled but used in the job',
    ])
    expect(errorsOf(exampleJob({}), params)).toEqual([])
    expect(errorsOf(exampleJob({ task: { Secrets: {} } }))).toEqual([])
  })
})

describe(`${section}: job`, () => {
  const constraint = 'Constraint 1 validation failed: '
  test.each<{ job: Members; errors: string[] }>([
    { job: { ID: '', Name: 'a' }, errors: ['Missing job ID'] },
    { job: { ID: 'a b' }, errors: ['Job ID contains a space'] },
    { job: { ID: 'a\0b', Name: 'a' }, errors: ['Job ID contains a null character'] },
    { job: { Name: '' }, errors: ['Missing job name'] },
    { job: { Name: 'a\0b' }, errors: ['Job Name contains a null character'] },
    { job: { Type: '' }, errors: ['Missing job type'] },
    { job: { Type: 'x' }, errors: ['Invalid job type: "x"'] },
    { job: { Datacenters: ['dc1', ''] }, errors: ['Job datacenter must be non-empty string'] },
    { job: { TaskGroups: [] }, errors: ['Missing job task groups'] },
    {
      job: { Constraints: [{ Operand: 'distinct_hosts' }, { Operand: '=', LTarget: 'a' }] },
      errors: [
        `Constraint 2 validation failed: ${multiError(['Operator "=" requires an RTarget'])}`,
      ],
    },
    {
      job: { Constraints: [{ Operand: '=', LTarget: 'a' }] },
      errors: [constraint + multiError(['Operator "=" requires an RTarget'])],
    },
    {
      job: { Affinities: [{ Operand: '=', LTarget: 'a', RTarget: 'b', Weight: 0 }] },
      errors: [`Affinity 1 validation failed: ${multiError(['Affinity weight cannot be zero'])}`],
    },
    {
      job: { Spreads: [{}] },
      errors: [`Spread 1 validation failed: ${multiError(['Missing spread attribute'])}`],
    },
    {
      job: { Type: 'system', Affinities: [{}], Spreads: [{}] },
      errors: [
        'System jobs may not have an affinity block',
        'System jobs may not have a spread block',
      ],
    },
    {
      job: {
        TaskGroups: [
          { Tasks: [{ Name: 't', Driver: 'd' }] },
          { Name: 'a', Tasks: [{ Name: 't', Driver: 'd' }] },
          { Name: 'a', Tasks: [{ Name: 't', Driver: 'd' }] },
        ],
      },
      errors: [
        'Job task group 1 missing name',
        "Job task group 3 redefines 'a' from group 2",
        `Task group  validation failed: ${multiError(['Missing task group name'])}`,
      ],
    },
    {
      job: {
        Type: 'system',
        TaskGroups: [{ Name: 'a', Count: 2, Tasks: [{ Name: 't', Driver: 'd' }] }],
      },
      errors: ['Job task group a has count 2. Count cannot exceed 1 with system scheduler'],
    },
    {
      job: { Periodic: { Spec: '@daily' } },
      errors: ['Periodic can only be used with "batch" or "sysbatch" scheduler'],
    },
    {
      job: { ParameterizedJob: {} },
      errors: ['Parameterized job can only be used with "batch" or "sysbatch" scheduler'],
    },
  ])('$errors', ({ job, errors }) => {
    expect(errorsOf(exampleJob({ job }))).toEqual(errors)
  })

  test.each<{ group: Members; type: string; errors: string[] }>([
    {
      group: { ShutdownDelay: -1 },
      type: 'service',
      errors: ['ShutdownDelay must be a positive value'],
    },
    {
      group: { StopAfterClientDisconnect: SECOND },
      type: 'system',
      errors: ['stop_after_client_disconnect can only be set in batch and service jobs'],
    },
    {
      group: { StopAfterClientDisconnect: -1 },
      type: 'service',
      errors: ['stop_after_client_disconnect must be a positive value'],
    },
    {
      group: {
        MaxClientDisconnect: SECOND,
        PreventRescheduleOnLost: true,
        ReschedulePolicy: { Attempts: 1, Interval: 60 * SECOND, Unlimited: false },
      },
      type: 'service',
      errors: [
        'max_client_disconnect and prevent_reschedule_on_lost cannot be enabled when rechedule.attempts > 0',
      ],
    },
  ])('as the reference has it: $errors', ({ group, type, errors }) => {
    expect(errorsOf(exampleJob({ group, job: { Type: type } }))).toEqual(errors)
  })
})

describe(`${section}: periodic`, () => {
  test.each<{ periodic: Members; errors: string[] }>([
    { periodic: {}, errors: ['Must specify a spec'] },
    {
      periodic: { Spec: 'x' },
      errors: ['Invalid cron spec "x": missing field(s)'],
    },
    {
      periodic: { Specs: ['@daily', '* * * * 9'] },
      errors: [`Invalid cron spec "* * * * 9": syntax error in day-of-week field: '9'`],
    },
    { periodic: { Spec: '@daily', Specs: ['@daily'] }, errors: ['Only cron or crons may be used'] },
    {
      periodic: { Spec: '@daily', SpecType: 'x' },
      errors: ['Unknown periodic specification type "x"'],
    },
    {
      periodic: { Spec: '@daily', TimeZone: 'x/y' },
      errors: ['Invalid time zone "x/y": unknown time zone x/y'],
    },
    {
      periodic: { TimeZone: 'x', SpecType: '' },
      errors: [
        'Must specify a spec',
        'Invalid time zone "x": unknown time zone x',
        'Unknown periodic specification type ""',
      ],
    },
  ])('$errors', ({ periodic, errors }) => {
    const job = { Type: 'batch', Periodic: periodic }
    expect(errorsOf(exampleJob({ job }))).toEqual([multiError(errors)])
  })

  test('disabled blocks are not checked', () => {
    const job = { Periodic: { Enabled: false, Spec: 'x' } }
    expect(errorsOf(exampleJob({ job }))).toEqual([])
  })

  test.each(['@daily', '0 0 * * *', '0 0 * * * 2030', '0 0 0 * * * *'])('%s is valid', (Spec) => {
    const job = { Type: 'sysbatch', Periodic: { Spec, TimeZone: 'Europe/Berlin' } }
    expect(errorsOf(exampleJob({ job }))).toEqual([])
  })
})

describe(`${section}: parameterized`, () => {
  test.each<{ parameterized: Members; errors: string[] }>([
    { parameterized: { Payload: 'x' }, errors: ['Unknown payload requirement: "x"'] },
    {
      parameterized: { MetaRequired: ['a', 'b'], MetaOptional: ['b', 'c', 'b'] },
      errors: [
        'Required and optional meta keys should be disjoint. Following keys exist in both: [b]',
      ],
    },
  ])('$errors', ({ parameterized, errors }) => {
    const job = { Type: 'batch', ParameterizedJob: parameterized }
    expect(errorsOf(exampleJob({ job }))).toEqual([multiError(errors)])
  })
})
