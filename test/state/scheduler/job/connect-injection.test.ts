import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import { storedJob } from '../../../../state/scheduler/job/canonical.ts'
import type { Job, TaskGroup } from '../../../../state/scheduler/job/job-shape.ts'
import { asInput } from '../../../support/scheduler/scheduler-jobs.ts'
import { frozenWorld, job, register } from '../jobs/support.ts'
import {
  type Members,
  reference,
  registeredJob,
  resourceDefaults,
  sentJob,
  taskIdentity,
} from './sample-job.ts'

const section = 'behaviour/scheduler#connect'

function groupOf(group: Members): TaskGroup {
  const members = { ID: 'j', TaskGroups: [{ Name: 'api', ...group }] }
  const stored = registeredJob(members)
  const again = storedJob(asInput(stored), {
    namespace: 'default',
    uuid: () => '',
    current: stored,
  })
  expect(again).toEqual(stored)
  const [first] = stored.TaskGroups ?? []
  if (first === undefined) throw new Error('The job has no group.')
  return first
}

const bridge = [{ Mode: 'bridge' }]
const main = { Name: 'main', Driver: 'exec' }
const proxyPort = (Label: string) => ({
  Label,
  Value: 0,
  To: -1,
  HostNetwork: 'default',
  IgnoreCollision: false,
})

const meshConstraints = [
  { LTarget: reference('attr.mesh.version'), RTarget: '>= 1.8.0', Operand: 'semver' },
  { LTarget: reference('attr.mesh.grpc'), RTarget: '0', Operand: '>' },
]

describe(`${section}: sidecars`, () => {
  const Services = [{ Name: 'web', PortLabel: '9001', Connect: { SidecarService: {} } }]

  test('a service with a sidecar gets its task and its port', () => {
    const group = groupOf({ Networks: bridge, Services, Tasks: [main] })
    expect(group.Networks?.[0]?.DynamicPorts).toEqual([proxyPort('connect-proxy-web')])
    expect(group.Tasks?.map(({ Name }) => Name)).toEqual(['main', 'connect-proxy-web'])
    expect(group.Tasks?.[1]).toMatchObject({
      Kind: 'connect-proxy:web',
      Driver: 'docker',
      Config: {
        image: reference('meta.connect.sidecar_image'),
        args: [
          '-c',
          `${reference('NOMAD_SECRETS_DIR')}/envoy_bootstrap.json`,
          '-l',
          reference('meta.connect.log_level'),
          '--concurrency',
          reference('meta.connect.proxy_concurrency'),
          '--disable-hot-restart',
        ],
      },
      ShutdownDelay: 5 * SECOND,
      KillTimeout: 5 * SECOND,
      LogConfig: { Disabled: false, MaxFiles: 2, MaxFileSizeMB: 2 },
      Resources: { ...resourceDefaults, CPU: 250, MemoryMB: 128 },
      Lifecycle: { Hook: 'prestart', Sidecar: true },
      Constraints: meshConstraints,
      RestartPolicy: group.RestartPolicy,
      Identity: taskIdentity,
    })
  })

  test('sidecar_task overrides members of the task, also by its defaults', () => {
    const SidecarTask = {
      Name: 'proxy',
      Driver: 'exec',
      Config: { command: 'envoy' },
      Env: { a: 'b' },
      Resources: { CPU: 500 },
    }
    const service = { Name: 'web', PortLabel: '9001', Connect: { SidecarService: {}, SidecarTask } }
    const { Tasks } = groupOf({ Networks: bridge, Services: [service], Tasks: [main] })
    expect(Tasks?.[1]).toMatchObject({
      Name: 'proxy',
      Driver: 'exec',
      Config: { command: 'envoy' },
      Env: { a: 'b' },
      Resources: { ...resourceDefaults, CPU: 500, MemoryMB: 300 },
      ShutdownDelay: 0,
      LogConfig: { MaxFiles: 10, MaxFileSizeMB: 10 },
    })
  })

  test('podman is used where tasks use it and none uses docker', () => {
    const driverWith = (...drivers: string[]) => {
      const Tasks = drivers.map((Driver, at) => ({ Name: `t${at}`, Driver }))
      return groupOf({ Networks: bridge, Services, Tasks }).Tasks?.at(-1)?.Driver
    }
    expect([driverWith('podman'), driverWith('podman', 'docker')]).toEqual(['podman', 'docker'])
  })

  test('a sidecar task whose name is taken gets another name', () => {
    const Tasks = [{ Name: 'connect-proxy-web', Driver: 'exec' }]
    const stored = registeredJob({
      ID: 'j',
      TaskGroups: [{ Name: 'api', Networks: bridge, Services, Tasks }],
    })
    expect(stored.TaskGroups?.[0]?.Tasks?.[1]?.Name).toBe('connect-proxy-web-id-1')
  })

  test('a group without a network is left to validation', () => {
    expect(groupOf({ Services, Tasks: [main] }).Tasks).toHaveLength(1)
  })

  test('variables in the name of a service are replaced', () => {
    const Name = `${reference('NOMAD_JOB_NAME')}-${reference('NOMAD_GROUP_NAME')}`
    const service = { Name, PortLabel: '9001', Connect: { SidecarService: {} } }
    const group = groupOf({ Networks: bridge, Services: [service], Tasks: [main] })
    expect(group.Services?.[0]?.Name).toBe('j-api')
    expect(group.Tasks?.[1]?.Kind).toBe('connect-proxy:j-api')
  })
})

