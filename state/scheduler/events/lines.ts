import { isEqual } from '../../kernel/equality.ts'
import type { ChangedRow, ChangedRows } from './changed-rows.ts'
import {
  type CommitContext,
  clusterLines,
  existsAfter,
  makeLine,
  type UnindexedLine,
} from './cluster-lines.ts'
import { type EventLine, eventsByKind } from './stream-events.ts'

/**
 * Returns the event lines of a commit: one line for each transaction that the reference would have
 * made (behaviour/scheduler#event-stream).
 */
export function eventLines(writes: ChangedRows, context: CommitContext): readonly EventLine[] {
  const { index } = context
  return [
    ...nodeLines(writes, index),
    ...clusterLines(writes, context),
    ...[
      makeLine('ServiceRegistration', eventsByKind.services(writes.services.filter(existsAfter))),
      makeLine('ServiceDeregistration', eventsByKind.services(writes.services.filter(isDeleted))),
      makeLine('ACLTokenUpserted', eventsByKind.tokens(writes.tokens.filter(existsAfter))),
      makeLine('ACLTokenDeleted', eventsByKind.tokens(writes.tokens.filter(isDeleted))),
      makeLine('ACLPolicyUpserted', eventsByKind.policies(writes.policies.filter(existsAfter))),
      makeLine('ACLPolicyDeleted', eventsByKind.policies(writes.policies.filter(isDeleted))),
      makeLine('ACLRoleUpserted', eventsByKind.roles(writes.roles.filter(existsAfter))),
      makeLine('ACLRoleDeleted', eventsByKind.roles(writes.roles.filter(isDeleted))),
    ],
  ]
    .filter(({ events }) => events.length > 0)
    .map(({ type, events }) => ({ index, type, events }))
}

function nodeLines({ nodes, nodePools }: ChangedRows, index: number): readonly UnindexedLine[] {
  // As in the reference, the built-in pools cause no events. The `ModifyIndex` of these pools
  // differs from the index of the commit.
  const upsertedPools = nodePools.filter(({ after }) => after?.ModifyIndex === index)
  const nodeEventType = ({ before, after }: ChangedRows['nodes'][number]) => {
    if (before === undefined) return 'NodeRegistration'
    if (after === undefined) return 'NodeDeregistration'
    const isDrainChange =
      before.SchedulingEligibility !== after.SchedulingEligibility ||
      before.Drain !== after.Drain ||
      !isEqual(before.DrainStrategy, after.DrainStrategy)
    return isDrainChange ? 'NodeDrain' : 'NodeStreamEvent'
  }
  const types = [...new Set(nodes.map(nodeEventType))]
  return [
    makeLine('NodePoolUpserted', eventsByKind.nodePools(upsertedPools)),
    makeLine('NodePoolDeleted', eventsByKind.nodePools(nodePools.filter(isDeleted))),
    ...types.map((type) =>
      makeLine(type, eventsByKind.nodes(nodes.filter((node) => nodeEventType(node) === type))),
    ),
  ]
}

function isDeleted({ after }: ChangedRow<unknown>): boolean {
  return after === undefined
}
