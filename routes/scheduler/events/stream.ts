import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { aclPolicyShape, aclRoleShape, aclTokenShape } from '../../../state/scheduler/acl/tables.ts'
import { roleReply, tokenReply } from '../../../state/scheduler/acl/token-bodies.ts'
import { allocationShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { nodePoolShape, nodeShape } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import {
  deploymentShape,
  evaluationShape,
} from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { nodePoolView } from '../../../state/scheduler/cluster/nodes/node-pools.ts'
import { nodeView } from '../../../state/scheduler/cluster/nodes/node-view.ts'
import { eventLogOf } from '../../../state/scheduler/events/log.ts'
import type {
  EventLine,
  EventSubject,
  StreamEvent,
} from '../../../state/scheduler/events/stream-events.ts'
import { matchesTopics, type Topics } from '../../../state/scheduler/events/topics.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { registrationShape } from '../../../state/scheduler/services/tables.ts'
import { serviceId } from '../../../state/scheduler/vendor-names.ts'
import { LiveBody } from '../../http/blocking/live-body.ts'
import type { SchedulerDialect } from '../dialect.ts'

/** The line of a stream that tells a write, or what of it is wanted (behaviour/scheduler#event-stream). */
function renderLine(
  world: World,
  dialect: SchedulerDialect,
  { index, type, events }: EventLine,
): string {
  const eventJson = events.map((event) => ({
    Topic: event.topic,
    Type: type,
    Key: event.topic === 'Service' ? dialect.value(serviceId, event.key) : event.key,
    Namespace: event.namespace,
    FilterKeys: event.filterKeys,
    Index: index,
    Payload: renderPayload(world, dialect, event),
  }))
  return JSON.stringify({ Index: index, Events: eventJson })
}

function renderPayload(world: World, dialect: SchedulerDialect, event: StreamEvent): object {
  const { name = event.topic, shape, value } = payloadFor(world, event)
  return { [name]: dialect.value(shape, value) }
}

interface Payload {
  /** The payload's member, where it is not called like the topic. */
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
      // The job would make each of them large.
      return { shape: allocationShape, value: { ...row, Job: null } }
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

/** What a stream tells. */
interface StreamSettings {
  /** Who reads it; too slowly, and the connection is cut. */
  readonly response: ServerResponse
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly topics: Topics
  /** `*` for all of them. */
  readonly namespace: string
  /** Begins with what is kept from here on; 0 with all of it. */
  readonly index: number
  /** Tells whether the caller may still listen. */
  canListen(): boolean
}

/** The time between two lines that say that the stream lives, in milliseconds. */
const keepAliveInterval = 30_000

const keepAliveLine = '{}\n'

/**
 * The events of a world as lines of JSON (behaviour/scheduler#event-stream), until the caller
 * leaves or may not listen any more, or the world ends or goes to another state. It says that it lives at
 * once, and then by the world's clock, as blocking reads wait.
 */
export function eventStream(settings: StreamSettings): Readable {
  const { response, world, dialect, topics, namespace, index, canListen } = settings
  let stopListening = () => {}
  let cancelKeepAlive = () => {}
  const stop = () => {
    stopListening()
    cancelKeepAlive()
  }
  const body = new LiveBody(response, stop)
  /** What was there before is sent however much it is. */
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
  scheduleKeepAlive()
  stopListening = eventLogOf(world).listen(world, index, { onEvents, onRightsChanged, onEnd })
  body.start(backlog)
  sendLine = (line) => body.send(line)
  return body
}
