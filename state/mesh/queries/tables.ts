import { bool, goList, goMap, int, name, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { keyPart } from '../catalog/tables.ts'
import { meshTable, touch } from '../indexes.ts'

/**
 * Criteria by which a prepared query selects service instances. The members have the order that the
 * reference uses.
 */
export const serviceQueryShape = struct({
  Service: text,
  SamenessGroup: text,
  Failover: struct({
    NearestN: int,
    Datacenters: goList(text),
    Targets: goList(struct({ Peer: text, Datacenter: text })),
  }),
  OnlyPassing: bool,
  IgnoreCheckIDs: goList(text),
  Near: text,
  Tags: goList(text),
  NodeMeta: goMap(text),
  ServiceMeta: goMap(text),
  Connect: bool,
  Peer: text,
  Namespace: optional(text),
})

export interface ServiceQuery extends StoredOf<typeof serviceQueryShape> {}

export const templateShape = struct({ Type: text, Regexp: text, RemoveEmptyTags: bool })

const queryShape = struct({
  id: name,
  name: text,
  /**
   * ID of the session whose end removes the query; empty if the query is not bound to a session.
   */
  session: text,
  /**
   * Token whose rights apply when the query runs; if empty, the rights of the request's token
   * apply.
   */
  token: text,
  template: templateShape,
  service: serviceQueryShape,
  /**
   * TTL of DNS answers as a Go duration; replies contain the text unchanged. Empty if the request
   * had no TTL.
   */
  dns_ttl: text,
  create_index: uint,
  modify_index: uint,
})

/** A prepared query (behaviour/mesh#queries). */
export interface PreparedQuery extends StoredOf<typeof queryShape> {}

/**
 * Prepared queries by ID. The index `byName` contains the queries that have a name. The index
 * `bySession` contains the queries that are bound to a session, under `<session>/<id>`.
 */
export const preparedQueries = meshTable('queries', queryShape, {
  secrets: { members: ['token'] },
  indexes: {
    byName: ({ name: own }) => (own === '' ? undefined : keyPart(own)),
    bySession: ({ session }, key) => (session === '' ? undefined : `${session}/${key}`),
  },
})

/** Name under which the index of queries is stored. */
export const queryDataKind = 'queries'

/** Removes the queries of a session that ends. Must run inside a transaction. */
export function removeQueriesOfSession(world: World, session: string): void {
  const table = world.table(preparedQueries)
  const queries = [...table.index('bySession').rows(`${session}/`)]
  for (const { id } of queries) table.delete(id)
  if (queries.length > 0) touch(world, queryDataKind)
}
