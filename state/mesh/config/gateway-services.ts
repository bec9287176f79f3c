import { greatest, least } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serviceIndex } from '../catalog/catalog-indexes.ts'
import { findInstances, type InstanceList, instancesOf } from '../catalog/reads.ts'
import { type CatalogService, catalogServices, nameKey } from '../catalog/tables.ts'
import { trustDomainOf } from '../connect/trust-domain.ts'
import { indexOf } from '../indexes.ts'
import type { ServiceName } from '../intentions/intentions.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { compileChain } from './chain-compiler.ts'
import { configEntry, entryFinder, gatewayDataKind } from './entries.ts'
import { type ConfigEntry, configEntries } from './tables.ts'

type GatewayKind = 'ingress-gateway' | 'terminating-gateway'

/** Settings of a gateway for a service. The name of the service may be the wildcard `*`. */
interface GatewayLink {
  readonly service: ServiceName
  readonly port: number
  readonly protocol: string
  readonly hosts: readonly string[]
  readonly tls: Readonly<Record<string, string | undefined>>
  readonly autoHostRewrite: boolean
}

/** A service that a gateway leads to (behaviour/mesh#catalog). */
export interface GatewayService extends GatewayLink {
  readonly gateway: ServiceName
  readonly gatewayKind: GatewayKind
  readonly fromWildcard: boolean
  /**
   * Kind that the product records for the service; empty while the product does not know the kind.
   */
  readonly serviceKind: '' | 'service' | 'destination'
  readonly createIndex: number
  readonly modifyIndex: number
}

type GatewayEntry = ConfigEntry<'ingress-gateway'> | ConfigEntry<'terminating-gateway'>

function linksOf(entry: GatewayEntry): readonly GatewayLink[] {
  if (entry.kind === 'ingress-gateway') {
    return (entry.members.Listeners ?? []).flatMap(({ Port, Protocol, Services }) =>
      (Services ?? []).map(({ Name, Namespace, Hosts }) => ({
        service: { namespace: Namespace ?? entry.namespace, name: Name },
        port: Port,
        protocol: Protocol,
        hosts: Hosts ?? [],
        tls: {},
        autoHostRewrite: false,
      })),
    )
  }
  return (entry.members.Services ?? []).map(
    ({ Name = '', Namespace, DisableAutoHostRewrite, CAFile, CertFile, KeyFile, SNI }) => ({
      service: { namespace: Namespace ?? entry.namespace, name: Name },
      port: 0,
      protocol: '',
      hosts: [],
      tls: { CAFile, CertFile, KeyFile, SNI },
      autoHostRewrite: DisableAutoHostRewrite !== true,
    }),
  )
}

function isDestination(world: World, { namespace, name }: ServiceName): boolean {
  return configEntry(world, 'service-defaults', namespace, name)?.members.Destination !== undefined
}

/**
 * Returns the names of the services and destinations that the wildcard of a gateway matches in a
 * namespace.
 */
function coveredNames(world: World, kind: GatewayKind, namespace: string): readonly string[] {
  const scope = namespaceKey(namespace)
  const services = [...world.table(catalogServices).rows()].filter(
    (service) =>
      namespaceKey(service.namespace) === scope && service.kind === '' && service.name !== '',
  )
  const isCovered =
    kind === 'ingress-gateway'
      ? ({ name }: CatalogService) =>
          instancesOf(world, 'byDestination', namespace, name).length > 0
      : ({ connect }: CatalogService) => connect['Native'] !== true
  const destinations = [...world.table(configEntries).rows(`service-defaults/${scope}/`)].filter(
    ({ name }) => isDestination(world, { namespace, name }),
  )
  return [...services.filter(isCovered), ...destinations].map(({ name }) => name)
}

/**
 * Builds the record that links a gateway to a service. The product writes such records when the
 * entry or an instance changes, so the kind and the indexes depend on the order of these writes.
 */
function recordOf(
  world: World,
  entry: GatewayEntry,
  link: GatewayLink,
  fromWildcard: boolean,
): GatewayService {
  const { namespace, name } = link.service
  const instances = instancesOf(world, 'byName', namespace, name)
  const writtenAt = entry.modify_index
  const laterIndexes = instances
    .filter(({ kind }) => kind === '')
    .map(({ modify_index }) => modify_index)
    .filter((index) => index > writtenAt)
  const looksUpKind = entry.kind === 'terminating-gateway' && !fromWildcard
  const isService = laterIndexes.length > 0 || (looksUpKind && instances.length > 0)
  const mayBeDestination = looksUpKind || (fromWildcard && instances.length === 0)
  const others = mayBeDestination && isDestination(world, link.service) ? 'destination' : ''
  const modifyIndex = laterIndexes.length > 0 ? least(laterIndexes) : writtenAt
  const hadInstances = instances.some(({ create_index }) => create_index <= writtenAt)
  return {
    ...link,
    gateway: { namespace: entry.namespace, name: entry.name },
    gatewayKind: entry.kind,
    fromWildcard,
    serviceKind: isService ? 'service' : others,
    createIndex: fromWildcard && !hadInstances ? modifyIndex : writtenAt,
    modifyIndex,
  }
}

