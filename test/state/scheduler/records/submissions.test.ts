import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { scaleShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { scaleJob } from '../../../../state/scheduler/jobs/scale.ts'
import { stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { revertJob } from '../../../../state/scheduler/jobs/versions.ts'
import { submissionOf } from '../../../../state/scheduler/records/store.ts'
import { requireSubmission } from '../../../../state/scheduler/records/submissions.ts'
import { formatWarnings } from '../../../../state/scheduler/validation/warnings.ts'
import { anyCaller, frozenWorld, inputJob, job, register } from '../jobs/support.ts'
import { missing } from '../support.ts'

const source = (text: string) => ({ Submission: { Format: 'hcl2', Source: text } })

/** Registers a version whose source is its priority. */
function withSource(world: World, priority: number): void {
  register(world, inputJob({ Priority: priority }), source(`${priority}`))
}

const sourceOf = (world: World, version: number) =>
  submissionOf(world, 'default', 'web', version)?.Source

describe('behaviour/scheduler#versions: submissions', () => {
  test('are stored as sent, with the index of the commit', () => {
    const world = frozenWorld()
    const Submission = {
      Format: 'anything',
      Source: 'job "web" {}',
      VariableFlags: { a: '1', __proto: 'x' },
      Variables: 'b = 2',
      Version: 9,
      JobID: 'other',
      Namespace: 'other',
    }
    const { Index } = register(world, inputJob(), { Submission })
    expect(requireSubmission(world, 'default', 'web', 0)).toEqual({
      ...Submission,
      JobIndex: Index,
      JobID: 'web',
      Namespace: 'default',
      Version: 0,
    })
  })

  test('a submission is stored only when the specification changed', () => {
    const world = frozenWorld()
    withSource(world, 50)
    register(world, inputJob(), source('other'))
    expect(sourceOf(world, 0)).toBe('50')
    expect(sourceOf(world, 1)).toBeUndefined()
  })

  test('a version registered without a source has none in the neutral dialect, even if the version before had one', () => {
    const world = frozenWorld()
    withSource(world, 50)
    register(world, inputJob({ Priority: 60 }))
    expect(sourceOf(world, 1)).toBeUndefined()
  })

  test.each([
    { sent: {}, copied: '50', why: 'plain JSON names version 0' },
    { sent: { Version: 1 }, copied: '60', why: 'the job names version 1' },
    { sent: { Version: 7 }, copied: undefined, why: 'the job names a version without one' },
  ])('without one in vendor that of the named version is copied: $why', ({ sent, copied }) => {
    const world = frozenWorld()
    withSource(world, 50)
    withSource(world, 60)
    register(world, inputJob({ Priority: 70, ...sent }), {}, { isVendor: true })
    expect(sourceOf(world, job(world, 'web').Version)).toBe(copied)
  })

  // choice/scheduler#scale-keeps-source
  test.each([false, true])('stop, revert and scaling copy it (vendor: %s)', (vendor) => {
    const world = frozenWorld()
    withSource(world, 50)
    withSource(world, 60)
    stopJob(world, 'default', 'web')
    expect(sourceOf(world, 2)).toBe('60')
    const to = { JobID: 'web', JobVersion: 0, EnforcePriorVersion: null }
    revertJob(world, 'default', 'web', to, { ...anyCaller, isVendor: vendor })
    expect(sourceOf(world, 3)).toBe('50')
    const scaling = decodeBody('{"Count": 3, "Target": {"Group": "app"}}', scaleShape)
    scaleJob(world, 'default', 'web', scaling)
    expect(sourceOf(world, 4)).toBe('50')
    expect(submissionOf(world, 'default', 'web', 4)).toMatchObject({
      JobIndex: job(world, 'web').JobModifyIndex,
      Version: 4,
    })
  })

  test('the newest six are kept', () => {
    const world = frozenWorld()
    for (let count = 0; count < 3; count++) withSource(world, 50 + count)
    register(world, inputJob({ Priority: 80 }))
    for (let count = 0; count < 4; count++) withSource(world, 60 + count)
    const kept = Array.from({ length: 8 }, (_, version) => sourceOf(world, version))
    expect(kept).toEqual([undefined, '51', '52', undefined, '60', '61', '62', '63'])
  })

  test.each([
    { size: 1_000_000, kept: true },
    { size: 1_000_001, kept: false },
  ])('source, variables and flags of $size bytes: kept $kept', ({ size, kept }) => {
    const world = frozenWorld()
    const Submission = {
      Format: 'json',
      Source: 'é'.repeat((size - 101) / 2) + 'x'.repeat((size - 101) % 2),
      Variables: 'v'.repeat(90),
      VariableFlags: { flag: 'value!!' },
    }
    const { Warnings } = register(world, inputJob(), { Submission })
    expect(submissionOf(world, 'default', 'web', 0) !== undefined).toBe(kept)
    expect(formatWarnings(Warnings, renderMessage)).toBe(
      kept
        ? ''
        : '1 warning:\n\n* job source size of 1.0 MB exceeds maximum of 1.0 MB and will be discarded',
    )
  })

  test('are removed by a purge', () => {
    const world = frozenWorld()
    withSource(world, 50)
    stopJob(world, 'default', 'web', { purge: true })
    expect(sourceOf(world, 0)).toBeUndefined()
  })

  test.each(['web', 'nothing'])('of a version without one, of %s: 404', (id) => {
    const world = frozenWorld()
    register(world, inputJob())
    expect(() => requireSubmission(world, 'default', id, 0)).toThrow(
      missing('job source not found'),
    )
  })
})
