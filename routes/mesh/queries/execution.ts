import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { appendAll } from '../../../state/kernel/lists.ts'
import { any, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { meshCaller } from '../../../state/mesh/acl/callers.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import {
  checksOfInstance,
  findInstances,
  type Instance,
} from '../../../state/mesh/catalog/reads.ts'
import { nodeKey } from '../../../state/mesh/catalog/tables.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { resolveQuery } from '../../../state/mesh/queries/queries.ts'
import type { PreparedQuery, ServiceQuery } from '../../../state/mesh/queries/tables.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  type CatalogRecords,
  recordsOf,
  shownName,
  storedName,
  tenancyOf,
  withNulls,
} from '../catalog/records.ts'
import type { MeshContext, ReadFlags } from '../operation.ts'
import { metadataMembers, readMetadata } from '../read-metadata.ts'
import { readConsistency } from '../read-options.ts'
import { isQueryReadable, operation, queryReadAccess, queryReply, queryView } from './queries.ts'

function readMetadataOf({ query, world }: MeshContext, isFiltered: boolean) {
  const level = readConsistency(query, undefined)
  return readMetadata({
    Index: 1,
    LastContact: level === 'stale' ? optionsOf(world).staleLastContact : 0,
    KnownLeader: true,
    ConsistencyLevel: level,
    ResultsFilteredByACLs: isFiltered,
  })
}

/** Flags of reads that never wait. The index of their replies is constant. */
const readFlags: ReadFlags = {
  showsConsistency: true,
  hasReadHeadersOnRefusal: true,
  replacementWait: { index: 0, wait: 0 },
}

const executionFlags: ReadFlags = { ...readFlags, cache: 'fetched' }

const sourceParameters = {
  near: described(text, 'A node, `_agent` or `_ip`; instances on the node come first'),
  limit: described(text, 'Maximum number of instances'),
}

/** Parses `limit`; 0 means unlimited. Throws a refusal if the value is not a number. */
function limitOf({ query }: MeshContext): number {
  const sent = query.value('limit')
  if (sent === undefined) return 0
  if (!/^[+-]?\d+$/.test(sent)) throw refuse('query-limit', { quoted: quoteGo(sent) })
  return Number(sent)
}

/**
 * Returns whether `connect` requests the proxies instead of the service itself; false if the
 * parameter is missing. Throws a refusal if the value is not a boolean.
 */
function isConnectForced({ query }: MeshContext): boolean {
  const sent = query.value('connect')
  if (sent === undefined) return false
  const parsed = parseGoBoolean(sent)
  if (parsed === undefined) throw refuse('query-connect', { quoted: quoteGo(sent) })
  return parsed
}

type TextMap = Readonly<Record<string, unknown>> | null

function includesMembers(values: TextMap, required: TextMap): boolean {
  return Object.entries(required ?? {}).every(([key, value]) => values?.[key] === value)
}

function hasTags(tags: readonly string[], required: readonly string[] | null): boolean {
  const known = new Set(tags.map((tag) => tag.toLowerCase()))
  return (required ?? []).every((tag) => {
    const wanted = tag.toLowerCase()
    return wanted.startsWith('!') ? !known.has(wanted.slice(1)) : known.has(wanted)
  })
}

/**
 * Returns whether every check of an instance, apart from ignored checks, has a status that the
 * query accepts.
 */
function isHealthy(world: World, { service }: Instance, query: ServiceQuery): boolean {
  const isRefused = query.OnlyPassing
    ? (status: string) => status !== 'passing'
    : (status: string) => status === 'critical'
  return checksOfInstance(world, service).every(
    ({ check_id, status }) => (query.IgnoreCheckIDs ?? []).includes(check_id) || !isRefused(status),
  )
}

/**
 * Renders the service of an instance. Empty tags and metadata are null, except for the server
 * itself.
 */
function storedService(records: CatalogRecords, { service }: Instance) {
  const { record } = records.service(service)
  return service.name === '' ? record : withNulls(record, 'Tags', 'Meta')
}

/**
 * Returns the instances that a query finds and that the caller, or the query's own token, may read.
 * Throws a refusal for an unknown token.
 */
function findQueriedInstances(context: MeshContext, query: PreparedQuery, isConnect: boolean) {
  const { world, dialect } = context
  const { service } = query
  const records = recordsOf(world, dialect)
  const namespace = service.Namespace ?? defaultNamespace
  const kind = service.Connect || isConnect ? 'byDestination' : 'byName'
  // An empty name must not match the server's own service, whose stored name is empty.
  const name = service.Service === '' ? undefined : storedName(dialect, service.Service)
  const instances =
    name === undefined ? [] : findInstances(world, kind, namespace, name, false).instances
  const found = instances.filter(
    (instance) =>
      service.Peer === '' &&
      isHealthy(world, instance, service) &&
      includesMembers(records.node(instance.node).record['Meta'] as TextMap, service.NodeMeta) &&
      includesMembers(instance.service.meta, service.ServiceMeta) &&
      hasTags(instance.service.tags, service.Tags),
  )
  const { may } = query.token === '' ? context.caller : meshCaller(world, query.token)
  const visible = found.filter(({ node, service: each }) => {
    const target = { name: shownName(dialect, each.name), namespace: each.namespace }
    return (
      may({ resource: 'node', access: 'read', name: node.node }) &&
      may({ resource: 'service', access: 'read', ...target })
    )
  })
  return { visible, isFiltered: visible.length < found.length }
}

