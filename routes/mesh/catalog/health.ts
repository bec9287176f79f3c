import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import {
  serviceIndex,
  serviceVersion,
  tableIndex,
} from '../../../state/mesh/catalog/catalog-indexes.ts'
import {
  checksOfInstance,
  checksOfName,
  checksWithStatus,
  findInstances,
  findNode,
  type Instance,
  type InstanceKind,
} from '../../../state/mesh/catalog/reads.ts'
import { type CatalogCheck, catalogNodes, nodeKey } from '../../../state/mesh/catalog/tables.ts'
import { checksOfNode } from '../../../state/mesh/catalog/writes.ts'
import { ingressInstances } from '../../../state/mesh/config/gateway-services.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { namespaceKey } from '../../../state/mesh/namespaces/namespaces.ts'
import { isCommunity, optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { CachedJson, jsonList } from '../../http/json-text.ts'
import { requires, withExtraRight } from '../access.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { nodeAndServiceAccess } from './catalog.ts'
import { filterableCheck, filterableHealth, filterOf, filterParameter } from './filters.ts'
import { type CatalogRecords, recordsOf, storedName } from './records.ts'
import {
  filterReadable,
  instanceSelector,
  metaParameter,
  nearParameter,
  nodeSelector,
  readCatalog,
  readNamespaceOf,
  readNamespacesOf,
  requirePathName,
  tagParameter,
  type Visibility,
  withNearestFirst,
} from './selection.ts'
import { checkShape, nodeShape, serviceShape } from './shapes.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#health' })

/**
 * Parses the parameter `passing`. A missing parameter counts as false, an empty one as true. Throws
 * a refusal if the value is not a boolean.
 */
function isPassingOnly({ query }: MeshContext): boolean {
  if (!query.has('passing')) return false
  const isPassing = parseGoBoolean(query.value('passing') ?? 'true')
  if (isPassing === undefined) throw refuse('bad-passing')
  return isPassing
}

const healthParameters = parameters({
  ...tagParameter,
  ...metaParameter,
  ...nearParameter,
  ...filterParameter,
  passing: described(text, 'Only instances whose checks all pass; empty or a boolean'),
  peer: described(text, 'Only services of this peer; always empty, because no peer can exist'),
  sg: described(text, 'A sameness group, which the community edition refuses'),
})

/** An instance with its checks and its JSON in a health list. */
interface InstanceHealth extends Instance {
  readonly checks: readonly CatalogCheck[]
  readonly json: string
}

/** Returns an instance with its checks and its JSON. */
function renderInstance(world: World, records: CatalogRecords, instance: Instance) {
  const checks = checksOfInstance(world, instance.service)
  const list = checks.map((check) => records.check(check).json).join(',')
  const node = records.node(instance.node).json
  const service = records.service(instance.service).json
  return { ...instance, checks, json: `{"Node":${node},"Service":${service},"Checks":[${list}]}` }
}

const allPass = ({ checks }: InstanceHealth) => checks.every(({ status }) => status === 'passing')

const cachedList = (entries: readonly InstanceHealth[]) =>
  new CachedJson(jsonList(entries.map(({ json }) => json)).text)

/** Rendered lists of a service's instances, for callers who may read all of them. */
interface CompleteLists {
  /** Names of the nodes, without duplicates. */
  readonly nodes: readonly string[]
  readonly all: CachedJson
  readonly passing: CachedJson
}

/** Creates an empty cache. The keys consist of dialect, edition and datacenter. */
const createListCache = () => new Map<string, CompleteLists>()

/**
 * Returns the lists of a service's instances; undefined if there are no instances. The lists are
 * cached until the instances change.
 */
