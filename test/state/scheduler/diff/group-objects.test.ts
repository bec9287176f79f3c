import type { Network } from '../../../../state/scheduler/job/scheduling-shapes.ts'
import { proveGroupEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

const network: Network = {
  Device: 'eth0',
  CIDR: '10.0.0.0/8',
  IP: '10.0.0.1',
  MBits: 10,
  Mode: 'bridge',
  DNS: null,
  ReservedPorts: [{ Label: 'http', Value: 80, To: 0, HostNetwork: 'default' }],
  DynamicPorts: [
    { Label: 'rpc', Value: 0, To: 8080, HostNetwork: 'default' },
    { Label: 'admin', Value: 23000, To: 0, HostNetwork: 'default' },
  ],
}
const ports = {
  added: [
    object('Added', 'Static Port', [
      added('HostNetwork', 'default'),
      added('Label', 'http'),
      added('To', '0'),
      added('Value', '80'),
    ]),
    object('Added', 'Dynamic Port', [
      added('HostNetwork', 'default'),
      added('Label', 'admin'),
      added('To', '0'),
    ]),
    object('Added', 'Dynamic Port', [
      added('HostNetwork', 'default'),
      added('Label', 'rpc'),
      added('To', '8080'),
    ]),
  ],
  deleted: [
    object('Deleted', 'Static Port', [
      deleted('HostNetwork', 'default'),
      deleted('Label', 'http'),
      deleted('To', '0'),
      deleted('Value', '80'),
    ]),
    object('Deleted', 'Dynamic Port', [
      deleted('HostNetwork', 'default'),
      deleted('Label', 'admin'),
      deleted('To', '0'),
    ]),
    object('Deleted', 'Dynamic Port', [
      deleted('HostNetwork', 'default'),
      deleted('Label', 'rpc'),
      deleted('To', '8080'),
    ]),
  ],
}

proveGroupEdits('networks of a group', [
  {
    title: 'one that is added, without device, addresses and megabits',
    next: { Networks: [network] },
    objects: [object('Added', 'Network', [added('Mode', 'bridge')], ports.added)],
  },
  // choice/scheduler#diff-order-of-network-parts
  {
    title: 'a changed one is one that was added and one that was deleted',
    old: { Networks: [network] },
    next: {
      Networks: [
        {
          ...network,
          DNS: { Servers: ['1.1.1.1', '8.8.8.8'], Searches: null, Options: ['rotate'] },
        },
      ],
    },
    objects: [
      object(
        'Added',
        'Network',
        [added('Mode', 'bridge')],
        [
          ...ports.added,
          object('Added', 'DNS', [added('Options', 'rotate'), added('Servers', '1.1.1.1,8.8.8.8')]),
        ],
      ),
      object('Deleted', 'Network', [deleted('Mode', 'bridge')], ports.deleted),
    ],
  },
  {
    title: 'members that are not listed make a difference all the same',
    old: { Networks: [{ ...network, ReservedPorts: null, DynamicPorts: null }] },
    next: { Networks: [{ ...network, ReservedPorts: null, DynamicPorts: null, MBits: 20 }] },
    objects: [
      object('Added', 'Network', [added('Mode', 'bridge')]),
      object('Deleted', 'Network', [deleted('Mode', 'bridge')]),
    ],
  },
])

const scaling = {
  ID: 'c0a8f1a2-0000-4000-8000-000000000001',
  Type: 'horizontal',
  Target: { Namespace: 'default', Job: 'example', Group: 'cache', Extra: 'x' },
  Policy: { cooldown: '1m', check: [{ name: 'cpu' }] },
  Min: 1,
  Max: 10,
  Enabled: true,
}

proveGroupEdits('scaling of a group', [
  // choice/scheduler#diff-scaling
  {
    title: 'one that is added, without what the server says of it',
    next: { Scaling: scaling },
    objects: [
      object(
        'Added',
        'Scaling',
        [
          added('Enabled', 'true'),
          added('Max', '10'),
          added('Min', '1'),
          added('Target[Extra]', 'x'),
        ],
        [object('Added', 'Policy', [added('check[0][name]', 'cpu'), added('cooldown', '1m')])],
      ),
    ],
  },
  // choice/scheduler#diff-scaling
  {
    title: 'bounds and policy',
    old: { Scaling: { ...scaling, Target: null } },
    next: {
      Scaling: {
        ...scaling,
        Target: null,
        ID: 'c0a8f1a2-0000-4000-8000-000000000002',
        Max: 20,
        Policy: { cooldown: '2m', check: [{ name: 'cpu' }] },
      },
    },
    objects: [
      object(
        'Edited',
        'Scaling',
        [edited('Max', '10', '20')],
        [object('Edited', 'Policy', [edited('cooldown', '1m', '2m')])],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Scaling',
        [none('Enabled', 'true'), edited('Max', '10', '20'), none('Min', '1')],
        [
          object('Edited', 'Policy', [
            none('check[0][name]', 'cpu'),
            edited('cooldown', '1m', '2m'),
          ]),
        ],
      ),
    ],
  },
  {
    title: 'one that is deleted, its policy empty',
    old: { Scaling: { ...scaling, Target: null, Policy: null } },
    next: { Scaling: null },
    objects: [
      object('Deleted', 'Scaling', [
        deleted('Enabled', 'true'),
        deleted('Max', '10'),
        deleted('Min', '1'),
      ]),
    ],
  },
])

const volume = {
  Name: 'data',
  Type: 'csi',
  Source: 'disk',
  ReadOnly: false,
  AccessMode: 'single-node-writer',
  AttachmentMode: 'file-system',
  MountOptions: null,
  PerAlloc: true,
}
const sameVolume = [
  none('AccessMode', 'single-node-writer'),
  none('AttachmentMode', 'file-system'),
  none('Name', 'data'),
  none('PerAlloc', 'true'),
  none('ReadOnly', 'false'),
]

proveGroupEdits('volumes of a group', [
  {
    title: 'by key of the map',
    old: { Volumes: { data: volume, old: volume } },
    next: { Volumes: { data: { ...volume, Source: 'other' }, new: volume } },
    objects: [
      object('Edited', 'Volume', [edited('Source', 'disk', 'other')]),
      object('Added', 'Volume', [
        added('AccessMode', 'single-node-writer'),
        added('AttachmentMode', 'file-system'),
        added('Name', 'data'),
        added('PerAlloc', 'true'),
        added('ReadOnly', 'false'),
        added('Source', 'disk'),
        added('Type', 'csi'),
      ]),
      object('Deleted', 'Volume', [
        deleted('AccessMode', 'single-node-writer'),
        deleted('AttachmentMode', 'file-system'),
        deleted('Name', 'data'),
        deleted('PerAlloc', 'true'),
        deleted('ReadOnly', 'false'),
        deleted('Source', 'disk'),
        deleted('Type', 'csi'),
      ]),
    ],
    inContext: [
      object('Edited', 'Volume', [
        ...sameVolume,
        edited('Source', 'disk', 'other'),
        none('Type', 'csi'),
      ]),
      object('Added', 'Volume', [
        added('AccessMode', 'single-node-writer'),
        added('AttachmentMode', 'file-system'),
        added('Name', 'data'),
        added('PerAlloc', 'true'),
        added('ReadOnly', 'false'),
        added('Source', 'disk'),
        added('Type', 'csi'),
      ]),
      object('Deleted', 'Volume', [
        deleted('AccessMode', 'single-node-writer'),
        deleted('AttachmentMode', 'file-system'),
        deleted('Name', 'data'),
        deleted('PerAlloc', 'true'),
        deleted('ReadOnly', 'false'),
        deleted('Source', 'disk'),
        deleted('Type', 'csi'),
      ]),
    ],
  },
  {
    title: 'mount options and their flags',
    old: { Volumes: { data: volume } },
    next: {
      Volumes: { data: { ...volume, MountOptions: { FSType: 'ext4', MountFlags: ['ro'] } } },
    },
    objects: [
      object(
        'Edited',
        'Volume',
        [],
        [
          object(
            'Added',
            'MountOptions',
            [added('FSType', 'ext4')],
            [object('Added', 'MountFlags', [added('MountFlags', 'ro')])],
          ),
        ],
      ),
    ],
    inContext: [
      object(
        'Edited',
        'Volume',
        [...sameVolume, none('Source', 'disk'), none('Type', 'csi')],
        [
          object(
            'Added',
            'MountOptions',
            [added('FSType', 'ext4')],
            [object('Added', 'MountFlags', [added('MountFlags', 'ro')])],
          ),
        ],
      ),
    ],
  },
])

proveGroupEdits('the order of objects in a group', [
  {
    title: 'network, scaling, service, volume',
    next: {
      Networks: [{ ...network, ReservedPorts: null, DynamicPorts: null }],
      Scaling: { ...scaling, Target: null, Policy: null },
      Services: [{ Name: 's', PortLabel: 'http', Tags: null, Checks: null }],
      Volumes: { data: volume },
    },
    objects: [
      object('Added', 'Network', [added('Mode', 'bridge')]),
      object('Added', 'Scaling', [added('Enabled', 'true'), added('Max', '10'), added('Min', '1')]),
      object('Added', 'Service', [added('Name', 's'), added('PortLabel', 'http')]),
      object('Added', 'Volume', [
        added('AccessMode', 'single-node-writer'),
        added('AttachmentMode', 'file-system'),
        added('Name', 'data'),
        added('PerAlloc', 'true'),
        added('ReadOnly', 'false'),
        added('Source', 'disk'),
        added('Type', 'csi'),
      ]),
    ],
  },
])
