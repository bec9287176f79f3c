import { isIP } from 'node:net'
import { quoteGo } from '../../go/text.ts'
import { appendAll } from '../../kernel/lists.ts'
import type { EntryMembers } from './entry-shapes.ts'
import {
  asOneProblem,
  formatErrors,
  isDomainName,
  metaErrors,
  metaProblems,
  type Problems,
} from './problems.ts'

type Upstreams = NonNullable<EntryMembers<'service-defaults'>['UpstreamConfig']>
type Upstream = NonNullable<Upstreams['Defaults']>
type Extension = NonNullable<EntryMembers<'service-defaults'>['EnvoyExtensions']>[number]

const tlsModes = ['', 'strict', 'permissive']

function* tlsModeProblems(mode = ''): Problems {
  if (!tlsModes.includes(mode)) {
    yield `Invalid MutualTLSMode ${quoteGo(mode)}. Must be one of "", "strict", or "permissive".`
  }
}

const isBalanceMode = (text = '') => text === '' || text === 'exact_balance'

const extensions: ReadonlySet<string> = new Set(
  ['aws/lambda', 'ext-authz', 'lua', 'otel-access-logging', 'property-override', 'wasm'].map(
    (name) => `builtin/${name}`,
  ),
)

/** Returns the errors of Envoy extensions. The arguments of extensions are not checked. */
function extensionErrors(list: readonly Extension[] = []): readonly string[] {
  return list.flatMap(({ Name }, at) => {
    if (Name === '') return [`invalid EnvoyExtensions[${at}]: Name is required`]
    if (extensions.has(Name)) return []
    return [
      `invalid EnvoyExtensions[${at}][${Name}]: name ${quoteGo(Name)} is not a built-in extension`,
    ]
  })
}

function* upstreamProblems(upstream: Upstream, isNamed: boolean): Problems {
  const { Name = '', Namespace = '', Partition = '' } = upstream
  if (isNamed) {
    if (Name === '') yield 'Name is required'
    if (Name === '*') yield 'Wildcard name is not supported'
    if (Namespace === '*') yield 'Wildcard namespace is not supported'
  } else {
    if (Name !== '') yield 'Name must be empty'
    if (Namespace !== '') yield 'Namespace must be empty'
    if (Partition !== '') yield 'Partition must be empty'
  }
  yield* asOneProblem([...upstreamErrors(upstream)])
}

function* upstreamErrors(upstream: Upstream): Problems {
  const { PassiveHealthCheck: check, Limits: limits = {} } = upstream
  if (check !== undefined) {
    const [problem] = passiveCheckProblems(check)
    if (problem !== undefined) yield problem
  }
  const negative = [
    ['max connections', limits.MaxConnections],
    ['max pending requests', limits.MaxPendingRequests],
    ['max concurrent requests', limits.MaxConcurrentRequests],
  ] as const
  const [limit] = negative.filter(([, value]) => (value ?? 0) < 0)
  if (limit !== undefined) yield `${limit[0]} cannot be negative`
  const balance = upstream.BalanceOutboundConnections
  if (!isBalanceMode(balance)) yield `invalid value for balance_outbound_connections: ${balance}`
}

function* passiveCheckProblems(check: NonNullable<Upstream['PassiveHealthCheck']>): Problems {
  const isNoPercentage = (value: number | null = 0) => (value ?? 0) > 100
  if ((check.Interval ?? 0) < 0) yield 'passive health check interval cannot be negative'
  if (isNoPercentage(check.EnforcingConsecutive5xx)) {
    yield 'passive health check enforcing_consecutive_5xx must be a percentage between 0 and 100'
  }
  if (isNoPercentage(check.MaxEjectionPercent)) {
    yield 'passive health check max_ejection_percent must be a percentage between 0 and 100'
  }
  if ((check.BaseEjectionTime ?? 0) < 0) {
    yield 'passive health check base_ejection_time cannot be negative'
  }
}

function upstreamsErrors({ Overrides = [], Defaults }: Upstreams): string[] {
  const errors = Overrides.flatMap((upstream) => {
    const [problem] = upstreamProblems(upstream, true)
    const location = `${upstream.Peer}:${upstream.Name ?? ''}`
    return problem === undefined ? [] : [`error in upstream override for ${location}: ${problem}`]
  })
  const [problem] = Defaults === undefined ? [] : upstreamProblems(Defaults, false)
  return problem === undefined ? errors : [...errors, `error in upstream defaults: ${problem}`]
}

