import { describe, expect, test } from 'vitest'
import { HOUR, MINUTE, SECOND } from '../../../../state/go/duration.ts'
import type { Members } from '../job/sample-job.ts'
import { multiError } from '../support.ts'
import { errorsOf, groupErrorsOf, inGroup } from './job-errors.ts'

const section = 'behaviour/scheduler#validation'

interface Row {
  readonly group: Members
  readonly job?: Members
  readonly errors: readonly string[]
}

const task = (name: string, more: Members = {}) => ({ Name: name, Driver: 'd', ...more })

describe(`${section}: group`, () => {
  test.each<Omit<Row, 'errors'> & { title: string }>([
    {
      title: 'a group of prestart tasks only',
      group: { Tasks: [task('a', { Lifecycle: { Hook: 'prestart' } })] },
    },
    {
      title: 'an empty lifecycle, which is none',
      group: { Tasks: [task('a', { Lifecycle: {} })] },
    },
    { title: 'a task named alloc', group: { Tasks: [task('alloc')] } },
    {
      title: 'a reschedule policy of a sysbatch job',
      group: { ReschedulePolicy: { Attempts: 0 } },
      job: { Type: 'sysbatch' },
    },
  ])('$title is accepted', ({ group, job }) => {
    expect(groupErrorsOf(group, job)).toEqual([])
  })

  test.each<Row>([
    { group: { Count: -1 }, errors: ["Task group count can't be negative"] },
    { group: { Tasks: [] }, errors: ['Missing tasks for task group'] },
    {
      group: { Tasks: [task('a', { Leader: true }), task('b', { Leader: true })] },
      errors: ['Only one task may be marked as leader'],
    },
    {
      group: { Tasks: [task(''), task('a')] },
      errors: [
        'Task 1 missing name',
        `Task  validation failed: ${multiError(['Missing task name'])}`,
      ],
    },
    {
      group: { Tasks: [task('a'), task('a')] },
      errors: ["Task 2 redefines 'a' from task 1"],
    },
    {
      group: {
        EphemeralDisk: { SizeMB: 5 },
        Tasks: [task('a', { LogConfig: { MaxFileSizeMB: 1, MaxFiles: 1 } })],
      },
      errors: ['minimum DiskMB value is 10; got 5'],
    },
    {
      group: { Update: {} },
      job: { Type: 'batch' },
      errors: ['Job type "batch" does not allow update block'],
    },
    {
      group: { Migrate: {} },
      job: { Type: 'batch' },
      errors: ['Job type "batch" does not allow migrate block'],
    },
    {
      group: { ReschedulePolicy: {} },
      job: { Type: 'system' },
      errors: ['System jobs should not have a reschedule policy'],
    },
    {
      group: { Affinities: [{}], Spreads: [{}] },
      job: { Type: 'system' },
      errors: [
        'System jobs may not have an affinity block',
        'System jobs may not have a spread block',
      ],
    },
    {
      group: { Constraints: [{ Operand: 'x', LTarget: 'a' }] },
      errors: [`Constraint 1 validation failed: ${multiError(['Unknown constraint type "x"'])}`],
    },
    {
      group: { MaxClientDisconnect: -1, StopAfterClientDisconnect: 1 },
      errors: [
        'Task group cannot be configured with both max_client_disconnect and stop_after_client_disconnect',
        'max_client_disconnect cannot be negative',
      ],
    },
    {
      group: { Disconnect: { LostAfter: -1, StopOnClientAfter: -1, Reconcile: 'x' } },
      errors: [
        'stop_after cannot be a negative duration',
        'lost_after cannot be a negative duration',
        'Disconnect cannot be configured with both lost_after and stop_after',
        'reconcile option is invalid: x',
      ],
    },
    {
      group: { Disconnect: { StopOnClientAfter: 1 } },
      job: { Type: 'sysbatch' },
      errors: ['stop_after can only be used with service or batch job types'],
    },
    {
      group: { MaxClientDisconnect: 1, Disconnect: {}, Constraints: [{ Operand: 'x' }] },
      errors: ['using both lost_after and max_client_disconnect is not allowed'],
    },
    {
      group: { StopAfterClientDisconnect: 1, Disconnect: {} },
      errors: ['using both stop_after_client_disconnect and stop_on_client_after is not allowed'],
    },
    {
      group: { PreventRescheduleOnLost: true, Disconnect: {} },
      errors: ['using both prevent_reschedule_on_lost and replace is not allowed'],
    },
  ])('$errors', ({ group, job, errors }) => {
    expect(groupErrorsOf(group, job)).toEqual(inGroup(...errors))
  })
})

