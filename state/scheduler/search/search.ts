import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { allocations, nodePools, nodes } from '../cluster/model/tables.ts'
import type { Job } from '../job/job-shape.ts'
import { namespacePrefix } from '../keys.ts'
import { refuse } from '../messages.ts'
import { namespaces } from '../namespaces.ts'
import { jobs } from '../records/tables.ts'
import { type Variable, variables } from '../variables/tables.ts'
import {
  type ContextName,
  contextNames,
  enterpriseContexts,
  findContextName,
  indexOfContexts,
  type SearchScope,
  searchContexts,
} from './contexts.ts'

/** Maximum number of objects of each kind that a search examines. */
const maxExamined = 20

/**
 * Searches IDs by prefix (behaviour/scheduler#search).
 *
 * @param context one kind, or `all`
 * @throws Refusal 403 if the caller may not search the kind, 500 for an unknown kind
 */
export function searchByPrefix(search: SearchScope, prefix: string, context: string) {
  refuseForbiddenContext(search, context)
  const contexts = permittedContexts(search, requestedContexts(context))
  // The reference looks up UUIDs by whole bytes, so an odd last digit does not narrow the
  // candidates, except in a search of jobs alone. The filter below compares the whole prefix.
  const evenPrefix = context === 'jobs' ? prefix : toEvenLength(prefix)
  const Matches: Record<string, readonly string[] | null> = {}
  const Truncations: Record<string, boolean> = {}
  for (const name of contexts) {
    const candidates = searchContexts[name].ids(search, evenPrefix)
    if (candidates === undefined) continue
    const { ids, hasMore } = takeFirst(candidates)
    const matching = ids.filter((id) => id.startsWith(prefix))
    Matches[name] = matching.length === 0 ? null : matching
    Truncations[name] = hasMore
  }
  return { Matches, Truncations, Index: indexOfContexts(search.world, contexts) }
}

/** Drops the last digit of a prefix with an odd number of digits. Hyphens are not counted. */
function toEvenLength(prefix: string): string {
  const isOdd = prefix.replaceAll('-', '').length % 2 !== 0
  return isOdd ? prefix.slice(0, -1) : prefix
}

/** Returns at most `maxExamined` items. `hasMore` is true if the iterable has further items. */
function takeFirst<T>(iterable: Iterable<T>) {
  const ids: T[] = []
  for (const each of iterable) {
    if (ids.length === maxExamined) return { ids, hasMore: true }
    ids.push(each)
  }
  return { ids, hasMore: false }
}

/**
 * Refuses a search of a kind that the caller may not search. A search of all kinds is never
 * refused.
 * @throws Refusal 403
 */
function refuseForbiddenContext(search: SearchScope, context: string): void {
  const name = findContextName(context)
  const may = name === undefined ? enterpriseContexts.get(context) : searchContexts[name].may
  if (may !== undefined && !may(search)) throw refuse('permission-denied')
}

/**
 * Returns the kinds of objects to search: every kind for `all`, otherwise the kind with the name.
 * @throws Refusal 500 for an unknown kind
 */
function requestedContexts(context: string): readonly ContextName[] {
  if (context === 'all') return contextNames
  const name = findContextName(context)
  if (name !== undefined) return [name]
  throw refuse('search-context-unknown', {
    known: contextNames.join(' '),
    context: quoteGo(context),
  })
}

function permittedContexts(
  search: SearchScope,
  contexts: readonly ContextName[],
): readonly ContextName[] {
  return contexts.filter((name) => {
    const { may, isPartOfFullSearch: mayInAllContexts } = searchContexts[name]
    return may(search) || mayInAllContexts?.(search) === true
  })
}

/**
 * A name or ID that matches the text of a fuzzy search. `ID` contains the matching name or ID.
 * `Scope` contains the namespace, names and IDs that identify the object.
 */
interface SearchMatch {
  readonly ID: string
  readonly Scope?: readonly string[]
}