/**
 * Returns the services of a gateway, ordered by name, namespace and port. A link that names a
 * service overrides the wildcard.
 */
function recordsOfEntry(world: World, entry: GatewayEntry): readonly GatewayService[] {
  const records = new Map<string, GatewayService>()
  const links = linksOf(entry)
  const isWildcard = ({ service }: GatewayLink) => service.name === '*'
  const add = (link: GatewayLink, fromWildcard: boolean) => {
    const { namespace, name } = link.service
    const record = recordOf(world, entry, link, fromWildcard)
    records.set(`${namespaceKey(namespace)}/${name}/${link.port}`, record)
  }
  for (const link of links.filter(isWildcard)) {
    const { namespace } = link.service
    for (const name of coveredNames(world, entry.kind, namespace)) {
      add({ ...link, service: { namespace, name } }, true)
    }
  }
  for (const link of links) if (!isWildcard(link)) add(link, false)
  const rank = ({ service }: GatewayService) =>
    `${service.name}\0${namespaceKey(service.namespace)}`
  return [...records.values()].sort((a, b) =>
    rank(a) === rank(b) ? a.port - b.port : rank(a) < rank(b) ? -1 : 1,
  )
}

/**
 * Returns whether a service that a wildcard matches has the protocol of the listener to which the
 * wildcard belongs.
 */
function fitsProtocol(world: World, { service, protocol }: GatewayService): boolean {
  const { namespace, name } = service
  const { datacenter } = optionsOf(world)
  const request = { service: name, namespace, datacenter, trustDomain: trustDomainOf(world) }
  return compileChain(entryFinder(world), request).protocol === protocol
}

/**
 * Returns the services of a gateway with the index of the read. A service that the wildcard of an
 * ingress gateway matches is returned only if it has the listener's protocol. A gateway without an
 * entry has no services.
 */
export function servicesOfGateway(world: World, { namespace, name }: ServiceName) {
  const entry =
    configEntry(world, 'ingress-gateway', namespace, name) ??
    configEntry(world, 'terminating-gateway', namespace, name)
  const records = entry === undefined ? [] : recordsOfEntry(world, entry)
  const services = records.filter(
    (record) =>
      record.gatewayKind === 'terminating-gateway' ||
      !record.fromWildcard ||
      fitsProtocol(world, record),
  )
  const removals =
    entry === undefined
      ? []
      : linksOf(entry)
          .filter(({ service }) => service.name === '*')
          .map(({ service }) => serviceIndex(world, service.namespace, '*', false, false))
  const changes = world.unobserved(() => indexOf(world, gatewayDataKind))
  return {
    index: greatest([1, changes, ...removals, ...records.map(({ modifyIndex }) => modifyIndex)]),
    services,
  }
}

/**
 * Returns the instances of the ingress gateways that lead to a service, with the index of the read.
 */
export function ingressInstances(world: World, { namespace, name }: ServiceName): InstanceList {
  // The cast is safe: the rows under the prefix of a kind are entries of this kind.
  const entries = [
    ...world.table(configEntries).rows('ingress-gateway/'),
  ] as unknown as readonly ConfigEntry<'ingress-gateway'>[]
  const records = entries
    .flatMap((entry) => recordsOfEntry(world, entry))
    .filter(
      ({ service }) =>
        service.name === name && namespaceKey(service.namespace) === namespaceKey(namespace),
    )
  const gateways = new Map(
    records.map(({ gateway }) => [nameKey(gateway.namespace, gateway.name), gateway]),
  )
  const lists = [...gateways.values()].map((gateway) =>
    findInstances(world, 'byName', gateway.namespace, gateway.name, true),
  )
  const indexes = [
    ...records.map(({ modifyIndex }) => modifyIndex),
    ...lists.map(({ index }) => index),
  ]
  return {
    index: greatest([1, ...indexes]),
    instances: lists.flatMap(({ instances }) => instances),
  }
}
