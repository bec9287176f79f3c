import { parseGoDuration, SECOND } from '../../../state/go/duration.ts'
import { isJsonObject, type Json, JsonNumber } from '../../../state/kernel/json.ts'
import { any, list, nullable, text, typed } from '../../../state/kernel/shape/kinds.ts'
import {
  embedded,
  optional,
  partial,
  struct,
  withOthers,
} from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  createSession,
  destroySession,
  renewSession,
  type SessionInput,
  sessionsIn,
  sessionsIndex,
  sessionWithId,
} from '../../../state/mesh/kv/sessions.ts'
import { type MeshSession, sessionShape } from '../../../state/mesh/kv/tables.ts'
import { message, refuse } from '../../../state/mesh/messages.ts'
import { defaultNamespace, namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { serfHealth } from '../../../state/mesh/server.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { JsonText, jsonList } from '../../http/json-text.ts'
import { namespaceOf, requireRight, requires, rightChecker } from '../access.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import { objectRenderer } from '../dialect.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

const createdSchema = storedSchema(struct({ ID: text }))

const { id, name, node, lock_delay, behavior, ttl, ...otherFields } = sessionShape.fields
const { node_checks, checks, create_index, modify_index } = otherFields
const sessionRenderer = objectRenderer({
  ...{ id, name, node, lock_delay, behavior, ttl, node_checks },
  service_checks: nullable(list(any)),
  ...{ checks, create_index, modify_index },
})

const sessionListSchema = storedSchema(
  list(struct({ ...sessionRenderer.shape.fields, Namespace: optional(text) })),
)

/** Renders a session as JSON. The namespace is left out if it is `default`. */
function sessionJson(world: World, session: MeshSession): string {
  const { namespace } = session
  const json = world.derived(session, jsonOf)
  if (namespace === defaultNamespace) return json
  const name = namespaceNamed(world, namespace)?.name ?? namespace
  return `${json.slice(0, -1)},"Namespace":${JSON.stringify(name)}}`
}

function jsonOf(session: MeshSession): string {
  const { service_checks = null } = session
  return JSON.stringify(sessionRenderer.render({ ...session, service_checks }))
}

const operation = operationsOf({ spec: 'behaviour/mesh#sessions' })

const sessionBody = partial(
  struct('Session', {
    LockDelay: any,
    ...embedded('Alias', {
      ID: text,
      Name: text,
      Node: text,
      Behavior: typed('SessionBehavior', text),
      TTL: text,
      Checks: list(typed('CheckID', text)),
      NodeChecks: list(text),
      ServiceChecks: list(partial(struct('ServiceCheck', { ID: text, Namespace: text }))),
      Namespace: text,
    }),
  }),
)

/** Limit in nanoseconds. A smaller lock delay counts as a number of seconds. */
const secondsThreshold = 1_000

/**
 * Returns a lock delay in nanoseconds, parsed from a duration or a number; undefined for null or a
 * missing value. As in the product, a value below `secondsThreshold` is converted from seconds to
 * nanoseconds, with an overflow at 64 bits. Values of other types, and values that exceed 64 bits,
 * count as 0. Throws a `DurationError` for a malformed text.
 */
function parseLockDelay(input: unknown): number | undefined {
  if (input === undefined || input === null) return undefined
  const isNumber = typeof input === 'number' || input instanceof JsonNumber
  const sent = isNumber ? Math.trunc(Number(String(input))) : 0
  const value = typeof input === 'string' ? parseGoDuration(input) : sent
  if (value >= 2 ** 63) return 0
  if (value >= secondsThreshold) return value
  return Number(BigInt.asIntN(64, BigInt(value) * BigInt(SECOND))) + 0
}

/** The checks that a request names. A list is null if the request contains null. */
type SessionChecks = Pick<SessionInput, 'checks' | 'nodeChecks'>

/**
 * Returns the checks that the body of a creation names (behaviour/mesh#sessions). `Checks` is the
 * older member. If `Checks` is empty or null, `NodeChecks` becomes empty. `Checks` is dropped if it
 * names only the default check, or if `NodeChecks` is empty or null.
 */
function checksOf(body: Json): SessionChecks {
  const sent = (name: string) => {
    if (!isJsonObject(body)) return undefined
    const key = Object.keys(body).findLast((each) => each.toLowerCase() === name)
    return key === undefined ? undefined : (body[key] as readonly string[] | null)
  }
  const checks = sent('checks')
  const nodeChecks = sent('nodechecks')
  if (checks === null || checks?.length === 0) return { nodeChecks: [] }
  const isDefault = checks === undefined || (checks.length === 1 && checks[0] === serfHealth)
  const hasNodeChecks = nodeChecks === undefined || (nodeChecks ?? []).length > 0
  return { nodeChecks, checks: isDefault || !hasNodeChecks ? undefined : checks }
}

function inputOf(body: ParsedOf<typeof sessionBody>, json: Json): SessionInput {
  return {
    ...checksOf(json),
    name: body.Name,
    node: body.Node,
    lockDelay: parseLockDelay(body.LockDelay),
    behavior: body.Behavior,
    ttl: body.TTL,
    serviceChecks: body.ServiceChecks?.map(({ ID = '', Namespace = '' }) => ({ ID, Namespace })),
  }
}

/**
 * Decodes the body of a creation. A missing body counts as empty, and unknown members are ignored.
 * Throws a refusal for a malformed body.
 */
function parseSession({ body }: MeshContext): { input: SessionInput; namespace: string } {
  if (body.length === 0) return { input: {}, namespace: '' }
  return withRefusal(
    () => {
      const json = parseBody(body)
      const input = decodeOne(json, sessionBody, true)
      return { input: inputOf(input, json), namespace: input.Namespace ?? '' }
    },
    (problem) => refuse('session-body-unreadable', { problem }),
  )
}

function requireSessionId(id: string): string {
  if (id === '') throw refuse('session-unsaid')
  return id
}

/**
 * Returns a function that reads the sessions of a namespace, without those that the caller may not
 * read.
 */
function readSessions(context: MeshContext, find: (namespace: string) => readonly MeshSession[]) {
  const { world } = context
  return () => {
    const namespace = namespaceOf(context)
    const existing = find(namespace)
    const isReadable = rightChecker(context, 'session:read')
    const visible = existing.filter(({ node: name }) => isReadable({ name, namespace }))
    return {
      index: sessionsIndex(world, namespace),
      body: jsonList(visible.map((session) => sessionJson(world, session))),
      isFiltered: visible.length < existing.length,
    }
  }
}

const refusalFlags = { hasReadHeadersOnRefusal: true }

/**
 * Access whose right the operation itself checks, because only the body or the session names the
 * node.
 */
const writeAccess = insideOperation(requires('session:write'))
const readAccess = perEntry(requires('session:read'))

export const sessionOperations = [
  operation.put('createSession', '/session/create', {
    access: writeAccess,
    summary: 'Create a session on a node; its TTL runs on the clock of the world.',
    body: withOthers(sessionBody, any),
    bodyOptional: true,
    reply: { 200: createdSchema },
    run({ context }) {
      const { input, namespace: bodyNamespace } = parseSession(context)
      context.requireOwnDatacenter()
      // The reference checks the node before the token.
      if (input.node === '') throw refuse('session-node-unsaid')
      const { world, caller } = context
      const namespace = context.namespace ?? (bodyNamespace || caller.namespace)
      const name = input.node || optionsOf(world).nodeName
      requireRight(context, 'session:write', { name, namespace })
      return ok({ ID: createSession(world, namespace, input).id })
    },
  }),
  operation.put('destroySession', '/session/destroy/:id', {
    access: writeAccess,
    summary: 'End a session, which releases its keys.',
    reply: { 200: { const: true } },
    run({ context, params }) {
      const id = requireSessionId(params.id)
      context.requireOwnDatacenter()
      const { world } = context
      const namespace = namespaceOf(context)
      const existing = sessionWithId(world, namespace, id)
      if (existing !== undefined) {
        requireRight(context, 'session:write', { name: existing.node, namespace })
      }
      destroySession(world, namespace, id)
      return ok(true)
    },
  }),
  operation.put('renewSession', '/session/renew/:id', {
    access: writeAccess,
    summary: 'Renew a session: its TTL restarts.',
    reply: { 200: sessionListSchema, 404: { type: 'string' } },
    run({ context, params }) {
      const id = requireSessionId(params.id)
      context.requireOwnDatacenter()
      const { world, dialect } = context
      const namespace = namespaceOf(context)
      const existing = sessionWithId(world, namespace, id)
      if (existing === undefined) {
        return {
          status: 404 as const,
          body: dialect.renderMessage(message('session-absent', { id })),
        }
      }
      requireRight(context, 'session:write', { name: existing.node, namespace })
      renewSession(world, namespace, id)
      return ok(new JsonText(`[${sessionJson(world, existing)}]`))
    },
  }),
  operation.get('readSession', '/session/info/:id', {
    access: readAccess,
    summary: 'Read a session, as a list with one entry; can block.',
    reply: { 200: sessionListSchema },
    run({ context, params }) {
      context.checkReadParameters()
      const id = requireSessionId(params.id)
      return context.read(
        readSessions(context, (namespace) =>
          [sessionWithId(context.world, namespace, id) ?? []].flat(),
        ),
        refusalFlags,
      )
    },
  }),
  operation.get('listSessions', '/session/list', {
    access: readAccess,
    summary: 'List the sessions of a namespace; can block.',
    reply: { 200: sessionListSchema },
    run: ({ context }) =>
      context.read(
        readSessions(context, (namespace) => sessionsIn(context.world, namespace)),
        refusalFlags,
      ),
  }),
  operation.get('listSessionsOfNode', '/session/node/:node', {
    access: readAccess,
    summary: 'List the sessions of a node; can block.',
    reply: { 200: sessionListSchema },
    run({ context, params }) {
      const read = readSessions(context, (namespace) =>
        sessionsIn(context.world, namespace).filter(({ node }) => node === params.node),
      )
      // The reference checks the name before the datacenter and the token.
      context.checkReadParameters()
      if (params.node === '') throw refuse('node-unsaid')
      return context.read(read, refusalFlags)
    },
  }),
]