describe(`${section}: group, network`, () => {
  test.each<{ networks: Members[]; errors: string[] }>([
    {
      networks: [{ DynamicPorts: [{ Label: 'x' }, { Label: 'x' }] }],
      errors: ['Port label x already in use by taskgroup network'],
    },
    {
      networks: [
        {
          ReservedPorts: [
            { Label: 'http', Value: 80 },
            { Label: 'web', Value: 80 },
            { Label: 'other', Value: 80, HostNetwork: 'private' },
          ],
        },
      ],
      errors: ['Static port 80 already reserved by taskgroup network:http'],
    },
    {
      networks: [{ ReservedPorts: [{ Label: 'x', Value: 70_000 }] }],
      errors: ['Port x (70000) cannot be greater than 65535'],
    },
    {
      networks: [
        {
          DynamicPorts: [
            { Label: 'x', To: -2 },
            { Label: 'y', To: 70_000 },
          ],
        },
      ],
      errors: [
        'Port "x" cannot be mapped to negative value -2',
        'Port "y" cannot be mapped to a port (70000) greater than 65535',
      ],
    },
    {
      networks: [
        { Mode: 'bridge', ReservedPorts: [{ Label: 'x', Value: 80, IgnoreCollision: true }] },
      ],
      errors: ['Port "x" collision may not be ignored on non-host network mode "bridge"'],
    },
    { networks: [{ Hostname: 'a..b' }], errors: ['Hostname is not a valid DNS name'] },
  ])('$errors', ({ networks, errors }) => {
    expect(groupErrorsOf({ Networks: networks })).toEqual(
      inGroup(`Task group network validation failed: ${multiError(errors)}`),
    )
  })

  test('ports of a task against those of its group', () => {
    const ports = { ReservedPorts: [{ Label: 'http', Value: 80 }] }
    const group = { Networks: [ports], Tasks: [task('t', { Resources: { Networks: [ports] } })] }
    expect(groupErrorsOf(group)).toEqual(
      inGroup(
        `Task group network validation failed: ${multiError([
          'Port label http already in use by taskgroup network',
          'Static port 80 already reserved by taskgroup network:http',
        ])}`,
      ),
    )
  })
})

describe(`${section}: restart`, () => {
  // choice/scheduler#validation-nesting
  test.each<{ policy: Members; errors: string[] }>([
    { policy: { Mode: 'x' }, errors: ['Unsupported restart mode: "x"'] },
    {
      policy: { Mode: 'delay', Attempts: 0 },
      errors: ['Restart policy "delay" with 0 attempts is ambiguous'],
    },
    {
      policy: { Interval: SECOND, Attempts: 0 },
      errors: ['Interval can not be less than 5s (got 1s)'],
    },
    {
      policy: { Attempts: 5, Interval: 10 * SECOND },
      errors: [
        "Sched can't restart the TaskGroup 5 times in an interval of 10s with a delay of 15s",
      ],
    },
    {
      policy: { Mode: 'x', Attempts: 0, Interval: 0 },
      errors: [
        'Unsupported restart mode: "x"',
        'Restart policy "x" with 0 attempts is ambiguous',
        'Interval can not be less than 5s (got 0s)',
      ],
    },
  ])('$errors', ({ policy, errors }) => {
    expect(groupErrorsOf({ RestartPolicy: policy })).toEqual(inGroup(...errors))
  })
})

