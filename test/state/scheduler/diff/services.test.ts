import type { Check, Service } from '../../../../state/scheduler/job/service-shapes.ts'
import { second } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveGroupEdits, proveTaskEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

function service(Name: string, PortLabel: string, more: Partial<Service> = {}): Service {
  return { Name, PortLabel, Tags: null, Checks: null, ...more }
}

const check: Check = {
  Name: 'alive',
  Type: 'http',
  Command: '',
  Args: null,
  Path: '/',
  Protocol: '',
  PortLabel: '',
  Interval: 10 * second,
  Timeout: 2 * second,
  InitialStatus: '',
}
/** Fields of the check by name: those before its path and, in the second list, those after it. */
const sameCheck = [
  none('Command', ''),
  none('InitialStatus', ''),
  none('Interval', '10000000000'),
  none('Name', 'alive'),
]
const sameCheckEnd = [
  none('PortLabel', ''),
  none('Protocol', ''),
  none('Timeout', '2000000000'),
  none('Type', 'http'),
]
const sameService = [none('Name', 'web'), none('PortLabel', 'http')]

proveGroupEdits('services: their weights', [
  {
    title: 'listed after all other members',
    old: { Services: [service('web', 'http', { Weights: { Passing: 2, Warning: 1 } })] },
    next: { Services: [service('web', 'http', { Weights: { Passing: 3, Warning: 1 } })] },
    objects: [
      object('Edited', 'Service', [], [object('Edited', 'Weights', [edited('Passing', '2', '3')])]),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object('Edited', 'Weights', [edited('Passing', '2', '3'), none('Warning', '1')]),
      ]),
    ],
  },
])

proveGroupEdits('services: which belong together', [
  {
    title: 'a single one of either side, whatever it is',
    old: { Services: [service('web', 'http')] },
    next: { Services: [service('api', 'rpc')] },
    objects: [
      object('Edited', 'Service', [
        edited('Name', 'web', 'api'),
        edited('PortLabel', 'http', 'rpc'),
      ]),
    ],
  },
  {
    title: 'one that is added',
    next: { Services: [service('web', 'http')] },
    objects: [object('Added', 'Service', [added('Name', 'web'), added('PortLabel', 'http')])],
  },
  {
    title: 'one that is deleted',
    old: { Services: [service('web', '')] },
    next: {},
    objects: [object('Deleted', 'Service', [deleted('Name', 'web')])],
    inContext: [object('Deleted', 'Service', [deleted('Name', 'web'), none('PortLabel', '')])],
  },
  {
    title: 'those of one name, wherever they stand',
    old: { Services: [service('a', 'x'), service('b', 'y'), service('c', 'z')] },
    next: { Services: [service('c', 'z'), service('b', 'w'), service('a', 'x')] },
    objects: [object('Edited', 'Service', [edited('PortLabel', 'y', 'w')])],
    inContext: [object('Edited', 'Service', [none('Name', 'b'), edited('PortLabel', 'y', 'w')])],
  },
  {
    title: 'those of one label at one position',
    old: { Services: [service('a', 'x'), service('b', 'y')] },
    next: { Services: [service('c', 'x'), service('b', 'y')] },
    objects: [object('Edited', 'Service', [edited('Name', 'a', 'c')])],
    inContext: [object('Edited', 'Service', [edited('Name', 'a', 'c'), none('PortLabel', 'x')])],
  },
  {
    title: 'not those of one label at different positions',
    old: { Services: [service('a', 'x'), service('b', 'y')] },
    next: { Services: [service('b', 'y'), service('c', 'x')] },
    objects: [
      object('Added', 'Service', [added('Name', 'c'), added('PortLabel', 'x')]),
      object('Deleted', 'Service', [deleted('Name', 'a'), deleted('PortLabel', 'x')]),
    ],
  },
  {
    title: 'name and label come before name and position',
    old: { Services: [service('a', 'x'), service('b', 'y')] },
    next: { Services: [service('a', 'z'), service('a', 'x')] },
    objects: [
      object('Added', 'Service', [added('Name', 'a'), added('PortLabel', 'z')]),
      object('Deleted', 'Service', [deleted('Name', 'b'), deleted('PortLabel', 'y')]),
    ],
  },
  {
    title: 'name and position come before a name alone, and each old one chooses in turn',
    old: { Services: [service('a', 'x'), service('a', 'y')] },
    next: { Services: [service('a', 'y'), service('a', 'z')] },
    objects: [
      object('Edited', 'Service', [edited('PortLabel', 'x', 'y')]),
      object('Edited', 'Service', [edited('PortLabel', 'y', 'z')]),
    ],
    inContext: [
      object('Edited', 'Service', [none('Name', 'a'), edited('PortLabel', 'x', 'y')]),
      object('Edited', 'Service', [none('Name', 'a'), edited('PortLabel', 'y', 'z')]),
    ],
  },
  {
    title: 'of equally good ones the first: here by its name, not by label and position',
    old: { Services: [service('b', 'q'), service('a', 'x')] },
    next: { Services: [service('a', 'z'), service('c', 'x')] },
    objects: [
      object('Edited', 'Service', [edited('PortLabel', 'x', 'z')]),
      object('Added', 'Service', [added('Name', 'c'), added('PortLabel', 'x')]),
      object('Deleted', 'Service', [deleted('Name', 'b'), deleted('PortLabel', 'q')]),
    ],
    inContext: [
      object('Edited', 'Service', [none('Name', 'a'), edited('PortLabel', 'x', 'z')]),
      object('Added', 'Service', [added('Name', 'c'), added('PortLabel', 'x')]),
      object('Deleted', 'Service', [deleted('Name', 'b'), deleted('PortLabel', 'q')]),
    ],
  },
  {
    title: 'what one took is gone for the next',
    old: { Services: [service('a', 'x'), service('a', 'x'), service('a', 'x')] },
    next: { Services: [service('a', 'x'), service('a', 'x')] },
    objects: [object('Deleted', 'Service', [deleted('Name', 'a'), deleted('PortLabel', 'x')])],
  },
])