/**
 * A match, and the kind under which the reply lists the match. The kind may be a part of a job,
 * such as `tasks`.
 */
interface NamedMatch extends SearchMatch {
  readonly context: string
}

/** Minimum length of the text of a fuzzy search, in bytes. */
const minTextBytes = 2

/** Maximum number of matches of a kind that a fuzzy search returns. */
const maxMatches = 100

/** Kinds that a fuzzy search matches by the beginning of the ID instead of by name. */
const prefixContexts: ReadonlySet<ContextName> = new Set([
  'evals',
  'deployment',
  'scaling_policy',
  'volumes',
])

/**
 * Searches for names that contain a text, ignoring case, best matches first
 * (behaviour/scheduler#search). Objects of `prefixContexts` match if their IDs begin with the text.
 * As in the reference, only the first twenty objects of a kind are examined.
 *
 * @param prefix ID prefix of the examined objects of `prefixContexts`
 * @throws Refusal 403 if the caller may not search the kind in a single namespace, 500 for a text
 *   that is too short or an unknown kind
 */
export function searchFuzzily(search: SearchScope, text: string, context: string, prefix: string) {
  const length = Buffer.byteLength(text)
  // A search of all namespaces is never refused, because its results contain only objects that the
  // caller may read.
  const isOfAllNamespaces = search.namespace === '*'
  if (!isOfAllNamespaces) refuseForbiddenContext(search, context)
  if (length < minTextBytes) throw refuse('search-text-short', { least: minTextBytes, length })
  const requested = requestedContexts(context)
  const permittedNames = permittedContexts(search, requested)
  const contexts = isOfAllNamespaces ? requested : permittedNames
  const Matches: Record<string, readonly SearchMatch[]> = {}
  const Truncations: Record<string, boolean> = {}
  for (const name of contexts) {
    if (prefixContexts.has(name)) {
      if (!permittedNames.includes(name)) continue
      const { ids, hasMore } = takeFirst(searchContexts[name].ids(search, prefix) ?? [])
      Matches[name] = ids.filter((id) => id.startsWith(text)).map((ID) => ({ ID }))
      Truncations[name] = hasMore
    } else {
      Truncations[name] = false
      collectMatches(search, name, text.toLowerCase(), { Matches, Truncations })
    }
  }
  return { Matches, Truncations, Index: indexOfContexts(search.world, contexts) }
}

/**
 * Adds the sorted matches of one kind to `results`, and marks the kinds whose matches are
 * incomplete.
 */
function collectMatches(
  search: SearchScope,
  name: ContextName,
  text: string,
  results: {
    readonly Matches: Record<string, readonly SearchMatch[]>
    readonly Truncations: Record<string, boolean>
  },
): void {
  const { ids: candidates, hasMore } = takeFirst(namedMatches(search, name))
  const matches = new Map<string, SearchMatch[]>()
  for (const [at, names] of candidates.entries()) {
    const isLast = hasMore && at === candidates.length - 1
    for (const { context, ...match } of names) {
      if (!match.ID.toLowerCase().includes(text)) continue
      const known = matches.get(context) ?? []
      matches.set(context, known)
      if (known.length < maxMatches) known.push(match)
      else results.Truncations[context] = true
      if (isLast) results.Truncations[context] = true
    }
  }
  for (const [context, list] of matches) {
    results.Matches[context] = list.sort((a, b) => compareMatches(a.ID, b.ID, text))
  }
}

/**
 * Orders matches by the position of the text in the name, then by the length of the name, and then
 * bytewise.
 */
function compareMatches(a: string, b: string, text: string): number {
  return (
    a.toLowerCase().indexOf(text) - b.toLowerCase().indexOf(text) ||
    Buffer.byteLength(a) - Buffer.byteLength(b) ||
    compareBytewise(a, b)
  )
}

