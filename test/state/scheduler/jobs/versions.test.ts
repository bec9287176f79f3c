import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { validateJob } from '../../../../state/scheduler/jobs/plan.ts'
import { validateShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { versionsOf } from '../../../../state/scheduler/jobs/versions.ts'
import { malformed, missing, rejected } from '../support.ts'
import { frozenWorld, inputJob, job, register } from './support.ts'

function withPriorities(...priorities: readonly number[]): World {
  const world = frozenWorld()
  for (const Priority of priorities) register(world, inputJob({ Priority }))
  return world
}

/** Returns the type of each difference, with the old and new priority. */
function changes(world: World, diffVersion?: number) {
  const { Diffs } = versionsOf(world, 'default', 'web', { diffs: true, diffVersion })
  return (
    Diffs?.map(({ Type, Fields }) => {
      const priority = Fields?.find(({ Name }) => Name === 'Priority')
      return [Type, priority?.Old, priority?.New]
    }) ?? null
  )
}

describe('behaviour/scheduler#jobs, versions', () => {
  test('versions are listed from high to low, without differences by default', () => {
    const world = withPriorities(50, 60)
    const { Versions, Diffs } = versionsOf(world, 'default', 'web', { diffVersion: 7 })
    expect(Versions[0]).toBe(job(world, 'web'))
    expect(Versions.map(({ Version, Priority }) => [Version, Priority])).toEqual([
      [1, 60],
      [0, 50],
    ])
    expect(Diffs).toBeNull()
  })

  test('diffs: every neighbouring pair, one fewer than versions', () => {
    expect(changes(withPriorities(50, 60, 70))).toEqual([
      ['Edited', '60', '70'],
      ['Edited', '50', '60'],
    ])
  })

  test('the diffs of a single version are null', () => {
    expect(changes(withPriorities(50))).toBeNull()
  })

  test('diff_version: every version against it as old, itself included', () => {
    expect(changes(withPriorities(50, 60, 70), 1)).toEqual([
      ['Edited', '60', '70'],
      ['None', undefined, undefined],
      ['Edited', '60', '50'],
    ])
  })

  test('a diff_version that is not retained is 500', () => {
    expect(() => changes(withPriorities(50), 9)).toThrow(rejected('version 9 not found'))
  })

  test('an unknown job is 404', () => {
    expect(() => versionsOf(frozenWorld(), 'default', 'web')).toThrow(
      missing('job versions not found'),
    )
  })
})

describe('behaviour/scheduler#plan', () => {
  const validate = (world: World, body: object) => {
    const found = validateJob(world, decodeBody(JSON.stringify(body), validateShape))
    return { errors: found.errors.map((error) => renderMessage(error)), warnings: found.warnings }
  }

  test('a valid job: no errors; nothing is stored', () => {
    const world = frozenWorld()
    const before = world.snapshot()
    expect(validate(world, { Job: inputJob({ Region: 'global' }) })).toEqual({
      errors: [],
      warnings: [],
    })
    expect(world.snapshot()).toMatchObject({ ids: before.ids })
    expect(lastIndex(world)).toBe(before.store.indexes.get('scheduler'))
  })

  test('of a job with a scaling policy no number for an ID is drawn', () => {
    const world = frozenWorld()
    const before = JSON.stringify(world.ids.state)
    const task = { Name: 'main', Driver: 'docker' }
    const group = { Name: 'app', Scaling: { Max: 2 }, Tasks: [task] }
    const job = inputJob({ Region: 'global', TaskGroups: [group] })
    expect(validate(world, { Job: job }).errors).toEqual([])
    expect(JSON.stringify(world.ids.state)).toBe(before)
  })

  test('every error is returned, alone and together with the others', () => {
    const world = frozenWorld()
    const wrong = inputJob({ Namespace: 'none', Region: '', TaskGroups: [] })
    const errors = [
      'job "web" is in nonexistent namespace "none"',
      'Missing job region',
      'Missing job task groups',
    ]
    expect(validate(world, { Job: wrong })).toEqual({
      errors,
      warnings: [],
    })
  })

  test('a request without a job is 400', () => {
    expect(() => validate(frozenWorld(), {})).toThrow(malformed('Job must be specified'))
  })
})
