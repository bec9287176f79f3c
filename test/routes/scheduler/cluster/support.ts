import type { Allocation } from '../../../../state/scheduler/cluster/model/allocation-shapes.ts'
import type {
  Deployment,
  Evaluation,
} from '../../../../state/scheduler/cluster/model/placement-shapes.ts'
import type { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import { exampleJob, type Members, requireSuccess } from '../support.ts'

/** ID of no evaluation, allocation, deployment or node. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/**
 * Returns a job `example` with a group `g` and tasks of the driver `mock`, given by their
 * configurations.
 */
export function mockJob(
  tasks: Readonly<Record<string, Members>>,
  group: Members = {},
  job: Members = {},
): Members {
  const Tasks = Object.entries(tasks).map(([Name, { Config, ...more }]) => ({
    Name,
    Driver: 'mock',
    Config: Config ?? {},
    ...more,
  }))
  return exampleJob({ TaskGroups: [{ Name: 'g', Tasks, ...group }], ...job })
}

/** Returns the body of a list. */
export async function listed<T>(client: SchedulerClient, path: string): Promise<readonly T[]> {
  return (await requireSuccess(client.get(path))).body
}

/** Returns a job's allocations in order of creation, then of name. */
export async function allocationsOf(client: SchedulerClient, id = 'example') {
  const rows = await listed<Allocation>(client, `job/${encodeURIComponent(id)}/allocations`)
  return [...rows].sort((a, b) => a.CreateIndex - b.CreateIndex || (a.Name < b.Name ? -1 : 1))
}

/** Returns the first allocation of a job, or the one at a position. */
export async function allocationOf(client: SchedulerClient, at = 0, id = 'example') {
  const rows = (await allocationsOf(client, id))[at]
  if (rows === undefined) throw new Error(`${id} has no allocation ${at}`)
  return rows
}

/** Returns name, version, desired status and client status of each allocation. */
export async function overview(client: SchedulerClient, id = 'example') {
  return (await allocationsOf(client, id)).map(
    ({ Name, JobVersion, DesiredStatus, ClientStatus }) =>
      `${Name} v${JobVersion} ${DesiredStatus}/${ClientStatus}`,
  )
}

/** Returns a job's evaluations in order of creation. */
export async function evaluationsOf(client: SchedulerClient, id = 'example') {
  const rows = await listed<Evaluation>(client, `job/${encodeURIComponent(id)}/evaluations`)
  return [...rows].sort((a, b) => a.CreateIndex - b.CreateIndex)
}

/** Returns the triggers and statuses of a job's evaluations. */
export async function reasons(client: SchedulerClient, id = 'example') {
  return (await evaluationsOf(client, id)).map(
    ({ TriggeredBy, Status }) => `${TriggeredBy} ${Status}`,
  )
}

/** Returns a job's deployments with their states, newest version first. */
export async function deployments(client: SchedulerClient, id = 'example') {
  const rows = await listed<Deployment>(client, `job/${id}/deployments`)
  return [...rows]
    .sort((a, b) => b.JobVersion - a.JobVersion)
    .map(({ JobVersion, Status, StatusDescription }) => [JobVersion, Status, StatusDescription])
}

/** Returns the state of a task of an allocation. */
export function stateOf({ TaskStates }: Allocation, task: string) {
  const state = TaskStates?.[task]
  if (state === undefined) throw new Error(`no state of ${task}`)
  return state
}

/** Returns type and text of each event of a task. */
export function events(allocation: Allocation, task: string): readonly string[] {
  const messages = stateOf(allocation, task).Events ?? []
  return messages.map(({ Type, DisplayMessage }) => `${Type}: ${DisplayMessage}`)
}

/** Returns a job's counters that are not 0. */
export async function counters(client: SchedulerClient, group: string, id = 'example') {
  const { Summary } = (await requireSuccess(client.get(`job/${encodeURIComponent(id)}/summary`)))
    .body
  const all: Readonly<Record<string, number>> = Summary[group]
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count !== 0))
}

/** Returns the status of a job. */
export async function statusOf(client: SchedulerClient, id = 'example'): Promise<string> {
  return (await requireSuccess(client.get(`job/${encodeURIComponent(id)}`))).body.Status
}
