import { second } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveTaskEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

const template = {
  SourcePath: '',
  DestPath: 'local/a.conf',
  EmbeddedTmpl: 'A',
  ChangeMode: 'restart',
  ChangeSignal: '',
  Splay: 5 * second,
  Perms: '0644',
}
const addedTemplate = [
  added('ChangeMode', 'restart'),
  added('DestPath', 'local/b.conf'),
  added('EmbeddedTmpl', 'A'),
  added('Perms', '0644'),
  added('Splay', '5000000000'),
]
const sameTemplate = {
  mode: [none('ChangeMode', 'restart'), none('ChangeSignal', '')],
  dest: none('DestPath', 'local/a.conf'),
  text: none('EmbeddedTmpl', 'A'),
  rest: [none('Perms', '0644'), none('SourcePath', ''), none('Splay', '5000000000')],
}

proveTaskEdits('templates and volume mounts of a task', [
  {
    title: 'a single template is paired whatever its destination',
    old: { Templates: [template] },
    next: { Templates: [{ ...template, DestPath: 'local/b.conf', EmbeddedTmpl: 'B' }] },
    objects: [
      object('Edited', 'Template', [
        edited('DestPath', 'local/a.conf', 'local/b.conf'),
        edited('EmbeddedTmpl', 'A', 'B'),
      ]),
    ],
    inContext: [
      object('Edited', 'Template', [
        ...sameTemplate.mode,
        edited('DestPath', 'local/a.conf', 'local/b.conf'),
        edited('EmbeddedTmpl', 'A', 'B'),
        ...sameTemplate.rest,
      ]),
    ],
  },
  {
    title: 'several templates are paired by destination',
    old: { Templates: [template, { ...template, DestPath: 'local/c.conf' }] },
    next: {
      Templates: [
        { ...template, DestPath: 'local/b.conf' },
        { ...template, Perms: '0600' },
      ],
    },
    objects: [
      object('Edited', 'Template', [edited('Perms', '0644', '0600')]),
      object('Added', 'Template', addedTemplate),
      object('Deleted', 'Template', [
        deleted('ChangeMode', 'restart'),
        deleted('DestPath', 'local/c.conf'),
        deleted('EmbeddedTmpl', 'A'),
        deleted('Perms', '0644'),
        deleted('Splay', '5000000000'),
      ]),
    ],
    inContext: [
      object('Edited', 'Template', [
        ...sameTemplate.mode,
        sameTemplate.dest,
        sameTemplate.text,
        edited('Perms', '0644', '0600'),
        none('SourcePath', ''),
        none('Splay', '5000000000'),
      ]),
      object('Added', 'Template', [
        added('ChangeMode', 'restart'),
        none('ChangeSignal', ''),
        added('DestPath', 'local/b.conf'),
        added('EmbeddedTmpl', 'A'),
        added('Perms', '0644'),
        none('SourcePath', ''),
        added('Splay', '5000000000'),
      ]),
      object('Deleted', 'Template', [
        deleted('ChangeMode', 'restart'),
        none('ChangeSignal', ''),
        deleted('DestPath', 'local/c.conf'),
        deleted('EmbeddedTmpl', 'A'),
        deleted('Perms', '0644'),
        none('SourcePath', ''),
        deleted('Splay', '5000000000'),
      ]),
    ],
  },
  {
    title: 'templates of one destination are paired in order',
    old: { Templates: [template, { ...template, EmbeddedTmpl: 'B' }] },
    next: { Templates: [template, { ...template, EmbeddedTmpl: 'C' }] },
    objects: [object('Edited', 'Template', [edited('EmbeddedTmpl', 'B', 'C')])],
    inContext: [
      object('Edited', 'Template', [
        ...sameTemplate.mode,
        sameTemplate.dest,
        edited('EmbeddedTmpl', 'B', 'C'),
        ...sameTemplate.rest,
      ]),
    ],
  },
  {
    title: 'a wait without an upper bound (reference)',
    old: { Templates: [template] },
    next: { Templates: [{ ...template, Wait: { Min: second, Max: null } }] },
    objects: [
      object(
        'Edited',
        'Template',
        [],
        [object('Added', 'Template', [added('Max', 'nil'), added('Min', '1000000000')])],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Template',
        [...sameTemplate.mode, sameTemplate.dest, sameTemplate.text, ...sameTemplate.rest],
        [object('Added', 'Template', [added('Max', 'nil'), added('Min', '1000000000')])],
      ),
    ],
  },
  // choice/scheduler#diff-template-wait
  {
    title: 'owner, waits and script of a template',
    old: { Templates: [template] },
    next: {
      Templates: [
        {
          ...template,
          Uid: 0,
          Envvars: true,
          Wait: { Min: second, Max: 2 * second },
          ChangeScript: { Command: '/bin/reload', Args: ['now'], Timeout: 0, FailOnError: true },
        },
      ],
    },
    objects: [
      object(
        'Edited',
        'Template',
        [edited('Envvars', 'false', 'true'), added('Uid', '0')],
        [
          object('Added', 'Template', [added('Max', '2000000000'), added('Min', '1000000000')]),
          object(
            'Added',
            'ChangeScript',
            [added('Command', '/bin/reload'), added('FailOnError', 'true'), added('Timeout', '0')],
            [object('Added', 'Args', [added('Args', 'now')])],
          ),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Template',
        [
          ...sameTemplate.mode,
          sameTemplate.dest,
          sameTemplate.text,
          edited('Envvars', 'false', 'true'),
          ...sameTemplate.rest,
          added('Uid', '0'),
        ],
        [
          object('Added', 'Template', [added('Max', '2000000000'), added('Min', '1000000000')]),
          object(
            'Added',
            'ChangeScript',
            [added('Command', '/bin/reload'), added('FailOnError', 'true'), added('Timeout', '0')],
            [object('Added', 'Args', [added('Args', 'now')])],
          ),
        ],
      ),
    ],
  },
  {
    title: 'volume mounts are paired by position',
    old: {
      VolumeMounts: [
        { Volume: 'a', Destination: '/a', ReadOnly: false, PropagationMode: 'private' },
        { Volume: 'b', Destination: '/b', ReadOnly: false, PropagationMode: 'private' },
      ],
    },
    next: {
      VolumeMounts: [
        { Volume: 'b', Destination: '/b', ReadOnly: false, PropagationMode: 'private' },
      ],
    },
    objects: [
      object('Edited', 'VolumeMount', [
        edited('Destination', '/a', '/b'),
        edited('Volume', 'a', 'b'),
      ]),
      object('Deleted', 'VolumeMount', [
        deleted('Destination', '/b'),
        deleted('PropagationMode', 'private'),
        deleted('ReadOnly', 'false'),
        deleted('Volume', 'b'),
      ]),
    ],
    inContext: [
      object('Edited', 'VolumeMount', [
        edited('Destination', '/a', '/b'),
        none('PropagationMode', 'private'),
        none('ReadOnly', 'false'),
        edited('Volume', 'a', 'b'),
      ]),
      object('Deleted', 'VolumeMount', [
        deleted('Destination', '/b'),
        deleted('PropagationMode', 'private'),
        deleted('ReadOnly', 'false'),
        deleted('Volume', 'b'),
      ]),
    ],
  },
  {
    title: 'a volume mount is added',
    next: {
      VolumeMounts: [
        { Volume: 'a', Destination: '/a', ReadOnly: true, PropagationMode: 'private' },
      ],
    },
    objects: [
      object('Added', 'VolumeMount', [
        added('Destination', '/a'),
        added('PropagationMode', 'private'),
        added('ReadOnly', 'true'),
        added('Volume', 'a'),
      ]),
    ],
  },
])