function completeLists(
  { world, dialect }: MeshContext,
  namespace: string,
  name: string,
): CompleteLists | undefined {
  const version = serviceVersion(world, namespace, name)
  if (version === undefined) return undefined
  const { edition, datacenter } = optionsOf(world)
  const lists = world.derived(version, createListCache)
  const key = `${dialect.name} ${edition} ${datacenter}`
  const known = lists.get(key)
  if (known !== undefined) return known
  const records = recordsOf(world, dialect)
  const { instances } = findInstances(world, 'byName', namespace, name, true)
  const entries = instances.map((instance) => renderInstance(world, records, instance))
  const rendered = {
    nodes: [...new Set(entries.map(({ node }) => node.node))],
    all: cachedList(entries),
    passing: cachedList(entries.filter(allPass)),
  }
  lists.set(key, rendered)
  return rendered
}

/**
 * Parameters that select or order instances, apart from `passing`. Requests with any of these
 * parameters cannot use the cached lists.
 */
const selectionParameters = ['tag', 'node-meta', 'near', 'filter', 'peer'] as const

/**
 * Instances that a health list contains: the instances of a service, the proxies of the service, or
 * the ingress gateways that lead to the service.
 */
type HealthKind = InstanceKind | 'byIngress'

/** Returns a reply with the selected instances, their nodes and their checks. */
function readInstanceHealth(context: MeshContext, service: string, kind: HealthKind) {
  const { world, dialect, query } = context
  requirePathName(context, service, 'service-unsaid')
  const name = storedName(dialect, service)
  if (isCommunity(world) && query.value('sg') !== undefined) throw refuse('sameness-unsupported')
  const find = (visibility: Visibility) => {
    const isPassing = isPassingOnly(context)
    const namespace = readNamespaceOf(context)
    if (kind !== 'byName') {
      if (!visibility.service(namespace, name)) throw refuseAccess('right-missing-bare')
    }
    if (kind === 'byName' && !selectionParameters.some((parameter) => query.has(parameter))) {
      const lists = completeLists(context, namespace, name)
      if (
        lists?.nodes.every((node) => visibility.node(node)) &&
        visibility.service(namespace, name)
      ) {
        const index = serviceIndex(world, namespace, name, true, true)
        return { index, body: isPassing ? lists.passing : lists.all, isFiltered: false }
      }
    }
    const matches = filterOf(context, filterableHealth)
    const hasFilter = query.value('filter') !== undefined
    const isSelected = instanceSelector(context)
    const records = recordsOf(world, dialect)
    const { index, instances } =
      kind === 'byIngress'
        ? ingressInstances(world, { namespace, name })
        : findInstances(world, kind, namespace, name, true)
    if (query.value('peer') !== undefined) return { index, body: [] }
    const entries = instances.flatMap((instance): readonly InstanceHealth[] => {
      if (!isSelected(instance)) return []
      const entry = renderInstance(world, records, instance)
      if (isPassing && !allPass(entry)) return []
      const matchesFilter =
        !hasFilter ||
        matches({
          Node: records.node(instance.node).record,
          Service: records.service(instance.service).record,
          Checks: entry.checks.map((check) => records.check(check).record),
        })
      return matchesFilter ? [entry] : []
    })
    const { visible, isFiltered } = filterReadable(
      entries,
      ({ node, service: each }) =>
        visibility.node(node.node) && visibility.service(each.namespace, each.name),
    )
    const ordered = withNearestFirst(context, visible, ({ node }) => node.node)
    return { index, body: jsonList(ordered.map(({ json }) => json)), isFiltered }
  }
  return readCatalog(context, find, {
    ...{ hasReadHeadersOnRefusal: false, isStreamable: kind !== 'byIngress', cache: 'refreshed' },
  })
}

/**
 * Returns a reply with those checks from `find` that the request selects and the caller may read.
 */