describe(`${section}: reschedule`, () => {
  const limited = { Unlimited: false, Attempts: 1, Interval: HOUR }

  test.each<{ policy: Members; errors: string[] }>([
    {
      policy: { ...limited, Interval: 0 },
      errors: [
        'Interval must be a non zero value if Attempts > 0',
        'Interval cannot be less than 15s (got 0s)',
        'Sched can only make 0 attempts in 0s with initial delay 30s, delay function ' +
          '"exponential", and delay ceiling 1h0m0s',
        'Set the interval to at least 30s to accommodate 1 attempts',
      ],
    },
    {
      policy: { Attempts: 1, Interval: HOUR },
      errors: [
        'Reschedule Policy with Attempts = 1, Interval = 1h0m0s, and Unlimited = true is ambiguous',
        'If Attempts >0, Unlimited cannot also be set to true',
      ],
    },
    { policy: { Delay: SECOND }, errors: ['Delay cannot be less than 5s (got 1s)'] },
    {
      policy: { DelayFunction: 'x' },
      errors: ['Invalid delay function "x", must be one of ["constant" "exponential" "fibonacci"]'],
    },
    {
      policy: { Delay: MINUTE, MaxDelay: 10 * SECOND },
      errors: ['Max Delay cannot be less than Delay 1m0s (got 10s)'],
    },
    {
      policy: { ...limited, Interval: SECOND, Delay: SECOND },
      errors: [
        'Delay cannot be less than 5s (got 1s)',
        'Interval cannot be less than 15s (got 1s)',
      ],
    },
    {
      policy: { ...limited, Attempts: 5, Interval: MINUTE, DelayFunction: 'constant' },
      errors: [
        'Sched can only make 2 attempts in 1m0s with initial delay 30s and delay function ' +
          '"constant"',
        'Set the interval to at least 2m30s to accommodate 5 attempts',
      ],
    },
    {
      policy: { ...limited, Attempts: 6, Interval: MINUTE, DelayFunction: 'fibonacci' },
      errors: [
        'Sched can only make 3 attempts in 1m0s with initial delay 30s, delay function ' +
          '"fibonacci", and delay ceiling 1h0m0s',
        'Set the interval to at least 4m0s to accommodate 6 attempts',
      ],
    },
    {
      policy: { ...limited, Attempts: 4, Interval: 2 * MINUTE, MaxDelay: MINUTE },
      errors: [
        'Sched can only make 2 attempts in 2m0s with initial delay 30s, delay function ' +
          '"exponential", and delay ceiling 1m0s',
        'Set the interval to at least 3m0s to accommodate 4 attempts',
      ],
    },
  ])('$errors', ({ policy, errors }) => {
    expect(groupErrorsOf({ ReschedulePolicy: policy })).toEqual(inGroup(...errors))
  })

  test('a policy that never reschedules is not looked at', () => {
    expect(groupErrorsOf({ ReschedulePolicy: { Unlimited: false, DelayFunction: 'x' } })).toEqual(
      [],
    )
  })
})

describe(`${section}: update`, () => {
  test.each<{ update: Members; errors: string[] }>([
    { update: { HealthCheck: 'x' }, errors: ['Invalid health check given: "x"'] },
    {
      update: { MaxParallel: -1 },
      errors: ['Max parallel can not be less than zero: -1 < 0'],
    },
    { update: { Canary: -1 }, errors: ['Canary count can not be less than zero: -1 < 0'] },
    {
      update: { AutoPromote: true },
      errors: ['Auto Promote requires a Canary count greater than zero'],
    },
    {
      update: { HealthyDeadline: 5 * SECOND },
      errors: ['Minimum healthy time must be less than healthy deadline: 10s > 5s'],
    },
    {
      update: { HealthyDeadline: 10 * MINUTE, ProgressDeadline: 5 * MINUTE },
      errors: ['Healthy deadline must be less than progress deadline: 10m0s > 5m0s'],
    },
    { update: { Stagger: 0 }, errors: ['Stagger must be greater than zero: 0s'] },
    {
      update: { MinHealthyTime: -SECOND, HealthyDeadline: 0, ProgressDeadline: -SECOND },
      errors: [
        'Minimum healthy time may not be less than zero: -1s',
        'Healthy deadline must be greater than zero: 0s',
        'Progress deadline must be zero or greater: -1s',
        'Healthy deadline must be less than progress deadline: 0s > -1s',
      ],
    },
  ])('$errors', ({ update, errors }) => {
    expect(groupErrorsOf({ Update: update })).toEqual(inGroup(...errors))
  })

  test.each(['checks', 'task_states', 'manual'])('health check %s is valid', (HealthCheck) => {
    expect(groupErrorsOf({ Update: { HealthCheck } })).toEqual([])
  })

  test('a progress deadline of 0 is exempt', () => {
    expect(groupErrorsOf({ Update: { ProgressDeadline: 0 } })).toEqual([])
  })
})