describe(`${section}: native services`, () => {
  // choice/scheduler#connect-native-checks
  test('belong to the only task unless they name another', () => {
    const Checks = [{ Type: 'tcp' }]
    const service = { Name: 'web', PortLabel: '80', Connect: { Native: true }, Checks }
    const group = groupOf({ Networks: bridge, Services: [service], Tasks: [main] })
    expect(group.Tasks?.[0]?.Kind).toBe('connect-native:web')
    expect(group.Services?.[0]).toMatchObject({ TaskName: 'main', Checks: [{ TaskName: 'main' }] })
  })
})

describe(`${section}: identities in the mesh`, () => {
  const identityOf = (service: Members) => {
    const Services = [{ PortLabel: '80', Identity: {}, ...service }]
    return groupOf({ Networks: bridge, Services, Tasks: [main] }).Services?.[0]?.Identity
  }

  test('are named after the task that registration chooses for a native service', () => {
    expect(identityOf({ Name: 'web', Connect: { Native: true } })).toMatchObject({
      Name: 'mesh-service_main-web-80',
      ServiceName: 'web',
    })
  })

  test('are named after the resolved name of a service with a sidecar', () => {
    const Name = reference('NOMAD_GROUP_NAME')
    expect(identityOf({ Name, Connect: { SidecarService: {} } })).toMatchObject({
      Name: 'mesh-service_api-80',
      ServiceName: 'api',
    })
  })

  test('are named after the port that registration adds for a terminating gateway', () => {
    const Gateway = { Terminating: { Services: [{ Name: 'legacy' }] } }
    expect(identityOf({ Name: 'gw', PortLabel: '', Connect: { Gateway } })).toMatchObject({
      Name: 'mesh-service_gw-connect-terminating-gw',
    })
  })
})

