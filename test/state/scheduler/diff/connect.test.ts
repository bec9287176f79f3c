import type { Service } from '../../../../state/scheduler/job/service-shapes.ts'
import { type Change, second } from '../../../support/scheduler/scheduler-jobs.ts'
import { proveGroupEdits } from './edits.ts'
import { added, deleted, edited, none, object } from './expected.ts'

function services(more: Change<Pick<Service, 'Connect' | 'Identity'>>): Change<Service>[] {
  return [{ Name: 'web', PortLabel: 'http', Tags: null, Checks: null, ...more }]
}

const sameService = [none('Name', 'web'), none('PortLabel', 'http')]

proveGroupEdits('the part of a service in the mesh', [
  // choice/scheduler#diff-service-connect
  {
    title: 'a sidecar is added: members that were not sent are zero',
    old: { Services: services({}) },
    next: {
      Services: services({
        Connect: {
          SidecarService: {
            Port: 'p',
            Proxy: {
              Upstreams: [
                { DestinationName: 'db', LocalBindPort: 5432, MeshGateway: { Mode: 'local' } },
              ],
              Config: { a: { b: 1 } },
            },
          },
        },
      }),
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object(
            'Added',
            'MeshConnect',
            [added('Native', 'false')],
            [
              object(
                'Added',
                'SidecarService',
                [added('DisableDefaultTCPCheck', 'false'), added('Port', 'p')],
                [
                  object(
                    'Added',
                    'MeshProxy',
                    [added('LocalServicePort', '0')],
                    [
                      object(
                        'Added',
                        'MeshUpstreams',
                        [added('DestinationName', 'db'), added('LocalBindPort', '5432')],
                        [object('Added', 'MeshGateway', [added('Mode', 'local')])],
                      ),
                      object('Added', 'Config', [added('a[b]', '1')]),
                    ],
                  ),
                ],
              ),
            ],
          ),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object(
          'Added',
          'MeshConnect',
          [added('Native', 'false')],
          [
            object(
              'Added',
              'SidecarService',
              [added('DisableDefaultTCPCheck', 'false'), added('Port', 'p')],
              [
                object(
                  'Added',
                  'MeshProxy',
                  [none('LocalServiceAddress', ''), added('LocalServicePort', '0')],
                  [
                    object(
                      'Added',
                      'MeshUpstreams',
                      [
                        none('Datacenter', ''),
                        added('DestinationName', 'db'),
                        none('DestinationNamespace', ''),
                        none('DestinationPeer', ''),
                        none('DestinationType', ''),
                        none('LocalBindAddress', ''),
                        added('LocalBindPort', '5432'),
                        none('LocalBindSocketMode', ''),
                        none('LocalBindSocketPath', ''),
                      ],
                      [object('Added', 'MeshGateway', [added('Mode', 'local')])],
                    ),
                    object('Added', 'Config', [added('a[b]', '1')]),
                  ],
                ),
              ],
            ),
          ],
        ),
      ]),
    ],
  },
  {
    title: 'a gateway with listeners by protocol and port, addresses in one text',
    old: {
      Services: services({
        Connect: {
          Gateway: {
            Proxy: {
              ConnectTimeout: second,
              EnvoyGatewayBindAddresses: { a: { Address: '10.0.0.1', Port: 80 } },
            },
            Ingress: {
              Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 's', Hosts: ['a'] }] }],
            },
          },
        },
      }),
    },
    next: {
      Services: services({
        Connect: {
          Gateway: {
            Proxy: {
              ConnectTimeout: 2 * second,
              EnvoyGatewayBindAddresses: { a: { Address: '::1' } },
            },
            Ingress: {
              TLS: { Enabled: true, CipherSuites: ['c'] },
              Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 's', Hosts: ['b'] }] }],
            },
            Terminating: { Services: [{ Name: 'legacy' }] },
            Mesh: {},
          },
        },
      }),
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object(
            'Edited',
            'MeshConnect',
            [],
            [
              object(
                'Edited',
                'Gateway',
                [],
                [
                  object(
                    'Edited',
                    'Proxy',
                    [edited('ConnectTimeout', '1000000000', '2000000000')],
                    [
                      object('Edited', 'EnvoyGatewayBindAddresses', [
                        edited('a', '10.0.0.1:80', '[::1]:0'),
                      ]),
                    ],
                  ),
                  object(
                    'Edited',
                    'Ingress',
                    [],
                    [
                      object(
                        'Added',
                        'TLS',
                        [added('Enabled', 'true')],
                        [object('Added', 'CipherSuites', [added('CipherSuites', 'c')])],
                      ),
                      object(
                        'Edited',
                        'Listener',
                        [],
                        [
                          object(
                            'Edited',
                            'MeshIngressService',
                            [],
                            [
                              object('Edited', 'Hosts', [
                                added('Hosts', 'b'),
                                deleted('Hosts', 'a'),
                              ]),
                            ],
                          ),
                        ],
                      ),
                    ],
                  ),
                  object(
                    'Added',
                    'Terminating',
                    [],
                    [object('Added', 'Service', [added('Name', 'legacy')])],
                  ),
                  object('Added', 'Mesh', []),
                ],
              ),
            ],
          ),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object(
          'Edited',
          'MeshConnect',
          [none('Native', 'false')],
          [
            object(
              'Edited',
              'Gateway',
              [],
              [
                object(
                  'Edited',
                  'Proxy',
                  [
                    edited('ConnectTimeout', '1000000000', '2000000000'),
                    none('EnvoyDNSDiscoveryType', ''),
                    none('EnvoyGatewayBindTaggedAddresses', 'false'),
                    none('EnvoyGatewayNoDefaultBind', 'false'),
                  ],
                  [
                    object('Edited', 'EnvoyGatewayBindAddresses', [
                      edited('a', '10.0.0.1:80', '[::1]:0'),
                    ]),
                  ],
                ),
                object(
                  'Edited',
                  'Ingress',
                  [],
                  [
                    object(
                      'Added',
                      'TLS',
                      [
                        added('Enabled', 'true'),
                        none('TLSMaxVersion', ''),
                        none('TLSMinVersion', ''),
                      ],
                      [object('Added', 'CipherSuites', [added('CipherSuites', 'c')])],
                    ),
                    object(
                      'Edited',
                      'Listener',
                      [none('Port', '80'), none('Protocol', 'http')],
                      [
                        object(
                          'Edited',
                          'MeshIngressService',
                          [none('Name', 's')],
                          [object('Edited', 'Hosts', [added('Hosts', 'b'), deleted('Hosts', 'a')])],
                        ),
                      ],
                    ),
                  ],
                ),
                object(
                  'Added',
                  'Terminating',
                  [],
                  [
                    object('Added', 'Service', [
                      none('CAFile', ''),
                      none('CertFile', ''),
                      none('KeyFile', ''),
                      added('Name', 'legacy'),
                      none('SNI', ''),
                    ]),
                  ],
                ),
                object('Added', 'Mesh', []),
              ],
            ),
          ],
        ),
      ]),
    ],
  },
  // choice/scheduler#diff-service-connect
  {
    title: 'the task of a sidecar, and the identity of a service',
    old: {
      Services: services({
        Connect: { SidecarTask: { Driver: 'docker', Resources: { CPU: 250 } } },
        Identity: { Audience: ['a'], TTL: second },
      }),
    },
    next: {
      Services: services({
        Connect: { SidecarTask: { Driver: 'exec', Resources: { CPU: 500 } } },
        Identity: { Audience: ['b'], TTL: second },
      }),
    },
    objects: [
      object(
        'Edited',
        'Service',
        [],
        [
          object(
            'Edited',
            'MeshConnect',
            [],
            [
              object(
                'Edited',
                'SidecarTask',
                [edited('Driver', 'docker', 'exec')],
                [object('Edited', 'Resources', [edited('CPU', '250', '500')])],
              ),
            ],
          ),
          object(
            'Edited',
            'Identity',
            [],
            [object('Edited', 'Audience', [added('Audience', 'b'), deleted('Audience', 'a')])],
          ),
        ],
      ),
    ],
    inContext: [
      object('Edited', 'Service', sameService, [
        object(
          'Edited',
          'MeshConnect',
          [none('Native', 'false')],
          [
            object(
              'Edited',
              'SidecarTask',
              [
                edited('Driver', 'docker', 'exec'),
                none('KillSignal', ''),
                none('Name', ''),
                none('User', ''),
              ],
              [
                object('Edited', 'Resources', [
                  edited('CPU', '250', '500'),
                  none('DiskMB', '0'),
                  none('IOPS', '0'),
                  none('MemoryMB', '0'),
                ]),
              ],
            ),
          ],
        ),
        object(
          'Edited',
          'Identity',
          [
            none('ChangeMode', ''),
            none('ChangeSignal', ''),
            none('Env', 'false'),
            none('File', 'false'),
            none('Filepath', ''),
            none('Name', ''),
            none('ServiceName', ''),
            none('TTL', '1000000000'),
          ],
          [object('Edited', 'Audience', [added('Audience', 'b'), deleted('Audience', 'a')])],
        ),
      ]),
    ],
  },
])