function readChecks(
  context: MeshContext,
  find: (scopes: ReadonlySet<string>) => readonly CatalogCheck[],
  scopes: (context: MeshContext) => readonly string[] = readNamespacesOf,
) {
  const { world, dialect } = context
  return readCatalog(context, (visibility) => {
    const selected = new Set(scopes(context).map(namespaceKey))
    const matches = filterOf(context, filterableCheck)
    const isNodeSelected = nodeSelector(context)
    const records = recordsOf(world, dialect)
    const isSelected = (check: CatalogCheck) => {
      // Checks of nodes belong to no namespace, so they are listed for every namespace.
      const isInScope = check.service_id === '' || selected.has(namespaceKey(check.namespace))
      const node = world.unobserved(() => world.table(catalogNodes).get(nodeKey(check.node)))
      const isOnNode = node !== undefined && isNodeSelected(node)
      return isInScope && isOnNode && matches(records.check(check).record)
    }
    const checks = find(selected).filter(isSelected)
    const { visible, isFiltered } = filterReadable(checks, (check) =>
      isCheckVisible(visibility, check),
    )
    const ordered = withNearestFirst(context, visible, ({ node }) => node)
    const body = jsonList(ordered.map((check) => records.check(check).json))
    return { index: tableIndex(world, 'checks'), body, isFiltered }
  })
}

/**
 * Returns whether a caller may read a check. For a check of a service, the caller needs a right to
 * the node and a right to the service.
 */
function isCheckVisible(visibility: Visibility, check: CatalogCheck): boolean {
  if (!visibility.node(check.node)) return false
  return check.service_id === '' || visibility.service(check.namespace, check.service_name)
}

const byNodeAndId = (a: CatalogCheck, b: CatalogCheck) =>
  a.node === b.node ? (a.check_id < b.check_id ? -1 : 1) : a.node < b.node ? -1 : 1

const instanceSchema = storedSchema(
  list(struct({ Node: nodeShape, Service: serviceShape, Checks: list(checkShape) })),
)
const checksSchema = storedSchema(list(checkShape))
const checkParameters = parameters({ ...metaParameter, ...nearParameter, ...filterParameter })

export const healthOperations = [
  operation.get('readServiceHealth', '/health/service/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the instances of a service with their checks; can block.',
    query: healthParameters,
    reply: { 200: instanceSchema },
    run: ({ context, params }) => readInstanceHealth(context, params.service, 'byName'),
  }),
  operation.get('readConnectHealth', '/health/connect/:service', {
    access: withExtraRight('node:read', insideOperation(requires('service:read'))),
    summary: 'List the proxies of a service with their checks; can block.',
    query: healthParameters,
    reply: { 200: instanceSchema },
    run: ({ context, params }) => readInstanceHealth(context, params.service, 'byDestination'),
  }),
  operation.get('readIngressHealth', '/health/ingress/:service', {
    access: withExtraRight('node:read', insideOperation(requires('service:read'))),
    summary: 'List the ingress gateways that lead to a service with their checks; can block.',
    query: healthParameters,
    reply: { 200: instanceSchema },
    run: ({ context, params }) => readInstanceHealth(context, params.service, 'byIngress'),
  }),
  operation.get('readServiceChecks', '/health/checks/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the checks of a service; can block.',
    query: checkParameters,
    reply: { 200: checksSchema },
    run({ context, params }) {
      requirePathName(context, params.service, 'service-unsaid')
      const name = storedName(context.dialect, params.service)
      return readChecks(
        context,
        (scopes) => [...scopes].flatMap((scope) => checksOfName(context.world, scope, name)),
        (each) => [readNamespaceOf(each)],
      )
    },
  }),
  operation.get('readNodeHealth', '/health/node/:node', {
    access: nodeAndServiceAccess,
    summary: 'List the checks of a node and of its services; can block.',
    query: parameters(filterParameter),
    reply: { 200: checksSchema },
    run({ context, params }) {
      requirePathName(context, params.node, 'node-unsaid')
      const { world } = context
      return readChecks(context, () => {
        const name = world.unobserved(() => findNode(world, params.node))?.node ?? params.node
        return [...checksOfNode(world, name)].sort(byNodeAndId)
      })
    },
  }),
  operation.get('readHealthState', '/health/state/:state', {
    access: nodeAndServiceAccess,
    summary: 'List the checks in a state; `any` for all. Can block.',
    query: checkParameters,
    reply: { 200: checksSchema },
    run({ context, params }) {
      requirePathName(context, params.state, 'check-state-unsaid')
      return readChecks(context, () =>
        [...checksWithStatus(context.world, params.state)].sort(byNodeAndId),
      )
    },
  }),
]