describe(`${section}: gateways`, () => {
  const gatewayOf = (Gateway: Members, network: Members, service: Members = {}) =>
    groupOf({
      Networks: [network],
      Services: [{ Name: 'gw', Connect: { Gateway }, ...service }],
    })
  const proxyOf = (group: TaskGroup) => group.Services?.[0]?.Connect?.Gateway?.Proxy
  const anyHost = (Port: number) => ({ Address: '0.0.0.0', Port })

  test('an ingress gateway listens for the services of its listeners', () => {
    const Ingress = { Listeners: [{ Port: 8080, Services: [{ Name: 'web' }] }] }
    const group = gatewayOf({ Ingress }, { Mode: 'bridge' })
    expect(group.Tasks).toHaveLength(1)
    expect(group.Tasks?.[0]).toMatchObject({
      Name: 'connect-ingress-gw',
      Kind: 'connect-ingress:gw',
      Lifecycle: null,
      Constraints: meshConstraints,
    })
    expect(proxyOf(group)).toMatchObject({
      ConnectTimeout: 5 * SECOND,
      EnvoyGatewayNoDefaultBind: true,
      EnvoyGatewayBindAddresses: { web: anyHost(8080) },
    })
    const [listener] = group.Services?.[0]?.Connect?.Gateway?.Ingress?.Listeners ?? []
    expect(listener?.Protocol).toBe('tcp')
  })

  test('a terminating gateway gets a port, and is the default kind', () => {
    const Terminating = { Services: [{ Name: 'legacy' }] }
    const group = gatewayOf({ Terminating }, { Mode: 'bridge' })
    expect(group.Services?.[0]?.PortLabel).toBe('connect-terminating-gw')
    expect(group.Networks?.[0]?.DynamicPorts).toEqual([proxyPort('connect-terminating-gw')])
    expect(proxyOf(group)?.EnvoyGatewayBindAddresses).toEqual({ default: anyHost(-1) })
  })

  test('a mesh gateway gets a port for the LAN', () => {
    const group = gatewayOf({ Mesh: {} }, { Mode: 'bridge' }, { PortLabel: 'wan' })
    expect(group.Networks?.[0]?.DynamicPorts).toEqual([proxyPort('connect-mesh-gw-lan')])
    expect(Object.keys(proxyOf(group)?.EnvoyGatewayBindAddresses ?? {})).toEqual(['wan', 'lan'])
  })

  test('on the network of the host the driver uses it, and nothing is bound', () => {
    const group = gatewayOf({ Ingress: { TLS: { TLSMinVersion: 'TLSv1_2' } } }, { Mode: 'host' })
    expect(group.Tasks?.[0]?.Config).toMatchObject({ network_mode: 'host' })
    expect(proxyOf(group)).toMatchObject({
      EnvoyGatewayNoDefaultBind: false,
      EnvoyGatewayBindAddresses: null,
    })
    expect(group.Tasks?.[0]?.Constraints?.[2]?.RTarget).toBe('>= 1.11.2')
  })

  test('a proxy that was configured stays as it is', () => {
    const proxy = { EnvoyGatewayNoDefaultBind: true, ConnectTimeout: SECOND }
    const group = gatewayOf({ Proxy: proxy, Ingress: {} }, { Mode: 'bridge' })
    expect(proxyOf(group)).toMatchObject({
      ...proxy,
      EnvoyGatewayBindAddresses: null,
    })
  })

  test('a group without tasks of its own can be registered', () => {
    const world = frozenWorld()
    const service = { Name: 'gw', PortLabel: '80', Connect: { Gateway: { Mesh: {} } } }
    const group = { Name: 'g', Networks: bridge, Services: [service] }
    register(world, { ID: 'gateway', TaskGroups: [group] })
    register(world, JSON.parse(JSON.stringify(job(world, 'gateway'))))
    expect(job(world, 'gateway')).toMatchObject({ Version: 0 })
  })
})

describe(`${section}: exposed checks`, () => {
  test('the sidecar exposes the paths of checks, on ports for each', () => {
    const check = { Name: 'c', Type: 'http', Path: '/health', Expose: true }
    const service = { Name: 'web', PortLabel: '9001', Connect: { SidecarService: {} } }
    const group = groupOf({
      Networks: bridge,
      Services: [{ ...service, Checks: [check, { ...check, Name: 'd', PortLabel: 'own' }] }],
      Tasks: [main],
    })
    const [stored] = group.Services ?? []
    const label = stored?.Checks?.[0]?.PortLabel ?? ''
    expect(label).toMatch(/^svc_web_ck_[0-9a-f]{6}$/)
    expect(group.Networks?.[0]?.DynamicPorts?.map(({ Label }) => Label)).toEqual([
      'connect-proxy-web',
      label,
    ])
    const path = { Path: '/health', Protocol: '', LocalPathPort: 9001 }
    expect(stored?.Connect?.SidecarService?.Proxy?.Expose?.Paths).toEqual([
      { ...path, ListenerPort: label },
      { ...path, ListenerPort: 'own' },
    ])
  })
})

