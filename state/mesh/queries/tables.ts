import { bool, goList, goMap, int, name, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { keyPart } from '../catalog/tables.ts'
import { meshTable, touch } from '../indexes.ts'

/** Criteria by which a query selects instances, with the members in the reference's order. */
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
  /** Session whose end removes the query; empty for none. */
  session: text,
  /** Token whose rights apply when the query runs; empty for the token of the request. */
  token: text,
  template: templateShape,
  service: serviceQueryShape,
  /** TTL of DNS answers as a Go duration, which replies repeat; empty if none was sent. */
  dns_ttl: text,
  create_index: uint,
  modify_index: uint,
})

/** A prepared query (behaviour/mesh#queries). */
export interface PreparedQuery extends StoredOf<typeof queryShape> {}

/**
 * Prepared queries by ID. The index `byName` has the queries with a name, and `bySession` those
 * that end with a session.
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
