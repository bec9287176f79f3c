import { defineTable, type TableDefinition } from '../../kernel/table.ts'
import { schedulerName } from '../indexes.ts'
import { type Pointer, pointerSchema } from '../jobs/tables.ts'
import { allocationShape } from './allocation-shapes.ts'
import { nodePoolShape, nodeRowShape } from './node-shapes.ts'
import { deploymentShape, evaluationShape } from './placement-shapes.ts'
import { outcomeRules } from './steering.ts'
import { taskMachine } from './task-machine.ts'

function pointers(name: string): TableDefinition<Pointer> {
  return defineTable<Pointer>({ service: schedulerName, name, schema: pointerSchema })
}

/** By ID. */
export const nodes = defineTable({
  service: schedulerName,
  name: 'nodes',
  shape: nodeRowShape,
})

/** By name. */
export const nodePools = defineTable({
  service: schedulerName,
  name: 'node-pools',
  shape: nodePoolShape,
})

/** By ID. */
export const evaluations = defineTable({
  service: schedulerName,
  name: 'evaluations',
  shape: evaluationShape,
})

/** By `ofJobKey`: evaluations of a job. */
export const jobEvaluations = pointers('job-evaluations')

/** By `ofJobKey`: evaluations of a job that are pending or blocked. */
export const openEvaluations = pointers('open-evaluations')

/** By ID: evaluations that wait for room. */
export const blockedEvaluations = pointers('blocked-evaluations')

/** By ID. */
export const allocations = defineTable({
  service: schedulerName,
  name: 'allocations',
  shape: allocationShape,
})

/** By `ofJobKey`: allocations of a job, of earlier ones under its ID too. */
export const jobAllocations = pointers('job-allocations')

/** By `ofJobKey`: allocations of a job that are not terminal (section 6, Status). */
export const openAllocations = pointers('open-allocations')

/** By `ofJobKey`: allocations that say what a job still needs, so that evaluations ask no others. */
export const countedAllocations = pointers('counted-allocations')

/** By `<node> <allocation>`: allocations that have not ended on their node. */
export const nodeAllocations = pointers('node-allocations')

/** By `<node> <allocation>`: every allocation that was placed on a node. */
export const placedAllocations = pointers('placed-allocations')

/** By `<evaluation> <allocation>`. */
export const evaluationAllocations = pointers('evaluation-allocations')

/** By ID. */
export const deployments = defineTable({
  service: schedulerName,
  name: 'deployments',
  shape: deploymentShape,
})

/** By `ofJobKey`: deployments of a job. */
export const jobDeployments = pointers('job-deployments')

/** By `jobKey`: the deployment of a job that is under way. */
export const activeDeployments = pointers('active-deployments')

/** Where a task stands, beyond what the wire shows. */
export interface TaskLife {
  /** See task-machine.ts. */
  readonly phase: string
  /** Waits for other tasks of its allocation. */
  readonly waiting: boolean
  /** How often it was started, or tried to. */
  readonly attempt: number
  /** Restarts since `since`, as the restart policy counts them. */
  readonly restarts: number
  /** When the restart policy's interval began, in milliseconds since 1970. */
  readonly since: number
}

/** By `<allocation> <task>`: tasks that are not dead. */
export const taskLives = defineTable<TaskLife>({
  service: schedulerName,
  name: 'task-lives',
  schema: {
    type: 'object',
    required: ['phase', 'waiting', 'attempt', 'restarts', 'since'],
    additionalProperties: false,
    properties: {
      phase: { enum: taskMachine.states },
      waiting: { type: 'boolean' },
      attempt: { type: 'integer' },
      restarts: { type: 'integer' },
      since: { type: 'number' },
    },
  },
})

/** A step of the cluster that does not happen by itself. */
export interface HeldStep {
  /** When it would have been due, in milliseconds since 1970. */
  readonly at: number
  /** The agenda's name of it. */
  readonly job: string
  /** Of what. */
  readonly id: string
}

/** By time, then by order of entry: steps that wait for a push (section 7, Timing and steering). */
export const heldSteps = defineTable<HeldStep>({
  service: schedulerName,
  name: 'held-steps',
  schema: {
    type: 'object',
    required: ['at', 'job', 'id'],
    additionalProperties: false,
    properties: { at: { type: 'number' }, job: { type: 'string' }, id: { type: 'string' } },
  },
})

/** By `<job> <id>`: where a held step stands in the other table. */
export const heldStepKeys = pointers('held-step-keys')

/** The tables of the cluster. */
export const clusterTables: readonly TableDefinition[] = [
  nodes,
  nodePools,
  evaluations,
  jobEvaluations,
  openEvaluations,
  blockedEvaluations,
  allocations,
  jobAllocations,
  openAllocations,
  countedAllocations,
  nodeAllocations,
  placedAllocations,
  evaluationAllocations,
  deployments,
  jobDeployments,
  activeDeployments,
  taskLives,
  outcomeRules,
  heldSteps,
  heldStepKeys,
]
