import { proveTaskEdits } from './edits.ts'
import { added, deleted, none, object } from './expected.ts'

const kernel = `\${attr.kernel.name}`
const linux = { LTarget: kernel, RTarget: 'linux', Operand: '=' }
const macos = { LTarget: kernel, RTarget: 'darwin', Operand: '=' }

proveTaskEdits('sets in a task', [
  {
    title: 'a constraint is added',
    next: { Constraints: [linux] },
    objects: [
      object('Added', 'Constraint', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'linux'),
      ]),
    ],
  },
  {
    title: 'a constraint is deleted; an empty text is listed in context only',
    old: { Constraints: [linux, { LTarget: '', RTarget: '', Operand: 'distinct_hosts' }] },
    next: { Constraints: [linux] },
    objects: [object('Deleted', 'Constraint', [deleted('Operand', 'distinct_hosts')])],
    inContext: [
      object('Deleted', 'Constraint', [
        none('LTarget', ''),
        deleted('Operand', 'distinct_hosts'),
        none('RTarget', ''),
      ]),
    ],
  },
  {
    title: 'a changed constraint is one that was added and one that was deleted',
    old: { Constraints: [linux] },
    next: { Constraints: [macos] },
    objects: [
      object('Added', 'Constraint', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'darwin'),
      ]),
      object('Deleted', 'Constraint', [
        deleted('LTarget', kernel),
        deleted('Operand', '='),
        deleted('RTarget', 'linux'),
      ]),
    ],
  },
  {
    title: 'constraints in another order, or one of them twice, are not a change of any object',
    old: { Constraints: [linux, macos] },
    next: { Constraints: [macos, linux, macos] },
  },
  // choice/scheduler#diff-ties
  {
    title: 'constraints of one type and size by their fields',
    next: { Constraints: [linux, macos] },
    objects: [
      object('Added', 'Constraint', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'darwin'),
      ]),
      object('Added', 'Constraint', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'linux'),
      ]),
    ],
  },
  {
    title: 'an affinity changes its weight',
    old: { Affinities: [{ ...linux, Weight: 50 }] },
    next: { Affinities: [{ ...linux, Weight: -50 }] },
    objects: [
      object('Added', 'Affinity', [
        added('LTarget', kernel),
        added('Operand', '='),
        added('RTarget', 'linux'),
        added('Weight', '-50'),
      ]),
      object('Deleted', 'Affinity', [
        deleted('LTarget', kernel),
        deleted('Operand', '='),
        deleted('RTarget', 'linux'),
        deleted('Weight', '50'),
      ]),
    ],
  },
  {
    title: 'an artifact is its whole content, echoed members and maps included',
    old: {
      Artifacts: [{ GetterSource: 'https://a', GetterOptions: null, RelativeDest: 'local/' }],
    },
    next: {
      Artifacts: [
        {
          GetterSource: 'https://a',
          GetterOptions: { checksum: 'md5:1', archive: 'zip' },
          RelativeDest: 'local/',
          GetterMode: 'file',
        },
      ],
    },
    objects: [
      object('Added', 'Artifact', [
        added('GetterMode', 'file'),
        added('GetterOptions[archive]', 'zip'),
        added('GetterOptions[checksum]', 'md5:1'),
        added('GetterSource', 'https://a'),
        added('RelativeDest', 'local/'),
      ]),
      object('Deleted', 'Artifact', [
        deleted('GetterSource', 'https://a'),
        deleted('RelativeDest', 'local/'),
      ]),
    ],
  },
  {
    title: 'options of an artifact in another order are the same',
    old: {
      Artifacts: [{ GetterSource: 'a', GetterOptions: { a: '1', b: '2' }, RelativeDest: 'local/' }],
    },
    next: {
      User: 'bob',
      Artifacts: [{ GetterSource: 'a', GetterOptions: { b: '2', a: '1' }, RelativeDest: 'local/' }],
    },
    fields: [added('User', 'bob')],
  },
])
