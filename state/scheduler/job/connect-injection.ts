import { SECOND } from '../../go/duration.ts'
import type { Integer } from '../../kernel/integers.ts'
import { storedForm } from '../../kernel/shape/go-forms.ts'
import { emptyInput } from '../decoding.ts'
import type { Gateway, GatewayProxy } from './connect-shapes.ts'
import { withExposedChecks } from './exposed-checks.ts'
import { mapOrNull } from './fill-defaults.ts'
import {
  attributeReference,
  meshAttribute,
  meshVersionConstraint,
  variableReference,
} from './implied-constraints.ts'
import type { TaskGroup } from './job-shape.ts'
import { type RegistrationContext, registeredTask } from './registration-values.ts'
import type { Constraint, Network } from './scheduling-shapes.ts'
import type { Service } from './service-shapes.ts'
import { generatedResources, overlaidTask } from './sidecar-overlay.ts'
import { type Task, taskShape } from './task-shape.ts'

/**
 * Adds to a group the sidecar and gateway tasks that its services in the mesh need, with the ports
 * of these tasks (behaviour/scheduler#connect). Existing tasks are not added again. Also adds the
 * paths and ports of exposed checks. A group without a network is returned unchanged, because
 * validation refuses it.
 */
export function withConnectTasks(group: TaskGroup, context: RegistrationContext): TaskGroup {
  if (group.Networks === null || !group.Services?.some(({ Connect }) => Connect)) return group
  const draft = new GroupDraft(group, context)
  const Services = group.Services.map((service) => draft.connect(service))
  return withExposedChecks(draft.complete(Services))
}

/** Mutable copy of a group, to which tasks and ports are added. */
class GroupDraft {
  readonly #group: TaskGroup
  readonly #context: RegistrationContext
  #tasks: readonly Task[]
  #network: Network | undefined

  constructor(group: TaskGroup, context: RegistrationContext) {
    this.#group = group
    this.#context = context
    this.#tasks = group.Tasks ?? []
    this.#network = group.Networks?.[0]
  }

  /**
   * Adds the tasks and ports that one service needs. Returns the service with the values that
   * registration fills in: the resolved name of a sidecar's or gateway's service, the port and
   * proxy of a gateway, or the task of a native service.
   */
  connect(service: Service): Service {
    const { Connect } = service
    if (Connect?.SidecarService) {
      return this.#connectSidecar(withResolvedName(service, this.#group.Name, this.#context))
    }
    if (Connect?.Native) return this.#connectNative(service)
    if (Connect?.Gateway) {
      return this.#connectGateway(withResolvedName(service, this.#group.Name, this.#context))
    }
    return service
  }

