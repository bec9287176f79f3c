import { minute } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveJobEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

proveJobEdits('scalars of a job', [
  {
    title: 'in byte order',
    old: { Meta: { a: '1' } },
    next: {
      Priority: 80,
      AllAtOnce: true,
      Stop: true,
      Name: 'other',
      Type: 'batch',
      NodePool: 'gpu',
      ParentID: 'parent',
      SecretsNamespace: 'team',
      Meta: { a: '2', B: '3' },
    },
    fields: [
      edited('AllAtOnce', 'false', 'true'),
      added('Meta[B]', '3'),
      edited('Meta[a]', '1', '2'),
      edited('Name', 'example', 'other'),
      edited('NodePool', 'default', 'gpu'),
      added('ParentID', 'parent'),
      edited('Priority', '50', '80'),
      added('SecretsNamespace', 'team'),
      edited('Stop', 'false', 'true'),
      edited('Type', 'service', 'batch'),
    ],
  },
  {
    title: 'an echoed one counts as soon as it is sent',
    next: { MeshNamespace: 'team' },
    fields: [added('MeshNamespace', 'team')],
  },
  {
    title: 'what the server keeps, tokens, the payload and the stored update are left out',
    type: 'None',
    next: {
      Status: 'running',
      StatusDescription: 'x',
      Version: 7,
      Stable: true,
      CreateIndex: 20,
      ModifyIndex: 21,
      JobModifyIndex: 22,
      SubmitTime: 1,
      SchedTokenID: 'a',
      SecretsToken: 'b',
      MeshToken: 'c',
      Payload: 'aGk=',
      Update: { Stagger: minute },
      Spreads: [{ Attribute: 'a', Weight: 50, SpreadTarget: null }],
      UI: { Description: 'x' },
      VersionTag: { Name: 'v1' },
    },
  },
])