describe('behaviour/scheduler#canonical-form: implied constraints', () => {
  const impliedBy = (group: Members, task: Members = {}) =>
    groupOf({ ...group, Tasks: [{ ...main, ...task }] }).Constraints?.map(
      ({ LTarget, Operand, RTarget }) => `${LTarget.slice(7, -1)} ${Operand} ${RTarget}`,
    )
  const mesh = 'mesh.version semver >= 1.8.0'

  // choice/scheduler#implied-constraints-once
  test.each<{ what: string; group?: Members; task?: Members; implied?: string[] }>([
    { what: 'nothing' },
    {
      what: 'a secrets block',
      task: { Secrets: {} },
      implied: ['secrets.version semver >= 0.6.1'],
    },
    {
      what: 'signals, sorted',
      task: {
        KillSignal: 'SIGINT',
        Templates: [{ DestPath: 'a', ChangeMode: 'signal' }],
        Secrets: { ChangeMode: 'signal', ChangeSignal: 'sigusr1' },
      },
      implied: ['secrets.version semver >= 0.6.1', 'os.signals set_contains SIGHUP,SIGINT,SIGUSR1'],
    },
    {
      what: 'native services and their checks',
      group: { Services: [{ Name: 's', Provider: 'sched', Checks: [{ Type: 'tcp' }] }] },
      implied: ['sched.service_discovery = true', 'sched.version semver >= 1.4.0'],
    },
    { what: 'services in the mesh', group: { Services: [{ Name: 's' }] }, implied: [mesh] },
    {
      what: 'a bridge network',
      group: { Networks: bridge },
      implied: ['bridge', 'firewall', 'host-local', 'loopback', 'portmap'].map(
        (plugin) => `plugins.cni.version.${plugin} semver >= 0.4.0`,
      ),
    },
    {
      what: 'identities',
      task: { Identities: [{ Name: 'aws', Audience: ['a'] }] },
      implied: ['sched.version semver >= 1.7.0-a'],
    },
    {
      what: 'a mesh partition',
      group: { Mesh: { Partition: 'east' } },
      implied: ['mesh.partition = east'],
    },
  ])('of $what; never twice', ({ group = {}, task, implied }) => {
    expect(impliedBy(group, task)).toEqual(implied)
  })

  test('a constraint about the same attribute takes their place, in either spelling', () => {
    for (const name of ['mesh', 'consul']) {
      const LTarget = reference(`attr.${name}.version`)
      const Constraints = [{ LTarget, RTarget: '>= 1.19.0', Operand: 'semver' }]
      expect(
        groupOf({ Services: [{ Name: 's' }], Constraints, Tasks: [main] }).Constraints,
      ).toEqual(Constraints)
    }
  })

  test('services of a task imply those of the task', () => {
    const { Tasks } = groupOf({ Tasks: [{ ...main, Services: [{ Name: 's' }] }] })
    expect(Tasks?.[0]?.Constraints).toEqual([meshConstraints[0]])
  })

  // choice/scheduler#implied-constraints-met
  test('are met by the nodes of a fresh world', () => {
    const world = frozenWorld()
    const service = { Name: 'web', PortLabel: '9001', Connect: { SidecarService: {} } }
    const task = { ...main, Secrets: {}, KillSignal: 'SIGUSR1' }
    register(world, {
      ID: 'met',
      TaskGroups: [{ Name: 'g', Networks: bridge, Services: [service], Tasks: [task] }],
    })
    expect(job(world, 'met').TaskGroups?.[0]?.Constraints).toHaveLength(8)
  })
})

describe(`${section}: registering again`, () => {
  const services = fc.array(
    fc.record({
      Name: fc.constantFrom('a', 'b', ''),
      PortLabel: fc.constantFrom('', '80'),
      Connect: fc.constantFrom(
        null,
        { Native: true },
        { SidecarService: {} },
        { SidecarService: { Port: 'p' }, SidecarTask: { Name: 'n', Config: { a: 1 } } },
        { Gateway: { Ingress: { Listeners: [{ Services: [{ Name: 'x' }] }] } } },
        { Gateway: { Terminating: {} } },
        { Gateway: { Mesh: {} } },
      ),
      Checks: fc.constantFrom(null, [{ Type: 'http', Path: '/', Expose: true }]),
    }),
    { maxLength: 3 },
  )

  test('injected tasks and ports change nothing', () => {
    fc.assert(
      fc.property(services, fc.constantFrom('bridge', 'host'), (Services, Mode) => {
        const group = { Name: 'g', Networks: [{ Mode }], Services, Tasks: [main] }
        const stored = (input: Parameters<typeof storedJob>[0], current?: Job) =>
          storedJob(input, { namespace: 'default', uuid: () => 'id', current })
        const first = stored(sentJob(JSON.parse(JSON.stringify({ ID: 'j', TaskGroups: [group] }))))
        expect(stored(asInput(first), first)).toEqual(first)
      }),
      { numRuns: 200 },
    )
  })
})
