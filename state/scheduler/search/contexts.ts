import { compareBytewise } from '../../json/json.ts'
import { greatest } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SchedulerCaller } from '../acl/callers.ts'
import { uuidPrefix, uuidPrefixError } from '../acl/uuids.ts'
import { allocations, deployments, evaluations, nodePools, nodes } from '../cluster/model/tables.ts'
import { type DataKind, dataIndexes } from '../indexes.ts'
import { jobKey } from '../keys.ts'
import { namespaces } from '../namespaces.ts'
import { jobs, scalingPolicies } from '../records/tables.ts'
import { variables } from '../variables/tables.ts'

/** Kinds of objects that can be searched, in the reference's order (behaviour/scheduler#search). */
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

export interface SearchScope {
  readonly world: World
  readonly caller: SchedulerCaller
  /** The requested namespace; `*` for all namespaces. */
  readonly namespace: string
  /** Requested namespaces in which the caller may read jobs, sorted. */
  readonly readableNamespaces: readonly string[]
}

interface SearchContext {
  /**
   * Kind of data that determines the index of the reply. Undefined if the mock never has objects of
   * the context's kind.
   */
  readonly kind?: DataKind
  /** Returns true if the caller may search for this kind in the namespace. */
  may(search: SearchScope): boolean
  /**
   * Returns true if a search of all kinds includes this kind, although `may` forbids a search of
   * the kind alone.
   */
  isPartOfFullSearch?(search: SearchScope): boolean
  /** Returns the sorted IDs with a prefix. Undefined if no ID can have the prefix. */
  ids(search: SearchScope, prefix: string): Iterable<string> | undefined
}

const mayReadJobs = ({ caller, namespace }: SearchScope) => caller.may(namespace, 'read-job')

interface NamespacedRow {
  readonly ID: string
  readonly Namespace: string
}

/** Yields the IDs of those rows that are in namespaces in which the caller may read jobs. */
function* readableIds({ readableNamespaces }: SearchScope, rows: Iterable<NamespacedRow>) {
  const visibleNamespaces = new Set(readableNamespaces)
  for (const { ID, Namespace } of rows) if (visibleNamespaces.has(Namespace)) yield ID
}

function callWithUuidPrefix<R>(prefix: string, rows: (prefix: string) => R): R | undefined {
  return uuidPrefixError(prefix) === undefined ? rows(uuidPrefix(prefix)) : undefined
}

function* jobIds({ world, readableNamespaces }: SearchScope, prefix: string) {
  for (const namespace of readableNamespaces) {
    for (const { ID } of world.table(jobs).rows(jobKey(namespace, prefix))) yield ID
  }
}

function* scalingPolicyIds({ world, readableNamespaces }: SearchScope, prefix: string) {
  const visibleNamespaces = new Set(readableNamespaces)
  for (const { ID, Target } of world.table(scalingPolicies).rows(prefix)) {
    if (visibleNamespaces.has(Target?.Namespace ?? '')) yield ID
  }
}

/**
 * Returns the paths of variables with a prefix in all namespaces in which the caller may search
 * variables, sorted.
 */
function variablePaths({ world, caller }: SearchScope, prefix: string): readonly string[] {
  return Array.from(world.table(variables).rows())
    .filter(
      ({ Namespace, Path }) => Path.startsWith(prefix) && caller.maySearchVariables(Namespace),
    )
    .map(({ Path }) => Path)
    .sort(compareBytewise)
}

/** Capabilities that allow a search of volumes. One of them is enough. */
const volumeCapabilities = ['csi-list-volume', 'csi-read-volume', 'list-jobs', 'read-job'] as const

export const searchContexts: Readonly<Record<ContextName, SearchContext>> = {
  allocs: {
    kind: 'allocations',
    may: mayReadJobs,
    ids: (search, prefix) =>
      callWithUuidPrefix(prefix, (id) =>
        readableIds(search, search.world.table(allocations).rows(id)),
      ),
  },
  jobs: { kind: 'jobs', may: mayReadJobs, ids: jobIds },
  nodes: {
    kind: 'nodes',
    may: ({ caller }) => caller.mayUse('node', 'read'),
    ids: ({ world }, prefix) =>
      callWithUuidPrefix(prefix, (id) => Array.from(world.table(nodes).rows(id), ({ ID }) => ID)),
  },
  node_pools: {
    kind: 'node-pools',
    may: ({ caller }) => caller.maySearchPools(),
    ids: ({ world, caller }, prefix) =>
      Array.from(world.table(nodePools).rows(prefix), ({ Name }) => Name).filter((name) =>
        caller.mayUsePool(name, 'read'),
      ),
  },
  evals: {
    kind: 'evaluations',
    may: mayReadJobs,
    ids: (search, prefix) =>
      callWithUuidPrefix(prefix, (id) =>
        readableIds(search, search.world.table(evaluations).rows(id)),
      ),
  },
  deployment: {
    kind: 'deployments',
    may: mayReadJobs,
    ids: (search, prefix) =>
      callWithUuidPrefix(prefix, (id) =>
        readableIds(search, search.world.table(deployments).rows(id)),
      ),
  },
  plugins: { may: ({ caller }) => caller.mayUse('plugin', 'list'), ids: () => [] },
  volumes: {
    may: ({ caller, namespace }) =>
      volumeCapabilities.some((capability) => caller.may(namespace, capability)),
    ids: () => [],
  },
  scaling_policy: {
    kind: 'scaling-policies',
    may: mayReadJobs,
    isPartOfFullSearch: ({ caller, namespace }) => caller.may(namespace, 'list-scaling-policies'),
    ids: scalingPolicyIds,
  },
  vars: {
    kind: 'variables',
    may: ({ caller, namespace }) => caller.maySearchVariables(namespace),
    ids: variablePaths,
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

/**
 * Kinds that only the enterprise edition has, with the right that a search needs. As in the
 * reference, the right is checked before the search is refused because of the unknown kind.
 */
export const enterpriseContexts: ReadonlyMap<string, SearchContext['may']> = new Map<
  string,
  SearchContext['may']
>([
  ['quotas', ({ caller }) => caller.mayUse('quota', 'read')],
  ['recommendations', mayReadJobs],
])

export function findContextName(name: string): ContextName | undefined {
  return contextNames.find((known) => known === name)
}

/** Returns the index of the reply: the highest index of the kinds that are searched. */
export function indexOfContexts(world: World, contexts: readonly ContextName[]): number {
  const indexes = contexts.map((name) => {
    const { kind } = searchContexts[name]
    return kind === undefined ? 0 : (world.table(dataIndexes).get(kind)?.index ?? 0)
  })
  return Math.max(0, greatest(indexes))
}
