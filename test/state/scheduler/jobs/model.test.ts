import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { allocationsOf } from '../../../../state/scheduler/cluster/allocations/allocations.ts'
import { jobStatus } from '../../../../state/scheduler/cluster/model/job-summaries.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { jobItemPrefix } from '../../../../state/scheduler/keys.ts'
import { launchJobName } from '../../../../state/scheduler/records/launches.ts'
import {
  childrenOf,
  findJob,
  findJobVersion,
  jobVersionsOf,
  summaryOf,
} from '../../../../state/scheduler/records/store.ts'
import { jobSubmissions } from '../../../../state/scheduler/records/tables.ts'
import { schedulerWorld } from '../../../support/scheduler/scheduler-world.ts'
import {
  aStep,
  current,
  emptyModel,
  type Id,
  ids,
  type Model,
  type Operation,
  type Outcome,
  period,
  type Version,
} from './model.ts'
import { frozenWorld } from './support.ts'

function apply(world: World, model: Model, operation: Operation): void {
  const before = lastIndex(world)
  const { act, outcome, afterwards } = operation.run(world, model)
  let did: Outcome
  try {
    const reply = act()
    did = lastIndex(world) === before ? 'nothing' : 'written'
    afterwards?.(reply)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    did = 'refused'
  }
  expect([operation.name, did]).toEqual([operation.name, outcome])
  expect(lastIndex(world)).toBe(outcome === 'written' ? before + 1 : before)
}

function pass(world: World, model: Model, by: number): void {
  const from = world.clock.now()
  world.advance(by)
  const cron = current(model, 'cron')
  if (cron === undefined || cron.stop) return
  for (let at = (Math.floor(from / period) + 1) * period; at <= from + by; at += period) {
    model.children.get('cron')?.add(`cron/periodic-${at / 1000}`)
  }
}

/** Copies to the model which versions are stable, because deployments set that. */
function learnStable(world: World, model: Model): void {
  for (const [id, known] of model.jobs) {
    known.versions = known.versions.map((each) => ({
      ...each,
      stable: findJobVersion(world, 'default', id, each.version)?.Stable ?? each.stable,
    }))
  }
}

function compare(world: World, model: Model): void {
  for (const id of ids) {
    const known = model.jobs.get(id)
    const versions = jobVersionsOf(world, 'default', id)
    expect(
      versions.map(
        (job): Version => ({
          version: job.Version,
          priority: job.Priority,
          count: Number(job.TaskGroups?.[0]?.Count ?? 0),
          stop: job.Stop,
          stable: job.Stable,
        }),
      ),
    ).toEqual(known?.versions ?? [])
    const sources = Array.from(
      world.table(jobSubmissions).rows(jobItemPrefix('default', id)),
      ({ Version, Source }): [number, string] => [Version, Source],
    )
    expect(new Map(sources)).toEqual(known?.sources ?? new Map())
    expect(findJob(world, 'default', id)).toBe(versions[0])
    expect(summaryOf(world, 'default', id)?.CreateIndex).toBe(known?.createIndex)
    if (known === undefined) continue
    expect(versions[0]).toMatchObject({
      CreateIndex: known.createIndex,
      JobModifyIndex: known.jobModifyIndex,
    })
    checkRow(world, model, id)
    checkCounters(world, id)
  }
  for (const parent of ['form', 'cron'] as const) checkChildren(world, model, parent)
  const cron = current(model, 'cron')
  expect(world.agenda.find(launchJobName, 'default cron')?.at).toBe(
    cron === undefined || cron.stop
      ? undefined
      : (Math.floor(world.clock.now() / period) + 1) * period,
  )
}

/** Checks the invariants of a job (behaviour/scheduler#versions, indexes and status). */
function checkRow(world: World, model: Model, id: string): void {
  const job = findJob(world, 'default', id)
  if (job === undefined) throw new Error(`there is no job ${id}`)
  expect(job.Status).toBe(jobStatus(world, job))
  expect(job.ModifyIndex).toBeGreaterThanOrEqual(
    Math.max(job.JobModifyIndex, model.seen.get(id) ?? 0),
  )
  expect(job.ModifyIndex).toBeLessThanOrEqual(lastIndex(world))
  model.seen.set(id, job.ModifyIndex)
}

/**
 * Checks that the counters match the allocations, including all ended ones
 * (behaviour/scheduler#summary).
 */
function checkCounters(world: World, id: string): void {
  const counters = summaryOf(world, 'default', id)?.Summary?.['app']
  const allocations = allocationsOf(world, 'default', id, false)
  const number = (status: string) =>
    allocations.filter(({ ClientStatus }) => ClientStatus === status).length
  expect(counters).toMatchObject({
    Starting: number('pending'),
    Running: number('running'),
    Complete: number('complete'),
    Failed: number('failed'),
    Lost: number('lost'),
    Unknown: number('unknown'),
  })
}

function checkChildren(world: World, model: Model, parent: Id): void {
  const children = [...childrenOf(world, 'default', parent)]
  expect(children.map(({ ID }) => ID)).toEqual([...(model.children.get(parent) ?? [])].sort())
  for (const { ID, ParentID } of children) {
    expect(ParentID).toBe(parent)
    checkRow(world, model, ID)
    checkCounters(world, ID)
  }
  if (!model.jobs.has(parent) || model.purged.has(parent)) return
  const number = (status: string) => children.filter(({ Status }) => Status === status).length
  expect(summaryOf(world, 'default', parent)?.Children).toEqual({
    Pending: number('pending'),
    Running: number('running'),
    Dead: number('dead') + (model.purgedChildren.get(parent) ?? 0),
  })
}

describe('behaviour/scheduler#versions: versions, indexes, submissions, status and children against a model', () => {
  test.each([
    { what: 'in a cluster that stands still', start: frozenWorld, runs: 100 },
    { what: 'in a cluster that moves', start: schedulerWorld, runs: 100 },
  ])('$what', ({ start, runs }) => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 60, size: 'max' }), (steps) => {
        const world = start()
        const model = emptyModel()
        for (const step of steps) {
          if (typeof step === 'number') pass(world, model, step)
          else apply(world, model, step)
          if (typeof step === 'number') learnStable(world, model)
          compare(world, model)
        }
      }),
      { numRuns: runs },
    )
  })
})
