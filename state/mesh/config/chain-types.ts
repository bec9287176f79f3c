import type { EntryKind, EntryMembers } from './entry-shapes.ts'

/** Function that returns an entry; undefined if there is none. */
export type FindEntry = <Kind extends EntryKind>(
  kind: Kind,
  namespace: string,
  name: string,
) => EntryMembers<Kind> | undefined

/** Values that replace those of entries in a chain. */
export interface ChainOverrides {
  readonly protocol: string
  /** Duration in nanoseconds; 0 for none. */
  readonly connectTimeout: number
  readonly meshGatewayMode: string
}

/** The service whose chain is compiled. */
export interface ChainRequest {
  readonly service: string
  readonly namespace: string
  readonly datacenter: string
  readonly trustDomain: string
  readonly overrides?: ChainOverrides
}

type Resolver = EntryMembers<'service-resolver'>
/** Splits of a service's traffic, as an entry holds them. */
type Splits = NonNullable<EntryMembers<'service-splitter'>['Splits']>
/** Routes of a service, as an entry holds them. */
export type Routes = NonNullable<EntryMembers<'service-router'>['Routes']>

/** Instances of a service to which a chain leads. */
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

/** Names that lead to a target; those that are left out have defaults. */
export type TargetNames = {
  -readonly [Name in 'Service' | 'ServiceSubset' | 'Namespace' | 'Datacenter' | 'Peer']?: string
}

/** A part of a chain: routes, splits, or the resolution of a service. */
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

/** A compiled chain. */
export interface DiscoveryChain {
  readonly protocol: string
  readonly startNode: string
  readonly nodes: ReadonlyMap<string, ChainNode>
  readonly targets: ReadonlyMap<string, ChainTarget>
  readonly isDefault: boolean
  /** Names of the overrides that changed the chain. */
  readonly customizedBy: ReadonlySet<string>
}

/** Returns the target that names stand for in a chain. */
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
