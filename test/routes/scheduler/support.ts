import { expect } from 'vitest'
import type { Job } from '../../../state/scheduler/job/job-shape.ts'
import {
  type SchedulerClient,
  type SchedulerSettings,
  scheduler,
  type TestScheduler,
} from '../../support/scheduler/scheduler.ts'
import {
  type Change,
  storedBatchJob,
  storedServiceJob,
} from '../../support/scheduler/scheduler-jobs.ts'
import { type Reply, testTime } from '../../support/secrets/secrets.ts'

/** Media type of failures. */
export const textType = 'text/plain; charset=utf-8'

/** Members of a request. */
export type Members = Readonly<Record<string, unknown>>

/** Returns a minimal job: ID `example`, one group `cache`, one task `redis`. */
export function exampleJob(change: Members = {}): Members {
  const task = { Name: 'redis', Driver: 'docker', Config: { image: 'redis:7', ports: ['db'] } }
  return { ID: 'example', TaskGroups: [{ Name: 'cache', Tasks: [task] }], ...change }
}

/** Returns a periodic batch job that launches every hour. */
export function periodicJob(change: Members = {}): Members {
  return exampleJob({ ID: 'cron', Type: 'batch', Periodic: { Spec: '0 * * * *' }, ...change })
}

/** Returns a parameterized job. */
export function parameterizedJob(rules: Members = {}, change: Members = {}): Members {
  return exampleJob({ ID: 'param', Type: 'batch', ParameterizedJob: rules, ...change })
}

/** Returns `exampleJob` as reads show it after it was registered first on a fresh server. */
export function readExample(change: Change<Job> = {}): Job {
  return storedServiceJob({ SubmitTime: testTime * 1e6, ...change })
}

/** Returns `readExample` as a batch job. */
export function readBatchExample(change: Change<Job> = {}): Job {
  return storedBatchJob({ SubmitTime: testTime * 1e6, ...change })
}

/** Starts a server without automatic transitions: only requests change its state. */
export function frozenScheduler({ options, ...settings }: SchedulerSettings = {}) {
  return scheduler({
    ...settings,
    options: { schedulerMode: 'frozen', waitJitter: false, ...options },
  })
}

/** Starts a frozen server with ACLs. */
export async function aclScheduler(settings: SchedulerSettings = {}) {
  const served = await frozenScheduler({
    ...settings,
    options: { aclEnabled: true, ...settings.options },
  })
  return { ...served, holder: (...rules: string[]) => holderOf(served, rules) }
}

/** Returns a client with a token of policies with these rules. */
async function holderOf({ manager, as }: TestScheduler, rules: readonly string[]) {
  const names = rules.map((_, at) => `p-${at}`)
  for (const [at, Rules] of rules.entries()) {
    await requireSuccess(manager.post(`acl/policy/p-${at}`, { Name: `p-${at}`, Rules }))
  }
  const token = await requireSuccess(
    manager.post('acl/token', { Name: 'holder', Type: 'client', Policies: names }),
  )
  return { client: as(token.body.SecretID), accessor: String(token.body.AccessorID) }
}

/** Returns a reply that must be successful. */
export async function requireSuccess(pending: Promise<Reply>): Promise<Reply> {
  const reply = await pending
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`)
  return reply
}

/** Registers a job and returns the body of the reply, which must be successful. */
export async function register(client: SchedulerClient, job: Members, more: Members = {}) {
  return (await requireSuccess(client.post('jobs', { Job: job, ...more }))).body
}

/** Returns status and text of a reply. */
export async function failureOf(pending: Promise<Reply>): Promise<readonly [number, string]> {
  const { status, text } = await pending
  return [status, text]
}

/** Returns the API's own headers of a reply. */
export function apiHeaders({ headers }: Reply, prefix = 'x-sched-'): Members {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)))
}

/** Returns the headers of a read. */
export function readHeaders(index: number, prefix = 'x-sched-'): Members {
  return {
    [`${prefix}index`]: String(index),
    [`${prefix}knownleader`]: 'true',
    [`${prefix}lastcontact`]: '0',
  }
}

/** Any version 4 UUID. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the reply to a write with an evaluation; `more` replaces and adds members. */
export function evaluatedReply(index: number, more: Members = {}): Members {
  return {
    EvalID: expect.stringMatching(uuid),
    EvalCreateIndex: index,
    JobModifyIndex: index,
    Index: index,
    LastContact: 0,
    KnownLeader: false,
    ...more,
  }
}

/** Returns the reply to stopping a job. */
export function stoppedReply(index: number, more: Members = {}): Members {
  return { ...evaluatedReply(index), VolumeEvalID: '', VolumeEvalIndex: 0, ...more }
}

/** Starts a server with a changed `exampleJob` at index 11. */
export async function withExample(change: Members = {}): Promise<TestScheduler> {
  const served = await frozenScheduler()
  await register(served.scheduler, exampleJob(change))
  return served
}

/** Returns an evaluation. */
export async function evaluationOf(client: SchedulerClient, id: string) {
  return (await requireSuccess(client.get(`evaluation/${id}`))).body
}