/** Yields the names of each object of a kind, in the order in which objects are examined. */
function* namedMatches(
  search: SearchScope,
  name: ContextName,
): Generator<readonly NamedMatch[], void, undefined> {
  const { world, caller, readableNamespaces } = search
  switch (name) {
    case 'jobs':
      for (const namespace of readableNamespaces) {
        for (const job of world.table(jobs).rows(namespacePrefix(namespace))) yield jobNames(job)
      }
      return
    case 'allocs': {
      const visibleNamespaces = new Set(readableNamespaces)
      for (const { ID, Name, Namespace } of world.table(allocations).rows()) {
        if (visibleNamespaces.has(Namespace))
          yield [{ context: name, ID: Name, Scope: [Namespace, ID] }]
      }
      return
    }
    case 'nodes':
      if (!caller.mayUse('node', 'read')) return
      for (const { ID, Name } of world.table(nodes).rows()) {
        yield [{ context: name, ID: Name, Scope: [ID] }]
      }
      return
    case 'vars':
      for (const { Namespace, Path } of searchedVariables(search)) {
        yield [{ context: name, ID: Path, Scope: [Namespace, Path] }]
      }
      return
    case 'node_pools':
      for (const { Name } of world.table(nodePools).rows()) {
        if (caller.mayUsePool(Name, 'read')) yield [{ context: name, ID: Name, Scope: [Name] }]
      }
      return
    case 'namespaces':
      for (const { Name } of world.table(namespaces).rows()) {
        if (caller.maySee(Name)) yield [{ context: name, ID: Name }]
      }
  }
}

/**
 * Returns the variables that a fuzzy search examines. As in the reference, ACL rules for single
 * paths are ignored. In a single namespace, all variables are returned, because the caller's
 * permission to search the namespace covers all of them.
 */
function searchedVariables({ world, caller, namespace }: SearchScope): readonly Variable[] {
  if (namespace !== '*') return [...world.table(variables).rows(namespacePrefix(namespace))]
  const all = world.table(variables).rows()
  return Array.from(all).filter(({ Namespace }) => caller.maySearchVariables(Namespace))
}

/** Returns the names of a job and of its groups, tasks, services and programs. */
function jobNames({ Namespace, ID, Name, TaskGroups }: Job): readonly NamedMatch[] {
  const jobScope = [Namespace, ID]
  return [
    { context: 'jobs', ID: Name, Scope: jobScope },
    ...(TaskGroups ?? []).flatMap((group): readonly NamedMatch[] => {
      const groupScope = [...jobScope, group.Name]
      return [
        { context: 'groups', ID: group.Name, Scope: jobScope },
        ...(group.Services ?? []).map((each) => service(each.Name, groupScope)),
        ...(group.Tasks ?? []).flatMap((task): readonly NamedMatch[] => {
          const taskScope = [...groupScope, task.Name]
          return [
            { context: 'tasks', ID: task.Name, Scope: groupScope },
            ...(task.Services ?? []).map((each) => service(each.Name, taskScope)),
            ...programNames(task.Driver, task.Config, taskScope),
          ]
        }),
      ]
    }),
  ]
}

function service(name: string, Scope: readonly string[]): NamedMatch {
  return { context: 'services', ID: name, Scope }
}

/**
 * Kind under which searches list a task's program, and the member of the driver configuration that
 * names the program. Keyed by driver.
 */
const programMembers: ReadonlyMap<string, readonly [context: string, member: string]> = new Map([
  ['docker', ['images', 'image']],
  ['exec', ['commands', 'command']],
  ['raw_exec', ['commands', 'command']],
  ['java', ['classes', 'class']],
])

function programNames(driver: string, config: unknown, Scope: readonly string[]) {
  const [context, member] = programMembers.get(driver) ?? []
  if (context === undefined || member === undefined) return []
  const value: unknown = Reflect.get(Object(config), member)
  return typeof value === 'string' ? [{ context, ID: value, Scope }] : []
}
