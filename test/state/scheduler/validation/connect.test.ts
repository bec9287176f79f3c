import { describe, expect, test } from 'vitest'
import { refuseInvalid } from '../../../../state/scheduler/validation/admission.ts'
import { exampleJob, type Members, registeredJob } from '../job/sample-job.ts'
import { multiError, rejected } from '../support.ts'
import { groupErrorsOf, openCluster } from './job-errors.ts'

const section = 'behaviour/scheduler#connect'
const bridge = { Mode: 'bridge' }
const service = (Connect: Members, members: Members = {}) => ({
  Name: 'api',
  PortLabel: '80',
  Connect,
  ...members,
})
const sidecar = (members: Members = {}) => service({ SidecarService: {} }, members)
const upstreams = (...Upstreams: Members[]) => service({ SidecarService: { Proxy: { Upstreams } } })
const transparent = (TransparentProxy: Members) =>
  service({ SidecarService: { Proxy: { TransparentProxy } } })
const gateway = (Gateway: Members) => service({ Gateway })
const listener = (members: Members) => gateway({ Ingress: { Listeners: [members] } })
const linked = (members: Members) => gateway({ Terminating: { Services: [members] } })
const check = { Name: 'c', Type: 'http', Path: '/', Interval: 1e9, Timeout: 1e9, Expose: true }

/** Registers a job with this group, as far as its validation. */
function admit(group: Members): void {
  refuseInvalid(registeredJob(exampleJob({ group })), openCluster)
}

describe(`${section}: jobs that cannot be completed are refused with one text`, () => {
  // choice/scheduler#connect-native-generated
  test.each<[string, Members, string]>([
    [
      'a native service of several tasks',
      {
        Services: [service({ Native: true })],
        Tasks: [
          { Name: 'a', Driver: 'exec' },
          { Name: 'b', Driver: 'exec' },
        ],
      },
      'connect: task for mesh native service web->api is ambiguous and must be set',
    ],
    [
      'a native service whose only task is generated',
      { Services: [sidecar({ Name: 'one' }), service({ Native: true })], Tasks: null },
      'connect: task for mesh native service web->api is ambiguous and must be set',
    ],
    [
      'a native service of an unknown task',
      { Services: [service({ Native: true }, { TaskName: 'x' })] },
      'connect: task x named by mesh native service web->api does not exist',
    ],
    [
      'a mesh gateway without a port',
      { Services: [service({ Gateway: { Mesh: {} } }, { PortLabel: '' })] },
      'connect: service.port must be set for mesh gateway service',
    ],
    [
      'an exposed check without a bridge network',
      { Networks: [{ Mode: 'host' }], Services: [sidecar({ Checks: [check] })] },
      'expose-check: group "web" must use bridge network for exposing service check(s)',
    ],
    [
      'an exposed check of a service without a port',
      { Services: [sidecar({ PortLabel: 'x', Checks: [check] })] },
      'expose-check: unable to determine local service port for service check web->api->c',
    ],
  ])('%s', (_what, group, text) => {
    const register = () => admit({ Networks: [bridge], ...group })
    expect(register).toThrow(rejected(`error in job mutator ${text}`))
  })
})

