import { bool, float, int, list, nullable, text, uint, word } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { defineTable, keysFromMembers } from '../../../kernel/store/table.ts'
import { schedulerName } from '../../indexes.ts'
import { jobItemKey, paddedNumber } from '../../keys.ts'
import { type Allocation, allocationShape } from './allocation-shapes.ts'
import { hasEnded, isOpen, isRemaining, isTerminal, remainingKey } from './allocation-status.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import { nodePoolRowShape, nodeRowShape } from './node-shapes.ts'
import {
  type Deployment,
  deploymentShape,
  type Evaluation,
  evaluationShape,
} from './placement-shapes.ts'
import { hostKey, portKeys } from './port-index.ts'
import { taskMachine } from './task-machine.ts'
import { outcomeRules } from './task-outcomes.ts'

/** By ID. */
export const nodes = defineTable({
  service: schedulerName,
  name: 'nodes',
  shape: nodeRowShape,
  indexes: {
    /** By ID: those that are being drained. */
    draining: ({ DrainStrategy, ID }) => (DrainStrategy == null ? undefined : ID),
  },
})

/** By name. */
export const nodePools = defineTable({
  service: schedulerName,
  name: 'node-pools',
  shape: nodePoolRowShape,
})

/** What places a row among those of its job. */
const jobMembers = ['Namespace', 'JobID', 'ID'] as const

const evaluationKeys = keysFromMembers<Evaluation>()

/** By ID. */
export const evaluations = defineTable({
  service: schedulerName,
  name: 'evaluations',
  shape: evaluationShape,
  indexes: {
    /** By `ofJobKey`. */
    byJob: evaluationKeys(jobMembers, ({ Namespace, JobID, ID }) =>
      jobItemKey(Namespace, JobID, ID),
    ),
    /** By `ofJobKey`: those that are pending or blocked. */
    open: evaluationKeys([...jobMembers, 'Status'], (row) =>
      isOpen(row) ? jobItemKey(row.Namespace, row.JobID, row.ID) : undefined,
    ),
    /** By ID: those that wait for room. */
    blocked: ({ Status, ID }) => (Status === 'blocked' ? ID : undefined),
  },
})

const allocationKeys = keysFromMembers<Allocation>()
const statusMembers = ['DesiredStatus', 'ClientStatus'] as const

/** By ID. */
export const allocations = defineTable({
  service: schedulerName,
  name: 'allocations',
  shape: allocationShape,
  indexes: {
    /** By `ofJobKey`: of earlier jobs under the ID too. */
    byJob: allocationKeys(jobMembers, ({ Namespace, JobID, ID }) =>
      jobItemKey(Namespace, JobID, ID),
    ),
    /** By `ofJobKey`: those that are not terminal (behaviour/scheduler#job-status). */
    open: allocationKeys([...jobMembers, ...statusMembers], (row) =>
      isTerminal(row) ? undefined : jobItemKey(row.Namespace, row.JobID, row.ID),
    ),
    /** By `remainderKey`: terminal ones that say what their job still needs. */
    remaining: allocationKeys(
      [...jobMembers, ...statusMembers, 'JobType', 'NextAllocation', 'Job', 'JobVersion'],
      (row) => (isRemaining(row) ? remainingKey(row) : undefined),
    ),
    /** By `<evaluation> <allocation>`: of the evaluation that wrote them last. */
    byEvaluation: allocationKeys(['EvalID', 'ID'], ({ EvalID, ID }) => `${EvalID} ${ID}`),
    /** By `<node> <allocation>`: every one that was placed on a node. */
    byNode: allocationKeys(['NodeID', 'ID'], ({ NodeID, ID }) => `${NodeID} ${ID}`),
    /** By `<node> <allocation>`: those that have not ended there. */
    onNode: allocationKeys(['NodeID', 'ID', 'ClientStatus'], (row) =>
      hasEnded(row) ? undefined : `${row.NodeID} ${row.ID}`,
    ),
    /** By `portPrefix` and ID: the ports that those have. */
    ports: allocationKeys(['NodeID', 'ID', 'ClientStatus', 'AllocatedResources'], portKeys),
    /** By `hostPrefix`, number of the host and ID: the addresses that those have. */
    hosts: allocationKeys(['NodeID', 'ID', 'ClientStatus', 'NetworkStatus'], hostKey),
  },
})

const deploymentKeys = keysFromMembers<Deployment>()

/** By ID. */
export const deployments = defineTable({
  service: schedulerName,
  name: 'deployments',
  shape: deploymentShape,
  indexes: {
    /** By `ofJobKey`, with the index of its creation before the ID. */
    byJob: deploymentKeys([...jobMembers, 'CreateIndex'], ({ Namespace, JobID, CreateIndex, ID }) =>
      jobItemKey(Namespace, JobID, `${paddedNumber(CreateIndex)} ${ID}`),
    ),
    /** By `ofJobKey`: those that are under way. */
    active: deploymentKeys([...jobMembers, 'Status'], (row) =>
      isActiveDeployment(row) ? jobItemKey(row.Namespace, row.JobID, row.ID) : undefined,
    ),
  },
})

/** Where a task stands, beyond what the wire shows. */
const taskRuntimeShape = struct({
  /** See task-machine.ts. */
  phase: word(...taskMachine.states),
  /** Waits for other tasks of its allocation. */
  waiting: bool,
  /** The number of times that it was started, or that this was tried. */
  attempt: int,
  /** Restarts since `since`, as the restart policy counts them. */
  restarts: int,
  /** When the restart policy's interval began, in milliseconds since 1970. */
  since: float,
})
export interface TaskRuntime extends StoredOf<typeof taskRuntimeShape> {}

/** By `<allocation> <task>`: tasks that are not dead. */
export const taskRuntimes = defineTable({
  service: schedulerName,
  name: 'task-lives',
  shape: taskRuntimeShape,
})

/** What a task prints to one of its outputs between a start and its end. */
const taskOutputShape = struct({
  text,
  /** So many times more. */
  repeat: uint,
  /** Milliseconds between two of them. */
  every: float,
})
export interface TaskOutput extends StoredOf<typeof taskOutputShape> {}

const taskLogShape = struct({
  runs: list(
    struct({
      /** When it was started, in milliseconds since 1970. */
      since: float,
      /** When it ended, likewise; null while it runs. */
      until: nullable(float),
      stdout: taskOutputShape,
      stderr: taskOutputShape,
    }),
  ),
})

/** By `<allocation> <task>`: what tasks that print anything have printed (behaviour/scheduler#files). */
export const taskLogs = defineTable({
  service: schedulerName,
  name: 'task-logs',
  shape: taskLogShape,
})

/** A step of the cluster that does not happen by itself. */
const heldStepShape = struct({
  /** When it would have been due, in milliseconds since 1970. */
  at: float,
  /** The agenda's name of it. */
  job: text,
  /** Of what. */
  id: text,
})
export interface HeldStep extends StoredOf<typeof heldStepShape> {}

/** By time, then by order of entry: steps that wait for a push (behaviour/scheduler#steering). */
export const heldSteps = defineTable({
  service: schedulerName,
  name: 'held-steps',
  shape: heldStepShape,
  indexes: { byStep: ({ job: jobMembers, id }) => `${jobMembers} ${id}` },
})

/** The tables of the cluster. */
export const clusterTables = [
  nodes,
  nodePools,
  evaluations,
  allocations,
  deployments,
  taskRuntimes,
  taskLogs,
  outcomeRules,
  heldSteps,
] as const
