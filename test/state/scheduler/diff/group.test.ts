import { minute, second } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveGroupEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

proveGroupEdits('scalars of a group', [
  {
    title: 'another count (the example of behaviour/scheduler#diff)',
    next: { Count: 2 },
    fields: [edited('Count', '1', '2')],
  },
  {
    title: 'metadata',
    old: { Meta: { a: '1', b: '2' } },
    next: { Meta: { b: '3', c: '4' } },
    fields: [deleted('Meta[a]', '1'), edited('Meta[b]', '2', '3'), added('Meta[c]', '4')],
  },
  // choice/scheduler#diff-shutdown-delay
  {
    title: 'a shutdown delay of nothing is one that was added',
    next: { ShutdownDelay: 0 },
    fields: [added('ShutdownDelay', '0')],
  },
  {
    title: 'another shutdown delay',
    old: { ShutdownDelay: second },
    next: { ShutdownDelay: minute },
    fields: [edited('ShutdownDelay', '1000000000', '60000000000')],
  },
  {
    title: 'no shutdown delay any more',
    old: { ShutdownDelay: second },
    next: {},
    fields: [deleted('ShutdownDelay', '1000000000')],
  },
  {
    title: 'what becomes of tasks whose client is lost',
    old: { MaxClientDisconnect: second },
    next: { MaxClientDisconnect: minute, StopAfterClientDisconnect: minute },
    fields: [
      edited('MaxClientDisconnect', '1000000000', '60000000000'),
      added('StopAfterClientDisconnect', '60000000000'),
    ],
  },
  // choice/scheduler#diff-of-unlisted-members
  {
    title: 'the spread and the migration edit a group without a trace',
    old: { Migrate: null },
    next: {
      Migrate: { MaxParallel: 1, HealthCheck: 'checks', MinHealthyTime: 0, HealthyDeadline: 0 },
      Spreads: [{ Attribute: 'a', Weight: 50, SpreadTarget: null }],
    },
  },
  {
    title: 'an echoed truth value that was not sent before',
    next: { PreventRescheduleOnLost: true },
    fields: [edited('PreventRescheduleOnLost', 'false', 'true')],
  },
])

proveGroupEdits('plain objects of a group', [
  {
    title: 'restarts',
    next: { RestartPolicy: { Attempts: 5, Mode: 'delay' } },
    objects: [
      object('Edited', 'RestartPolicy', [
        edited('Attempts', '2', '5'),
        edited('Mode', 'fail', 'delay'),
      ]),
    ],
    inContext: [
      object('Edited', 'RestartPolicy', [
        edited('Attempts', '2', '5'),
        none('Delay', '15000000000'),
        none('Interval', '1800000000000'),
        edited('Mode', 'fail', 'delay'),
        none('RenderTemplates', 'false'),
      ]),
    ],
  },
  {
    title: 'in the order of the table, whatever became of them',
    old: { Constraints: [{ LTarget: 'a', RTarget: 'b', Operand: '=' }] },
    next: {
      Affinities: [{ LTarget: 'a', RTarget: 'b', Operand: '=', Weight: 1 }],
      RestartPolicy: null,
      ReschedulePolicy: null,
      EphemeralDisk: null,
      Update: null,
    },
    objects: [
      object('Deleted', 'Constraint', [
        deleted('LTarget', 'a'),
        deleted('Operand', '='),
        deleted('RTarget', 'b'),
      ]),
      object('Added', 'Affinity', [
        added('LTarget', 'a'),
        added('Operand', '='),
        added('RTarget', 'b'),
        added('Weight', '1'),
      ]),
      object('Deleted', 'RestartPolicy', [
        deleted('Attempts', '2'),
        deleted('Delay', '15000000000'),
        deleted('Interval', '1800000000000'),
        deleted('Mode', 'fail'),
        deleted('RenderTemplates', 'false'),
      ]),
      object('Deleted', 'ReschedulePolicy', [
        deleted('Attempts', '0'),
        deleted('Delay', '30000000000'),
        deleted('DelayFunction', 'exponential'),
        deleted('Interval', '0'),
        deleted('MaxDelay', '3600000000000'),
        deleted('Unlimited', 'true'),
      ]),
      object('Deleted', 'EphemeralDisk', [
        deleted('Migrate', 'false'),
        deleted('SizeMB', '300'),
        deleted('Sticky', 'false'),
      ]),
      object('Deleted', 'Update', [
        deleted('AutoPromote', 'false'),
        deleted('AutoRevert', 'false'),
        deleted('Canary', '0'),
        deleted('HealthCheck', 'checks'),
        deleted('HealthyDeadline', '300000000000'),
        deleted('MaxParallel', '1'),
        deleted('MinHealthyTime', '10000000000'),
        deleted('ProgressDeadline', '600000000000'),
      ]),
    ],
  },
  {
    title: 'typed by their fields: objects of which only a field was added are Added',
    old: { ReschedulePolicy: { DelayFunction: '' } },
    next: { ReschedulePolicy: { DelayFunction: 'constant' } },
    objects: [object('Added', 'ReschedulePolicy', [added('DelayFunction', 'constant')])],
    inContext: [
      object('Added', 'ReschedulePolicy', [
        none('Attempts', '0'),
        none('Delay', '30000000000'),
        added('DelayFunction', 'constant'),
        none('Interval', '0'),
        none('MaxDelay', '3600000000000'),
        none('Unlimited', 'true'),
      ]),
    ],
  },
  {
    title: 'the disk',
    next: { EphemeralDisk: { Sticky: true } },
    objects: [object('Edited', 'EphemeralDisk', [edited('Sticky', 'false', 'true')])],
    inContext: [
      object('Edited', 'EphemeralDisk', [
        none('Migrate', 'false'),
        none('SizeMB', '300'),
        edited('Sticky', 'false', 'true'),
      ]),
    ],
  },
  {
    title: 'the stagger of an update is none of its fields',
    next: { Update: { Stagger: minute } },
  },
  {
    title: 'an update',
    next: { Update: { Stagger: minute, Canary: 1 } },
    objects: [object('Edited', 'Update', [edited('Canary', '0', '1')])],
    inContext: [
      object('Edited', 'Update', [
        none('AutoPromote', 'false'),
        none('AutoRevert', 'false'),
        edited('Canary', '0', '1'),
        none('HealthCheck', 'checks'),
        none('HealthyDeadline', '300000000000'),
        none('MaxParallel', '1'),
        none('MinHealthyTime', '10000000000'),
        none('ProgressDeadline', '600000000000'),
      ]),
    ],
  },
])
