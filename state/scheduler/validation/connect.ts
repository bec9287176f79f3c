import { quoteGo } from '../../go/text.ts'
import type { Integer } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import { isExposable, portOf } from '../job/exposed-checks.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Check, Service } from '../job/service-shapes.ts'
import { message } from './connect-messages.ts'
import { failedChecks } from './errors.ts'

/**
 * Returns the first error of the reference's mutators (behaviour/scheduler#connect). Mutators
 * complete services in the mesh before the validation, so an error of a mutator is the only error
 * that is reported. The mutator `connect` skips groups without networks.
 *
 * @param job a job with all generated tasks and ports
 */
export function mutatorErrors({ TaskGroups }: Job): readonly Message[] {
  const groups = TaskGroups ?? []
  const connectErrorList = groups
    .filter(({ Networks }) => Networks !== null)
    .flatMap(completionErrors)
  const exposureErrorList = groups.flatMap(exposureErrors)
  const mutatorError = (mutator: string, errors: readonly Message[]) =>
    errors.slice(0, 1).map((error) => message('mutator-failed', { mutator, error }))
  return [
    ...mutatorError('connect', connectErrorList),
    ...mutatorError('expose-check', exposureErrorList),
  ].slice(0, 1)
}

function completionErrors(group: TaskGroup): readonly Message[] {
  return (group.Services ?? []).flatMap((service) => {
    const { Connect, PortLabel } = service
    if (Connect?.SidecarService) return []
    if (Connect?.Native) return nativeErrors(group, service)
    const isMesh = Boolean(Connect?.Gateway?.Mesh)
    return failedChecks(isMesh && PortLabel === '' && message('mesh-gateway-port'))
  })
}

function nativeErrors(group: TaskGroup, { Name, TaskName }: Service): readonly Message[] {
  const location = { group: group.Name, service: Name }
  if (!TaskName) {
    const isInferred = group.Networks === null && group.Tasks?.length === 1
    return failedChecks(!isInferred && message('native-task-ambiguous', location))
  }
  const isKnown = group.Tasks?.some((task) => task.Name === TaskName)
  return failedChecks(!isKnown && message('native-task-absent', { task: TaskName, ...location }))
}

/**
 * Returns the errors of exposed checks, whose paths must be reachable through the service's
 * sidecar.
 */
function exposureErrors(group: TaskGroup): readonly Message[] {
  const services = (group.Services ?? []).filter(({ Connect }) => Connect?.SidecarService)
  return services.flatMap((service) =>
    exposedChecks(service)
      .filter(isExposable)
      .flatMap((check) => {
        const network = group.Networks?.[0]
        const networkErrors = exposingNetworkErrors(group)
        if (networkErrors.length > 0 || network === undefined) return networkErrors
        const location = { group: group.Name, service: service.Name, check: check.Name }
        const isKnown = portOf(service.PortLabel, network) > 0
        return failedChecks(!isKnown && message('expose-port-unknown', location))
      }),
  )
}

function exposedChecks({ Checks }: Service): readonly Check[] {
  return (Checks ?? []).filter(({ Expose }) => Expose)
}

function exposingNetworkErrors({ Name, Networks }: TaskGroup): readonly Message[] {
  const group = quoteGo(Name)
  if (Networks?.length !== 1) return [message('expose-network-count', { group })]
  return failedChecks(Networks[0]?.Mode !== 'bridge' && message('expose-network-mode', { group }))
}

/**
 * Returns at most one error about services in the mesh and at most one error about exposed checks
 * (behaviour/scheduler#connect).
 */
export function connectErrors({ TaskGroups }: Job): readonly Message[] {
  const groups = TaskGroups ?? []
  return [
    ...groups.flatMap(groupConnectErrors).slice(0, 1),
    ...groups.flatMap(exposeErrors).slice(0, 1),
  ]
}

function groupConnectErrors(group: TaskGroup): readonly Message[] {
  const services = group.Services ?? []
  return [
    ...services.flatMap((service) => {
      const { Connect } = service
      if (Connect?.SidecarService) return sidecarErrors(group, service)
      if (Connect?.Native) return nativeErrors(group, service)
      return Connect?.Gateway ? gatewayNetworkErrors(group) : []
    }),
    ...upstreamErrors(group, services),
  ]
}

