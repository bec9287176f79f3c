import { isIPv4, isIPv6 } from 'node:net'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { Connect, Gateway } from '../job/connect-shapes.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Service } from '../job/service-shapes.ts'
import type { Task } from '../job/task-shape.ts'
import { isUint16 } from './connect.ts'
import { message } from './connect-messages.ts'
import { failedChecks, multiError } from './errors.ts'

/**
 * Returns the errors of a service's connect block (behaviour/scheduler#connect): at most one error
 * about the content of the block, and all errors about the use of the block in the service.
 */
export function connectBlockErrors({ Name, Connect, ...service }: Service): readonly Message[] {
  if (!Connect) return []
  return [
    ...blockErrors(Connect).slice(0, 1),
    ...failedChecks(
      Connect.Native && !service.TaskName && message('native-without-task', { service: Name }),
      Connect.Native &&
        service.PortLabel === '' &&
        message('native-without-port', { service: Name }),
    ),
  ]
}

function blockErrors({ Native, Gateway, SidecarService }: Connect): readonly Message[] {
  const proxy = SidecarService?.Proxy?.TransparentProxy
  const kinds = [Native, Boolean(Gateway), Boolean(SidecarService)].filter((each) => each)
  return [
    ...(proxy ? transparentErrors(proxy) : []),
    ...failedChecks(kinds.length !== 1 && message('connect-exclusive')),
    ...(Gateway ? gatewayErrors(Gateway) : []),
  ]
}

interface TransparentProxy {
  readonly UID: string
  readonly ExcludeUIDs: readonly string[] | null
  readonly ExcludeOutboundCIDRs: readonly string[] | null
}

/** Returns the errors of a transparent proxy. Several errors are combined into one. */
function transparentErrors(proxy: TransparentProxy): readonly Message[] {
  const errors = [
    ...(proxy.ExcludeOutboundCIDRs ?? []).flatMap((cidr) => {
      const why = prefixError(cidr)
      return why === undefined ? [] : [message('transparent-cidr', { cidr: quoteGo(cidr), why })]
    }),
    ...(proxy.UID === '' ? [] : userIdErrors(proxy.UID)).map((error) =>
      message('transparent-uid', { error }),
    ),
    ...(proxy.ExcludeUIDs ?? [])
      .flatMap(userIdErrors)
      .map((error) => message('transparent-excluded-uid', { error })),
  ]
  return errors.length > 1 ? [multiError(errors)] : errors
}

function userIdErrors(id: string): readonly Message[] {
  if (isUint16(id)) return []
  const why = /^\d+$/.test(id) ? 'value out of range' : 'invalid syntax'
  return [message('user-id-invalid', { id: quoteGo(id), why })]
}

/** Returns the error that Go's `netip.ParsePrefix` reports, or undefined for a valid prefix. */
function prefixError(prefix: string): string | undefined {
  const slash = prefix.lastIndexOf('/')
  if (slash < 0) return `no '/'`
  const address = prefix.slice(0, slash)
  const bits = prefix.slice(slash + 1)
  if (!isIPv4(address) && !isIPv6(address))
    return `ParseAddr(${quoteGo(address)}): unable to parse IP`
  if (!/^(0|[1-9]\d*)$/.test(bits)) return `bad bits after slash: ${quoteGo(bits)}`
  return Number(bits) > (isIPv4(address) ? 32 : 128) ? 'prefix length out of range' : undefined
}

/**
 * Returns the errors of a gateway. As in the reference, the caller reports only the first error.
 */
function gatewayErrors(gateway: Gateway): readonly Message[] {
  const { Ingress, Terminating, Mesh } = gateway
  const kinds = [Ingress, Terminating, Mesh].filter((each) => each)
  return [
    ...(gateway.Proxy ? proxyErrors(gateway.Proxy) : []),
    ...(Ingress ? ingressErrors(Ingress) : []),
    ...(Terminating ? terminatingErrors(Terminating) : []),
    ...failedChecks(kinds.length !== 1 && message('gateway-kinds')),
  ]
}

function proxyErrors(proxy: NonNullable<Gateway['Proxy']>): readonly Message[] {
  const discovery = ['', 'STRICT_DNS', 'LOGICAL_DNS']
  return [
    ...failedChecks(
      proxy.ConnectTimeout === null && message('gateway-timeout'),
      !discovery.includes(proxy.EnvoyDNSDiscoveryType) && message('gateway-discovery'),
    ),
    ...Object.values(proxy.EnvoyGatewayBindAddresses ?? {}).flatMap(({ Address, Port }) =>
      failedChecks(
        Address === '' && message('gateway-address-missing'),
        Port <= 0 && Port !== -1 && message('gateway-address-port'),
      ),
    ),
  ]
}

const protocols = ['tcp', 'http', 'http2', 'grpc']

function ingressErrors({ Listeners }: NonNullable<Gateway['Ingress']>): readonly Message[] {
  return [
    ...failedChecks(Listeners === null && message('ingress-empty')),
    ...(Listeners ?? []).flatMap(({ Port, Protocol, Services }) => [
      ...failedChecks(
        Port <= 0 && message('listener-port'),
        !protocols.includes(Protocol) &&
          message('listener-protocol', { protocol: quoteGo(Protocol) }),
        Services === null && message('listener-empty'),
      ),
      ...(Services ?? []).flatMap(({ Name, Hosts }) => {
        const isTcp = Protocol === 'tcp'
        return failedChecks(
          Name === '' && message('ingress-service-unnamed'),
          isTcp && Name === '*' && message('ingress-wildcard-tcp'),
          isTcp && Hosts !== null && message('ingress-hosts-tcp'),
          Name === '*' && Hosts !== null && message('ingress-wildcard-hosts'),
        )
      }),
    ]),
  ]
}

function terminatingErrors({ Services }: NonNullable<Gateway['Terminating']>) {
  return [
    ...failedChecks(Services === null && message('terminating-empty')),
    ...(Services ?? []).flatMap(({ Name, CAFile, CertFile, KeyFile, SNI }) => {
      const hasCa = CAFile !== ''
      const hasCert = CertFile !== ''
      const hasKey = KeyFile !== ''
      return failedChecks(
        Name === '' && message('linked-unnamed'),
        (hasCert || hasKey) && !hasCa && message('linked-ca'),
        hasCert !== hasKey && message('linked-pair'),
        SNI !== '' && !hasCa && message('linked-sni'),
      )
    }),
  ]
}

const proxyKind = 'connect-proxy:'

/**
 * Returns the errors of a sidecar task, whose kind is `connect-proxy:` and the name of a service.
 * The group of the task must contain that service with a sidecar.
 */
export function proxyTaskErrors(task: Task, { Services }: TaskGroup): readonly Message[] {
  if (!task.Kind.startsWith(proxyKind)) return []
  const name = task.Kind.slice(proxyKind.length)
  const names = (Services ?? []).flatMap(({ Name, Connect }) =>
    Connect?.SidecarService ? [Name] : [],
  )
  const service = quoteGo(name)
  return failedChecks(
    task.Services !== null && message('proxy-task-services'),
    task.Leader && message('proxy-task-leader'),
    names.length === 0 && message('proxy-task-alone', { service }),
    names.length > 0 &&
      !names.includes(name) &&
      message('proxy-task-foreign', { service, names: `[${names.join(' ')}]` }),
  )
}
