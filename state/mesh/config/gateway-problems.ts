import { quoteGo } from '../../go/text.ts'
import type { EntryMembers } from './entry-shapes.ts'
import {
  isDomainName,
  isHttpLike,
  isHttpMethod,
  metaProblems,
  type Problems,
  tlsProblems,
} from './problems.ts'

type Ingress = EntryMembers<'ingress-gateway'>
type Listener = NonNullable<Ingress['Listeners']>[number]
type IngressService = NonNullable<Listener['Services']>[number]

/**
 * Formats a service for messages, with its namespace if the entry names one other than `default`.
 */
function shownService({
  Name = '',
  Namespace = '',
}: {
  Name?: string
  Namespace?: string
}): string {
  return Namespace === '' || Namespace === 'default' ? Name : `${Namespace}/${Name}`
}

function* hostProblems(host: string, isTls: boolean): Problems {
  if (host === '*') {
    if (isTls) {
      yield "Host '*' is not allowed when TLS is enabled, all hosts must be valid DNS records to add as a DNSSAN"
    }
    return
  }
  if (!isDomainName(host)) yield `Host ${quoteGo(host)} must be a valid DNS hostname`
  if (host.replace(/^\*\./, '').includes('*')) {
    yield `Host ${quoteGo(host)} is not valid, a wildcard specifier is only allowed as the leftmost label`
  }
}

function* certificateProblems(
  entry: Ingress,
  listener: Listener,
  service: IngressService,
): Problems {
  const gateway = entry.TLS.SDS ?? {}
  const own = listener.TLS?.SDS ?? {}
  const { ClusterName = '', CertResource = '' } = service.TLS?.SDS ?? {}
  const at = `listener on port ${listener.Port}`
  if (gateway.CertResource && !gateway.ClusterName) {
    yield 'TLS.SDS.ClusterName is required if CertResource is set'
  }
  if (gateway.ClusterName && !gateway.CertResource && !own.CertResource) {
    yield `TLS.SDS.CertResource is required if ClusterName is set for gateway (${at})`
  }
  if (own.ClusterName && !own.CertResource) {
    yield `TLS.SDS.CertResource is required if ClusterName is set for listener (${at})`
  }
  if (own.CertResource && !own.ClusterName && !gateway.ClusterName) {
    yield `TLS.SDS.ClusterName is required if CertResource is set (${at})`
  }
  if (CertResource === '') return
  const location = `(service ${quoteGo(shownService(service))} on ${at})`
  if ((service.Hosts ?? []).length === 0) {
    yield `A service specifying TLS.SDS.CertResource must have at least one item in Hosts ${location}`
  }
  if (ClusterName === '' && !own.ClusterName && !gateway.ClusterName) {
    yield `TLS.SDS.ClusterName is required if CertResource is set ${location}`
  }
}

function* ingressServiceProblems(
  entry: Ingress,
  listener: Listener,
  service: IngressService,
): Problems {
  const { Port, Protocol } = listener
  const at = `(listener on port ${Port})`
  const hosts = service.Hosts ?? []
  for (const [name, headers] of [
    ['request', service.RequestHeaders],
    ['response', service.ResponseHeaders],
  ] as const) {
    if (Object.keys(headers ?? {}).length > 0 && !isHttpLike(Protocol)) {
      const shownName = quoteGo(shownService(service))
      yield `${name} headers only valid for http, http2 and grpc protocols (service ${shownName} on listener on port ${Port})`
    }
  }
  if (Protocol === 'tcp') {
    if (service.Name === '*') {
      yield `Wildcard service name is only valid for protocol = 'http' ${at}`
    }
    if (hosts.length > 0) {
      yield `Associating hosts to a service is not supported for the ${Protocol} protocol ${at}`
    }
  }
  if (service.Name === '') yield `Service name cannot be blank ${at}`
  if (service.Name === '*' && hosts.length > 0) {
    yield `Associating hosts to a wildcard service is not supported ${at}`
  }
  if (service.Namespace === '*') {
    yield `Wildcard namespace is not supported for ingress services ${at}`
  }
  yield* certificateProblems(entry, listener, service)
}

