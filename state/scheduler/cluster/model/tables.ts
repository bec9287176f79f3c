import { isEqualInOrder } from '../../../kernel/equality.ts'
import type { Integer } from '../../../kernel/integers.ts'
import { bool, float, int, list, nullable, text, uint, word } from '../../../kernel/shape/kinds.ts'
import { struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { keysFromMembers, type RowReader } from '../../../kernel/store/table.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { schedulerTable } from '../../indexes.ts'
import { type Job, jobSecrets } from '../../job/job-shape.ts'
import { jobItemKey, paddedNumber, versionKey } from '../../keys.ts'
import { jobVersions } from '../../records/tables.ts'
import { type Allocation, allocationShape } from './allocation-shapes.ts'
import {
  hasEnded,
  isOpen,
  isRelevantTerminal,
  isTerminal,
  relevantTerminalKey,
} from './allocation-status.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import { nodePoolRowShape, nodeRowShape } from './node-shapes.ts'
import {
  type Deployment,
  deploymentShape,
  type Evaluation,
  evaluationShape,
} from './placement-shapes.ts'
import { taskMachine } from './task-machine.ts'
import { outcomeRules } from './task-outcomes.ts'

/**
 * Members of an allocation on which its keys in the indexes `ports` and `hosts` depend. The indexes
 * avoid a scan of all allocations on the node.
 */
type NodeAllocation = Pick<Allocation, 'NodeID' | 'ID' | 'ClientStatus'>

/** Returns the prefix of a port's keys in the index `ports`. */
export function portPrefix(node: string, port: Integer): string {
  return `${node} ${port} `
}

/**
 * Returns the keys of an allocation in the index `ports`. An allocation that has ended occupies no
 * ports.
 */
function portKeys(row: NodeAllocation & Pick<Allocation, 'AllocatedResources'>) {
  const { Shared, Tasks } = row.AllocatedResources
  const networks = [Shared, ...Object.values(Tasks ?? {})].flatMap(
    (resources) => resources.Networks ?? [],
  )
  if (networks.length === 0 || hasEnded(row)) return undefined
  return networks.flatMap(({ ReservedPorts, DynamicPorts }) =>
    [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])].map(
      ({ Value }) => portPrefix(row.NodeID, Value) + row.ID,
    ),
  )
}

/** Returns the prefix of a node's keys in the index `hosts`. */
export function hostPrefix(node: string): string {
  return `${node} `
}

/**
 * Returns the key of an allocation in the index `hosts`, or undefined if the allocation has ended
 * or has no bridge address. Keys sort by the number of the host.
 */
function hostKey(row: NodeAllocation & Pick<Allocation, 'NetworkStatus'>): string | undefined {
  const address = addressPattern.exec(row.NetworkStatus?.Address ?? '')
  if (address === null || hasEnded(row)) return undefined
  const host = (Number(address[1]) - 64) * 256 + Number(address[2])
  return `${hostPrefix(row.NodeID)}${paddedNumber(host)} ${row.ID}`
}

/**
 * Returns the address of a host in the bridge network 172.26.64.0/20, in which the bridge has the
 * first address.
 */
export function bridgeAddress(host: number): string {
  return `172.26.${64 + (host >> 8)}.${host & 0xff}`
}

const addressPattern = /^172\.26\.(\d+)\.(\d+)$/

/** Nodes by ID. */
export const nodes = schedulerTable('nodes', nodeRowShape, {
  secrets: 'none',
  indexes: {
    /** Draining nodes, by ID. */
    draining: ({ DrainStrategy, ID }) => (DrainStrategy == null ? undefined : ID),
  },
})

export const nodePools = schedulerTable('node-pools', nodePoolRowShape, { secrets: 'none' })

/** Members on which `jobItemKey` depends. */
const jobItemKeyMembers = ['Namespace', 'JobID', 'ID'] as const

const evaluationKeys = keysFromMembers<Evaluation>()

export const evaluations = schedulerTable('evaluations', evaluationShape, {
  secrets: 'none',
  indexes: {
    /** All evaluations of a job, by `jobItemKey`. */
    byJob: evaluationKeys(jobItemKeyMembers, ({ Namespace, JobID, ID }) =>
      jobItemKey(Namespace, JobID, ID),
    ),
    /** Pending and blocked evaluations, by `jobItemKey`. */
    open: evaluationKeys([...jobItemKeyMembers, 'Status'], (row) =>
      isOpen(row) ? jobItemKey(row.Namespace, row.JobID, row.ID) : undefined,
    ),
    /** Blocked evaluations, by ID. */
    blocked: ({ Status, ID }) => (Status === 'blocked' ? ID : undefined),
  },
})

/**
 * Form of allocations in documents. The task groups of the job are left out if they equal those of
 * the stored version; otherwise the size of a document would grow with the square of the number of
 * groups.
 */
const allocationDocument = {
  write(row: Allocation, readRow: RowReader): Allocation {
    const groups = row.Job?.TaskGroups ?? null
    const isShared = groups !== null && isEqualInOrder(groups, versionOf(row, readRow)?.TaskGroups)
    return isShared ? withGroups(row, null) : row
  },
  read(row: Allocation, readRow: RowReader): Allocation {
    if (row.Job === null || row.Job.TaskGroups !== null) return row
    return withGroups(row, versionOf(row, readRow)?.TaskGroups ?? null)
  },
}

function versionOf({ Namespace, JobID, Job }: Allocation, readRow: RowReader): Job | undefined {
  return readRow(jobVersions, versionKey(Namespace, JobID, Job?.Version ?? 0))
}

function withGroups(row: Allocation, TaskGroups: Job['TaskGroups']): Allocation {
  return row.Job === null ? row : { ...row, Job: { ...row.Job, TaskGroups } }
}