proveJobEdits('objects of a job', [
  {
    title: 'datacenters',
    old: { Datacenters: ['dc1', 'dc2'] },
    next: { Datacenters: ['dc2', 'dc3'] },
    objects: [
      object('Edited', 'Datacenters', [added('Datacenters', 'dc3'), deleted('Datacenters', 'dc1')]),
    ],
    inContext: [
      object('Edited', 'Datacenters', [
        added('Datacenters', 'dc3'),
        deleted('Datacenters', 'dc1'),
        none('Datacenters', 'dc2'),
      ]),
    ],
  },
  {
    title: 'a datacenter is added, and then there is no other type than Added',
    old: { Datacenters: ['dc1'] },
    next: { Datacenters: ['dc2', 'dc1'] },
    objects: [object('Added', 'Datacenters', [added('Datacenters', 'dc2')])],
    inContext: [
      object('Added', 'Datacenters', [added('Datacenters', 'dc2'), none('Datacenters', 'dc1')]),
    ],
  },
  {
    title: 'datacenters in another order are not a change',
    type: 'None',
    old: { Datacenters: ['dc1', 'dc2'] },
    next: { Datacenters: ['dc2', 'dc1', 'dc2'] },
  },
  {
    title: 'constraint and affinity',
    next: {
      Constraints: [{ LTarget: 'a', RTarget: 'b', Operand: '!=' }],
      Affinities: [{ LTarget: 'a', RTarget: 'b', Operand: '=', Weight: 7 }],
    },
    objects: [
      object('Added', 'Constraint', [
        added('LTarget', 'a'),
        added('Operand', '!='),
        added('RTarget', 'b'),
      ]),
      object('Added', 'Affinity', [
        added('LTarget', 'a'),
        added('Operand', '='),
        added('RTarget', 'b'),
        added('Weight', '7'),
      ]),
    ],
  },
  {
    title: 'another time of a periodic job',
    old: { Periodic: periodic('* * * * *') },
    next: { Periodic: periodic('@daily') },
    objects: [object('Edited', 'Periodic', [edited('Spec', '* * * * *', '@daily')])],
    inContext: [
      object('Edited', 'Periodic', [
        none('Enabled', 'true'),
        none('ProhibitOverlap', 'false'),
        edited('Spec', '* * * * *', '@daily'),
        none('SpecType', 'cron'),
        none('TimeZone', 'UTC'),
      ]),
    ],
  },
  // choice/scheduler#diff-periodic-specs
  {
    title: 'several times of a periodic job',
    old: { Periodic: { ...periodic(''), Specs: ['@daily'] } },
    next: { Periodic: { ...periodic(''), Specs: ['@hourly'] } },
    objects: [
      object(
        'Edited',
        'Periodic',
        [],
        [object('Edited', 'Specs', [added('Specs', '@hourly'), deleted('Specs', '@daily')])],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Periodic',
        [
          none('Enabled', 'true'),
          none('ProhibitOverlap', 'false'),
          none('Spec', ''),
          none('SpecType', 'cron'),
          none('TimeZone', 'UTC'),
        ],
        [object('Edited', 'Specs', [added('Specs', '@hourly'), deleted('Specs', '@daily')])],
      ),
    ],
  },
  {
    title: 'parameters',
    old: { ParameterizedJob: { Payload: 'optional', MetaRequired: ['a'], MetaOptional: ['b'] } },
    next: { ParameterizedJob: { Payload: 'required', MetaRequired: ['a'], MetaOptional: null } },
    objects: [
      object(
        'Edited',
        'ParameterizedJob',
        [edited('Payload', 'optional', 'required')],
        [object('Deleted', 'MetaOptional', [deleted('MetaOptional', 'b')])],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'ParameterizedJob',
        [edited('Payload', 'optional', 'required')],
        [
          object('Deleted', 'MetaOptional', [deleted('MetaOptional', 'b')]),
          object('None', 'MetaRequired', [none('MetaRequired', 'a')]),
        ],
      ),
    ],
  },
  {
    title: 'regions come before their strategy, by type; an equal list is left out',
    old: {
      Multiregion: {
        Strategy: { MaxParallel: 1, OnFailure: '' },
        Regions: [region('east', 1, ['dc1']), region('south', 1, ['dc1'])],
      },
    },
    next: {
      Multiregion: {
        Strategy: { MaxParallel: 2, OnFailure: '' },
        Regions: [region('west', 3, ['dc2']), region('east', 2, ['dc1'])],
      },
    },
    objects: [
      object(
        'Edited',
        'Multiregion',
        [],
        [
          object('Edited', 'Region', [edited('Count', '1', '2')]),
          object(
            'Added',
            'Region',
            [added('Count', '3'), added('Name', 'west')],
            [object('Added', 'Datacenters', [added('Datacenters', 'dc2')])],
          ),
          object(
            'Deleted',
            'Region',
            [deleted('Count', '1'), deleted('Name', 'south')],
            [object('Deleted', 'Datacenters', [deleted('Datacenters', 'dc1')])],
          ),
          object('Edited', 'Strategy', [edited('MaxParallel', '1', '2')]),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Multiregion',
        [],
        [
          object('Edited', 'Region', [
            edited('Count', '1', '2'),
            none('Name', 'east'),
            none('NodePool', ''),
          ]),
          object(
            'Added',
            'Region',
            [added('Count', '3'), added('Name', 'west'), none('NodePool', '')],
            [object('Added', 'Datacenters', [added('Datacenters', 'dc2')])],
          ),
          object(
            'Deleted',
            'Region',
            [deleted('Count', '1'), deleted('Name', 'south'), none('NodePool', '')],
            [object('Deleted', 'Datacenters', [deleted('Datacenters', 'dc1')])],
          ),
          object('Edited', 'Strategy', [edited('MaxParallel', '1', '2'), none('OnFailure', '')]),
        ],
      ),
    ],
  },
  // choice/scheduler#diff-multiregion
  {
    title: 'several regions are added: their strategy is Added, too',
    next: {
      Multiregion: {
        Strategy: { MaxParallel: 1, OnFailure: 'fail_all' },
        Regions: [{ ...region('west', 3, ['dc2']), NodePool: 'gpu' }],
      },
    },
    objects: [
      object(
        'Added',
        'Multiregion',
        [],
        [
          object(
            'Added',
            'Region',
            [added('Count', '3'), added('Name', 'west'), added('NodePool', 'gpu')],
            [object('Added', 'Datacenters', [added('Datacenters', 'dc2')])],
          ),
          object('Added', 'Strategy', [added('MaxParallel', '1'), added('OnFailure', 'fail_all')]),
        ],
      ),
    ],
  },
  {
    title: 'a region is typed by its fields, its datacenters alone are not listed',
    old: {
      Multiregion: {
        Strategy: null,
        Regions: [
          { ...region('a', 1, null), Meta: { x: '1' } },
          region('b', 1, null),
          region('c', 1, ['dc1']),
        ],
      },
    },
    next: {
      Multiregion: {
        Strategy: null,
        Regions: [
          { ...region('a', 1, null), Meta: { y: '2' } },
          { ...region('b', 1, null), Meta: { y: '2' } },
          region('c', 1, ['dc2']),
        ],
      },
    },
    objects: [
      object(
        'Edited',
        'Multiregion',
        [],
        [
          object('Edited', 'Region', [deleted('Meta[x]', '1'), added('Meta[y]', '2')]),
          object('Added', 'Region', [added('Meta[y]', '2')]),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Multiregion',
        [],
        [
          object('Edited', 'Region', [
            none('Count', '1'),
            deleted('Meta[x]', '1'),
            added('Meta[y]', '2'),
            none('Name', 'a'),
            none('NodePool', ''),
          ]),
          object('Added', 'Region', [
            none('Count', '1'),
            added('Meta[y]', '2'),
            none('Name', 'b'),
            none('NodePool', ''),
          ]),
        ],
      ),
    ],
  },
  {
    title: 'in the order of the table, whatever became of them',
    old: { Datacenters: null },
    next: {
      Datacenters: ['dc1'],
      Periodic: periodic('@daily'),
      ParameterizedJob: { Payload: 'optional', MetaRequired: ['r'], MetaOptional: ['o'] },
      Multiregion: { Strategy: null, Regions: null },
    },
    objects: [
      object('Added', 'Datacenters', [added('Datacenters', 'dc1')]),
      object('Added', 'Periodic', [
        added('Enabled', 'true'),
        added('ProhibitOverlap', 'false'),
        added('Spec', '@daily'),
        added('SpecType', 'cron'),
        added('TimeZone', 'UTC'),
      ]),
      object(
        'Added',
        'ParameterizedJob',
        [added('Payload', 'optional')],
        [
          object('Added', 'MetaOptional', [added('MetaOptional', 'o')]),
          object('Added', 'MetaRequired', [added('MetaRequired', 'r')]),
        ],
      ),
      object('Added', 'Multiregion', []),
    ],
  },
])

function periodic(Spec: string) {
  return { Enabled: true, Spec, SpecType: 'cron', ProhibitOverlap: false, TimeZone: 'UTC' }
}

function region(Name: string, Count: number, Datacenters: readonly string[] | null) {
  return { Name, Count, Datacenters, NodePool: '', Meta: null }
}
