import { describe, expect, test } from 'vitest'
import { HOUR } from '../../../../state/go/duration.ts'
import { type Message, renderMessage } from '../../../../state/kernel/message.ts'
import {
  formatWarnings,
  jobWarnings,
  oversizeWarning,
} from '../../../../state/scheduler/validation/warnings.ts'
import { exampleJob, type Members, registeredJob } from '../job/sample-job.ts'

const section = 'behaviour/scheduler#warnings'

function warningsOf(
  parts: { job?: Members; group?: Members; task?: Members },
  more: Message[] = [],
) {
  return formatWarnings(
    [...jobWarnings(registeredJob(exampleJob(parts)), false), ...more],
    renderMessage,
  )
}

const parallel =
  'Update max parallel count is greater than task group count (5 > 2). A destructive change would ' +
  'result in the simultaneous replacement of all allocations.'
const mbits =
  'mbits has been deprecated as of Sched 0.12.0. Please remove mbits from the network block'
const iops = 'IOPS has been deprecated as of Sched 0.9.0. Please remove IOPS from resource block.'
const networks =
  'task network resources have been deprecated as of Sched 0.12.0. Please configure networking via ' +
  'group network block.'
const promote = 'auto_promote must be true for all groups to enable automatic promotion'

describe(section, () => {
  test('a valid job has no warnings', () => {
    expect(warningsOf({})).toBe('')
  })

  test('more parallel updates than allocations', () => {
    expect(warningsOf({ group: { Count: 2, Update: { MaxParallel: 5 } } })).toBe(
      `1 warning:\n\n* Group "web" has warnings: 1 error occurred:\n\t* ${parallel}`,
    )
    expect(warningsOf({ group: { Count: 1, Update: { MaxParallel: 5 } } })).toBe('')
  })

  test('mbits of the first network cause a warning', () => {
    expect(warningsOf({ group: { Networks: [{ MBits: 10 }] } })).toBe(
      `1 warning:\n\n* Group "web" has warnings: 1 error occurred:\n\t* ${mbits}`,
    )
  })

  test('IOPS and networks of a task cause a warning', () => {
    expect(warningsOf({ task: { Resources: { IOPS: 1, Networks: [{}] } } })).toBe(
      '1 warning:\n\n* Group "web" has warnings: 1 error occurred:\n\t* Task "t" has warnings: ' +
        `2 errors occurred:\n\t* ${iops}\n\t* ${networks}`,
    )
  })

  test('auto_promote of some groups only, and a warning about the request', () => {
    const TaskGroups = [
      { Name: 'a', Update: { AutoPromote: true, Canary: 1 } },
      { Name: 'b', Update: { Canary: 1 } },
    ]
    const large = oversizeWarning(1_234_567, 1_000_000)
    expect(renderMessage(large)).toBe(
      'job source size of 1.2 MB exceeds maximum of 1.0 MB and will be discarded',
    )
    expect(warningsOf({ job: { TaskGroups } }, [large])).toBe(
      `2 warnings:\n\n* ${promote}\n* ${renderMessage(large)}`,
    )
  })

  test('a group without canaries needs no promotion', () => {
    const TaskGroups = [
      { Name: 'a', Update: { AutoPromote: true, Canary: 1 } },
      { Name: 'b', Update: {} },
    ]
    expect(warningsOf({ job: { TaskGroups } })).toBe('')
  })

  test('warnings about disconnection, cron and excessive memory come in this order', () => {
    const text = warningsOf({
      group: { MaxClientDisconnect: HOUR },
      task: { Resources: { MemoryMaxMB: 600 } },
      job: { Periodic: { Spec: '@daily' } },
    })
    expect(text).toBe(
      '3 warnings:\n\n* Group "web" has warnings: 1 error occurred:\n\t* MaxClientDisconnect will be ' +
        'deprecated favor of Disconnect.LostAfter\n* cron is deprecated and may be removed in a future ' +
        'release. Use crons instead\n* Memory oversubscription is not enabled; Task "web.t" memory_max ' +
        'value will be ignored. Update the Scheduler Configuration to allow oversubscription.',
    )
    expect(warningsOf({ job: { Periodic: { Specs: ['@daily'] } } })).toBe('')
  })

  test('warnings about predecessors of Disconnect come before mbits', () => {
    const group = {
      StopAfterClientDisconnect: HOUR,
      PreventRescheduleOnLost: true,
      Networks: [{ MBits: 10 }],
    }
    expect(warningsOf({ group })).toBe(
      '1 warning:\n\n* Group "web" has warnings: 3 errors occurred:\n\t* StopAfterClientDisconnect will ' +
        'be deprecated favor of Disconnect.StopOnClientAfter\n\t* PreventRescheduleOnLost will be ' +
        `deprecated favor of Disconnect.Replace\n\t* ${mbits}`,
    )
  })

  test.each([
    [7, '7 B'],
    [999, '999 B'],
    [12_345, '12 kB'],
    [2_000_000_000, '2.0 GB'],
  ])('%d bytes are %s', (size, text) => {
    expect(renderMessage(oversizeWarning(size, 1))).toBe(
      `job source size of ${text} exceeds maximum of 1 B and will be discarded`,
    )
  })
})