proveTaskEdits('services: what is in them', [
  {
    title: 'tags as a set, maps and echoed members as fields',
    old: { Services: [service('web', 'http', { Tags: ['a', 'b'], Meta: { k: 'v' } })] },
    next: {
      Services: [
        service('web', 'http', {
          Tags: ['b', 'c'],
          CanaryTags: ['canary'],
          Meta: { k: 'w' },
          AddressMode: 'host',
        }),
      ],
    },
    objects: [
      object(
        'Edited',
        'Service',
        [added('AddressMode', 'host'), edited('Meta[k]', 'v', 'w')],
        [
          object('Added', 'CanaryTags', [added('CanaryTags', 'canary')]),
          object('Edited', 'Tags', [added('Tags', 'c'), deleted('Tags', 'a')]),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Service',
        [added('AddressMode', 'host'), edited('Meta[k]', 'v', 'w'), ...sameService],
        [
          object('Added', 'CanaryTags', [added('CanaryTags', 'canary')]),
          object('Edited', 'Tags', [added('Tags', 'c'), deleted('Tags', 'a'), none('Tags', 'b')]),
        ],
      ),
    ],
  },
  {
    title: 'checks by name',
    old: { Services: [service('web', 'http', { Checks: [check, { ...check, Name: 'gone' }] })] },
    next: {
      Services: [
        service('web', 'http', {
          Checks: [
            { ...check, Name: 'new' },
            { ...check, Path: '/x' },
          ],
        }),
      ],
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object('Edited', 'Check', [edited('Path', '/', '/x')]),
          object('Added', 'Check', [
            added('Interval', '10000000000'),
            added('Name', 'new'),
            added('Path', '/'),
            added('Timeout', '2000000000'),
            added('Type', 'http'),
          ]),
          object('Deleted', 'Check', [
            deleted('Interval', '10000000000'),
            deleted('Name', 'gone'),
            deleted('Path', '/'),
            deleted('Timeout', '2000000000'),
            deleted('Type', 'http'),
          ]),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object('Edited', 'Check', [...sameCheck, edited('Path', '/', '/x'), ...sameCheckEnd]),
        object('Added', 'Check', [
          none('Command', ''),
          none('InitialStatus', ''),
          added('Interval', '10000000000'),
          added('Name', 'new'),
          added('Path', '/'),
          none('PortLabel', ''),
          none('Protocol', ''),
          added('Timeout', '2000000000'),
          added('Type', 'http'),
        ]),
        object('Deleted', 'Check', [
          none('Command', ''),
          none('InitialStatus', ''),
          deleted('Interval', '10000000000'),
          deleted('Name', 'gone'),
          deleted('Path', '/'),
          none('PortLabel', ''),
          none('Protocol', ''),
          deleted('Timeout', '2000000000'),
          deleted('Type', 'http'),
        ]),
      ]),
    ],
  },
  {
    title: 'header and restart of a check',
    old: { Services: [service('web', 'http', { Checks: [{ ...check, Header: { A: ['1'] } }] })] },
    next: {
      Services: [
        service('web', 'http', {
          Checks: [
            {
              ...check,
              Header: { A: ['1', '2'], B: ['3'] },
              CheckRestart: { Limit: 3, Grace: second, IgnoreWarnings: false },
            },
          ],
        }),
      ],
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object(
            'Edited',
            'Check',
            [],
            [
              object('Edited', 'Header', [added('A[1]', '2'), added('B[0]', '3')]),
              object('Added', 'CheckRestart', [
                added('Grace', '1000000000'),
                added('IgnoreWarnings', 'false'),
                added('Limit', '3'),
              ]),
            ],
          ),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object(
          'Edited',
          'Check',
          [...sameCheck, none('Path', '/'), ...sameCheckEnd],
          [
            object('Edited', 'Header', [none('A[0]', '1'), added('A[1]', '2'), added('B[0]', '3')]),
            object('Added', 'CheckRestart', [
              added('Grace', '1000000000'),
              added('IgnoreWarnings', 'false'),
              added('Limit', '3'),
            ]),
          ],
        ),
      ]),
    ],
  },
  {
    title: 'a header is added, another deleted; arguments alone edit a check without a trace',
    old: {
      Services: [
        service('web', 'http', {
          Checks: [
            { ...check, Name: 'a', Header: { H: ['1'] } },
            { ...check, Name: 'b' },
            { ...check, Name: 'c' },
          ],
        }),
      ],
    },
    next: {
      Services: [
        service('web', 'http', {
          Checks: [
            { ...check, Name: 'a' },
            { ...check, Name: 'b', Header: { H: ['1'] } },
            { ...check, Name: 'c', Args: ['-v'] },
          ],
        }),
      ],
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object('Edited', 'Check', []),
          object('Edited', 'Check', [], [object('Added', 'Header', [added('H[0]', '1')])]),
          object('Edited', 'Check', [], [object('Deleted', 'Header', [deleted('H[0]', '1')])]),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object('Edited', 'Check', checkNamed('c')),
        object('Edited', 'Check', checkNamed('a'), [
          object('Deleted', 'Header', [deleted('H[0]', '1')]),
        ]),
        object('Edited', 'Check', checkNamed('b'), [
          object('Added', 'Header', [added('H[0]', '1')]),
        ]),
      ]),
    ],
  },
])

function checkNamed(name: string) {
  return [...sameCheck.slice(0, 3), none('Name', name), none('Path', '/'), ...sameCheckEnd]
}
