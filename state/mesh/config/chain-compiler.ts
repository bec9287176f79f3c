import { formatGoDuration, parseGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { refuse } from '../messages.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { dropUnused, flattenSplitters, refuseCycles } from './chain-graph.ts'
import {
  type ChainNode,
  type ChainOverrides,
  type ChainRequest,
  type ChainTarget,
  type DiscoveryChain,
  type FindEntry,
  newTarget,
  type Routes,
  type TargetNames,
} from './chain-types.ts'
import type { EntryMembers } from './entry-shapes.ts'
import { isHttpLike } from './problems.ts'

type Resolver = EntryMembers<'service-resolver'>

const defaultTimeout = 5 * SECOND
const keyOf = ({ Type, Name }: ChainNode) => `${Type}:${Name}`
const isHashBased = (policy = '') => policy === 'maglev' || policy === 'ring_hash'

/** Formats a service for messages, with its namespace unless that is `default`. */
export function formatServiceName(namespace: string, name: string): string {
  return namespaceKey(namespace) === defaultNamespace ? name : `${namespace}/${name}`
}

/**
 * Compiles the configuration entries of a service to its discovery chain
 * (behaviour/mesh#discovery-chain). Throws a refusal for entries that contradict each other.
 */
export function compileChain(find: FindEntry, request: ChainRequest): DiscoveryChain {
  return new ChainCompiler(find, request).compile()
}

class ChainCompiler {
  readonly #find: FindEntry
  readonly #request: ChainRequest
  readonly #overrides: ChainOverrides
  readonly #isAdvancedDisabled: boolean
  readonly #nodes = new Map<string, ChainNode>()
  readonly #loadedTargets = new Map<string, ChainTarget>()
  readonly #retainedTargets = new Set<string>()
  readonly #customizedBy = new Set<string>()
  #protocol = ''
  #usesAdvanced = false

  constructor(find: FindEntry, request: ChainRequest) {
    this.#find = find
    this.#request = request
    this.#overrides = request.overrides ?? { protocol: '', connectTimeout: 0, meshGatewayMode: '' }
    const { protocol } = this.#overrides
    this.#isAdvancedDisabled = protocol !== '' && !isHttpLike(protocol)
  }

  compile(): DiscoveryChain {
    const { service } = this.#request
    const startNode = this.#addStartNode()
    refuseCycles(this.#nodes, startNode, [])
    flattenSplitters(this.#nodes)
    dropUnused(this.#nodes, startNode)
    if (!isHttpLike(this.#protocol) && this.#usesAdvanced) {
      this.#refuse(
        `discovery chain ${quoteGo(service)} uses a protocol ${quoteGo(this.#protocol)} that does not permit advanced routing or splitting behavior`,
      )
    }
    const { protocol } = this.#overrides
    if (protocol !== '' && protocol !== this.#protocol) {
      this.#protocol = protocol
      this.#customizedBy.add('protocol')
    }
    const targets = new Map(
      [...this.#loadedTargets].filter(([id]) => this.#retainedTargets.has(id)),
    )
    const isDefault = this.#isDefault(startNode, targets)
    const { size } = this.#customizedBy
    return {
      protocol: this.#protocol,
      startNode,
      nodes: this.#nodes,
      targets,
      isDefault,
      customizedBy: size === 0 ? new Set() : this.#customizedBy,
    }
  }

  #refuse(problem: string): never {
    throw refuse('entry-invalid', { problem })
  }

  #isDefault(startNode: string, targets: ReadonlyMap<string, ChainTarget>): boolean {
    const resolver = this.#nodes.get(startNode)?.Resolver
    const target = targets.get(resolver?.Target ?? '')
    const { service, namespace } = this.#request
    const isOwn = target?.Service === service && target.Namespace === namespace
    return resolver?.Default === true && isOwn
  }

  #recordProtocol(service: string, namespace: string): void {
    const defaults = this.#find('service-defaults', namespace, service)
    const { Config = null } = this.#find('proxy-defaults', 'default', 'global') ?? {}
    const proxyProtocol = typeof Config?.['protocol'] === 'string' ? Config['protocol'] : ''
    const protocol = (defaults?.Protocol ?? proxyProtocol).toLowerCase() || 'tcp'
    if (this.#protocol === '') this.#protocol = protocol
    if (this.#protocol === protocol) return
    this.#refuse(
      `discovery chain ${quoteGo(this.#request.service)} uses inconsistent protocols; service ${quoteGo(formatServiceName(namespace, service))} has ${quoteGo(protocol)} which is not ${quoteGo(this.#protocol)}`,
    )
  }

  /**
   * Returns a router or splitter. Returns undefined if there is none, or if the protocol in the
   * overrides is not based on HTTP and therefore excludes both kinds. In the latter case, records
   * that the override changed the chain.
   */
  #findAdvancedEntry<Kind extends 'service-router' | 'service-splitter'>(
    kind: Kind,
    namespace: string,
    service: string,
  ): EntryMembers<Kind> | undefined {
    const entry = this.#find(kind, namespace, service)
    if (entry === undefined || !this.#isAdvancedDisabled) return entry
    this.#customizedBy.add('protocol')
    return undefined
  }

  #addStartNode(): string {
    const { service, namespace } = this.#request
    const router = this.#findAdvancedEntry('service-router', namespace, service)
    if (router === undefined) return keyOf(this.#addSplitterOrResolver({ Service: service }))
    const name = `${service}.${namespace}.default`
    const routes: NonNullable<ChainNode['Routes']> = []
    const node: ChainNode = { Type: 'router', Name: name, Routes: routes }
    this.#usesAdvanced = true
    this.#recordProtocol(service, namespace)
    const last: Routes[number] = {
      Match: { HTTP: { PathPrefix: '/' } },
      Destination: { Service: service, Namespace: namespace, Partition: 'default' },
    }
    for (const Definition of [...(router.Routes ?? []), last]) {
      const { Service, ServiceSubset, Namespace } = Definition.Destination ?? {}
      const target = { Service: Service || service, Namespace: Namespace || namespace }
      const next = ServiceSubset
        ? this.#addResolver(this.#loadTarget({ ...target, ServiceSubset }), false)
        : this.#addSplitterOrResolver(target)
      routes.push({ Definition, NextNode: keyOf(next) })
    }
    this.#nodes.set(keyOf(node), node)
    return keyOf(node)
  }

  #addSplitterOrResolver(names: TargetNames): ChainNode {
    const target = this.#loadTarget(names)
    return this.#addSplitter(target.Service, target.Namespace) ?? this.#addResolver(target, false)
  }

  #loadTarget(names: TargetNames): ChainTarget {
    const target = newTarget(this.#request, names)
    const known = this.#loadedTargets.get(target.ID)
    if (known !== undefined) return known
    this.#loadedTargets.set(target.ID, target)
    return target
  }

  #rewriteTarget(target: ChainTarget, names: TargetNames): ChainTarget {
    const { Service, ServiceSubset = '', Namespace, Datacenter = '' } = target
    const isOther = names.Service !== undefined && names.Service !== Service
    return this.#loadTarget({
      Service: names.Service ?? Service,
      ServiceSubset: names.ServiceSubset ?? (isOther ? '' : ServiceSubset),
      Namespace: names.Peer ? (names.Namespace ?? '') : (names.Namespace ?? Namespace),
      Datacenter: names.Datacenter ?? Datacenter,
      // Unlike the other members, the peer is not copied from the target. The default subset of a
      // peer's service therefore leads to instances of this cluster.
      Peer: names.Peer ?? '',
    })
  }

  #addSplitter(service: string, namespace: string): ChainNode | undefined {
    const Name = `${service}.${namespace}.default`
    const known = this.#nodes.get(`splitter:${Name}`)
    if (known !== undefined) return known
    const splitter = this.#findAdvancedEntry('service-splitter', namespace, service)
    if (splitter === undefined) return undefined
    const splits: NonNullable<ChainNode['Splits']> = []
    const node: ChainNode = { Type: 'splitter', Name, Splits: splits }
    this.#nodes.set(keyOf(node), node)
    for (const Definition of splitter.Splits ?? []) {
      const { Weight, Service = service, ServiceSubset = '', Namespace = namespace } = Definition
      const isOwn = Service === service && Namespace === namespace
      const next =
        (isOwn || ServiceSubset ? undefined : this.#addSplitter(Service, Namespace)) ??
        this.#addResolver(this.#loadTarget({ Service, ServiceSubset, Namespace }), false)
      splits.push({ Definition, Weight, NextNode: keyOf(next) })
      if (node.LoadBalancer === undefined && isHashBased(next.LoadBalancer?.Policy)) {
        Object.assign(node, { LoadBalancer: next.LoadBalancer })
      }
    }
    this.#usesAdvanced = true
    return node
  }

  #addResolver(first: ChainTarget, isFailover: boolean): ChainNode {
    const history: string[] = []
    let target = first
    for (;;) {
      const known = this.#nodes.get(`resolver:${target.ID}`)
      if (known !== undefined) return known
      if (target.Peer === undefined) this.#recordProtocol(target.Service, target.Namespace)
      const resolver = this.#find('service-resolver', target.Namespace, target.Service)
      const isSeen = history.includes(target.ID)
      history.push(target.ID)
      if (isSeen) {
        this.#refuse(`detected circular resolver redirect: [${history.join(' -> ')}]`)
      }
      const { Redirect, DefaultSubset } = resolver ?? {}
      const redirectTarget =
        Redirect === undefined || Redirect.SamenessGroup
          ? target
          : this.#rewriteTarget(target, Redirect)
      if (redirectTarget.ID !== target.ID) {
        target = redirectTarget
      } else if (target.ServiceSubset === undefined && DefaultSubset) {
        target = this.#rewriteTarget(target, { ServiceSubset: DefaultSubset })
      } else {
        return this.#addResolverNode(target, resolver, isFailover)
      }
    }
  }

  #addResolverNode(
    target: ChainTarget,
    resolver: Resolver | undefined,
    isFailover: boolean,
  ): ChainNode {
    const { ServiceSubset: subset = '', Service } = target
    const { Subsets = {}, ConnectTimeout = '', RequestTimeout, LoadBalancer } = resolver ?? {}
    if (subset !== '' && !Object.hasOwn(Subsets, subset)) {
      this.#refuse(`service ${quoteGo(Service)} does not have a subset named ${quoteGo(subset)}`)
    }
    target.ConnectTimeout = this.#connectTimeout(ConnectTimeout)
    target.Subset = Subsets[subset] ?? {}
    this.#addDefaults(target, resolver)
    this.#retainedTargets.add(target.ID)
    const node: ChainNode = {
      Type: 'resolver',
      Name: target.ID,
      Resolver: {
        ConnectTimeout: target.ConnectTimeout,
        ...(isDefaultResolver(resolver) && { Default: true as const }),
        ...(RequestTimeout && { RequestTimeout: parseGoDuration(RequestTimeout) }),
        Target: target.ID,
      },
      ...(LoadBalancer && { LoadBalancer }),
    }
    if (isFailover) return node
    this.#nodes.set(keyOf(node), node)
    const failover = resolver?.Failover?.[subset] ?? resolver?.Failover?.['*']
    if (failover !== undefined && node.Resolver !== undefined) {
      const { Datacenters = [], Targets = [], Policy, ...names } = failover
      const places: readonly TargetNames[] =
        Datacenters.length > 0
          ? Datacenters.map((Datacenter) => ({ ...names, Datacenter }))
          : Targets.length > 0
            ? Targets
            : [names]
      const others = places.map((location) => this.#rewriteTarget(target, location))
      const failoverTargets = others
        .filter(({ ID }) => ID !== target.ID)
        .map((other) => this.#addResolver(other, true).Resolver?.Target ?? '')
      if (failoverTargets.length > 0) {
        node.Resolver.Failover = { Targets: failoverTargets, ...(Policy && { Policy }) }
      }
    }
    return node
  }

  #connectTimeout(sent: string): string {
    const configuredTimeout = sent === '' ? defaultTimeout : parseGoDuration(sent)
    const { connectTimeout } = this.#overrides
    if (connectTimeout <= 0 || connectTimeout === configuredTimeout)
      return formatGoDuration(configuredTimeout)
    this.#customizedBy.add('connectTimeout')
    return formatGoDuration(connectTimeout)
  }

  /**
   * Adds settings to a target: those of the service in `service-defaults`, and those of all proxies
   * in `proxy-defaults`. Throws a refusal if the service is external and its resolver has
   * redirects, subsets or failover.
   */
  #addDefaults(target: ChainTarget, resolver: Resolver | undefined): void {
    const defaults = this.#find('service-defaults', target.Namespace, target.Service)
    if (defaults?.ExternalSNI) {
      target.SNI = defaults.ExternalSNI
      target.External = true
      const kinds = [
        ['redirects', resolver?.Redirect],
        ['subsets', resolver?.Subsets],
        ['failover', resolver?.Failover],
      ] as const
      for (const [what, value] of kinds) {
        if (value === undefined || Object.keys(value).length === 0) continue
        this.#refuse(
          `service ${quoteGo(target.Service)} has an external SNI set; cannot define ${what} for external services`,
        )
      }
      return
    }
    const proxyDefaults = this.#find('proxy-defaults', 'default', 'global')
    const mode = defaults?.MeshGateway.Mode || proxyDefaults?.MeshGateway.Mode || ''
    const isDirect =
      defaults?.TransparentProxy.DialedDirectly ?? proxyDefaults?.TransparentProxy.DialedDirectly
    const { meshGatewayMode } = this.#overrides
    if (meshGatewayMode !== '' && meshGatewayMode !== mode) this.#customizedBy.add('meshGateway')
    const Mode = meshGatewayMode || mode
    if (Mode !== '') target.MeshGateway = { Mode }
    if (isDirect) target.TransparentProxy = { DialedDirectly: true }
  }
}

/**
 * Returns whether a resolver is missing or has only empty members apart from its kind, name and
 * metadata.
 */
function isDefaultResolver(resolver: Resolver | undefined): boolean {
  if (resolver === undefined) return true
  const { Kind: _, Name: __, Meta: ___, ...rest } = resolver
  return Object.values(rest).every(
    (value) => !value || (typeof value === 'object' && Object.keys(value).length === 0),
  )
}
