import { parseGoBoolean } from '../../../state/go/booleans.ts'
import {
  any,
  bool,
  constant,
  list,
  map,
  nullable,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { isCommunity, optionsOf } from '../../../state/mesh/options.ts'
import { serverOf } from '../../../state/mesh/server.ts'
import { perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requiresAnyOf, rightChecker, withExtraRight } from '../access.ts'
import { readConsistency } from '../context.ts'
import { type MeshContext, operationsOf, type ReadFlags } from '../operation.ts'
import {
  filterableCatalogEntry,
  filterableCheck,
  filterableHealth,
  filterableNode,
  filterableService,
  filterOf,
  filterParameter,
} from './filters.ts'
import { catalogRecord, checkRecord, nodeRecord, serviceRecord } from './records.ts'

const indexFields = { CreateIndex: uint, ModifyIndex: uint } as const
const nodeFields = { ID: text, Node: text, Address: text, Datacenter: text } as const

const nodeShape = struct({
  ...nodeFields,
  TaggedAddresses: map(text),
  Meta: map(text),
  ...indexFields,
})

const weights = struct({ Passing: uint, Warning: uint })

/** A service on its node. */
const serviceShape = struct({
  ID: text,
  Service: text,
  Tags: list(text),
  Address: text,
  Meta: map(text),
  Port: uint,
  Weights: weights,
  EnableTagOverride: bool,
  Proxy: any,
  Connect: any,
  PeerName: text,
  ...indexFields,
})

/** A service together with its node. */
const catalogShape = struct({
  ...nodeFields,
  TaggedAddresses: map(text),
  NodeMeta: map(text),
  ServiceKind: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  ServiceAddress: text,
  ServiceWeights: weights,
  ServiceMeta: map(text),
  ServicePort: uint,
  ServiceSocketPath: text,
  ServiceEnableTagOverride: bool,
  ServiceProxy: any,
  ServiceConnect: any,
  ServiceLocality: constant(null),
  ...indexFields,
})

/** A health check of a node. */
const checkShape = struct({
  Node: text,
  CheckID: text,
  Name: text,
  Status: text,
  Notes: text,
  Output: text,
  ServiceID: text,
  ServiceName: text,
  ServiceTags: list(text),
  Type: text,
  Interval: text,
  Timeout: text,
  ExposedPort: uint,
  Definition: any,
  ...indexFields,
})

const operation = operationsOf({ spec: 'behaviour/mesh#catalog' })

/** The parts of the server that a caller may see. */
interface Visibility {
  node(): boolean
  service(): boolean
}

function visibilityOf(context: MeshContext): Visibility {
  const { world, dialect } = context
  return {
    node: () => rightChecker(context, 'node:read')({ name: optionsOf(world).nodeName }),
    service: () => rightChecker(context, 'service:read')({ name: dialect.product }),
  }
}

const nodeAccess = perEntry(requiresAnyOf('node:read'))
const serviceAccess = perEntry(requiresAnyOf('service:read'))
const nodeAndServiceAccess = withExtraRight('service:read', nodeAccess)

/**
 * Answers a read of the server's records. The records never change, so a blocking read always times
 * out.
 *
 * @param find returns those requested records that the caller may read, and whether others were
 *   left out
 */
function readRecords(
  context: MeshContext,
  find: (visibility: Visibility) => { readonly body: unknown; readonly filtered?: boolean },
  { hasReadHeadersOnRefusal = true }: Pick<ReadFlags, 'hasReadHeadersOnRefusal'> = {},
) {
  const { index } = serverOf(context.world)
  return context.read(() => ({ index, ...find(visibilityOf(context)) }), {
    showsConsistency: true,
    hasReadHeadersOnRefusal,
  })
}

/** Throws if a path lacks its name, after the parameters of the read. */
function requirePathName(
  context: MeshContext,
  name: string,
  rule: 'node-unsaid' | 'service-unsaid' | 'check-state-unsaid',
): void {
  context.checkReadParameters()
  if (name === '') throw refuse(rule)
}

/** Returns a list with the record if it is requested and visible. */
function singleRecord(record: unknown, isRequested: boolean, isVisible: boolean) {
  return { body: isRequested && isVisible ? [record] : [], filtered: isRequested && !isVisible }
}

const tagParameter = { tag: described(text, 'Only services with this tag: there are none') }

const metaParameter = {
  'node-meta': described(text, 'Only nodes with this metadata, as `key:value`; all of several'),
}

/** Returns whether the node of the server has the metadata that the request requires. */
function hasNodeMeta({ world, dialect, query }: MeshContext): boolean {
  const meta: Readonly<Record<string, string>> = nodeRecord(world, dialect).Meta
  return query.all('node-meta').every((pair) => {
    const [key = '', ...value] = pair.split(':')
    return Object.hasOwn(meta, key) && meta[key] === value.join(':')
  })
}

/** Returns whether the request asks for the service of the server, which has no tags. */
function isServer(context: MeshContext, service: string): boolean {
  const { dialect, query } = context
  const isNamed = service === dialect.product && !query.has('tag')
  return isNamed && hasNodeMeta(context)
}

/** Throws if `passing` has a value that is no boolean. The server's checks always pass. */
function checkPassing({ query }: MeshContext): void {
  const passing = query.value('passing') ?? ''
  if (passing !== '' && parseGoBoolean(passing) === undefined) throw refuse('bad-passing')
}

/** Operations of the catalog, which contains only the server. */
export const catalogOperations = [
  operation.get('listDatacenters', '/catalog/datacenters', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'List the datacenters: there is one.',
    reply: { 200: storedSchema(list(text)) },
    run: ({ context: { world, query } }) => {
      readConsistency(query, undefined)
      return ok([optionsOf(world).datacenter])
    },
  }),
  operation.get('listNodes', '/catalog/nodes', {
    access: nodeAccess,
    tenancy: 'partition',
    summary: 'List the nodes: there is one.',
    query: parameters({ ...metaParameter, ...filterParameter }),
    reply: { 200: storedSchema(list(nodeShape)) },
    run: ({ context }) =>
      readRecords(context, ({ node }) => {
        const matches = filterOf(context, filterableNode)
        const record = nodeRecord(context.world, context.dialect)
        return singleRecord(record, hasNodeMeta(context) && matches(record), node())
      }),
  }),
  operation.get('listServices', '/catalog/services', {
    access: serviceAccess,
    summary: 'List the services with their tags: there is one.',
    query: parameters({ ...metaParameter, ...filterParameter }),
    reply: { 200: storedSchema(map(list(text))) },
    run: ({ context }) =>
      readRecords(context, ({ service }) => {
        // The reference resolves the token before it parses the filter.
        void context.caller
        const matches = filterOf(context, filterableCatalogEntry)
        const isRequested = matches(catalogRecord(context.world, context.dialect))
        if (!isRequested || !hasNodeMeta(context)) return { body: {} }
        const isVisible = service()
        return { body: isVisible ? { [context.dialect.product]: [] } : {}, filtered: !isVisible }
      }),
  }),
  operation.get('readNode', '/catalog/node/:node', {
    access: nodeAndServiceAccess,
    summary: 'Read a node with its services; null for one that there is not.',
    query: parameters(filterParameter),
    reply: {
      200: storedSchema(nullable(struct({ Node: nodeShape, Services: map(serviceShape) }))),
    },
    run({ context, params }) {
      const { world, dialect } = context
      requirePathName(context, params.node, 'node-unsaid')
      const isRequested = params.node === optionsOf(world).nodeName
      return readRecords(context, ({ node, service }) => {
        const matches = filterOf(context, filterableService)
        const isNodeVisible = node()
        if (!isRequested || !isNodeVisible) return { body: null, filtered: isRequested }
        const record = serviceRecord(world, dialect)
        const isMatch = matches(record)
        const isVisible = service()
        const services = isMatch && isVisible ? { [dialect.product]: record } : {}
        return {
          body: { Node: nodeRecord(world, dialect), Services: services },
          filtered: isMatch && !isVisible,
        }
      })
    },
  }),
  operation.get('readService', '/catalog/service/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the nodes of a service.',
    query: parameters({ ...tagParameter, ...metaParameter, ...filterParameter }),
    reply: { 200: storedSchema(list(catalogShape)) },
    run({ context, params }) {
      const { world, dialect } = context
      requirePathName(context, params.service, 'service-unsaid')
      const isRequested = isServer(context, params.service)
      return readRecords(context, ({ node, service }) => {
        const matches = filterOf(context, filterableCatalogEntry)
        const record = catalogRecord(world, dialect)
        return singleRecord(record, isRequested && matches(record), node() && service())
      })
    },
  }),
  operation.get('readServiceHealth', '/health/service/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the nodes of a service with their checks.',
    query: parameters({
      ...tagParameter,
      ...metaParameter,
      ...filterParameter,
      passing: described(text, 'Only where every check passes; empty or a boolean'),
      peer: described(text, 'Only services of this peer: there are none'),
      sg: described(text, 'A sameness group, which the community edition refuses'),
    }),
    reply: {
      200: storedSchema(
        list(struct({ Node: nodeShape, Service: serviceShape, Checks: list(checkShape) })),
      ),
    },
    run({ context, params }) {
      const { world, dialect } = context
      requirePathName(context, params.service, 'service-unsaid')
      const { value } = context.query
      const isRequested = isServer(context, params.service) && value('peer') === undefined
      if (isCommunity(world) && value('sg') !== undefined) throw refuse('sameness-unsupported')
      const find = ({ node, service }: Visibility) => {
        checkPassing(context)
        // The reference resolves the token before it parses the filter.
        void context.caller
        const matches = filterOf(context, filterableHealth)
        const record = {
          Node: nodeRecord(world, dialect),
          Service: serviceRecord(world, dialect),
          Checks: [checkRecord(world)],
        }
        return singleRecord(record, isRequested && matches(record), node() && service())
      }
      return readRecords(context, find, { hasReadHeadersOnRefusal: false })
    },
  }),
  operation.get('readNodeHealth', '/health/node/:node', {
    access: nodeAccess,
    summary: 'List the checks of a node.',
    query: parameters(filterParameter),
    reply: { 200: storedSchema(list(checkShape)) },
    run({ context, params }) {
      requirePathName(context, params.node, 'node-unsaid')
      const isRequested = params.node === optionsOf(context.world).nodeName
      return readRecords(context, ({ node }) => {
        const matches = filterOf(context, filterableCheck)
        const record = checkRecord(context.world)
        return singleRecord(record, isRequested && matches(record), node())
      })
    },
  }),
  operation.get('readHealthState', '/health/state/:state', {
    access: nodeAccess,
    summary: 'List the checks in a state; `any` for all.',
    query: parameters({ ...metaParameter, ...filterParameter }),
    reply: { 200: storedSchema(list(checkShape)) },
    run({ context, params }) {
      requirePathName(context, params.state, 'check-state-unsaid')
      const isRequested = ['any', 'passing'].includes(params.state) && hasNodeMeta(context)
      return readRecords(context, ({ node }) => {
        const matches = filterOf(context, filterableCheck)
        const record = checkRecord(context.world)
        return singleRecord(record, isRequested && matches(record), node())
      })
    },
  }),
]