const allocationKeys = keysFromMembers<Allocation>()
const statusMembers = ['DesiredStatus', 'ClientStatus'] as const

export const allocations = schedulerTable('allocations', allocationShape, {
  document: allocationDocument,
  secrets: { members: jobSecrets.map((member) => `Job/${member}` as const) },
  indexes: {
    /** All allocations with a job's ID, including those of earlier jobs, by `jobItemKey`. */
    byJob: allocationKeys(jobItemKeyMembers, ({ Namespace, JobID, ID }) =>
      jobItemKey(Namespace, JobID, ID),
    ),
    /** Allocations that are not terminal (behaviour/scheduler#job-status), by `jobItemKey`. */
    open: allocationKeys([...jobItemKeyMembers, ...statusMembers], (row) =>
      isTerminal(row) ? undefined : jobItemKey(row.Namespace, row.JobID, row.ID),
    ),
    /** Terminal allocations that an evaluation must consider, by `relevantTerminalKey`. */
    relevantTerminal: allocationKeys(
      [...jobItemKeyMembers, ...statusMembers, 'JobType', 'NextAllocation', 'Job', 'JobVersion'],
      (row) => (isRelevantTerminal(row) ? relevantTerminalKey(row) : undefined),
    ),
    /**
     * Keys are `<evaluation> <allocation>`, with the evaluation that created the allocation or was
     * the last to update it in place.
     */
    byEvaluation: allocationKeys(['EvalID', 'ID'], ({ EvalID, ID }) => `${EvalID} ${ID}`),
    /** All allocations that were placed on a node, ended or not, by `<node> <allocation>`. */
    byNode: allocationKeys(['NodeID', 'ID'], ({ NodeID, ID }) => `${NodeID} ${ID}`),
    /** Allocations that have not ended on their node, by `<node> <allocation>`. */
    onNode: allocationKeys(['NodeID', 'ID', 'ClientStatus'], (row) =>
      hasEnded(row) ? undefined : `${row.NodeID} ${row.ID}`,
    ),
    /** Ports in use, by `portPrefix` followed by the allocation's ID. */
    ports: allocationKeys(['NodeID', 'ID', 'ClientStatus', 'AllocatedResources'], portKeys),
    /** Bridge addresses in use, by `hostPrefix` followed by host number and allocation's ID. */
    hosts: allocationKeys(['NodeID', 'ID', 'ClientStatus', 'NetworkStatus'], hostKey),
  },
})

const deploymentKeys = keysFromMembers<Deployment>()

export const deployments = schedulerTable('deployments', deploymentShape, {
  secrets: 'none',
  indexes: {
    /** All deployments of a job, by `jobItemKey` with the creation index before the ID. */
    byJob: deploymentKeys(
      [...jobItemKeyMembers, 'CreateIndex'],
      ({ Namespace, JobID, CreateIndex, ID }) =>
        jobItemKey(Namespace, JobID, `${paddedNumber(CreateIndex)} ${ID}`),
    ),
    /** Active deployments, by `jobItemKey`. */
    active: deploymentKeys([...jobItemKeyMembers, 'Status'], (row) =>
      isActiveDeployment(row) ? jobItemKey(row.Namespace, row.JobID, row.ID) : undefined,
    ),
  },
})

/** Internal state of a task. The API does not return this state. */
const taskRuntimeShape = struct({
  /** State of `taskMachine`. */
  phase: word(...taskMachine.states),
  /** True while the task waits for other tasks of its allocation. */
  waiting: bool,
  /** Number of starts, including failed attempts. */
  attempt: int,
  /** Number of restarts since `since`, which the restart policy limits. */
  restarts: int,
  /** Start of the restart policy's interval, in milliseconds since 1970. */
  since: float,
})
export interface TaskRuntime extends StoredOf<typeof taskRuntimeShape> {}

/** States of the tasks that are not dead, by `<allocation> <task>`. */
export const taskRuntimes = schedulerTable('task-lives', taskRuntimeShape, { secrets: 'none' })

/** Text that a task writes to one of its outputs during one run. */
const taskOutputShape = struct({
  text,
  /** Number of repetitions after the first output. */
  repeat: uint,
  /** Milliseconds between two repetitions. */
  every: float,
})
export interface TaskOutput extends StoredOf<typeof taskOutputShape> {}

const taskLogShape = struct({
  runs: list(
    struct({
      /** Start of the run in milliseconds since 1970. */
      since: float,
      /**
       * End of the run in milliseconds since 1970; null while the task runs, and if its node was
       * lost.
       */
      until: nullable(float),
      stdout: taskOutputShape,
      stderr: taskOutputShape,
    }),
  ),
})

/**
 * Recorded outputs by `<allocation> <task>` (behaviour/scheduler#files). A task without output has
 * no row.
 */
export const taskLogs = schedulerTable('task-logs', taskLogShape, { secrets: 'none' })

/** A step that waits until a client runs it or automatic steps resume. */
const heldStepShape = struct({
  /** Due time in milliseconds since 1970. */
  at: float,
  job: text,
  /** Key of the step, which `stepNames` describes for each agenda job. */
  id: text,
})
export interface HeldStep extends StoredOf<typeof heldStepShape> {}

/**
 * Held steps, sorted by due time and then by the order in which they were held
 * (behaviour/scheduler#steering).
 */
export const heldSteps = schedulerTable('held-steps', heldStepShape, {
  secrets: 'none',
  indexes: {
    byStep: ({ job, id }) => `${job} ${id}`,
  },
})

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

export function allocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('onNode').rows(`${id} `)]
}

export function allAllocationsOnNode(world: World, id: string): Allocation[] {
  return [...world.table(allocations).index('byNode').rows(`${id} `)]
}
