import { DurationError, parseGoDuration, SECOND } from '../../../state/go/duration.ts'
import { JsonNumber } from '../../../state/kernel/json.ts'
import { any, list, text } from '../../../state/kernel/shape/kinds.ts'
import { partial, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import {
  createSession,
  destroySession,
  renewSession,
  type SessionInput,
  sessionsIn,
  sessionsIndex,
  sessionWithId,
} from '../../../state/mesh/kv/sessions.ts'
import type { MeshSession } from '../../../state/mesh/kv/tables.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { message, refuse } from '../../../state/mesh/texts.ts'
import { insideOperation, perEntry } from '../../http/access.ts'
import { JsonText, jsonList } from '../../http/json-text.ts'
import { ok } from '../../http/operation.ts'
import { requireRight, requiresAnyOf, rightChecker } from '../access.ts'
import { decodeOne, parseBody, reading } from '../decode.ts'
import { type MeshContext, operation, type Read } from '../operation.ts'
import { createdSchema, sessionJson, sessionListSchema } from './view.ts'

const spec = 'behaviour/mesh#sessions'

const sessionBody = partial(
  struct('Session', {
    ID: text,
    Name: text,
    Node: text,
    LockDelay: any,
    Behavior: text,
    TTL: text,
    Checks: list(text),
    NodeChecks: list(text),
    ServiceChecks: list(partial(struct('ServiceCheck', { ID: text, Namespace: text }))),
    Namespace: text,
  }),
)

/** Numbers below this are seconds, others nanoseconds. */
const secondsBelow = 1_000

/** A lock delay in nanoseconds: a duration's text, seconds or nanoseconds. */
function lockDelayOf(sent: unknown): number | undefined {
  if (sent === undefined || sent === null) return undefined
  if (typeof sent === 'string') return Math.max(0, parseGoDuration(sent))
  if (typeof sent !== 'number' && !(sent instanceof JsonNumber)) {
    throw new DurationError('time: invalid duration')
  }
  const value = Math.max(0, Math.floor(Number(String(sent))))
  return value < secondsBelow ? value * SECOND : value
}

function inputOf(body: ParsedOf<typeof sessionBody>): SessionInput {
  return {
    name: body.Name,
    node: body.Node,
    lockDelay: lockDelayOf(body.LockDelay),
    behavior: body.Behavior,
    ttl: body.TTL,
    nodeChecks: body.NodeChecks ?? body.Checks,
    serviceChecks: body.ServiceChecks?.map(({ ID = '' }) => ID),
  }
}

/** The body of a creation, which may be left out; members that there are not are passed over. */
function sentSession({ body }: MeshContext): { input: SessionInput; namespace: string } {
  if (body.length === 0) return { input: {}, namespace: '' }
  return reading(
    () => {
      const sent = decodeOne(parseBody(body.toString('utf8')), sessionBody, true)
      return { input: inputOf(sent), namespace: sent.Namespace ?? '' }
    },
    (problem) => refuse('session-body-unreadable', { problem }),
  )
}

function namespaceOf({ namespace, caller }: MeshContext): string {
  return namespace ?? caller.namespace
}

function checkedId(id: string): string {
  if (id === '') throw refuse('session-unsaid')
  return id
}

/** Sessions of the namespace that the caller may see. */
function readSessions(
  context: MeshContext,
  find: (namespace: string) => readonly MeshSession[],
): Read {
  const { world } = context
  return () => {
    const namespace = namespaceOf(context)
    const found = find(namespace)
    const isReadable = rightChecker(context, 'session:read')
    const visible = found.filter(({ node: name }) => isReadable({ name, namespace }))
    return {
      index: sessionsIndex(world, namespace),
      body: jsonList(visible.map((session) => sessionJson(world, session))),
      filtered: visible.length < found.length,
    }
  }
}

/** The body, or the session itself, says which node it is of. */
const writeAccess = insideOperation(requiresAnyOf('session:write'))
const readAccess = perEntry(requiresAnyOf('session:read'))

/** Sessions, which hold keys (behaviour/mesh#server). */
export const sessionOperations = [
  operation({
    id: 'createSession',
    method: 'PUT',
    path: '/session/create',
    access: writeAccess,
    summary: 'Create a session on the only node; its TTL runs on the clock of the world.',
    spec,
    // Members that there are not are passed over.
    body: withOthers(sessionBody, any),
    bodyOptional: true,
    reply: { 200: createdSchema },
    run({ context }) {
      const { input, namespace: inBody } = sentSession(context)
      // The reference looks at it before the token.
      if (input.node === '') throw refuse('session-node-unsaid')
      const { world, caller } = context
      const namespace = context.namespace ?? (inBody || caller.namespace)
      const name = input.node || optionsOf(world).nodeName
      requireRight(context, 'session:write', { name, namespace })
      return ok({ ID: createSession(world, namespace, input).id })
    },
  }),
  operation({
    id: 'destroySession',
    method: 'PUT',
    path: '/session/destroy/:id',
    access: writeAccess,
    summary: 'End a session, which lets go of its keys.',
    spec,
    reply: { 200: { const: true } },
    run({ context, params }) {
      const id = checkedId(params.id)
      const { world } = context
      const namespace = namespaceOf(context)
      const found = sessionWithId(world, namespace, id)
      if (found !== undefined) {
        requireRight(context, 'session:write', { name: found.node, namespace })
      }
      destroySession(world, namespace, id)
      return ok(true)
    },
  }),
  operation({
    id: 'renewSession',
    method: 'PUT',
    path: '/session/renew/:id',
    access: writeAccess,
    summary: 'Start the time of a session anew.',
    spec,
    reply: { 200: sessionListSchema, 404: { type: 'string' } },
    run({ context, params }) {
      const id = checkedId(params.id)
      const { world, dialect } = context
      const namespace = namespaceOf(context)
      const found = sessionWithId(world, namespace, id)
      if (found === undefined) {
        return {
          status: 404 as const,
          body: dialect.renderMessage(message('session-absent', { id })),
        }
      }
      requireRight(context, 'session:write', { name: found.node, namespace })
      renewSession(world, namespace, id)
      return ok(new JsonText(`[${sessionJson(world, found)}]`))
    },
  }),
  operation({
    id: 'readSession',
    method: 'GET',
    path: '/session/info/:id',
    access: readAccess,
    summary: 'Read a session as a list of it alone; can block.',
    spec,
    reply: { 200: sessionListSchema },
    run({ context, params }) {
      const id = checkedId(params.id)
      return context.read(
        readSessions(context, (namespace) =>
          [sessionWithId(context.world, namespace, id) ?? []].flat(),
        ),
      )
    },
  }),
  operation({
    id: 'listSessions',
    method: 'GET',
    path: '/session/list',
    access: readAccess,
    summary: 'List the sessions of a namespace; can block.',
    spec,
    reply: { 200: sessionListSchema },
    run: ({ context }) =>
      context.read(readSessions(context, (namespace) => sessionsIn(context.world, namespace))),
  }),
  operation({
    id: 'listSessionsOfNode',
    method: 'GET',
    path: '/session/node/:node',
    access: readAccess,
    summary: 'List the sessions of a node; can block.',
    spec,
    reply: { 200: sessionListSchema },
    run({ context, params }) {
      return context.read(
        readSessions(context, (namespace) => {
          if (params.node === '') throw refuse('node-unsaid')
          return sessionsIn(context.world, namespace).filter(({ node }) => node === params.node)
        }),
      )
    },
  }),
]
