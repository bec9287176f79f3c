import type { Resource } from '../acl/rulebook.ts'
import {
  normalizedWeight,
  resolverProblems,
  routerProblems,
  splitterProblems,
} from './chain-problems.ts'
import { proxyDefaultsProblems, serviceDefaultsProblems } from './defaults-problems.ts'
import type { EntryKind, EntryMembers, EntryScope } from './entry-shapes.ts'
import {
  apiGatewayProblems,
  httpRouteProblems,
  ingressProblems,
  tcpRouteProblems,
  terminatingProblems,
} from './gateway-problems.ts'
import { intentionsProblems } from './intention-problems.ts'
import { normalizeIntentions } from './intention-sources.ts'
import { metaProblems, type Problems } from './problems.ts'
import {
  certificateProblems,
  exportsProblems,
  meshProblems,
  providerProblems,
} from './provider-problems.ts'

/** Rules of a kind of configuration entry (behaviour/mesh#config). */
interface KindRules<Kind extends EntryKind> {
  /** Resource to which a read requires access; undefined if no access is required. */
  readonly reads: Resource | undefined
  /** Resource to which a write requires access; undefined if clients cannot write such entries. */
  readonly writes: Resource | undefined
  /** True if entries of the kind exist only in the namespace `default`. */
  readonly isGlobal?: true
  normalize?(entry: EntryMembers<Kind>, scope: EntryScope): EntryMembers<Kind>
  problems(entry: EntryMembers<Kind>, scope: EntryScope): Problems
}

/**
 * Returns a copy of a reference, with the namespace of the entry if the reference has none. In the
 * community edition, references have no namespace and stay unchanged.
 */
function inNamespace<R extends { readonly Namespace?: string }>(
  reference: R,
  { namespace, isCommunity }: EntryScope,
): R {
  if (isCommunity || reference.Namespace !== undefined) return reference
  return { ...reference, Namespace: namespace }
}

const noStatus = { Conditions: null }

function withParents<E extends Pick<EntryMembers<'http-route'>, 'Parents' | 'Status'>>(
  entry: E,
  scope: EntryScope,
): E {
  const parents = entry.Parents?.map((parent) =>
    inNamespace({ ...parent, Kind: parent.Kind || 'api-gateway' }, scope),
  )
  return { ...entry, Parents: parents ?? null, Status: noStatus }
}

const upperCase = (methods: readonly string[]) => methods.map((method) => method.toUpperCase())

function normalizeRouter(
  entry: EntryMembers<'service-router'>,
  { namespace, isCommunity }: EntryScope,
): EntryMembers<'service-router'> {
  const routes = entry.Routes?.map((route) => {
    const { Match, Destination } = route
    if (Match?.HTTP === undefined) return route
    const { Methods } = Match.HTTP
    const http = { ...Match.HTTP, ...(Methods && { Methods: upperCase(Methods) }) }
    const destination =
      isCommunity || Destination === undefined
        ? Destination
        : { ...Destination, Namespace: Destination.Namespace ?? namespace }
    return { Match: { HTTP: http }, ...(destination && { Destination: destination }) }
  })
  return { ...entry, Routes: routes ?? null }
}

function normalizeIngress(
  entry: EntryMembers<'ingress-gateway'>,
  scope: EntryScope,
): EntryMembers<'ingress-gateway'> {
  const listeners = entry.Listeners?.map((listener) => ({
    ...listener,
    Protocol: (listener.Protocol || 'tcp').toLowerCase(),
    Services: listener.Services?.map((service) => inNamespace(service, scope)) ?? null,
  }))
  return { ...entry, Listeners: listeners ?? null }
}

function normalizeApiGateway(
  entry: EntryMembers<'api-gateway'>,
  scope: EntryScope,
): EntryMembers<'api-gateway'> {
  const listeners = entry.Listeners?.map((listener) => {
    const certificates = listener.TLS.Certificates?.map((certificate) =>
      inNamespace({ ...certificate, Kind: certificate.Kind || 'inline-certificate' }, scope),
    )
    const TLS = { ...listener.TLS, Certificates: certificates ?? null }
    return { ...listener, Protocol: listener.Protocol.toLowerCase(), TLS }
  })
  return { ...entry, Listeners: listeners ?? null, Status: noStatus }
}

function normalizeHttpRoute(
  entry: EntryMembers<'http-route'>,
  scope: EntryScope,
): EntryMembers<'http-route'> {
  const rules = entry.Rules?.map((rule) => {
    const matches = rule.Matches?.map((match) => ({
      ...match,
      Method: match.Method.toUpperCase(),
      Path: match.Path.Match === '' ? { Match: 'prefix', Value: '/' } : match.Path,
    }))
    const services = rule.Services?.map((service) =>
      inNamespace({ ...service, Weight: service.Weight <= 0 ? 1 : service.Weight }, scope),
    )
    return { ...rule, Matches: matches ?? null, Services: services ?? null }
  })
  return withParents({ ...entry, Rules: rules ?? null }, scope)
}