function* listenerProblems(entry: Ingress, listener: Listener): Problems {
  const { Port, Protocol } = listener
  const services = listener.Services ?? []
  const at = `(listener on port ${Port})`
  if (!['tcp', 'http', 'http2', 'grpc'].includes(Protocol)) {
    yield `protocol must be 'tcp', 'http', 'http2', or 'grpc'. '${Protocol}' is an unsupported protocol`
  }
  if (services.length === 0) yield `No service declared for listener with port ${Port}`
  if (!isHttpLike(Protocol) && services.length > 1) {
    yield `Multiple services per listener are only supported for L7 protocols, 'http', 'grpc' and 'http2' ${at}`
  }
  const { TLSMinVersion, TLSMaxVersion, CipherSuites } = listener.TLS ?? {}
  yield* tlsProblems(TLSMinVersion, TLSMaxVersion, CipherSuites)
  const names = new Set<string>()
  const hosts = new Set<string>()
  for (const service of services) {
    yield* ingressServiceProblems(entry, listener, service)
    const name = shownService(service)
    if (names.has(name)) yield `Service ${name} cannot be added multiple times ${at}`
    names.add(name)
    for (const host of service.Hosts ?? []) {
      if (hosts.has(host)) yield `Hosts must be unique within a specific listener ${at}`
      hosts.add(host)
      yield* hostProblems(host, entry.TLS.Enabled)
    }
  }
}

export function* ingressProblems(entry: Ingress): Problems {
  yield* metaProblems(entry.Meta)
  const { TLSMinVersion, TLSMaxVersion, CipherSuites } = entry.TLS
  yield* tlsProblems(TLSMinVersion, TLSMaxVersion, CipherSuites)
  const ports = new Set<number>()
  for (const listener of entry.Listeners ?? []) {
    if (ports.has(listener.Port)) yield `port ${listener.Port} declared on two listeners`
    ports.add(listener.Port)
    yield* listenerProblems(entry, listener)
  }
}

export function* terminatingProblems(entry: EntryMembers<'terminating-gateway'>): Problems {
  yield* metaProblems(entry.Meta)
  const names = new Set<string>()
  for (const service of entry.Services ?? []) {
    const { Name = '', CAFile, CertFile, KeyFile } = service
    if (Name === '') yield 'Service name cannot be blank.'
    if (service.Namespace === '*') {
      yield 'Wildcard namespace is not supported for terminating gateway services'
    }
    const shownName = shownService(service)
    if (names.has(shownName)) {
      yield `Service ${quoteGo(shownName)} was specified more than once within a namespace`
    }
    names.add(shownName)
    if ((CertFile || KeyFile) && !(CAFile && CertFile && KeyFile)) {
      yield `Service ${quoteGo(Name)} must have a CertFile, CAFile, and KeyFile specified for TLS origination`
    }
  }
}

type ApiGateway = EntryMembers<'api-gateway'>
type ApiListener = NonNullable<ApiGateway['Listeners']>[number]

const labelPattern = /^[a-z0-9-]+$/

/**
 * Returns whether a string is a valid name of a listener: labels of lower-case letters, digits and
 * inner hyphens, separated by dots.
 */
function isListenerName(text: string): boolean {
  return text
    .split('.')
    .every((part) => labelPattern.test(part) && !part.startsWith('-') && !part.endsWith('-'))
}

function* apiListenerProblems({ Protocol, Hostname, Port, TLS }: ApiListener): Problems {
  if (Protocol !== 'http' && Protocol !== 'tcp') {
    yield `unsupported listener protocol ${quoteGo(Protocol)}, must be one of 'tcp', or 'http'`
  }
  if (Protocol === 'tcp' && Hostname !== '') {
    yield 'hostname specification is not supported when using TCP'
  }
  if (Port <= 0 || Port > 65_535) yield `listener port ${Port} not in the range 1-65535`
  if (Hostname.replace(/^\*\./, '').includes('*')) {
    yield `host ${quoteGo(Hostname)} is not valid, a wildcard specifier is only allowed as the left-most label`
  }
  for (const { Kind, Name } of TLS.Certificates ?? []) {
    if (Kind !== 'inline-certificate' && Kind !== 'file-system-certificate') {
      yield `unsupported certificate kind: ${quoteGo(Kind)}, must be 'file-system-certificate' or 'inline-certificate'`
    }
    if (Name === '') yield 'certificate reference must have a name'
  }
  yield* tlsProblems(TLS.MinVersion, TLS.MaxVersion, TLS.CipherSuites)
}

