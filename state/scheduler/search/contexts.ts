import type { World } from '../../kernel/worlds/world.ts'
import type { SchedulerCaller } from '../acl/callers.ts'
import { uuidPrefix, uuidPrefixFault } from '../acl/uuids.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from '../cluster/model/tables.ts'
import { type DataKind, dataIndexes } from '../indexes.ts'
import { jobKey } from '../keys.ts'
import { namespaces } from '../namespaces.ts'
import { jobs, scalingPolicies } from '../records/tables.ts'
import { listVariables } from '../variables/variables.ts'

/** Kinds of things that can be searched, in the reference's order (behaviour/scheduler#search). */
export const contextNames = [
  'allocs',
  'jobs',
  'nodes',
  'node_pools',
  'evals',
  'deployment',
  'plugins',
  'volumes',
  'scaling_policy',
  'vars',
  'namespaces',
] as const
export type ContextName = (typeof contextNames)[number]

/** Who searches, and where. */
export interface Search {
  readonly world: World
  readonly caller: SchedulerCaller
  /** As it is asked for; `*` for all of them. */
  readonly namespace: string
  /** Those of them in which the caller may read jobs, in order. */
  readonly readable: readonly string[]
}

/** A kind of things that can be searched. */
interface SearchContext {
  /** Whose index a search tells; left out where there are no such things here. */
  readonly kind?: DataKind
  /** Tells whether the caller may ask for it in a namespace. */
  may(search: Search): boolean
  /** The IDs that begin so, in order; undefined for what no ID can begin with. */
  ids(search: Search, prefix: string): Iterable<string> | undefined
}

const mayReadJobs = ({ caller, namespace }: Search) => caller.may(namespace, 'read-job')

interface NamespacedRow {
  readonly ID: string
  readonly Namespace: string
}

/** The IDs of rows that are found by UUIDs, of namespaces where the caller may read jobs. */
function* readableIds(
  { readable }: Search,
  rows: Iterable<NamespacedRow>,
): Generator<string, void, undefined> {
  const visibleNamespaces = new Set(readable)
  for (const { ID, Namespace } of rows) if (visibleNamespaces.has(Namespace)) yield ID
}

function byUuid<R>(prefix: string, rows: (prefix: string) => R): R | undefined {
  return uuidPrefixFault(prefix) === undefined ? rows(uuidPrefix(prefix)) : undefined
}

function* jobIds({ world, readable }: Search, prefix: string) {
  for (const namespace of readable) {
    for (const { ID } of world.table(jobs).rows(jobKey(namespace, prefix))) yield ID
  }
}

function* scalingPolicyIds({ world, readable }: Search, prefix: string) {
  const visibleNamespaces = new Set(readable)
  for (const { ID, Target } of world.table(scalingPolicies).rows(prefix)) {
    if (visibleNamespaces.has(Target?.Namespace ?? '')) yield ID
  }
}

/** Every kind by its name. */
export const searchContexts: Readonly<Record<ContextName, SearchContext>> = {
  allocs: {
    kind: 'allocations',
    may: mayReadJobs,
    ids: (search, prefix) =>
      byUuid(prefix, (id) => readableIds(search, search.world.table(allocations).rows(id))),
  },
  jobs: { kind: 'jobs', may: mayReadJobs, ids: jobIds },
  nodes: {
    kind: 'nodes',
    may: ({ caller }) => caller.mayUse('node', 'read'),
    ids: ({ world }, prefix) =>
      byUuid(prefix, (id) => Array.from(world.table(nodes).rows(id), ({ ID }) => ID)),
  },
  node_pools: {
    kind: 'node-pools',
    may: ({ world, caller }) =>
      Array.from(world.table(nodePools).rows()).some(({ Name }) => caller.mayUsePool(Name, 'read')),
    ids: ({ world, caller }, prefix) =>
      Array.from(world.table(nodePools).rows(prefix), ({ Name }) => Name).filter((name) =>
        caller.mayUsePool(name, 'read'),
      ),
  },
  evals: {
    kind: 'evaluations',
    may: mayReadJobs,
    ids: (search, prefix) =>
      byUuid(prefix, (id) => readableIds(search, search.world.table(evaluations).rows(id))),
  },
  deployment: {
    kind: 'deployments',
    may: mayReadJobs,
    ids: (search, prefix) =>
      byUuid(prefix, (id) => readableIds(search, search.world.table(deployments).rows(id))),
  },
  plugins: { may: ({ caller }) => caller.mayUse('plugin', 'read'), ids: () => [] },
  volumes: {
    may: ({ caller, namespace }) =>
      caller.may(namespace, 'read-job') || caller.may(namespace, 'list-jobs'),
    ids: () => [],
  },
  scaling_policy: {
    kind: 'scaling-policies',
    may: (search) =>
      mayReadJobs(search) || search.caller.may(search.namespace, 'list-scaling-policies'),
    ids: scalingPolicyIds,
  },
  vars: {
    kind: 'variables',
    may: ({ caller }) => caller.mayListVariables(),
    ids: ({ world, caller, namespace }, prefix) =>
      listVariables({ world, caller, namespace }, prefix).map(({ Path }) => Path),
  },
  namespaces: {
    kind: 'namespaces',
    may: ({ caller, namespace }) => caller.maySee(namespace),
    ids: ({ world, caller }, prefix) =>
      Array.from(world.table(namespaces).rows(prefix), ({ Name }) => Name).filter((name) =>
        caller.maySee(name),
      ),
  },
}

/** The name of one kind; undefined for any other text. */
export function findContextName(name: string): ContextName | undefined {
  return contextNames.find((known) => known === name)
}

/** The index that a search of some kinds tells: the highest of what was written to them. */
export function indexOfContexts(world: World, contexts: readonly ContextName[]): number {
  return Math.max(
    0,
    ...contexts.map((name) => {
      const { kind } = searchContexts[name]
      return kind === undefined ? 0 : (world.table(dataIndexes).get(kind)?.index ?? 0)
    }),
  )
}