function destinationErrors({
  Addresses = [],
  Port = 0,
}: NonNullable<EntryMembers<'service-defaults'>['Destination']>): string[] {
  const errors: string[] = []
  if (Addresses.length === 0) errors.push('Destination must contain at least one valid address')
  for (const [at, address] of Addresses.entries()) {
    if (Addresses.indexOf(address) < at) {
      errors.push(`Duplicate address '${address}' is not allowed`)
    } else if (isIP(address) === 0 && (!isDomainName(address) || address.includes('*'))) {
      const problem = `Could not validate address ${address} as an IP or Hostname`
      errors.push(`Destination address '${address}' is invalid ${problem}`)
    }
  }
  if (Port < 1 || Port > 65_535) errors.push(`Invalid Port number ${Port}`)
  return errors
}

const protocols = ['', 'http', 'http2', 'grpc', 'tcp']

export function* serviceDefaultsProblems(
  entry: EntryMembers<'service-defaults'>,
  isCommunity: boolean,
): Problems {
  const { Name, Protocol, BalanceInboundConnections: balance, UpstreamConfig, Destination } = entry
  if (Name === '') yield 'Name is required'
  if (Name === '*') {
    yield 'service-defaults name must be the name of a service, and not a wildcard'
  }
  const errors = [...metaErrors(entry.Meta)]
  if (!isBalanceMode(balance))
    errors.push(`invalid value for balance_inbound_connections: ${balance}`)
  if (!protocols.includes(Protocol)) errors.push(`invalid value for protocol: ${Protocol}`)
  if (UpstreamConfig !== undefined && Destination !== undefined) {
    yield formatErrors([
      ...errors,
      'UpstreamConfig and Destination are mutually exclusive for service defaults',
    ])
  }
  if (UpstreamConfig !== undefined) appendAll(errors, upstreamsErrors(UpstreamConfig))
  if (Destination !== undefined) appendAll(errors, destinationErrors(Destination))
  if (entry.RateLimits !== undefined && isCommunity) {
    errors.push('invalid rate_limits config. Rate limiting is a consul enterprise feature')
  }
  appendAll(errors, extensionErrors(entry.EnvoyExtensions))
  yield* tlsModeProblems(entry.MutualTLSMode)
  yield* asOneProblem(errors)
}

export function* failoverPolicyProblems(
  policy: EntryMembers<'proxy-defaults'>['FailoverPolicy'],
): Problems {
  if (!['', 'sequential', 'order-by-locality'].includes(policy?.Mode ?? '')) {
    yield "Failover-policy mode must be one of '', 'sequential', or 'order-by-locality'"
  }
}

export function* localityProblems(
  locality: EntryMembers<'proxy-defaults'>['PrioritizeByLocality'],
  isCommunity: boolean,
): Problems {
  if (isCommunity && (locality?.Mode ?? '') !== '') {
    yield 'Prioritize-by-locality requires Consul Enterprise '
  }
}

function* accessLogProblems({
  Type = '',
  Path = '',
  JSONFormat = '',
  TextFormat = '',
}: EntryMembers<'proxy-defaults'>['AccessLogs']): Problems {
  if (!['', 'stdout', 'stderr', 'file'].includes(Type)) yield `invalid access log type: ${Type}`
  if (Type === 'file' && Path === '') {
    yield 'path must be specified when using file type access logs'
  }
  if (JSONFormat !== '' && TextFormat !== '') {
    yield 'cannot specify both access log JSONFormat and TextFormat'
  }
  if (Type !== 'file' && Path !== '') yield 'path is only valid for file type access logs'
}

export function* proxyDefaultsProblems(
  entry: EntryMembers<'proxy-defaults'>,
  isCommunity: boolean,
): Problems {
  if (entry.Name !== 'global') {
    yield `invalid name (${quoteGo(entry.Name)}), only "global" is supported`
  }
  yield* accessLogProblems(entry.AccessLogs)
  yield* metaProblems(entry.Meta)
  yield* asOneProblem(extensionErrors(entry.EnvoyExtensions))
  yield* failoverPolicyProblems(entry.FailoverPolicy)
  yield* localityProblems(entry.PrioritizeByLocality, isCommunity)
  yield* tlsModeProblems(entry.MutualTLSMode)
}
