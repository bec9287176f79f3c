import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { AccessNeed } from '../acl/authorization.ts'
import type { MeshCaller } from '../acl/callers.ts'
import { scheduleSync } from '../agent/anti-entropy.ts'
import { message } from '../messages.ts'
import {
  defaultNamespace,
  requireNamespaceForData,
  requireWritableNamespace,
} from '../namespaces/namespaces.ts'
import {
  accessProblem,
  type OperationResult,
  reasonOfRefusal,
  type TxnOperation,
  type TxnResult,
} from '../transactions.ts'
import {
  type CatalogCheckInput,
  type CatalogServiceInput,
  catalogCheckOf,
  catalogServiceOf,
  validateNode,
} from './registration.ts'
import {
  type CatalogCheck,
  type CatalogNode,
  type CatalogService,
  catalogChecks,
  catalogNodes,
  catalogServices,
  instanceKey,
  nodeKey,
} from './tables.ts'
import { dropCheck, dropNode, dropService, storeCheck, storeNode, storeService } from './writes.ts'

/** Members of every operation on the catalog. */
interface ObjectOperation {
  readonly verb: string
  /** ModifyIndex that `cas` and `delete-cas` require of the object. */
  readonly index: number
}

/** Operation on an object of one kind: the functions that read and write such objects. */
interface ObjectRules<R> extends ObjectOperation {
  readonly noun: 'node' | 'service' | 'check'
  /** Description of the object in messages. */
  readonly object: Message
  /** Name of the object's node. */
  readonly node: string
  /** Namespace of the object; left out for nodes, which belong to no namespace. */
  readonly namespace?: string
  /** Returns the reason why a write must not run; undefined if it may. Not called for reads. */
  findRefusal(caller: MeshCaller): Message | undefined
  find(world: World): R | undefined
  /** Stores the object. If it cannot be stored, returns the reason. */
  store(world: World): Message | undefined
  drop(world: World, row: R): void
  resultOf(row: R): TxnResult
}

const effectsByVerb: Readonly<Record<string, 'set' | 'delete'>> = {
  set: 'set',
  cas: 'set',
  delete: 'delete',
  'delete-cas': 'delete',
}

/**
 * Returns whether the verb is `cas` or `delete-cas` and the object does not have the expected
 * ModifyIndex. For `cas`, the index 0 means that the object must not exist.
 */
function isStale(verb: string, index: number, row: { modify_index: number } | undefined): boolean {
  if (verb === 'cas') return index === 0 ? row !== undefined : row?.modify_index !== index
  return verb === 'delete-cas' && row?.modify_index !== index
}

/** Builds an operation of a transaction from the functions for one kind of object. */
function objectOperation<R extends { readonly modify_index: number }>(
  rules: ObjectRules<R>,
): TxnOperation {
  const { verb, index, noun, object, namespace } = rules
  const effect = Object.hasOwn(effectsByVerb, verb) ? effectsByVerb[verb] : undefined
  const isRead = verb === 'get'
  return {
    findRefusal(caller) {
      if (effect === undefined && !isRead) return message('txn-verb-unknown', { noun, verb })
      return isRead ? undefined : rules.findRefusal(caller)
    },
    run(world): OperationResult {
      if (namespace !== undefined) {
        if (isRead) requireNamespaceForData(world, namespace)
        else requireWritableNamespace(world, namespace)
      }
      const before = rules.find(world)
      if (isRead) {
        return before ? [rules.resultOf(before)] : message('txn-object-absent', { object })
      }
      if (isStale(verb, index, before)) {
        return message('txn-object-stale', { action: effect ?? '', object })
      }
      scheduleSync(world, rules.node)
      if (effect === 'delete') {
        if (before !== undefined) rules.drop(world, before)
        return []
      }
      const problem = rules.store(world)
      if (problem !== undefined) return problem
      const after = rules.find(world)
      return after === undefined ? [] : [rules.resultOf(after)]
    },
  }
}

interface NodeInput {
  readonly ID?: string
  readonly Node?: string
  readonly Address?: string
  readonly TaggedAddresses?: Readonly<Record<string, string>>
  readonly Meta?: Readonly<Record<string, string>>
}

/**
 * Builds an operation on a node. `get` and `set` look up the node by its ID if the input has an ID;
 * all other look-ups use the name.
 */
export function nodeTxnOperation(operation: ObjectOperation, input: NodeInput): TxnOperation {
  const { ID = '', Node: node = '', Address = '', TaggedAddresses = null, Meta = null } = input
  const named = (world: World) => world.table(catalogNodes).get(nodeKey(node))
  const isByName = operation.verb === 'cas' || operation.verb.startsWith('delete')
  return objectOperation<CatalogNode>({
    ...operation,
    noun: 'node',
    object: message('txn-node', { node }),
    node,
    findRefusal: (caller) =>
      reasonOfRefusal(() => validateNode(input)) ??
      accessProblem(caller, { resource: 'node', access: 'write', name: node }),
    find: (world) =>
      ID === '' || isByName
        ? named(world)
        : world.table(catalogNodes).index('byId').get(ID.toLowerCase()),
    store(world) {
      const content = { id: ID, node, address: Address, tagged_addresses: TaggedAddresses }
      storeNode(world, { ...content, meta: Meta })
      return undefined
    },
    drop: (world, row) => dropNode(world, row.node),
    resultOf: (row) => ({
      object: { kind: 'Node', row },
      need: { resource: 'node', access: 'read', name: row.node },
    }),
  })
}