  complete(Services: readonly Service[]): TaskGroup {
    const networks = this.#group.Networks ?? []
    const Networks = this.#network === undefined ? networks : [this.#network, ...networks.slice(1)]
    return { ...this.#group, Services, Networks, Tasks: this.#tasks }
  }

  #connectSidecar(service: Service): Service {
    const { Name, Connect } = service
    const Kind = `connect-proxy:${Name}`
    const cluster = service.Cluster ?? ''
    const existing = this.#tasks.find((task) => task.Kind === Kind)
    const task =
      existing ??
      this.#generatedTask(`connect-proxy-${Name}`, {
        Kind,
        Config: proxyConfig(variableReference('meta.connect.sidecar_image')),
        Lifecycle: { Hook: 'prestart', Sidecar: true },
        Constraints: [meshVersionConstraint(cluster), listenerConstraint(cluster)],
      })
    const merged = this.#withRegistrationValues(overlaidTask(task, Connect?.SidecarTask))
    this.#tasks =
      existing === undefined
        ? [...this.#tasks, merged]
        : this.#tasks.map((each) => (each === existing ? merged : each))
    this.#addPort(Connect?.SidecarService?.Port || `connect-proxy-${Name}`)
    return service
  }

  /**
   * Sets the kind of the task that speaks the mesh's protocol for a native service, and fills in
   * the task's name in the service. The service must name the task unless the group has only one
   * task. If no task is found, returns the service unchanged.
   */
  #connectNative(service: Service): Service {
    const { Name, TaskName } = service
    const named = TaskName
      ? this.#tasks.find((each) => each.Name === TaskName)
      : this.#tasks.length === 1
        ? this.#tasks[0]
        : undefined
    // A generated task must keep its kind, by which the next registration recognizes the task.
    const task = named && isGenerated(named) ? undefined : named
    if (task === undefined) return service
    const kind = `connect-native:${Name}`
    this.#tasks = this.#tasks.map((each) => (each === task ? { ...each, Kind: kind } : each))
    // The checks of the service get the task's name as well, so that registering the result again
    // changes nothing.
    const Checks = mapOrNull(service.Checks, (check) => ({
      ...check,
      TaskName: check.TaskName || task.Name,
    }))
    return { ...service, TaskName: task.Name, Checks }
  }

  #connectGateway(service: Service): Service {
    const { Name, Connect } = service
    const gateway = Connect?.Gateway
    if (!Connect || !gateway) return service
    const mode = this.#network?.Mode ?? ''
    const PortLabel = service.PortLabel || this.#terminatingPort(gateway, Name)
    if (gateway.Mesh) this.#addPort(`connect-mesh-${Name}-lan`)
    const isPresent = this.#tasks.some(({ Kind }) =>
      gatewayKinds.some((kind) => Kind === `${kind}:${Name}`),
    )
    if (!isPresent) {
      const prefix = gatewayKind(gateway)
      const cluster = service.Cluster ?? ''
      const config = proxyConfig(variableReference('meta.connect.gateway_image'))
      const task = this.#generatedTask(`${prefix}-${Name}`, {
        Kind: `${prefix}:${Name}`,
        Config: mode === 'host' ? { ...config, network_mode: 'host' } : config,
        Constraints: gatewayConstraints(gateway, cluster),
      })
      this.#tasks = [
        ...this.#tasks,
        this.#withRegistrationValues(overlaidTask(task, Connect.SidecarTask)),
      ]
    }
    const completeGateway = { ...gateway, Proxy: gatewayProxy(gateway, mode) }
    return { ...service, PortLabel, Connect: { ...Connect, Gateway: completeGateway } }
  }

  /**
   * Adds the port of a terminating gateway and returns the port's label. Returns an empty string
   * for other gateways.
   */
  #terminatingPort(gateway: Gateway, service: string): string {
    if (!gateway.Terminating) return ''
    const label = `connect-terminating-${service}`
    this.#addPort(label)
    return label
  }

  /**
   * Adds a dynamic port to the group's network, unless a port has the label already. The port has
   * the same number on the node and inside the network namespace.
   */
  #addPort(Label: string): void {
    const network = this.#network
    const ports = network?.DynamicPorts ?? []
    if (network === undefined || ports.some((port) => port.Label === Label)) return
    const port = { Label, Value: 0, To: -1, HostNetwork: 'default', IgnoreCollision: false }
    this.#network = { ...network, DynamicPorts: [...ports, port] }
  }

  #generatedTask(name: string, members: Partial<Task>): Task {
    const isTaken = this.#tasks.some(({ Name }) => Name === name)
    const drivers = new Set(this.#tasks.map(({ Driver }) => Driver))
    return {
      ...storedForm(emptyInput(taskShape), taskShape),
      Driver: drivers.has('podman') && !drivers.has('docker') ? 'podman' : 'docker',
      ShutdownDelay: 5 * SECOND,
      KillTimeout: 0,
      LogConfig: { Disabled: false, MaxFiles: 2, MaxFileSizeMB: 2 },
      Resources: generatedResources,
      ...members,
      Name: isTaken ? `${name}-${this.#context.uuid().slice(0, 6)}` : name,
    }
  }

  /**
   * Returns the task of a sidecar or gateway with the values that registration sets in every task.
   */
  #withRegistrationValues(task: Task): Task {
    const { job, Namespace } = this.#context
    const target = { Namespace, Job: job.ID, Group: this.#group.Name }
    const completed = registeredTask(task, target, this.#context)
    return { ...completed, RestartPolicy: task.RestartPolicy ?? this.#group.RestartPolicy }
  }
}

/** Returns the driver configuration with which sidecars and gateways run their proxy. */
function proxyConfig(image: string): NonNullable<Task['Config']> {
  return {
    image,
    args: [
      '-c',
      variableReference('NOMAD_SECRETS_DIR') + '/envoy_bootstrap.json',
      '-l',
      variableReference('meta.connect.log_level'),
      '--concurrency',
      variableReference('meta.connect.proxy_concurrency'),
      '--disable-hot-restart',
    ],
  }
}

function listenerConstraint(cluster: string): Constraint {
  return { LTarget: attributeReference(meshAttribute('grpc', cluster)), RTarget: '0', Operand: '>' }
}

/** Returns true if registration generated the task for a sidecar or gateway. */
function isGenerated({ Kind }: Task): boolean {
  const kinds = ['connect-proxy', ...gatewayKinds]
  return kinds.some((kind) => Kind.startsWith(`${kind}:`))
}

const gatewayKinds = ['connect-ingress', 'connect-terminating', 'connect-mesh'] as const

function gatewayKind({ Mesh, Ingress }: Gateway): (typeof gatewayKinds)[number] {
  if (Mesh) return 'connect-mesh'
  return Ingress ? 'connect-ingress' : 'connect-terminating'
}

function gatewayConstraints({ Ingress }: Gateway, cluster: string): readonly Constraint[] {
  const constraints = [meshVersionConstraint(cluster), listenerConstraint(cluster)]
  const tls = Ingress?.TLS
  const isCustomized = tls && (tls.TLSMinVersion || tls.TLSMaxVersion || tls.CipherSuites)
  return isCustomized
    ? [...constraints, { ...meshVersionConstraint(cluster), RTarget: '>= 1.11.2' }]
    : constraints
}

/**
 * Returns the proxy configuration of a gateway. A proxy with customized bind addresses is returned
 * unchanged; otherwise the addresses depend on the network mode of the group.
 */
function gatewayProxy(gateway: Gateway, mode: string): GatewayProxy {
  const proxy = gateway.Proxy
  const isCustomized =
    proxy &&
    (proxy.EnvoyGatewayNoDefaultBind ||
      proxy.EnvoyGatewayBindTaggedAddresses ||
      proxy.EnvoyGatewayBindAddresses)
  if (isCustomized) return proxy
  const addresses = mode === 'bridge' ? bindAddresses(gateway) : undefined
  return {
    ConnectTimeout: proxy?.ConnectTimeout ?? 5 * SECOND,
    EnvoyGatewayBindTaggedAddresses: false,
    EnvoyGatewayBindAddresses: addresses ?? null,
    EnvoyGatewayNoDefaultBind: addresses !== undefined,
    EnvoyDNSDiscoveryType: proxy?.EnvoyDNSDiscoveryType ?? '',
    Config: proxy?.Config ?? null,
  }
}

type Addresses = GatewayProxy['EnvoyGatewayBindAddresses']

/** Returns the addresses on which a gateway listens inside the network namespace of its group. */
function bindAddresses({ Ingress, Terminating, Mesh }: Gateway): Addresses | undefined {
  const anyHost = (Port: Integer) => ({ Address: '0.0.0.0', Port })
  if (Ingress) {
    const services = (Ingress.Listeners ?? []).flatMap(({ Port, Services }) =>
      (Services ?? []).map(({ Name }) => [Name, anyHost(Port)] as const),
    )
    return services.length === 0 ? null : Object.fromEntries(services)
  }
  // Port -1 means that the port is chosen when the task starts.
  if (Terminating) return { default: anyHost(-1) }
  return Mesh ? { wan: anyHost(-1), lan: anyHost(-1) } : undefined
}

/**
 * Variables that names of services in the mesh may contain. Job files may use the prefix of either
 * dialect.
 */
const namePattern = /\$\{(?:NOMAD|SCHED)_(JOB_ID|JOB_NAME|GROUP_NAME|NAMESPACE|REGION)\}/g

/**
 * Replaces variables in the name of a service, because names of generated tasks and ports contain
 * the service's name.
 */
function withResolvedName(
  service: Service,
  group: string,
  { job, Namespace }: RegistrationContext,
): Service {
  if (!service.Name.includes('${')) return service
  const values: Readonly<Record<string, string>> = {
    JOB_ID: job.ID,
    JOB_NAME: job.Name,
    GROUP_NAME: group,
    NAMESPACE: Namespace,
    REGION: job.Region,
  }
  return {
    ...service,
    Name: service.Name.replace(namePattern, (_, name: string) => values[name] ?? ''),
  }
}
