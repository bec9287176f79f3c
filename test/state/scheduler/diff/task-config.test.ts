import type { Json } from '../../../../state/kernel/json.ts'
import { proveTaskEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

const levels = 10_000

proveTaskEdits('the configuration of a task', [
  {
    title: 'another image (the example of behaviour/scheduler#diff)',
    next: { Config: { image: 'redis:8' } },
    objects: [object('Edited', 'Config', [edited('image', 'redis:7', 'redis:8')])],
    inContext: [
      object('Edited', 'Config', [edited('image', 'redis:7', 'redis:8'), none('ports[0]', 'db')]),
    ],
  },
  {
    title: 'an edit though fields were only added',
    next: { Config: { ports: ['db', 'admin'] } },
    objects: [object('Edited', 'Config', [added('ports[1]', 'admin')])],
    inContext: [
      object('Edited', 'Config', [
        none('image', 'redis:7'),
        none('ports[0]', 'db'),
        added('ports[1]', 'admin'),
      ]),
    ],
  },
  {
    title: 'a configuration where none was',
    old: { Config: null },
    next: { Config: { command: '/bin/date' } },
    objects: [
      object('Added', 'Config', [
        added('command', '/bin/date'),
        added('image', 'redis:7'),
        added('ports[0]', 'db'),
      ]),
    ],
  },
  {
    title: 'no configuration any more',
    next: { Config: null },
    objects: [
      object('Deleted', 'Config', [deleted('image', 'redis:7'), deleted('ports[0]', 'db')]),
    ],
  },
  // choice/scheduler#diff-config-numbers
  {
    title: 'every scalar however deep; null is nil, empty lists and objects leave nothing',
    old: { Config: null },
    next: {
      Config: {
        image: '',
        ports: [],
        port_map: [{ db: 6379, 'a.b': { c: true } }],
        args: ['-x', null, 0.5, ['y']],
        labels: {},
        tty: false,
        size: 67108864,
      },
    },
    objects: [
      object('Added', 'Config', [
        added('args[0]', '-x'),
        added('args[1]', 'nil'),
        added('args[2]', '0.5'),
        added('args[3][0]', 'y'),
        added('port_map[0][a.b][c]', 'true'),
        added('port_map[0][db]', '6379'),
        added('size', '67108864'),
        added('tty', 'false'),
      ]),
    ],
    inContext: [
      object('Added', 'Config', [
        added('args[0]', '-x'),
        added('args[1]', 'nil'),
        added('args[2]', '0.5'),
        added('args[3][0]', 'y'),
        none('image', ''),
        added('port_map[0][a.b][c]', 'true'),
        added('port_map[0][db]', '6379'),
        added('size', '67108864'),
        added('tty', 'false'),
      ]),
    ],
  },
  {
    title: 'nested as deeply as JSON is read',
    old: { Config: { deep: nested('old') } },
    next: { Config: { deep: nested('new') } },
    objects: [object('Edited', 'Config', [edited(`deep${'[0]'.repeat(levels)}`, 'old', 'new')])],
    inContext: [
      object('Edited', 'Config', [
        edited(`deep${'[0]'.repeat(levels)}`, 'old', 'new'),
        none('image', 'redis:7'),
        none('ports[0]', 'db'),
      ]),
    ],
  },
])

function nested(inmost: string): Json {
  let value: Json = inmost
  for (let level = 0; level < levels; level++) value = [value]
  return value
}
