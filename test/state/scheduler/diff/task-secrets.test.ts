import { proveTaskEdits } from './edits.ts'
import { added, deleted, none, object } from './expected.ts'

const secrets = {
  Policies: ['a', 'b'],
  Role: '',
  Namespace: '',
  Env: true,
  ChangeMode: 'restart',
  ChangeSignal: '',
}

proveTaskEdits('the secrets of a task', [
  {
    title: 'secrets are added',
    next: { Secrets: secrets },
    objects: [
      object(
        'Added',
        'Secrets',
        [added('ChangeMode', 'restart'), added('Env', 'true')],
        [object('Added', 'Policies', [added('Policies', 'a'), added('Policies', 'b')])],
      ),
    ],
    inContext: [
      object(
        'Added',
        'Secrets',
        [
          added('ChangeMode', 'restart'),
          none('ChangeSignal', ''),
          added('Env', 'true'),
          none('Namespace', ''),
          none('Role', ''),
        ],
        [object('Added', 'Policies', [added('Policies', 'a'), added('Policies', 'b')])],
      ),
    ],
  },
  {
    title: 'other policies: one that stayed is listed in context only',
    old: { Secrets: secrets },
    next: { Secrets: { ...secrets, Policies: ['c', 'b'] } },
    objects: [
      object(
        'Edited',
        'Secrets',
        [],
        [object('Edited', 'Policies', [added('Policies', 'c'), deleted('Policies', 'a')])],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Secrets',
        [
          none('ChangeMode', 'restart'),
          none('ChangeSignal', ''),
          none('Env', 'true'),
          none('Namespace', ''),
          none('Role', ''),
        ],
        [
          object('Edited', 'Policies', [
            added('Policies', 'c'),
            deleted('Policies', 'a'),
            none('Policies', 'b'),
          ]),
        ],
      ),
    ],
  },
  {
    title: 'an equal set in a changed object is listed in context, as None',
    old: { Secrets: secrets },
    next: { Secrets: { ...secrets, Policies: ['b', 'a'], Role: 'web' } },
    objects: [object('Edited', 'Secrets', [added('Role', 'web')])],
    inContext: [
      object(
        'Edited',
        'Secrets',
        [
          none('ChangeMode', 'restart'),
          none('ChangeSignal', ''),
          none('Env', 'true'),
          none('Namespace', ''),
          added('Role', 'web'),
        ],
        [object('None', 'Policies', [none('Policies', 'a'), none('Policies', 'b')])],
      ),
    ],
  },
  {
    title: 'no secrets any more',
    old: { Secrets: { ...secrets, Policies: null } },
    next: { Secrets: null },
    objects: [
      object('Deleted', 'Secrets', [deleted('ChangeMode', 'restart'), deleted('Env', 'true')]),
    ],
    inContext: [
      object('Deleted', 'Secrets', [
        deleted('ChangeMode', 'restart'),
        none('ChangeSignal', ''),
        deleted('Env', 'true'),
        none('Namespace', ''),
        none('Role', ''),
      ]),
    ],
  },
])
