import { isEqual } from '../../kernel/equality.ts'
import type { ChangedRow, ChangedRows } from './changed-rows.ts'
import { type EventLine, eventsByKind, type StreamEvent } from './stream-events.ts'

/** A line without its index. */
type UnindexedLine = Omit<EventLine, 'index'>

/**
 * Returns the events of a commit: one line for each of the reference's writes that it stands for
 * (behaviour/scheduler#event-stream). The kind of a write follows from the changes, unless `named`
 * states it.
 *
 * @param index index of the commit
 */
export function eventLines(
  writes: ChangedRows,
  index: number,
  typeName?: string,
): readonly UnindexedLine[] {
  return [
    ...nodeLines(writes),
    ...clusterLines(writes, index, typeName),
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
  ].filter(({ events }) => events.length > 0)
}

function makeLine(type: string, ...events: readonly (readonly StreamEvent[])[]): UnindexedLine {
  return { type, events: events.flat() }
}

function existsAfter({ after }: ChangedRow<unknown>): boolean {
  return after !== undefined
}

function isDeleted({ after }: ChangedRow<unknown>): boolean {
  return after === undefined
}

function nodeLines({ nodes, nodePools }: ChangedRows): readonly UnindexedLine[] {
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
    makeLine('NodePoolUpserted', eventsByKind.nodePools(nodePools.filter(existsAfter))),
    makeLine('NodePoolDeleted', eventsByKind.nodePools(nodePools.filter(isDeleted))),
    ...types.map((type) =>
      makeLine(type, eventsByKind.nodes(nodes.filter((node) => nodeEventType(node) === type))),
    ),
  ]
}

/** Returns the lines for jobs, evaluations, allocations and deployments. */
function clusterLines(writes: ChangedRows, index: number, typeName: string | undefined) {
  const commitEvents = {
    jobs: eventsByKind.jobs(writes.jobs),
    evaluations: eventsByKind.evaluations(writes.evaluations.filter(existsAfter)),
    allocations: eventsByKind.allocations(writes.allocations.filter(existsAfter)),
    deployments: eventsByKind.deployments(writes.deployments.filter(existsAfter)),
  }
  const { jobs, evaluations, allocations, deployments } = commitEvents
  const singleLine = (type: string) => [makeLine(type, evaluations, allocations, deployments, jobs)]
  if (typeName !== undefined) return singleLine(typeName)
  const changedJobs = writes.jobs.filter((job) => isSpecWritten(job, index))
  const changesDeployment = writes.deployments.some(hasNewStatus)
  if (changedJobs.length > 0 && !changesDeployment) {
    return [
      ...changedJobs.flatMap((job) => {
        const type = isDeregistered(job) ? 'JobDeregistered' : 'JobRegistered'
        const ids = new Set([job.before?.ID, job.after?.ID])
        const jobEvaluations = evaluations.filter(({ filterKeys }) => ids.has(filterKeys?.[0]))
        return [makeLine(type, eventsByKind.jobs([job])), makeLine(type, jobEvaluations)]
      }),
      // In the reference these changes follow with a separate plan.
      makeLine('PlanResult', allocations, deployments),
    ]
  }
  if (writes.allocations.some(isTransitionRequested))
    return singleLine('AllocationUpdateDesiredStatus')
  if (isPlanned(writes)) return singleLine('PlanResult')
  if (writes.deployments.some(isPromoted)) return singleLine('DeploymentPromotion')
  if (changesDeployment) return singleLine('DeploymentStatusUpdate')
  if (allocations.length > 0) {
    return [
      makeLine('AllocationUpdated', allocations, deployments, jobs),
      makeLine('AllocationUpdated', evaluations),
    ]
  }
  if (evaluations.length > 0) return singleLine('EvaluationUpdated')
  if (deployments.length > 0) return singleLine('DeploymentStatusUpdate')
  // Changes of a job's tags, stability and summary are not events.
  return []
}

/** Returns true if a job's specification was written or the job was removed. */
function isSpecWritten({ after }: ChangedRows['jobs'][number], index: number): boolean {
  return after === undefined || after.JobModifyIndex === index
}

function isDeregistered({ before, after }: ChangedRows['jobs'][number]): boolean {
  return after === undefined || (after.Stop && before?.Stop !== true)
}

/** Returns true if an active deployment changed its status. */
function hasNewStatus({ before, after }: ChangedRows['deployments'][number]): boolean {
  return before !== undefined && after !== undefined && before.Status !== after.Status
}

function isPromoted({ before, after }: ChangedRows['deployments'][number]): boolean {
  return Object.entries(after?.TaskGroups ?? {}).some(
    ([group, { Promoted }]) => Promoted && before?.TaskGroups?.[group]?.Promoted === false,
  )
}

/** Returns true if a request asked an allocation to migrate or reschedule. */
function isTransitionRequested({ before, after }: ChangedRows['allocations'][number]): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    !isEqual(before.DesiredTransition, after.DesiredTransition)
  )
}

/**
 * Returns true if an evaluation with effects was processed: allocations were created, stopped or
 * updated, or a deployment started or ended.
 */
function isPlanned({ allocations, deployments, evaluations }: ChangedRows): boolean {
  const isProcessed = evaluations.some(
    ({ before, after }) => before?.Status === 'pending' && after?.Status !== 'pending',
  )
  const changesAllocations = allocations.some(
    ({ before, after }) =>
      after !== undefined &&
      (before?.DesiredStatus !== after.DesiredStatus || before.JobVersion !== after.JobVersion),
  )
  const startsDeployment = deployments.some(({ before }) => before === undefined)
  return changesAllocations || startsDeployment || (isProcessed && deployments.some(hasNewStatus))
}
