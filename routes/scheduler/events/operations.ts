import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { quoteGo } from '../../../state/go/text.ts'
import { stringifyJson } from '../../../state/kernel/deep-json.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import {
  any as anyValue,
  goList,
  type Shape,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { aclPolicyShape, aclRoleShape, aclTokenShape } from '../../../state/scheduler/acl/tables.ts'
import {
  expiresAt as expiryOf,
  roleReply,
  tokenReply,
} from '../../../state/scheduler/acl/token-bodies.ts'
import { allocationInEvent } from '../../../state/scheduler/cluster/allocations/allocation-resources.ts'
import { allocationViewShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { nodePoolShape, nodeShape } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import {
  deploymentShape,
  evaluationShape,
} from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { nodePoolView } from '../../../state/scheduler/cluster/nodes/node-pools.ts'
import { nodeView } from '../../../state/scheduler/cluster/nodes/node-view.ts'
import { listenToEvents } from '../../../state/scheduler/events/log.ts'
import type {
  EventLine,
  EventSubject,
  StreamEvent,
} from '../../../state/scheduler/events/stream-events.ts'
import {
  matchesTopics,
  parseTopics,
  type Topics,
  wildcard,
} from '../../../state/scheduler/events/topics.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { allNamespaces } from '../../../state/scheduler/namespaces.ts'
import { registrationShape } from '../../../state/scheduler/services/tables.ts'
import { serviceId } from '../../../state/scheduler/vendor-names.ts'
import { LiveBody } from '../../http/blocking/live-body.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requiresAnyOf, within } from '../access.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { intError } from '../query.ts'

/**
 * Renders the events of one transaction as a line of an event stream
 * (behaviour/scheduler#event-stream).
 */
function renderLine(world: World, dialect: SchedulerDialect, { index, type, events }: EventLine) {
  const eventJson = events.map((event) => ({
    Topic: event.topic,
    Type: type,
    Key: event.topic === 'Service' ? dialect.renameMembers(serviceId, event.key) : event.key,
    Namespace: event.namespace,
    FilterKeys: event.filterKeys,
    Index: index,
    Payload: renderPayload(world, dialect, event),
  }))
  return stringifyJson({ Index: index, Events: eventJson })
}

function renderPayload(world: World, dialect: SchedulerDialect, event: StreamEvent): object {
  const { name = event.topic, shape, value } = payloadFor(world, event)
  return { [name]: dialect.renameMembers(shape, value) }
}

interface Payload {
  /**
   * Name of the member of the event's `Payload` that contains the value; undefined if the topic is
   * the name.
   */
  readonly name?: string
  readonly shape: Shape
  readonly value: unknown
}

function payloadFor(world: World, { topic, row }: EventSubject): Payload {
  switch (topic) {
    case 'Job':
      return { shape: jobShape, value: row }
    case 'Evaluation':
      return { shape: evaluationShape, value: row }
    case 'Allocation':
      return { shape: allocationViewShape, value: allocationInEvent(world, row) }
    case 'Deployment':
      return { shape: deploymentShape, value: row }
    case 'Node':
      return { shape: nodeShape, value: nodeView(world, row) }
    case 'NodePool':
      return { shape: nodePoolShape, value: nodePoolView(row) }
    case 'Service':
      return { shape: registrationShape, value: row }
    case 'ACLToken':
      return { shape: aclTokenShape, value: { ...tokenReply(world, row), SecretID: '' } }
    case 'ACLPolicy':
      return { shape: aclPolicyShape, value: row }
    case 'ACLRole':
      return { shape: aclRoleShape, value: roleReply(row) }
  }
}

interface StreamSettings {
  /**
   * Response to the client that reads the stream. A client that reads too slowly is disconnected.
   */
  readonly response: ServerResponse
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly topics: Topics
  /** Namespace of the events; `*` for all namespaces. */
  readonly namespace: string
  /** Index of the first retained event to send; 0 for all retained events. */
  readonly index: number
  /** Instant at which the caller's token expires, in milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /**
   * Returns whether the caller still has access. Called when policies, roles or tokens change, and
   * when the token expires.
   */
  canListen(): boolean
}

/** Interval between keep-alive lines in milliseconds. */
const keepAliveInterval = 30_000

const keepAliveLine = '{}\n'

/**
 * Streams the events of a world as lines of JSON (behaviour/scheduler#event-stream). The stream
 * ends when the caller disconnects or loses access, or when the world is deleted or its state is
 * replaced. The first keep-alive line is sent immediately, later ones by the world's clock.
 */
function eventStream(settings: StreamSettings): Readable {
  const { response, world, dialect, topics, namespace, index, expiresAt, canListen } = settings
  let stopListening = () => {}
  let cancelKeepAlive = () => {}
  let cancelExpiry = () => {}
  const stop = () => {
    stopListening()
    cancelKeepAlive()
    cancelExpiry()
  }
  const body = new LiveBody(response, stop)
  /**
   * Lines that are produced before the response starts. The retained events are sent regardless of
   * their size.
   */
  const backlog: string[] = [keepAliveLine]
  let sendLine = (line: string): void => void backlog.push(line)

  function onEnd(): void {
    stop()
    body.end()
  }

  function onEvents(lines: readonly EventLine[]): void {
    for (const line of lines) {
      const events = line.events.filter((event) => matchesTopics(topics, namespace, event))
      if (events.length > 0) sendLine(`${renderLine(world, dialect, { ...line, events })}\n`)
    }
  }

  function scheduleKeepAlive(): void {
    cancelKeepAlive = world.waitUntil(world.clock.now() + keepAliveInterval, sendKeepAlive)
  }

  function sendKeepAlive(): void {
    sendLine(keepAliveLine)
    if (!body.destroyed) scheduleKeepAlive()
  }

  const onRightsChanged = () => {
    if (!canListen()) onEnd()
  }
  // The expiry of a token is not a write, so no watcher reports it: the row of an expired token is
  // removed later.
  if (expiresAt !== undefined) cancelExpiry = world.waitUntil(expiresAt, onRightsChanged)
  scheduleKeepAlive()
  stopListening = listenToEvents(world, index, { onEvents, onRightsChanged, onEnd })
  body.start(backlog)
  sendLine = (line) => body.send(line)
  return body
}

const operation = operationsOf({ spec: 'behaviour/scheduler#event-stream' })

/** The events of one transaction, as a line of the stream contains them. */
const lineShape = struct('Events', {
  Index: uint,
  Events: goList(
    struct('Event', {
      Topic: text,
      Type: text,
      Key: text,
      Namespace: text,
      FilterKeys: goList(text),
      Index: uint,
      Payload: anyValue,
    }),
  ),
})

export const eventOperations = [
  operation.get('streamEvents', '/event/stream', {
    access: within(requiresAnyOf('namespace:read-job', 'node:read', 'management')),
    summary: 'Stream events as lines of JSON; `{}` while there are no events.',
    query: parameters({
      topic: described(
        text,
        'Subscribe to `<topic>` or `<topic>:<key>`; may be sent several times',
      ),
    }),
    reply: { 200: lineShape },
    run({ context }) {
      const { world, dialect, namespace, query } = context
      const index = parseStartIndex(query.value('index') ?? '0')
      const topics = parseTopics(query.all('topic'))
      if (!mayListen(context, topics)) throw refuse('permission-denied')
      const { token } = context.caller
      const expiresAt = token && expiryOf(token)
      const streamSettings = { world, dialect, topics, namespace, index, expiresAt }
      return context.streamResponse(
        { 'content-type': 'application/json', 'cache-control': 'no-cache' },
        (response) =>
          eventStream({ ...streamSettings, response, canListen: () => mayListen(context, topics) }),
      )
    },
  }),
]

function parseStartIndex(text: string): number {
  const why = intError(text)
  if (why !== undefined) throw refuse('stream-index-invalid', { quoted: quoteGo(text), why })
  const index = Number(text)
  // As in the reference, a negative index counts as a very large one.
  return index < 0 ? Number.MAX_SAFE_INTEGER : index
}

const namespacedTopics: ReadonlySet<string> = new Set([
  'Job',
  'Evaluation',
  'Allocation',
  'Deployment',
  'Service',
])

/** Returns whether the caller may read all topics. Returns false for an unknown token. */
function mayListen(context: SchedulerContext, topics: Topics): boolean {
  const caller = callerIfKnown(context)
  if (caller === undefined) return false
  const { world, namespace } = context
  const names = namespace === wildcard ? allNamespaces(world).map(({ Name }) => Name) : [namespace]
  return [...topics.keys()].every((topic) => {
    if (namespacedTopics.has(topic)) return names.every((name) => caller.may(name, 'read-job'))
    return topic === 'Node' ? caller.mayUse('node', 'read') : caller.isManagement
  })
}

function callerIfKnown(context: SchedulerContext): SchedulerContext['caller'] | undefined {
  try {
    return context.caller
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'denied') return undefined
    throw error
  }
}