describe(`${section}: group, as the reference has it`, () => {
  test.each<{ migrate: Members; errors: string[] }>([
    { migrate: { MaxParallel: -1 }, errors: ['MaxParallel must be >= 0 but found -1'] },
    { migrate: { HealthCheck: '' }, errors: ['Missing HealthCheck'] },
    { migrate: { HealthCheck: 'x' }, errors: ['Invalid HealthCheck: "x"'] },
    {
      migrate: { MinHealthyTime: -SECOND },
      errors: ['MinHealthyTime is -1s and must be >= 0'],
    },
    {
      migrate: { HealthyDeadline: -SECOND },
      errors: [
        'HealthyDeadline is -1s and must be >= 0',
        'MinHealthyTime must be less than HealthyDeadline',
      ],
    },
  ])('migrate: $errors', ({ migrate, errors }) => {
    expect(groupErrorsOf({ Migrate: migrate })).toEqual(inGroup(...errors))
  })

  // choice/scheduler#validation-scaling
  test.each<{ scaling: Members; errors: string[] }>([
    {
      scaling: {},
      errors: [
        'maximum count must be specified and non-negative',
        'task group count must not be greater than maximum count in scaling policy',
      ],
    },
    {
      scaling: { Min: 5, Max: 3 },
      errors: [
        'maximum count must not be less than minimum count',
        'task group count must not be less than minimum count in scaling policy',
      ],
    },
  ])('scaling: $errors', ({ scaling, errors }) => {
    expect(groupErrorsOf({ Count: 1, Scaling: scaling })).toEqual(
      inGroup(
        `Task group scaling policy validation failed: ${multiError(
          errors.map((text) => `Scaling policy invalid: ${text}`),
        )}`,
      ),
    )
  })

  const host = { Type: 'host', Source: 's' }
  const csi = { Type: 'csi', Source: 's', AttachmentMode: 'file-system', AccessMode: 'x' }

  test.each<{ volume: Members; errors: string[]; group?: Members; job?: Members }>([
    { volume: { Type: 'host' }, errors: ['volume has an empty source'] },
    {
      volume: { Type: 'csi', Source: 's' },
      errors: ['CSI volumes must have an attachment mode', 'CSI volumes must have an access mode'],
    },
    {
      volume: { ...host, PerAlloc: true },
      group: { Update: { Canary: 1 } },
      errors: ['volume cannot be per_alloc when canaries are in use'],
    },
    {
      volume: { ...host, PerAlloc: true },
      job: { Type: 'system' },
      errors: ['volume cannot be per_alloc for system or sysbatch jobs'],
    },
    {
      volume: { ...host, MountOptions: {}, AttachmentMode: 'file-system', AccessMode: 'x' },
      errors: [
        'host volumes cannot have an attachment mode',
        'host volumes cannot have an access mode',
        'host volumes cannot have mount options',
      ],
    },
    {
      volume: { ...host, AccessMode: 'single-node-writer' },
      errors: ['host volumes cannot have an access mode'],
    },
    {
      volume: { ...csi, AttachmentMode: 'block-device', MountOptions: {} },
      errors: ['block devices cannot have mount options'],
    },
    {
      volume: { ...csi, AccessMode: 'single-node-reader-only' },
      group: { Count: 2 },
      errors: [
        'single-node-reader-only volumes must be read-only',
        'volume with single-node-reader-only access mode allows only one reader',
      ],
    },
    {
      volume: { ...csi, AccessMode: 'single-node-writer' },
      group: { Count: 2 },
      errors: ['volume with single-node-writer access mode allows only one reader or writer'],
    },
    {
      volume: { ...csi, AccessMode: 'multi-node-reader-only' },
      errors: ['multi-node-reader-only volumes must be read-only'],
    },
    {
      volume: { ...csi, AccessMode: 'multi-node-single-writer' },
      group: { Count: 2 },
      errors: ['volume with multi-node-single-writer access mode allows only one writer'],
    },
  ])('volume: $errors', ({ volume, errors, group, job }) => {
    expect(groupErrorsOf({ Volumes: { data: volume }, ...group }, job)).toEqual(
      inGroup(`Task group volume validation for data failed: ${multiError(errors)}`),
    )
  })

  test.each([host, { ...csi, AccessMode: 'multi-node-multi-writer' }])(
    'a volume that is right: %j',
    (volume) => {
      expect(groupErrorsOf({ Volumes: { data: volume } })).toEqual([])
    },
  )

  test('a policy that scales something without a name', () => {
    const groups = [{ Scaling: { Max: 2 }, Tasks: [{ Name: 't', Driver: 'docker' }] }]
    const policy = `Task group scaling policy validation failed: ${multiError([
      'Scaling policy invalid: missing target job',
      'Scaling policy invalid: missing target group',
    ])}`
    expect(errorsOf({ ID: '', Name: 'n', TaskGroups: groups })).toEqual([
      'Missing job ID',
      'Job task group 1 missing name',
      `Task group  validation failed: ${multiError(['Missing task group name', policy])}`,
    ])
  })
})