export function* apiGatewayProblems(entry: ApiGateway): Problems {
  const listeners = entry.Listeners ?? []
  yield* metaProblems(entry.Meta)
  if (listeners.length === 0) yield 'api gateway must have at least one listener'
  for (const [at, { Name }] of listeners.entries()) {
    if (!isListenerName(Name)) {
      yield `listener name ${quoteGo(Name)} is invalid, must be at least 1 character and contain only letters, numbers, or dashes`
    }
    if (listeners.findIndex((each) => each.Name === Name) < at) {
      yield `found multiple listeners with the name ${quoteGo(Name)}`
    }
  }
  for (const [at, listener] of listeners.entries()) {
    const { Name, Port, Hostname, Protocol } = listener
    const merged = listeners.slice(0, at).findLast((each) => each.Port === Port)
    if (merged !== undefined && (merged.Hostname !== Hostname || merged.Protocol !== Protocol)) {
      yield `listeners ${quoteGo(merged.Name)} and ${quoteGo(Name)} cannot be merged`
    }
  }
  for (const listener of listeners) yield* apiListenerProblems(listener)
}

type HttpRoute = EntryMembers<'http-route'>
type Rule = NonNullable<HttpRoute['Rules']>[number]
type RuleMatch = NonNullable<Rule['Matches']>[number]

function* ruleMatchProblems({ Method, Query, Headers, Path }: RuleMatch): Problems {
  if (Method !== '' && !isHttpMethod(Method)) {
    yield `Method contains an invalid method ${quoteGo(Method)}`
  }
  for (const [at, { Name, Match }] of (Query ?? []).entries()) {
    if (Name === '') yield `Query[${at}], missing required Name field`
    if (!['exact', 'present', 'regex'].includes(Match)) {
      yield `Query[${at}], match type should be one of present, exact, or regex`
    }
  }
  for (const [at, { Name, Match }] of (Headers ?? []).entries()) {
    if (Name === '') yield `Headers[${at}], missing required Name field`
    if (!['exact', 'prefix', 'regex', 'suffix', 'present'].includes(Match)) {
      yield `Headers[${at}], match type should be one of present, exact, prefix, suffix, or regex`
    }
  }
  if (['exact', 'prefix'].includes(Path.Match)) {
    if (!Path.Value.startsWith('/')) {
      yield `Path, ${Path.Match} type match doesn't start with '/': ${quoteGo(Path.Value)}`
    }
  } else if (Path.Match !== 'regex') {
    yield 'Path, match type should be one of exact, prefix, or regex'
  }
}

function* parentProblems(parents: HttpRoute['Parents']): Problems {
  const found = new Set<string>()
  for (const parent of parents ?? []) {
    if (parent.Kind !== 'api-gateway') {
      yield `unsupported parent kind: ${quoteGo(parent.Kind)}, must be 'api-gateway'`
    }
    const key = JSON.stringify(parent)
    if (found.has(key)) yield 'route parents must be unique'
    found.add(key)
  }
}

export function* httpRouteProblems(entry: HttpRoute): Problems {
  for (const host of entry.Hostnames ?? []) {
    if (!isDomainName(host)) yield `host ${quoteGo(host)} must be a valid DNS hostname`
    if (host.includes('*')) yield `host ${quoteGo(host)} must not be a wildcard`
  }
  yield* parentProblems(entry.Parents)
  yield* metaProblems(entry.Meta)
  for (const [at, { Matches }] of (entry.Rules ?? []).entries()) {
    for (const [index, match] of (Matches ?? []).entries()) {
      for (const problem of ruleMatchProblems(match)) {
        yield `Rule[${at}], Match[${index}], ${problem}`
      }
    }
  }
}

export function* tcpRouteProblems(entry: EntryMembers<'tcp-route'>): Problems {
  if ((entry.Services ?? []).length > 1) yield 'tcp-route currently only supports one service'
  yield* parentProblems(entry.Parents)
  yield* metaProblems(entry.Meta)
}
