import type { EntryKind, EntryMembers } from './entry-shapes.ts'

/**
 * Function that looks up the members of a configuration entry; returns undefined if there is none.
 */
export type FindEntry = <Kind extends EntryKind>(
  kind: Kind,
  namespace: string,
  name: string,
) => EntryMembers<Kind> | undefined

/**
 * Values that a request sends to override those of the entries; an empty string overrides nothing.
 */
export interface ChainOverrides {
  readonly protocol: string
  /** Timeout in nanoseconds; 0 overrides nothing. */
  readonly connectTimeout: number
  readonly meshGatewayMode: string
}

/** The service whose chain is compiled, with the other inputs of the compilation. */
export interface ChainRequest {
  readonly service: string
  readonly namespace: string
  readonly datacenter: string
  readonly trustDomain: string
  readonly overrides?: ChainOverrides
}

type Resolver = EntryMembers<'service-resolver'>
type Splits = NonNullable<EntryMembers<'service-splitter'>['Splits']>
export type Routes = NonNullable<EntryMembers<'service-router'>['Routes']>

/** A set of instances of one service, to which a chain leads. */
export interface ChainTarget {
  ConnectTimeout?: string
  readonly ID: string
  readonly Service: string
  readonly ServiceSubset?: string
  readonly Namespace: string
  readonly Partition: string
  readonly Datacenter?: string
  readonly Peer?: string
  MeshGateway: { readonly Mode?: string }
  Subset: object
  TransparentProxy: { readonly DialedDirectly?: boolean }
  External?: true
  SNI?: string
  Name?: string
}

/** Members that identify a target. Missing members have defaults. */
export type TargetNames = {
  -readonly [Name in 'Service' | 'ServiceSubset' | 'Namespace' | 'Datacenter' | 'Peer']?: string
}

/** A node of a chain. The type determines whether it has routes, splits or a resolver. */
export interface ChainNode {
  readonly Type: 'router' | 'splitter' | 'resolver'
  readonly Name: string
  readonly Routes?: { readonly Definition: Routes[number]; readonly NextNode: string }[]
  Splits?: { readonly Definition: Splits[number]; Weight: number; readonly NextNode: string }[]
  readonly Resolver?: {
    readonly ConnectTimeout: string
    readonly Default?: true
    readonly RequestTimeout?: number
    readonly Target: string
    Failover?: { readonly Targets: readonly string[]; readonly Policy?: object }
  }
  LoadBalancer?: NonNullable<Resolver['LoadBalancer']>
}

/** A compiled discovery chain: the graph that leads from a service to instances. */
export interface DiscoveryChain {
  readonly protocol: string
  readonly startNode: string
  readonly nodes: ReadonlyMap<string, ChainNode>
  readonly targets: ReadonlyMap<string, ChainTarget>
  readonly isDefault: boolean
  /** Names of the overrides that changed the chain. */
  readonly customizedBy: ReadonlySet<string>
}

/**
 * Builds a target from the members that identify it and the defaults of the request. A target of a
 * peer has no datacenter.
 */
export function newTarget(
  { namespace, datacenter, trustDomain }: ChainRequest,
  names: TargetNames,
): ChainTarget {
  const { Service = '', ServiceSubset = '', Peer = '' } = names
  const Namespace = names.Namespace || (Peer ? 'default' : namespace)
  const Datacenter = Peer ? '' : names.Datacenter || datacenter
  const start = [...(ServiceSubset && !Peer ? [ServiceSubset] : []), Service, Namespace]
  const id = [...start, 'default', ...(Peer ? ['external', Peer] : [Datacenter])].join('.')
  const sni = [...start, Datacenter, 'internal', trustDomain].join('.')
  return {
    ID: id,
    Service,
    ...(ServiceSubset && { ServiceSubset }),
    Namespace,
    Partition: 'default',
    ...(Datacenter && { Datacenter }),
    ...(Peer && { Peer }),
    MeshGateway: {},
    Subset: {},
    TransparentProxy: {},
    ...(!Peer && { SNI: sni, Name: sni }),
  }
}
