import { list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import {
  allQueries,
  createQuery,
  deleteQuery,
  isQueryId,
  protectedName,
  type QueryInput,
  queriesIndex,
  queryWithId,
  requireQuery,
  updateQuery,
  validateQuery,
} from '../../../state/mesh/queries/queries.ts'
import { queryBody, queryInputOf } from '../../../state/mesh/queries/query-body.ts'
import {
  type PreparedQuery,
  serviceQueryShape,
  templateShape,
} from '../../../state/mesh/queries/tables.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { requireRight, requires, rightChecker, withExtraRight } from '../access.ts'
import { decodeAgentBody } from '../agent/bodies.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

export const operation = operationsOf({ spec: 'behaviour/mesh#queries' })

const dnsMembers = { DNS: struct({ TTL: text }) } as const

export const queryReply = struct({
  ID: text,
  Name: text,
  Session: text,
  Token: text,
  Template: templateShape,
  Service: serviceQueryShape,
  ...dnsMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})

/** Renders a query. The token is hidden unless the caller may write ACLs. */
export function queryView(context: MeshContext, query: PreparedQuery) {
  const isHidden = query.token !== '' && !rightChecker(context, 'acl:write')({})
  return {
    ID: query.id,
    Name: query.name,
    Session: query.session,
    Token: isHidden ? '<hidden>' : query.token,
    Template: query.template,
    Service: query.service,
    DNS: { TTL: query.dns_ttl },
    CreateIndex: query.create_index,
    ModifyIndex: query.modify_index,
  }
}

/**
 * Returns whether the caller may read a query in lists. Queries without a protected name require
 * `acl:write`.
 */
export function isQueryReadable(context: MeshContext, query: PreparedQuery): boolean {
  const name = protectedName(query)
  if (rightChecker(context, 'acl:write')({})) return true
  return name !== undefined && rightChecker(context, 'query:read')({ name })
}

function requireQueryWrite(context: MeshContext, query: QueryInput): void {
  const name = protectedName(query)
  if (name !== undefined) requireRight(context, 'query:write', { name })
}

/**
 * Access to reads of queries. A caller with `acl:write` also sees the tokens of queries, and
 * queries without a name.
 */
export const queryReadAccess = withExtraRight('acl:write', requires('query:read'))
const writeAccess = insideOperation(requires('query:write'))
const readFlags = { showsConsistency: true, hasReadHeadersOnRefusal: true } as const

export const queryOperations = [
  operation.post('createQuery', '/query', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Store a prepared query.',
    body: queryBody,
    reply: { 200: storedSchema(struct({ ID: text })) },
    run({ context }) {
      const body = decodeAgentBody(context, queryBody)
      context.requireOwnDatacenter()
      if (body.ID) throw refuse('query-id-sent')
      const input = queryInputOf(body)
      void context.caller
      requireQueryWrite(context, input)
      validateQuery(context.world, input)
      return ok({ ID: createQuery(context.world, input) })
    },
  }),
  operation.get('listQueries', '/query', {
    access: perEntry(queryReadAccess),
    tenancy: 'none',
    summary: 'List the prepared queries; can block.',
    reply: { 200: storedSchema(list(queryReply)) },
    run: ({ context }) => {
      const { world } = context
      return context.read(() => {
        void context.caller
        const all = allQueries(world)
        const visible = all.filter((query) => isQueryReadable(context, query))
        const hidden = all.filter((query) => !visible.includes(query))
        return {
          index: queriesIndex(world),
          body: visible.map((query) => queryView(context, query)),
          isFiltered: hidden.some((query) => protectedName(query) !== undefined),
        }
      }, readFlags)
    },
  }),
  operation.get('readQuery', '/query/:id', {
    access: insideOperation(queryReadAccess),
    tenancy: 'none',
    summary: 'Read a prepared query, as a list with one entry; can block.',
    failures: [404],
    reply: { 200: storedSchema(list(queryReply)) },
    run: ({ context, params: { id } }) => {
      const { world } = context
      return context.read(() => {
        void context.caller
        if (!isQueryId(id)) throw refuse('query-id-invalid')
        const query = queryWithId(world, id)
        if (query === undefined) throw refuse('query-absent')
        const isProtected = protectedName(query) !== undefined
        if (isProtected && !isQueryReadable(context, query)) {
          throw refuseAccess('right-missing-bare')
        }
        return { index: queriesIndex(world), body: [queryView(context, query)] }
      }, readFlags)
    },
  }),
  operation.put('updateQuery', '/query/:id', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Replace a prepared query.',
    body: queryBody,
    bodyOptional: true,
    reply: { 200: null },
    run({ context, params: { id } }) {
      const { world } = context
      const body = context.body.length === 0 ? {} : decodeAgentBody(context, queryBody)
      context.requireOwnDatacenter()
      const input = queryInputOf(body)
      void context.caller
      requireQueryWrite(context, input)
      const before = requireQuery(world, id)
      requireQueryWrite(context, before)
      validateQuery(world, input)
      updateQuery(world, before, input)
      return { status: 200 as const }
    },
  }),
  operation.delete('deleteQuery', '/query/:id', {
    access: writeAccess,
    tenancy: 'none',
    summary: 'Delete a prepared query.',
    reply: { 200: null },
    run({ context, params: { id } }) {
      context.requireOwnDatacenter()
      void context.caller
      const query = requireQuery(context.world, id)
      requireQueryWrite(context, query)
      deleteQuery(context.world, query)
      return { status: 200 as const }
    },
  }),
]
