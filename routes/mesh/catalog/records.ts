import type { Row } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type {
  CatalogCheck,
  CatalogNode,
  CatalogService,
} from '../../../state/mesh/catalog/tables.ts'
import { virtualTag } from '../../../state/mesh/catalog/virtual-addresses.ts'
import { isCommunity, optionsOf } from '../../../state/mesh/options.ts'
import { type MeshDialect, meshDialect } from '../dialect.ts'

/** A rendered object of the catalog, as an object for filters and as JSON for replies. */
interface RenderedRecord {
  readonly record: Readonly<Record<string, unknown>>
  readonly json: string
}

/**
 * Converts the name or ID of a service in a request to the stored form, which is empty for the
 * server's own service.
 */
export function storedName({ product }: MeshDialect, name: string): string {
  return name === product ? '' : name
}

/**
 * Returns a record with null instead of empty lists and maps in the given members. Most reads of
 * the product show an empty list or map, but some show the null that the product stores.
 */
export function withNulls(
  record: Readonly<Record<string, unknown>>,
  ...members: readonly string[]
): Readonly<Record<string, unknown>> {
  const isEmpty = (name: string) => Object.keys(Object(record[name])).length === 0
  const empty = members.filter(isEmpty).map((name) => [name, null])
  return empty.length === 0 ? record : { ...record, ...Object.fromEntries(empty) }
}

/**
 * Returns the name or ID of a service as replies show it. The server's own service is stored with
 * an empty name and shown under the product's name.
 */
export function shownName({ product }: MeshDialect, name: string): string {
  return name === '' ? product : name
}

type Tenancy = (namespace: string) => Readonly<Record<string, string>>

/**
 * Returns a function that renders the namespace and the partition of an object. The community
 * edition has neither. The partition is rendered only in the vendor dialect.
 */
export function tenancyOf(world: World, { showsPartition }: MeshDialect): Tenancy {
  if (isCommunity(world)) return () => ({})
  if (!showsPartition) return (namespace) => ({ Namespace: namespace })
  return (namespace) => ({ Namespace: namespace, Partition: 'default' })
}

/** Returns the members that are not undefined, 0, an empty string, or an empty list or map. */
export function withoutEmpty(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === '' ||
    value === 0 ||
    value === undefined ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))
}

const indexMembers = ({
  create_index,
  modify_index,
}: CatalogNode | CatalogService | CatalogCheck) => ({
  CreateIndex: create_index,
  ModifyIndex: modify_index,
})

/**
 * Renders the proxy of a service. Adds empty values for `Mode`, `MeshGateway` and `Expose` if the
 * proxy lacks these members.
 */
function proxyRecord({ proxy }: Pick<CatalogService, 'proxy'>) {
  return { ...proxy, ...{ Mode: '', MeshGateway: {}, Expose: {} }, ...proxy }
}

/** Renders tagged addresses, and names the virtual address after the dialect's product. */
function shownAddresses(
  { product }: MeshDialect,
  addresses: CatalogService['tagged_addresses'],
): CatalogService['tagged_addresses'] {
  const { [virtualTag]: virtualAddress, ...others } = addresses
  return virtualAddress === undefined
    ? addresses
    : { ...others, [`${product}-virtual`]: virtualAddress }
}

/** Renders the first members of a service, in the order of the reference. */
function leadingServiceMembers(service: CatalogService, dialect: MeshDialect) {
  const { id, name, tags, address, tagged_addresses, meta, port } = service
  return {
    ...withoutEmpty({ Kind: service.kind }),
    ID: shownName(dialect, id),
    Service: shownName(dialect, name),
    Tags: tags,
    Address: address,
    ...withoutEmpty({ TaggedAddresses: shownAddresses(dialect, tagged_addresses) }),
    Meta: meta,
    ...withoutEmpty({ Port: port, SocketPath: service.socket_path }),
  }
}

/**
 * Returns the rendering functions for one dialect and edition. Callers cache the results with the
 * rows.
 */
