import { DurationError, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { metaProblem } from '../agent/service-input.ts'
import { keyPart } from '../catalog/tables.ts'
import { indexOf, nextIndex, touch } from '../indexes.ts'
import { sessionWithId } from '../kv/sessions.ts'
import { message, refuse } from '../messages.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { isCommunity } from '../options.ts'
import { type PreparedQuery, preparedQueries, queryDataKind } from './tables.ts'
import { renderTemplate, validateTemplate } from './templates.ts'

export type QueryInput = Omit<PreparedQuery, 'id' | 'create_index' | 'modify_index'>

const idPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Returns the index of the last write to any query. The read is not observed. */
export function queriesIndex(world: World): number {
  return world.unobserved(() => indexOf(world, queryDataKind))
}

/** Returns the queries, ordered by ID. */
export function allQueries(world: World): readonly PreparedQuery[] {
  return [...world.table(preparedQueries).rows()]
}

export function queryWithId(world: World, id: string): PreparedQuery | undefined {
  return world.table(preparedQueries).get(id)
}

/**
 * Returns whether a string has 36 characters and can therefore be the ID of a query. As in the
 * reference, the characters are not checked.
 */
export function isQueryId(id: string): boolean {
  return /^.{36}$/.test(id)
}

/**
 * Returns the name that access rules for a query refer to; undefined for a query that has neither a
 * name nor a template. Every caller who knows the ID of such a query may read it.
 */
export function protectedName({ name, template }: Pick<PreparedQuery, 'name' | 'template'>) {
  return name === '' && template.Type === '' ? undefined : name
}

/**
 * Returns the query that a request updates or deletes. Throws a refusal if the ID is malformed or
 * unknown.
 */
export function requireQuery(world: World, id: string): PreparedQuery {
  if (!isQueryId(id)) {
    throw refuse('query-lookup-failed', { problem: message('query-id-invalid') })
  }
  const query = queryWithId(world, id)
  if (query === undefined) throw refuse('query-unknown-in-write', { id })
  return query
}

function queryProblem(world: World, input: QueryInput): Message | undefined {
  const { service, template, dns_ttl: ttl } = input
  const { NearestN, Datacenters, Targets } = service.Failover
  if (input.name === '' && template.Type === '' && input.session === '') {
    return message('query-unbound')
  }
  if (input.token === '<hidden>') return message('query-token-hidden')
  if (service.Service === '') return message('query-service-unsaid')
  if (NearestN < 0) return message('query-nearest-negative', { count: NearestN })
  const hasDatacenters = NearestN !== 0 || (Datacenters ?? []).length > 0
  if (hasDatacenters && (Targets ?? []).length > 0) return message('query-failover-twice')
  const problem = metaProblem(service.NodeMeta ?? {}, undefined)
  if (problem !== undefined) return problem
  if (service.SamenessGroup !== '' && isCommunity(world)) return message('query-sameness')
  return ttl === '' ? undefined : ttlProblem(ttl)
}

function ttlProblem(ttl: string): Message | undefined {
  try {
    const nanoseconds = parseGoDuration(ttl)
    return nanoseconds < 0 ? message('query-ttl-negative', { ttl: nanoseconds }) : undefined
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    return message('query-ttl-unreadable', { ttl, problem: error.reason })
  }
}

/**
 * Throws a refusal for an invalid query. Checks only the query itself, not other queries or
 * sessions.
 */
export function validateQuery(world: World, input: QueryInput): void {
  const problem = queryProblem(world, input)
  if (problem !== undefined) throw refuse('query-invalid', { problem })
}

/**
 * Throws a refusal if another query has the same name, if the name is the ID of a query, or if both
 * this query and another query are templates without a name. Also throws a refusal if the query's
 * session does not exist or its template is invalid.
 */
function requireStorable(world: World, input: QueryInput, id: string | undefined): void {
  const { name, session, template } = input
  const isOther = (other: PreparedQuery | undefined) => other !== undefined && other.id !== id
  const table = world.table(preparedQueries)
  if (name !== '' && isOther(table.index('byName').get(keyPart(name)))) {
    throw refuse('query-refused', { problem: `name '${name}' aliases an existing query name` })
  }
  const isNameless = (query: PreparedQuery) => query.name === '' && query.template.Type !== ''
  if (name === '' && template.Type !== '' && isOther(allQueries(world).find(isNameless))) {
    throw refuse('query-refused', {
      problem: 'a query template with an empty name already exists',
    })
  }
  if (idPattern.test(name) && table.has(name)) {
    throw refuse('query-refused', { problem: `name '${name}' aliases an existing query ID` })
  }
  if (session !== '' && sessionWithId(world, defaultNamespace, session) === undefined) {
    throw refuse('query-refused', { problem: `invalid session ${quoteGo(session)}` })
  }
  if (template.Type !== '') validateTemplate(input)
}

function storeQuery(world: World, id: string, input: QueryInput, before?: PreparedQuery): void {
  world.write(() => {
    const index = nextIndex(world)
    const row = { id, ...input, create_index: before?.create_index ?? index, modify_index: index }
    world.table(preparedQueries).put(id, row)
    touch(world, queryDataKind)
  })
}

/**
 * Creates a query that `validateQuery` has accepted, and returns the new ID. Throws the refusals of
 * `requireStorable`.
 */
export function createQuery(world: World, input: QueryInput): string {
  requireStorable(world, input, undefined)
  const id = world.ids.uuid()
  storeQuery(world, id, input)
  return id
}

/**
 * Replaces all members of a query except the ID and the CreateIndex. Throws the refusals of
 * `requireStorable`.
 */
export function updateQuery(world: World, before: PreparedQuery, input: QueryInput): void {
  requireStorable(world, input, before.id)
  storeQuery(world, before.id, input, before)
}

export function deleteQuery(world: World, { id }: PreparedQuery): void {
  world.write(() => {
    world.table(preparedQueries).delete(id)
    touch(world, queryDataKind)
  })
}

/**
 * Returns the query to run for an ID or a requested name. If no query has the requested name, uses
 * the template with the longest name that is a prefix of the requested name. Renders a template
 * with the requested name. Throws a refusal for the ID of a template, if nothing matches the
 * requested name (404), and if the template cannot be rendered.
 */
export function resolveQuery(world: World, idOrName: string): PreparedQuery {
  const byId = idPattern.test(idOrName) ? queryWithId(world, idOrName) : undefined
  if (byId !== undefined) {
    if (byId.template.Type !== '') throw refuse('query-template-by-id')
    return byId
  }
  const exact = world.table(preparedQueries).index('byName').get(keyPart(idOrName))
  const [longest] = allQueries(world)
    .filter(({ name, template }) => template.Type !== '' && idOrName.startsWith(name))
    .sort((a, b) => b.name.length - a.name.length)
  const query = exact ?? longest
  if (query === undefined) throw refuse('query-absent')
  if (query.template.Type === '') return query
  return { ...query, service: renderTemplate(query, idOrName) }
}