function normalizeServiceDefaults(
  entry: EntryMembers<'service-defaults'>,
  scope: EntryScope,
): EntryMembers<'service-defaults'> {
  const lowerCaseEntry = { ...entry, Protocol: entry.Protocol.toLowerCase() }
  const { UpstreamConfig } = entry
  if (UpstreamConfig === undefined) return lowerCaseEntry
  type Upstream = NonNullable<typeof UpstreamConfig.Defaults>
  const normalize = ({ ConnectTimeoutMs = 0, ...upstream }: Upstream): Upstream => ({
    ...upstream,
    ...(upstream.Protocol && { Protocol: upstream.Protocol.toLowerCase() }),
    ...(ConnectTimeoutMs > 0 && { ConnectTimeoutMs }),
  })
  const { Overrides, Defaults } = UpstreamConfig
  return {
    ...lowerCaseEntry,
    UpstreamConfig: {
      ...(Overrides && { Overrides: Overrides.map((each) => inNamespace(normalize(each), scope)) }),
      ...(Defaults && { Defaults: normalize(Defaults) }),
    },
  }
}

const writableWithMesh = { writes: 'mesh' } as const
const readableWithService = { reads: 'service' } as const
const serviceAccess = { ...readableWithService, writes: 'service' } as const
const meshAccess = { reads: 'mesh', ...writableWithMesh } as const

export const entryKinds: { readonly [Kind in EntryKind]: KindRules<Kind> } = {
  'service-defaults': {
    ...serviceAccess,
    normalize: normalizeServiceDefaults,
    problems: (entry, { isCommunity }) => serviceDefaultsProblems(entry, isCommunity),
  },
  'proxy-defaults': {
    reads: undefined,
    ...writableWithMesh,
    isGlobal: true,
    normalize: (entry) => ({ ...entry, Name: entry.Name || 'global' }),
    problems: (entry, { isCommunity }) => proxyDefaultsProblems(entry, isCommunity),
  },
  'service-router': { ...serviceAccess, normalize: normalizeRouter, problems: routerProblems },
  'service-splitter': {
    ...serviceAccess,
    normalize: (entry) => ({
      ...entry,
      Splits:
        entry.Splits?.map((split) => ({ ...split, Weight: normalizedWeight(split.Weight) })) ??
        null,
    }),
    problems: splitterProblems,
  },
  'service-resolver': {
    ...serviceAccess,
    problems: (entry, { isCommunity }) => resolverProblems(entry, isCommunity),
  },
  'ingress-gateway': {
    ...readableWithService,
    ...writableWithMesh,
    normalize: normalizeIngress,
    problems: ingressProblems,
  },
  'terminating-gateway': {
    ...readableWithService,
    ...writableWithMesh,
    normalize: (entry, scope) => ({
      ...entry,
      Services: entry.Services?.map((service) => inNamespace(service, scope)) ?? null,
    }),
    problems: terminatingProblems,
  },
  'service-intentions': {
    reads: 'intention',
    writes: 'intention',
    normalize: (entry, scope) => normalizeIntentions(entry, scope, false),
    problems: (entry, { namespace, isCommunity }) =>
      intentionsProblems(entry, namespace, isCommunity),
  },
  mesh: { reads: undefined, ...writableWithMesh, isGlobal: true, problems: meshProblems },
  'exported-services': {
    ...meshAccess,
    isGlobal: true,
    normalize: (entry, { isCommunity }) => {
      if (entry.Services === undefined) return entry
      const services = entry.Services.map(({ Name, Namespace, ...rest }) => ({
        Name,
        ...(!isCommunity && { Namespace: Namespace || 'default' }),
        ...rest,
      }))
      return { ...entry, Services: services }
    },
    problems: (entry, { isCommunity }) => exportsProblems(entry, isCommunity),
  },
  'sameness-group': {
    reads: undefined,
    ...writableWithMesh,
    isGlobal: true,
    *problems(entry, { isCommunity }) {
      if (isCommunity) yield 'sameness-groups are an enterprise-only feature'
      if (entry.Name === '') yield 'Name is required'
      yield* metaProblems(entry.Meta)
    },
  },
  'api-gateway': {
    ...readableWithService,
    ...writableWithMesh,
    isGlobal: true,
    normalize: normalizeApiGateway,
    problems: apiGatewayProblems,
  },
  'bound-api-gateway': {
    ...readableWithService,
    writes: undefined,
    isGlobal: true,
    problems: (entry) => metaProblems(entry.Meta),
  },
  'http-route': {
    ...meshAccess,
    isGlobal: true,
    normalize: normalizeHttpRoute,
    problems: httpRouteProblems,
  },
  'tcp-route': {
    ...meshAccess,
    isGlobal: true,
    normalize: (entry, scope) => {
      const services = entry.Services?.map((service) => inNamespace(service, scope)) ?? null
      return withParents({ ...entry, Services: services }, scope)
    },
    problems: tcpRouteProblems,
  },
  'file-system-certificate': {
    ...meshAccess,
    isGlobal: true,
    problems: (entry) => metaProblems(entry.Meta),
  },
  'inline-certificate': { ...meshAccess, isGlobal: true, problems: certificateProblems },
  'jwt-provider': {
    ...meshAccess,
    isGlobal: true,
    normalize: (entry) => ({ ...entry, ClockSkewSeconds: entry.ClockSkewSeconds || 30 }),
    problems: providerProblems,
  },
}