/**
 * Returns the peers that a query without instances tries as failover targets, in the order of the
 * targets. No peer exists, so each attempt fails. Datacenters are skipped, because there is only
 * one datacenter.
 */
function failoverPeers({ service: { Failover } }: PreparedQuery): readonly string[] {
  return (Failover.Targets ?? [])
    .filter(({ Peer, Datacenter }) => Peer !== '' && Datacenter === '')
    .map(({ Peer }) => Peer)
}

/** Shuffles a list with the random generator of the world. */
function shuffled<T>({ ids }: World, list: readonly T[]): readonly T[] {
  const left = [...list]
  const result: T[] = []
  while (left.length > 0) appendAll(result, left.splice(ids.integerBelow(left.length), 1))
  return result
}

/**
 * Shuffles instances, and then moves instances on the node that `near` names to the front: all of
 * them if the node is the server's own, otherwise only one.
 */
function inServedOrder(context: MeshContext, query: PreparedQuery, instances: readonly Instance[]) {
  const { world } = context
  const own = optionsOf(world).nodeName
  const requested = context.query.value('near') ?? query.service.Near
  const near = nodeKey(requested === '_agent' || requested === '_ip' ? own : requested)
  const isNear = ({ node }: Instance) => nodeKey(node.node) === near
  const list = shuffled(world, instances)
  if (near === nodeKey(own))
    return [...list.filter(isNear), ...list.filter((each) => !isNear(each))]
  const at = list.findIndex(isNear)
  return at < 0 ? list : [...list.slice(at, at + 1), ...list.slice(0, at), ...list.slice(at + 1)]
}

export const queryExecutionOperations = [
  operation.get('executeQuery', '/query/:id/execute', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Run a prepared query by its ID or name, or the template that matches the name.',
    query: parameters({
      ...sourceParameters,
      connect: described(text, 'Boolean: true for proxies'),
    }),
    failures: [403, 404],
    reply: {
      200: storedSchema(
        struct({
          Service: text,
          Namespace: optional(text),
          Partition: optional(text),
          Nodes: list(any),
          DNS: struct({ TTL: text }),
          Datacenter: text,
          PeerName: text,
          Failovers: uint,
          ...metadataMembers,
        }),
      ),
    },
    run({ context, params: { id } }) {
      const { world, dialect } = context
      context.checkReadParameters()
      const limit = limitOf(context)
      const isConnect = isConnectForced(context)
      return context.read(() => {
        const query = resolveQuery(world, id)
        const { visible, isFiltered } = findQueriedInstances(context, query, isConnect)
        const records = recordsOf(world, dialect)
        const all = inServedOrder(context, query, visible)
        const { service } = query
        const peers = visible.length === 0 ? failoverPeers(query) : []
        const peer = peers.at(-1) ?? service.Peer
        const Nodes = (limit > 0 ? all.slice(0, limit) : all).map((instance) => ({
          Node: records.node(instance.node).record,
          Service: storedService(records, instance),
          Checks: checksOfInstance(world, instance.service).map((check) =>
            withNulls(records.check(check).record, 'ServiceTags'),
          ),
        }))
        const body = {
          Service: service.Service,
          ...tenancyOf(world, dialect)(service.Namespace ?? defaultNamespace),
          Nodes,
          DNS: { TTL: query.dns_ttl },
          Datacenter: peer === '' ? optionsOf(world).datacenter : '',
          PeerName: peer,
          Failovers: peers.length,
          ...readMetadataOf(context, isFiltered),
        }
        return { index: 1, body, isFiltered }
      }, executionFlags)
    },
  }),
  operation.get('explainQuery', '/query/:id/explain', {
    access: insideOperation(queryReadAccess),
    tenancy: 'none',
    summary: 'Show the query that a name selects, with its template rendered.',
    query: parameters(sourceParameters),
    failures: [404],
    reply: { 200: storedSchema(struct({ Query: queryReply, ...metadataMembers })) },
    run({ context, params: { id } }) {
      const { world } = context
      context.checkReadParameters()
      limitOf(context)
      return context.read(() => {
        const query = resolveQuery(world, id)
        if (!isQueryReadable(context, query)) throw refuseAccess('right-missing-bare')
        const Query = queryView(context, query)
        return { index: 1, body: { Query, ...readMetadataOf(context, false) } }
      }, readFlags)
    },
  }),
]
