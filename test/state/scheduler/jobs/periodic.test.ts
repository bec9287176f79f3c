import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import {
  allocations,
  evaluations,
  taskRuntimes,
} from '../../../../state/scheduler/cluster/model/tables.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { forceLaunch } from '../../../../state/scheduler/jobs/launches.ts'
import { stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { launchJobName } from '../../../../state/scheduler/records/launches.ts'
import { childrenOf, findJob, summaryOf } from '../../../../state/scheduler/records/store.ts'
import { start } from '../../../support/kernel.ts'
import { schedulerWorld } from '../../../support/scheduler/scheduler-world.ts'
import { rejected } from '../support.ts'
import { frozenWorld, inputBatchJob, job, register } from './support.ts'

const minute = 60_000
const hour = 60 * minute
const startSeconds = start / 1000

const periodic = (block: object = {}, change: object = {}) =>
  inputBatchJob({ Periodic: { Spec: '*/10 * * * *', ...block }, ...change })

const childIds = (world: World) => Array.from(childrenOf(world, 'default', 'batch'), ({ ID }) => ID)
const due = (world: World) => world.agenda.find(launchJobName, 'default batch')?.at

describe('behaviour/scheduler#periodic: launches', () => {
  // choice/scheduler#version-of-children
  test('a child at each cron time, with all that a registered job has', () => {
    const world = frozenWorld()
    register(world, periodic())
    const { Index } = register(world, periodic({}, { Priority: 60 }))
    world.advance(10 * minute)
    const id = `batch/periodic-${startSeconds + 600}`
    const parent = job(world, 'batch')
    const index = Index + 1
    expect(childIds(world)).toEqual([id])
    expect(job(world, id)).toEqual({
      ...parent,
      ID: id,
      Name: id,
      ParentID: 'batch',
      Periodic: null,
      Status: 'pending',
      SubmitTime: (start + 10 * minute) * 1_000_000,
      CreateIndex: index,
      ModifyIndex: index,
      JobModifyIndex: index,
    })
    expect(evaluationsOf(world, 'default', id)).toMatchObject([
      { TriggeredBy: 'periodic-job', Type: 'batch', Priority: 60, CreateIndex: index },
    ])
    expect(summaryOf(world, 'default', id)).toMatchObject({ CreateIndex: index })
    expect(summaryOf(world, 'default', 'batch')?.Children).toEqual({
      Pending: 1,
      Running: 0,
      Dead: 0,
    })
    expect(parent).toMatchObject({ Status: 'running', ModifyIndex: Index })
  })

  test('advancing the clock launches a child for every due time in between', () => {
    const world = frozenWorld()
    register(world, periodic())
    world.advance(30 * minute)
    expect(childIds(world)).toEqual(
      [600, 1200, 1800].map((seconds) => `batch/periodic-${startSeconds + seconds}`),
    )
    expect(due(world)).toBe(start + 40 * minute)
  })

  test.each([
    { block: { TimeZone: 'America/New_York', Spec: '0 21 * * *' }, after: 2 * hour },
    { block: { Spec: '0 21 * * *' }, after: 21 * hour },
    { block: { Spec: '', Specs: ['0 9 * * *', '0 8 * * *'] }, after: 8 * hour },
    { block: { Spec: '30 0 0 1 1 * 2026' }, after: 30_000 },
  ])('$block: due after $after ms', ({ block, after }) => {
    const world = frozenWorld()
    register(world, periodic(block))
    expect(due(world)).toBe(start + after)
  })

  test.each([
    { what: 'a disabled block', sent: periodic({ Enabled: false }) },
    { what: 'a stopped job', sent: periodic({}, { Stop: true }) },
    { what: 'a parameterized job', sent: periodic({}, { ParameterizedJob: {} }) },
    { what: 'times that have passed', sent: periodic({ Spec: '0 0 1 1 * 2020' }) },
  ])('has no time for $what', ({ sent }) => {
    const world = frozenWorld()
    register(world, sent)
    expect(due(world)).toBeUndefined()
  })

  test('the scheduled launch moves with the specification, and ends with the job', () => {
    const world = frozenWorld()
    register(world, periodic())
    expect(due(world)).toBe(start + 10 * minute)
    register(world, periodic({ Spec: '*/20 * * * *' }))
    expect(due(world)).toBe(start + 20 * minute)
    stopJob(world, 'default', 'batch')
    expect(due(world)).toBeUndefined()
    register(world, periodic())
    expect(due(world)).toBe(start + 10 * minute)
    stopJob(world, 'default', 'batch', { purge: true })
    expect(due(world)).toBeUndefined()
    world.advance(hour)
    expect(childIds(world)).toEqual([])
  })

  test('is kept by snapshots', () => {
    const world = frozenWorld()
    register(world, periodic())
    const snapshot = world.snapshot()
    stopJob(world, 'default', 'batch', { purge: true })
    world.restore(snapshot)
    world.advance(10 * minute)
    expect(childIds(world)).toHaveLength(1)
  })

  test('with ProhibitOverlap no child is launched while another child is alive', () => {
    const world = frozenWorld()
    register(world, periodic({ ProhibitOverlap: true }))
    world.advance(30 * minute)
    expect(childIds(world)).toHaveLength(1)
    expect(due(world)).toBe(start + 40 * minute)
    stopJob(world, 'default', childIds(world)[0] ?? '', { purge: true })
    world.advance(10 * minute)
    expect(childIds(world)).toEqual([`batch/periodic-${startSeconds + 2400}`])
  })
})

describe('behaviour/scheduler#beyond, periodic/force', () => {
  test('launches now, overlap or not', () => {
    const world = frozenWorld()
    register(world, periodic({ ProhibitOverlap: true }))
    const reply = forceLaunch(world, 'default', 'batch')
    const index = lastIndex(world)
    const id = `batch/periodic-${startSeconds}`
    const [evaluation] = evaluationsOf(world, 'default', id)
    expect(reply).toEqual({ EvalID: evaluation?.ID, EvalCreateIndex: index, Index: index })
    world.advance(1000)
    forceLaunch(world, 'default', 'batch')
    expect(childIds(world)).toEqual([id, `batch/periodic-${startSeconds + 1}`])
    expect(due(world)).toBe(start + 10 * minute)
  })

  // choice/scheduler#force-twice-in-a-second
  test('twice in a second: the next version of the one child', () => {
    const world = frozenWorld()
    register(world, periodic())
    forceLaunch(world, 'default', 'batch')
    forceLaunch(world, 'default', 'batch')
    expect(childIds(world)).toHaveLength(1)
    expect(findJob(world, 'default', `batch/periodic-${startSeconds}`)?.Version).toBe(1)
    expect(summaryOf(world, 'default', 'batch')?.Children?.Pending).toBe(1)
  })

  // choice/scheduler#registering-over-children
  test('a child that a client registers again is no longer a child', () => {
    const world = frozenWorld()
    register(world, periodic())
    forceLaunch(world, 'default', 'batch')
    const [id = ''] = childIds(world)
    register(world, inputBatchJob({ ID: id, Priority: 70 }))
    expect([childIds(world), job(world, id).ParentID]).toEqual([[], ''])
  })

  // choice/scheduler#force-of-idle-launcher
  test('refuses an unknown job, one that is not periodic, and one that is not launched', () => {
    const world = frozenWorld()
    expect(() => forceLaunch(world, 'default', 'none')).toThrow(rejected('job not found'))
    register(world, inputBatchJob({ ID: 'plain' }))
    expect(() => forceLaunch(world, 'default', 'plain')).toThrow(
      rejected("can't force launch non-periodic job"),
    )
    register(world, periodic({ Enabled: false }))
    expect(() => forceLaunch(world, 'default', 'batch')).toThrow(
      rejected(
        'force launch for job "batch" failed: can\'t force run non-tracked job "batch" (default)',
      ),
    )
  })
})

describe('behaviour/scheduler#collection: collection of old children', () => {
  const rowsOf = (world: World) => ({
    children: childIds(world).length,
    evaluations: world.table(evaluations).size,
    allocations: world.table(allocations).size,
    lives: world.table(taskRuntimes).size,
  })

  test('children that have been dead for four hours are removed completely, so that their number stays limited', () => {
    const world = schedulerWorld({})
    register(world, periodic({ Spec: '* * * * *' }))
    world.advance(5 * hour)
    const few = rowsOf(world)
    expect(few.children).toBe(241)
    expect(childIds(world)[0]).toBe(`batch/periodic-${startSeconds + 3600}`)
    world.advance(5 * hour)
    expect(rowsOf(world)).toEqual(few)
    expect(summaryOf(world, 'default', 'batch')?.Children?.Dead).toBeGreaterThan(550)
  })

  test.each([
    ['1h', 61],
    ['never', 300],
    ['0', 1],
  ])('the threshold %s leaves %i of 300', (jobGCThreshold, left) => {
    const world = schedulerWorld({ jobGCThreshold })
    register(world, periodic({ Spec: '* * * * *' }))
    world.advance(5 * hour)
    expect(childIds(world)).toHaveLength(left)
  })

  test('children that still run stay', () => {
    const world = frozenWorld()
    register(world, periodic({ Spec: '0 * * * *' }))
    world.advance(10 * hour)
    expect(childIds(world)).toHaveLength(10)
  })
})
