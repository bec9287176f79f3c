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
import type {
  EventLine,
  EventSubject,
  StreamEvent,
} from '../../../state/scheduler/events/stream-events.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { registrationShape } from '../../../state/scheduler/services/tables.ts'
import { serviceId } from '../../../state/scheduler/vendor-names.ts'
import type { SchedulerDialect } from '../dialect.ts'

/** The line of a stream that tells a write, or what of it is wanted (behaviour/scheduler#event-stream). */
export function renderLine(
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