function sidecarErrors({ Name, Networks }: TaskGroup, service: Service): readonly Message[] {
  const group = quoteGo(Name)
  const name = quoteGo(service.Name)
  const count = Networks?.length ?? 0
  const mode = Networks?.[0]?.Mode ?? ''
  return failedChecks(
    count !== 1 && message('sidecar-network-count', { count, group }),
    mode !== 'bridge' && message('sidecar-network-mode', { mode: quoteGo(mode), group }),
    service.Name !== service.Name.toLowerCase() &&
      message('sidecar-service-uppercase', { service: name, group }),
    Name !== Name.toLowerCase() && message('sidecar-group-uppercase', { group, service: name }),
  ).slice(0, 1)
}

function gatewayNetworkErrors({ Name, Networks }: TaskGroup): readonly Message[] {
  const count = Networks?.length ?? 0
  if (count !== 1) return [message('gateway-network-count', { count, group: quoteGo(Name) })]
  const mode = Networks?.[0]?.Mode ?? ''
  return failedChecks(!['bridge', 'host'].includes(mode) && message('gateway-network-mode'))
}

function upstreamErrors(group: TaskGroup, services: readonly Service[]): readonly Message[] {
  const serviceByAddress = new Map<string, string>()
  const proxies = services.flatMap(({ Name, Connect }) => {
    const proxy = Connect?.SidecarService?.Proxy
    return proxy ? [{ Name, proxy }] : []
  })
  const errors = proxies.flatMap(({ Name, proxy: { Upstreams, TransparentProxy } }) => [
    ...(Upstreams ?? []).flatMap((upstream) => {
      const address = listenerOf(upstream)
      const other = serviceByAddress.get(address)
      serviceByAddress.set(address, Name)
      if (other === undefined) return []
      const names = { service: quoteGo(Name), other: quoteGo(other), group: quoteGo(group.Name) }
      return [message('upstreams-same-address', { ...names, address })]
    }),
    ...(TransparentProxy ? transparentNetworkErrors(group, TransparentProxy) : []),
  ])
  const isTransparent = proxies.some(({ proxy }) => proxy.TransparentProxy)
  const connectedServices = services.filter(({ Connect }) => Connect)
  return [
    ...errors,
    ...failedChecks(isTransparent && connectedServices.length > 1 && message('transparent-alone')),
  ]
}

interface Upstream {
  readonly LocalBindAddress: string
  readonly LocalBindPort: Integer
  readonly LocalBindSocketPath: string
}

function listenerOf({ LocalBindAddress: host, LocalBindPort, LocalBindSocketPath }: Upstream) {
  if (LocalBindSocketPath !== '') return LocalBindSocketPath
  return `${host.includes(':') ? `[${host}]` : host}:${LocalBindPort}`
}

interface TransparentNetwork {
  readonly NoDNS: boolean
  readonly ExcludeInboundPorts: readonly string[] | null
}

function transparentNetworkErrors(
  { Networks }: TaskGroup,
  { NoDNS, ExcludeInboundPorts }: TransparentNetwork,
): readonly Message[] {
  const networks = Networks ?? []
  const hasDnsSettings = networks.some(
    ({ DNS }) =>
      DNS !== null && [DNS.Servers, DNS.Searches, DNS.Options].some((each) => each !== null),
  )
  const labels = networks.flatMap(({ ReservedPorts }) =>
    (ReservedPorts ?? []).map(({ Label }) => Label),
  )
  return [
    ...failedChecks(hasDnsSettings && !NoDNS && message('transparent-dns')),
    ...(ExcludeInboundPorts ?? [])
      .filter((port) => !labels.includes(port) && !isUint16(port))
      .map((port) => message('transparent-port', { port: quoteGo(port) })),
  ]
}

/** Returns true if a string is a 16-bit decimal number, as Go's ParseUint reads it. */
export function isUint16(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) <= 0xffff
}

function exposeErrors(group: TaskGroup): readonly Message[] {
  const services = group.Services ?? []
  const isExposing = services.some((service) => exposedChecks(service).length > 0)
  const servicesWithoutSidecar = services.filter(({ Connect }) => !Connect?.SidecarService)
  return [
    ...(isExposing ? exposingNetworkErrors(group) : []),
    ...servicesWithoutSidecar.flatMap((service) =>
      exposedChecks(service).map((check) =>
        message('expose-without-sidecar', {
          group: group.Name,
          service: service.Name,
          check: check.Name,
        }),
      ),
    ),
    ...(group.Tasks ?? []).flatMap((task) =>
      (task.Services ?? []).flatMap((service) =>
        exposedChecks(service).map((check) =>
          message('expose-in-task', {
            group: group.Name,
            task: task.Name,
            service: service.Name,
            check: check.Name,
          }),
        ),
      ),
    ),
  ]
}