function renderersFor(dialect: MeshDialect, tenancy: Tenancy) {
  const metaKey = (key: string) =>
    key === 'mesh-network-segment' || key === 'mesh-version'
      ? key.replace('mesh', dialect.product)
      : key
  return {
    node: withJson(({ meta, ...row }: CatalogNode) => ({
      ID: row.id,
      Node: row.node,
      Address: row.address,
      TaggedAddresses: row.tagged_addresses,
      Meta:
        meta &&
        Object.fromEntries(Object.entries(meta).map(([key, value]) => [metaKey(key), value])),
      ...withoutEmpty({ Locality: row.locality }),
      ...indexMembers({ ...row, meta }),
    })),
    service: withJson((row: CatalogService) => ({
      ...leadingServiceMembers(row, dialect),
      Weights: row.weights,
      EnableTagOverride: row.enable_tag_override,
      Proxy: proxyRecord(row),
      Connect: row.connect,
      PeerName: '',
      ...withoutEmpty({ Locality: row.locality }),
      ...tenancy(row.namespace),
      ...indexMembers(row),
    })),
    check: withJson((row: CatalogCheck) => ({
      Node: row.node,
      CheckID: row.check_id,
      Name: row.name,
      Status: row.status,
      Notes: row.notes,
      Output: row.output,
      ServiceID: row.service_id,
      ServiceName: row.service_name,
      ServiceTags: row.service_tags,
      Type: row.type,
      Interval: row.interval,
      Timeout: row.timeout,
      ExposedPort: 0,
      Definition: row.definition,
      ...tenancy(row.namespace),
      ...indexMembers(row),
    })),
  }
}

function withJson<R extends Row>(render: (row: R) => Readonly<Record<string, unknown>>) {
  return (row: R): RenderedRecord => {
    const record = render(row)
    return { record, json: JSON.stringify(record) }
  }
}

const noTenancy: Tenancy = () => ({})

type Renderers = ReturnType<typeof renderersFor>

const renderers: Readonly<
  Record<MeshDialect['name'], Readonly<Record<'enterprise' | 'community', Renderers>>>
> = {
  neutral: {
    enterprise: renderersFor(meshDialect('neutral'), (Namespace) => ({ Namespace })),
    community: renderersFor(meshDialect('neutral'), noTenancy),
  },
  vendor: {
    enterprise: renderersFor(meshDialect('vendor'), (Namespace) => ({
      Namespace,
      Partition: 'default',
    })),
    community: renderersFor(meshDialect('vendor'), noTenancy),
  },
}

/** Functions that render the rows of a world's catalog, with a cache. */
export interface CatalogRecords {
  node(row: CatalogNode): RenderedRecord
  service(row: CatalogService): RenderedRecord
  check(row: CatalogCheck): RenderedRecord
}

/**
 * Returns the functions that render the catalog in a dialect, for the world's edition and
 * datacenter.
 */
export function recordsOf(world: World, { name }: MeshDialect): CatalogRecords {
  const { node, service, check } = renderers[name][optionsOf(world).edition]
  const { datacenter } = optionsOf(world)
  const rendered = new Map<CatalogNode, RenderedRecord>()
  return {
    node(row) {
      const known = rendered.get(row)
      if (known !== undefined) return known
      // The datacenter is an option of the world, so it is not part of the cached object.
      const { ID, Node, Address, ...rest } = world.derived(row, node).record
      const record = { ID, Node, Address, Datacenter: datacenter, ...rest }
      const result = { record, json: JSON.stringify(record) }
      rendered.set(row, result)
      return result
    },
    service: (row) => world.derived(row, service),
    check: (row) => world.derived(row, check),
  }
}

/** Renders an instance with its node as one flat object, as lists of the catalog show it. */
export function catalogRecord(
  world: World,
  dialect: MeshDialect,
  node: CatalogNode,
  service: CatalogService,
): Readonly<Record<string, unknown>> {
  const {
    Meta,
    Locality: _,
    CreateIndex: __,
    ModifyIndex: ___,
    ...members
  } = recordsOf(world, dialect).node(node).record
  return {
    ...members,
    NodeMeta: Meta,
    ServiceKind: service.kind,
    ServiceID: shownName(dialect, service.id),
    ServiceName: shownName(dialect, service.name),
    ServiceTags: service.tags,
    ServiceAddress: service.address,
    ...withoutEmpty({ ServiceTaggedAddresses: shownAddresses(dialect, service.tagged_addresses) }),
    ServiceWeights: service.weights,
    ServiceMeta: service.meta ?? {},
    ServicePort: service.port,
    ServiceSocketPath: service.socket_path,
    ServiceEnableTagOverride: service.enable_tag_override,
    ServiceProxy: proxyRecord(service),
    ServiceConnect: service.connect,
    ServiceLocality: service.locality ?? null,
    ...tenancyOf(world, dialect)(service.namespace),
    ...indexMembers(service),
  }
}