describe(`${section}: errors of groups`, () => {
  test.each<[string, Members, string]>([
    [
      'a sidecar without a network',
      { Networks: null, Services: [sidecar()] },
      'Mesh sidecars require exactly 1 network, found 0 in group "web"',
    ],
    [
      'a sidecar with another network',
      { Networks: [{ Mode: 'host' }], Services: [sidecar()] },
      'Mesh sidecar requires bridge network, found "host" in group "web"',
    ],
    [
      'a sidecar whose service has upper case letters',
      { Services: [sidecar({ Name: 'Api' })] },
      'Mesh service name "Api" in group "web" must not contain uppercase characters',
    ],
    [
      'a sidecar in a group with upper case letters',
      { Name: 'Web', Services: [sidecar()] },
      'Mesh group "Web" with service "api" must not contain uppercase characters',
    ],
    [
      'a gateway without a network',
      { Networks: null, Services: [gateway({ Mesh: {} })] },
      'Mesh gateways require exactly 1 network, found 0 in group "web"',
    ],
    [
      'a gateway with another network',
      { Networks: [{ Mode: 'none' }], Services: [gateway({ Mesh: {} })] },
      'Mesh Gateway service requires Task Group with network mode of type "bridge" or "host"',
    ],
    [
      'two upstreams at one address',
      { Services: [upstreams({ LocalBindPort: 80 }, { LocalBindPort: 80 })] },
      'Mesh services "api" and "api" in group "web" using same address for upstreams (:80)',
    ],
    [
      'a transparent proxy beside another service',
      { Services: [transparent({}), sidecar({ Name: 'b' })] },
      'Mesh transparent proxy requires there is only one connect block',
    ],
    [
      'a transparent proxy beside servers of names',
      { Networks: [{ ...bridge, DNS: { Servers: ['1.1.1.1'] } }], Services: [transparent({})] },
      'Mesh transparent proxy cannot be used with network.dns unless no_dns=true',
    ],
    [
      'a transparent proxy with an unknown port',
      { Services: [transparent({ ExcludeInboundPorts: ['80', 'x'] })] },
      'Mesh transparent proxy port "x" must be numeric or one of network.port labels',
    ],
    [
      'an exposed check without a sidecar',
      { Services: [{ Name: 'api', PortLabel: '80', Checks: [check] }] },
      'exposed service check web->api->c requires use of sidecar_proxy',
    ],
  ])('%s', (_what, group, text) => {
    expect(groupErrorsOf({ Networks: [bridge], ...group })).toContain(text)
  })

  test('an exposed check of a task', () => {
    const Tasks = [
      { Name: 't', Driver: 'exec', Services: [{ Name: 'api', PortLabel: '80', Checks: [check] }] },
    ]
    expect(groupErrorsOf({ Networks: [bridge], Tasks })).toContain(
      'exposed service check web[t]->api->c is not a task-group service',
    )
  })
})

