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

/** The type of failures. */
export const textType = 'text/plain; charset=utf-8'

/** What a member of a request may be. */
export type Members = Readonly<Record<string, unknown>>

/** The least of a job: ID `example`, one group `cache`, one task `redis`. */
export function exampleJob(change: Members = {}): Members {
  const task = { Name: 'redis', Driver: 'docker', Config: { image: 'redis:7', ports: ['db'] } }
  return { ID: 'example', TaskGroups: [{ Name: 'cache', Tasks: [task] }], ...change }
}

/** A periodic job: every hour, for children that are batch jobs. */
export function periodicJob(change: Members = {}): Members {
  return exampleJob({ ID: 'cron', Type: 'batch', Periodic: { Spec: '0 * * * *' }, ...change })
}

/** A parameterized job. */
export function parameterizedJob(rules: Members = {}, change: Members = {}): Members {
  return exampleJob({ ID: 'param', Type: 'batch', ParameterizedJob: rules, ...change })
}

/** `exampleJob` as it is read when it was the first thing registered on a fresh server. */
export function readExample(change: Change<Job> = {}): Job {
  return storedServiceJob({ SubmitTime: testTime * 1e6, ...change })
}

/** The same as a batch job. */
export function readBatchExample(change: Change<Job> = {}): Job {
  return storedBatchJob({ SubmitTime: testTime * 1e6, ...change })
}

/** A server on which nothing moves by itself: only what requests do happens. */
export function frozenScheduler({ options, ...settings }: SchedulerSettings = {}) {
  return scheduler({
    ...settings,
    options: { schedulerMode: 'frozen', waitJitter: false, ...options },
  })
}

/** The same with ACLs on. */
export async function aclScheduler(settings: SchedulerSettings = {}) {
  const served = await frozenScheduler({
    ...settings,
    options: { aclEnabled: true, ...settings.options },
  })
  return { ...served, holder: (...rules: string[]) => holderOf(served, rules) }
}

/** A client with a token of policies with these rules. */
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

/** A reply that must be a success. */
export async function requireSuccess(pending: Promise<Reply>): Promise<Reply> {
  const reply = await pending
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`)
  return reply
}

/** Registers a job, which must work; gives the reply's body. */
export async function register(client: SchedulerClient, job: Members, more: Members = {}) {
  return (await requireSuccess(client.post('jobs', { Job: job, ...more }))).body
}

/** Status and text of a reply. */
export async function failureOf(pending: Promise<Reply>): Promise<readonly [number, string]> {
  const { status, text } = await pending
  return [status, text]
}

/** The headers of the API itself. */
export function apiHeaders({ headers }: Reply, prefix = 'x-sched-'): Members {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)))
}

/** What reads tell. */
export function readHeaders(index: number, prefix = 'x-sched-'): Members {
  return {
    [`${prefix}index`]: String(index),
    [`${prefix}knownleader`]: 'true',
    [`${prefix}lastcontact`]: '0',
  }
}

/** Any version 4 UUID. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What writes with an evaluation answer; `more` replaces and adds members. */
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

/** A server with `exampleJob` at index 11, changed so. */
export async function withExample(change: Members = {}): Promise<TestScheduler> {
  const served = await frozenScheduler()
  await register(served.scheduler, exampleJob(change))
  return served
}

/** One evaluation. */
export async function evaluationOf(client: SchedulerClient, id: string) {
  return (await requireSuccess(client.get(`evaluation/${id}`))).body
}