/**
 * Node and namespace of a service or check, and the name of the server's own service in the
 * dialect.
 */
interface ObjectOwner {
  readonly node: string
  readonly namespace: string
  readonly product: string
}

export function serviceTxnOperation(
  operation: ObjectOperation,
  { node, namespace, product }: ObjectOwner,
  input: CatalogServiceInput,
): TxnOperation {
  const { Service: name = '', ID = '', Kind, Proxy: proxy } = input
  const toStoredName = (text: string) => (text === product ? '' : text)
  const id = ID || (operation.verb === 'get' ? '' : name)
  const content = (at: string, scope = namespace) =>
    catalogServiceOf(at, input, scope, toStoredName)
  const need = (access: AccessNeed['access'], of: string): AccessNeed => ({
    ...{ resource: 'service', access, name: of, namespace },
  })
  return objectOperation<CatalogService>({
    ...operation,
    noun: 'service',
    object: message('txn-service', { id, node }),
    node,
    namespace,
    findRefusal(caller) {
      const problem = reasonOfRefusal(() => void content(node))
      // As in the reference, no right is required for the server's own service.
      const isOwn = name === product
      const names = [
        ...(isOwn ? [] : [name]),
        ...(Kind === 'connect-proxy' ? [String(proxy?.['DestinationServiceName'] ?? '')] : []),
      ]
      return names.reduce(
        (found, each) => found ?? accessProblem(caller, need('write', each)),
        problem,
      )
    },
    find: (world) =>
      world.table(catalogServices).get(instanceKey(node, namespace, toStoredName(id))),
    store(world) {
      const known = world.table(catalogNodes).get(nodeKey(node))
      if (known === undefined) return message('txn-node-unregistered')
      storeService(world, content(known.node, requireNamespaceForData(world, namespace).name))
      return undefined
    },
    drop: dropService,
    resultOf: (row) => ({
      object: { kind: 'Service', row },
      need: need('read', row.name || product),
    }),
  })
}

/** Beginning of the reference's message about a check without an ID or a node, by verb. */
const lookupFailures: Readonly<Record<string, string>> = {
  get: 'failed check lookup',
  set: 'failed health check lookup',
  cas: 'failed health check lookup: failed check lookup',
  delete: 'check lookup failed',
  'delete-cas': 'check lookup failed: failed check lookup',
}

export function checkTxnOperation(
  operation: ObjectOperation,
  { node, namespace }: ObjectOwner,
  input: CatalogCheckInput,
): TxnOperation {
  const { CheckID = '', Name = '', ServiceID = '', ServiceName = '' } = input
  const id = CheckID || (operation.verb === 'get' ? '' : Name)
  const find = (world: World) => {
    const checks = world.table(catalogChecks)
    const found = checks.get(instanceKey(node, namespace, id))
    if (found !== undefined) return found
    // Checks of nodes belong to no namespace, and are stored under `default`.
    const ofNode = checks.get(instanceKey(node, defaultNamespace, id))
    return ofNode?.service_id === '' ? ofNode : undefined
  }
  const rules = objectOperation<CatalogCheck>({
    ...operation,
    noun: 'check',
    object: message('txn-check', { id, node }),
    node,
    namespace,
    findRefusal: (caller) =>
      accessProblem(
        caller,
        ServiceID === ''
          ? { resource: 'node', access: 'write', name: node }
          : { resource: 'service', access: 'write', name: ServiceName, namespace },
      ),
    find,
    store(world) {
      const known = world.table(catalogNodes).get(nodeKey(node))
      if (known === undefined) return message('txn-node-unregistered')
      const isKnown =
        ServiceID === '' ||
        world.table(catalogServices).has(instanceKey(node, namespace, ServiceID))
      if (!isKnown) return message('txn-service-unregistered')
      const check = catalogCheckOf(world, known.node, input, namespace, undefined)
      storeCheck(world, { ...check, type: '' })
      return undefined
    },
    drop: dropCheck,
    resultOf: (row) => ({
      object: { kind: 'Check', row },
      need:
        row.service_name === ''
          ? { resource: 'node', access: 'read', name: row.node }
          : {
              ...{ resource: 'service', access: 'read' },
              ...{ name: row.service_name, namespace: row.namespace },
            },
    }),
  })
  if (id !== '' && node !== '') return rules
  const problem = message('txn-check-unnamed', { lookup: lookupFailures[operation.verb] ?? '' })
  return { ...rules, run: () => problem }
}