describe(`${section}: errors of connect blocks`, () => {
  test.each<[string, Members, string]>([
    [
      'two kinds',
      service({ Native: true, SidecarService: {} }, { TaskName: 't' }),
      'Mesh must be exclusively native, make use of a sidecar, or represent a Gateway',
    ],
    [
      'a native service without a port',
      service({ Native: true }, { PortLabel: '' }),
      'Service api is Connect Native and requires setting the port',
    ],
    [
      'a TCP check beside a sidecar',
      sidecar({ Checks: [{ ...check, Type: 'tcp', Path: '', Expose: false }] }),
      'Check c invalid: tcp checks are not valid for Connect enabled services',
    ],
    [
      'a discovery that does not exist',
      gateway({ Mesh: {}, Proxy: { EnvoyDNSDiscoveryType: 'x' } }),
      'Mesh Gateway Proxy Envoy DNS Discovery type must be STRICT_DNS or LOGICAL_DNS',
    ],
    [
      'an address without a host',
      gateway({ Mesh: {}, Proxy: { EnvoyGatewayBindAddresses: { a: { Port: 1 } } } }),
      'Mesh Gateway Bind Address must be set',
    ],
    [
      'an address without a port',
      gateway({ Mesh: {}, Proxy: { EnvoyGatewayBindAddresses: { a: { Address: 'h' } } } }),
      'Mesh Gateway Bind Address must set valid Port',
    ],
    ['no kind of gateway', gateway({}), 'One Mesh Gateway Configuration must be set'],
    [
      'no listener',
      gateway({ Ingress: {} }),
      'Mesh Ingress Gateway requires at least one listener',
    ],
    ['a listener without a port', listener({}), 'Mesh Ingress Listener requires valid Port'],
    [
      'another protocol',
      listener({ Port: 1, Protocol: 'udp' }),
      'Mesh Ingress Listener requires protocol of tcp, http, http2, grpc, got "udp"',
    ],
    [
      'a listener without services',
      listener({ Port: 1 }),
      'Mesh Ingress Listener requires one or more services',
    ],
    [
      'a service without a name',
      listener({ Port: 1, Services: [{ Name: '' }] }),
      'Mesh Ingress Service requires a name',
    ],
    [
      'a wildcard over TCP',
      listener({ Port: 1, Services: [{ Name: '*' }] }),
      'Mesh Ingress Service doesn\'t support wildcard name for "tcp" protocol',
    ],
    [
      'hosts over TCP',
      listener({ Port: 1, Services: [{ Name: 'a', Hosts: ['h'] }] }),
      'Mesh Ingress Service doesn\'t support associating hosts to a service for the "tcp" protocol',
    ],
    [
      'hosts of a wildcard',
      listener({ Port: 1, Protocol: 'http', Services: [{ Name: '*', Hosts: ['h'] }] }),
      'Mesh Ingress Service with a wildcard "*" service name can not also specify hosts',
    ],
    [
      'no service behind a terminating gateway',
      gateway({ Terminating: {} }),
      'Mesh Terminating Gateway requires at least one service',
    ],
    ['a linked service without a name', linked({}), 'Mesh Linked Service requires Name'],
    [
      'a certificate without an authority',
      linked({ Name: 'a', CertFile: 'c', KeyFile: 'k' }),
      'Mesh Linked Service TLS requires CAFile',
    ],
    [
      'a certificate without a key',
      linked({ Name: 'a', CAFile: 'a', CertFile: 'c' }),
      'Mesh Linked Service TLS Cert and Key must both be set',
    ],
    [
      'a server name without an authority',
      linked({ Name: 'a', SNI: 's' }),
      'Mesh Linked Service TLS SNI requires CAFile',
    ],
    [
      'a user that is not a number',
      transparent({ UID: 'x' }),
      'transparent proxy block has invalid UID field: invalid user ID "x": invalid syntax',
    ],
    [
      'a user that is too large',
      transparent({ ExcludeUIDs: ['70000'] }),
      'transparent proxy block has invalid ExcludeUIDs field: invalid user ID "70000": value out of range',
    ],
    [
      'an outbound network without a length',
      transparent({ ExcludeOutboundCIDRs: ['10.0.0.0'] }),
      `could not parse transparent proxy excluded outbound CIDR as network prefix: netip.ParsePrefix("10.0.0.0"): no '/'`,
    ],
  ])('%s', (_what, each, text) => {
    const errors = groupErrorsOf({ Networks: [bridge], Services: [each] })
    expect(errors.join('\n')).toContain(multiError([text]).trim())
  })

  test.each<[string, Members, Members | undefined, string]>([
    [
      'a sidecar without its service',
      {},
      undefined,
      'No Connect services in task group with Connect proxy ("api")',
    ],
    [
      'a sidecar of another service',
      {},
      sidecar({ Name: 'b' }),
      'Connect proxy service name ("api") not found in Connect services from task group: [b]',
    ],
    [
      'a sidecar that leads',
      { Leader: true },
      sidecar(),
      'Connect proxy task must not have leader set',
    ],
    [
      'a sidecar with services',
      { Services: [{ Name: 'x' }] },
      sidecar(),
      'Connect proxy task must not have a service block',
    ],
  ])('%s', (_what, members, each, text) => {
    const proxy = { Name: 'p', Driver: 'docker', Kind: 'connect-proxy:api', ...members }
    const Services = each === undefined ? null : [each]
    const errors = groupErrorsOf({ Networks: [bridge], Services, Tasks: [proxy] })
    expect(errors.join('\n')).toContain(`Task p validation failed: ${multiError([text])}`.trim())
  })

  test.each<[string, Members]>([
    ['a sidecar', sidecar()],
    ['a native service', service({ Native: true })],
    ['a mesh gateway', gateway({ Mesh: {} })],
    ['an ingress gateway', listener({ Port: 1, Services: [{ Name: 'a' }] })],
    ['a terminating gateway', linked({ Name: 'a' })],
    ['a transparent proxy', transparent({ ExcludeOutboundCIDRs: ['10.0.0.0/8', 'fd00::/8'] })],
  ])('%s is valid', (_what, each) => {
    expect(groupErrorsOf({ Networks: [bridge], Services: [each] })).toEqual([])
    expect(() => admit({ Networks: [bridge], Services: [each] })).not.toThrow()
  })
})
