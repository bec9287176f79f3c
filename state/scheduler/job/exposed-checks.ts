import { createHash } from 'node:crypto'
import { formatGoDuration } from '../../go/duration.ts'
import { compareBytewise } from '../../json/json.ts'
import type { Integer } from '../../kernel/integers.ts'
import type { TaskGroup } from './job-shape.ts'
import type { Network } from './scheduling-shapes.ts'
import type { Check, Service } from './service-shapes.ts'

/**
 * Adds the paths of exposed checks to the sidecars of a group, and adds ports for exposed checks
 * without a port. A group is returned unchanged unless it has exactly one network, in bridge mode.
 * Services that validation refuses stay unchanged.
 */
export function withExposedChecks(group: TaskGroup): TaskGroup {
  const [network, ...others] = group.Networks ?? []
  const hasExposedChecks = group.Services?.some(({ Checks }) =>
    Checks?.some(({ Expose }) => Expose),
  )
  if (!hasExposedChecks || network?.Mode !== 'bridge' || others.length > 0) return group
  const ports = [...(network.DynamicPorts ?? [])]
  const Services = (group.Services ?? []).map((service) => exposeChecks(service, network, ports))
  return {
    ...group,
    Services,
    Networks: [{ ...network, DynamicPorts: ports.length === 0 ? null : ports }],
  }
}

type Ports = NonNullable<Network['DynamicPorts']>[number][]

function exposeChecks(service: Service, network: Network, ports: Ports): Service {
  const { Connect } = service
  const sidecar = Connect?.SidecarService
  const localPort = portOf(service.PortLabel, network)
  if (!Connect || !sidecar || localPort <= 0) return service
  const paths = [...(sidecar.Proxy?.Expose?.Paths ?? [])]
  const Checks = (service.Checks ?? []).map((check, at) => {
    if (!check.Expose || !isExposable(check)) return check
    const PortLabel = check.PortLabel || generatedLabel(service.Name, check, at)
    if (check.PortLabel === '') {
      const port = { Label: PortLabel, Value: 0, To: -1, HostNetwork: 'default' }
      ports.push({ ...port, IgnoreCollision: false })
    }
    const { Path, Protocol } = check
    const isPresent = paths.some(
      (path) =>
        path.Path === Path &&
        path.Protocol === Protocol &&
        path.LocalPathPort === localPort &&
        path.ListenerPort === PortLabel,
    )
    if (!isPresent) {
      paths.push({ Path, Protocol, LocalPathPort: localPort, ListenerPort: PortLabel })
    }
    return { ...check, PortLabel }
  })
  if (paths.length === 0) return service
  const proxy = { ...(sidecar.Proxy ?? emptyProxy), Expose: { Paths: paths } }
  const SidecarService = { ...sidecar, Proxy: proxy }
  return { ...service, Checks, Connect: { ...Connect, SidecarService } }
}

const emptyProxy = {
  LocalServiceAddress: '',
  LocalServicePort: 0,
  Expose: null,
  Upstreams: null,
  TransparentProxy: null,
  Config: null,
}

/**
 * Returns the number of the port with this label. If no port with a known number has the label,
 * returns the label itself as a number, or 0 if the label is not a number.
 */
export function portOf(label: string, { ReservedPorts, DynamicPorts }: Network): Integer {
  const port = [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])].find(
    ({ Label }) => Label === label,
  )
  if (port !== undefined && port.Value > 0) return port.Value
  return /^\d{1,9}$/.test(label) ? Number(label) : 0
}

export function isExposable({ Type, Path }: Check): boolean {
  return ['grpc', 'http'].includes(Type.toLowerCase()) && Path.startsWith('/')
}

/** Builds the label of a generated port from the service and the check, as the reference does. */
function generatedLabel(service: string, check: Check, at: number): string {
  const texts = [
    `${service}_${at}`,
    check.Name,
    check.Type,
    check.Command,
    (check.Args ?? []).join(''),
    check.Path,
    check.Protocol,
    check.PortLabel,
    formatGoDuration(check.Interval),
    formatGoDuration(check.Timeout),
    check.Method,
    check.Body,
    check.OnUpdate,
    check.Notes,
    check.TLSSkipVerify ? 'true' : '',
    check.TLSServerName,
    Object.entries(check.Header ?? {})
      .map(([name, values]) => name + (values ?? []).join(''))
      .sort(compareBytewise)
      .join(''),
    check.AddressMode,
    check.GRPCService,
    check.GRPCUseTLS ? 'true' : '',
    check.SuccessBeforePassing ? `success:${check.SuccessBeforePassing}` : '',
    check.FailuresBeforeCritical ? `failures:${check.FailuresBeforeCritical}` : '',
    check.FailuresBeforeWarning ? `failures-before-warning:${check.FailuresBeforeWarning}` : '',
  ]
  const hash = createHash('sha1').update(texts.join('')).digest('hex')
  return `svc_${service}_ck_${hash.slice(0, 6)}`
}
