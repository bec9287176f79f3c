import { isEqual } from '../../kernel/same.ts'
import { type EventLine, eventsOf, type StreamEvent } from './stream-events.ts'
import type { Writes, Written } from './writes.ts'

/** A line before it has its index. */
type Line = Omit<EventLine, 'index'>

/**
 * Tells a commit as events: one line for each of the reference's writes that it stands for
 * (behaviour/scheduler#event-stream). What kind of write it was shows in what it changed, but where
 * `named` says it.
 *
 * @param index of the commit
 */
export function linesOf(writes: Writes, index: number, named?: string): readonly Line[] {
  return [
    ...nodeLines(writes),
    ...clusterLines(writes, index, named),
    ...[
      line('ServiceRegistration', eventsOf.services(writes.services.filter(isKept))),
      line('ServiceDeregistration', eventsOf.services(writes.services.filter(isGone))),
      line('ACLTokenUpserted', eventsOf.tokens(writes.tokens.filter(isKept))),
      line('ACLTokenDeleted', eventsOf.tokens(writes.tokens.filter(isGone))),
      line('ACLPolicyUpserted', eventsOf.policies(writes.policies.filter(isKept))),
      line('ACLPolicyDeleted', eventsOf.policies(writes.policies.filter(isGone))),
      line('ACLRoleUpserted', eventsOf.roles(writes.roles.filter(isKept))),
      line('ACLRoleDeleted', eventsOf.roles(writes.roles.filter(isGone))),
    ],
  ].filter(({ events }) => events.length > 0)
}

function line(type: string, ...events: readonly (readonly StreamEvent[])[]): Line {
  return { type, events: events.flat() }
}

function isKept({ after }: Written<unknown>): boolean {
  return after !== undefined
}

function isGone({ after }: Written<unknown>): boolean {
  return after === undefined
}

function nodeLines({ nodes, nodePools }: Writes): readonly Line[] {
  const typeOf = ({ before, after }: Writes['nodes'][number]) => {
    if (before === undefined) return 'NodeRegistration'
    if (after === undefined) return 'NodeDeregistration'
    const isSteered =
      before.SchedulingEligibility !== after.SchedulingEligibility ||
      before.Drain !== after.Drain ||
      !isEqual(before.DrainStrategy, after.DrainStrategy)
    return isSteered ? 'NodeDrain' : 'NodeStreamEvent'
  }
  const types = [...new Set(nodes.map(typeOf))]
  return [
    line('NodePoolUpserted', eventsOf.nodePools(nodePools.filter(isKept))),
    line('NodePoolDeleted', eventsOf.nodePools(nodePools.filter(isGone))),
    ...types.map((type) =>
      line(type, eventsOf.nodes(nodes.filter((node) => typeOf(node) === type))),
    ),
  ]
}

/** Jobs, evaluations, allocations and deployments. */
function clusterLines(writes: Writes, index: number, named: string | undefined): readonly Line[] {
  const told = {
    jobs: eventsOf.jobs(writes.jobs),
    evaluations: eventsOf.evaluations(writes.evaluations.filter(isKept)),
    allocations: eventsOf.allocations(writes.allocations.filter(isKept)),
    deployments: eventsOf.deployments(writes.deployments.filter(isKept)),
  }
  const { jobs, evaluations, allocations, deployments } = told
  const whole = (type: string) => [line(type, evaluations, allocations, deployments, jobs)]
  if (named !== undefined) return whole(named)
  const specified = writes.jobs.filter((job) => isSpecified(job, index))
  const changesDeployment = writes.deployments.some(hasNewStatus)
  if (specified.length > 0 && !changesDeployment) {
    return [
      ...specified.flatMap((job) => {
        const type = isDeregistered(job) ? 'JobDeregistered' : 'JobRegistered'
        const ids = new Set([job.before?.ID, job.after?.ID])
        const own = evaluations.filter(({ filterKeys }) => ids.has(filterKeys?.[0]))
        return [line(type, eventsOf.jobs([job])), line(type, own)]
      }),
      // In the reference these follow with a plan of their own.
      line('PlanResult', allocations, deployments),
    ]
  }
  if (writes.allocations.some(isAskedToMove)) return whole('AllocationUpdateDesiredStatus')
  if (isPlanned(writes)) return whole('PlanResult')
  if (writes.deployments.some(isPromoted)) return whole('DeploymentPromotion')
  if (changesDeployment) return whole('DeploymentStatusUpdate')
  if (allocations.length > 0) {
    return [
      line('AllocationUpdated', allocations, deployments, jobs),
      line('AllocationUpdated', evaluations),
    ]
  }
  if (evaluations.length > 0) return whole('EvaluationUpdated')
  if (deployments.length > 0) return whole('DeploymentStatusUpdate')
  // Tags, stability and counters of jobs are no events.
  return []
}

/** Tells whether a job's specification was written, or the job removed. */
function isSpecified({ after }: Writes['jobs'][number], index: number): boolean {
  return after === undefined || after.JobModifyIndex === index
}

function isDeregistered({ before, after }: Writes['jobs'][number]): boolean {
  return after === undefined || (after.Stop && before?.Stop !== true)
}

/** Tells whether a deployment under way got another status. */
function hasNewStatus({ before, after }: Writes['deployments'][number]): boolean {
  return before !== undefined && after !== undefined && before.Status !== after.Status
}

function isPromoted({ before, after }: Writes['deployments'][number]): boolean {
  return Object.entries(after?.TaskGroups ?? {}).some(
    ([group, { Promoted }]) => Promoted && before?.TaskGroups?.[group]?.Promoted === false,
  )
}

/** Tells whether somebody asked that an allocation moves. */
function isAskedToMove({ before, after }: Writes['allocations'][number]): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    !isEqual(before.DesiredTransition, after.DesiredTransition)
  )
}

/**
 * Tells whether an evaluation was processed that had something to do: allocations were made, stopped or
 * given another version, or a deployment began or ended with it.
 */
function isPlanned({ allocations, deployments, evaluations }: Writes): boolean {
  const isProcessed = evaluations.some(
    ({ before, after }) => before?.Status === 'pending' && after?.Status !== 'pending',
  )
  const changesAllocations = allocations.some(
    ({ before, after }) =>
      after !== undefined &&
      (before?.DesiredStatus !== after.DesiredStatus || before.JobVersion !== after.JobVersion),
  )
  const begins = deployments.some(({ before }) => before === undefined)
  return changesAllocations || begins || (isProcessed && deployments.some(hasNewStatus))
}
