import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { resolveNamespace } from '../../../../state/scheduler/jobs/context.ts'
import { refuse, schedulerMessages } from '../../../../state/scheduler/messages.ts'
import {
  findJob,
  jobVersionsOf,
  submissionOf,
  summaryOf,
} from '../../../../state/scheduler/records/store.ts'
import { formatWarnings } from '../../../../state/scheduler/validation/warnings.ts'
import { denied, malformed, rejected } from '../support.ts'
import {
  frozenWorld,
  inputBatchJob,
  inputJob,
  isUnchangedBy,
  job,
  register,
  startNanoseconds,
} from './support.ts'

const periodic = inputBatchJob({ Periodic: { Spec: '0 * * * *' } })
const parameterized = inputBatchJob({ ParameterizedJob: {} })
const scaled = [{ Name: 'app', Scaling: { Max: 2 }, Tasks: [{ Name: 'main', Driver: 'docker' }] }]

describe('behaviour/scheduler#namespace', () => {
  test.each([
    { query: 'a', body: 'b', inJob: 'c', namespace: 'a' },
    { query: undefined, body: 'b', inJob: 'c', namespace: 'b' },
    { query: '', body: '', inJob: 'c', namespace: 'c' },
    { query: undefined, body: null, inJob: null, namespace: 'default' },
  ])('query $query, body $body, job $inJob: $namespace', ({ query, body, inJob, namespace }) => {
    expect(resolveNamespace(query, body, inJob)).toBe(namespace)
  })

  test('the result overwrites the field of the job', () => {
    const world = frozenWorld()
    register(world, inputJob({ Namespace: 'elsewhere' }), {}, { queryNamespace: 'default' })
    expect(job(world, 'web').Namespace).toBe('default')
  })

  test.each([
    { what: 'the body', job: inputJob(), more: { Region: 'west' } },
    { what: 'the job', job: inputJob({ Region: 'west' }), more: {} },
  ])('another region in $what: 500', ({ job, more }) => {
    const world = frozenWorld()
    expect(() => register(world, job, more)).toThrow(rejected('No path to region'))
  })
})

describe('behaviour/scheduler#register: 400 checks in order', () => {
  const rows: readonly {
    what: string
    job: unknown
    more?: object
    pathId?: string
    text: string
  }[] = [
    { what: 'no job', job: null, more: { EvalPriority: 101 }, text: 'Job must be specified' },
    {
      what: 'no ID',
      job: { Type: 'system', TaskGroups: scaled },
      pathId: 'web',
      text: "Job ID hasn't been provided",
    },
    {
      what: 'another ID in the path',
      job: inputJob({ Type: 'system', TaskGroups: scaled }),
      pathId: 'other',
      text: 'Job ID does not match name',
    },
    {
      what: 'scaling of a system job',
      job: inputJob({ Type: 'system', TaskGroups: scaled }),
      more: { EvalPriority: 101 },
      text: 'Task groups with job type system do not support scaling blocks',
    },
    {
      what: 'a priority of -1',
      job: { ID: '' },
      more: { EvalPriority: -1 },
      text: 'Eval priority must be between 1 and 100 inclusively',
    },
    {
      what: 'a priority of 101',
      job: { ID: '' },
      more: { EvalPriority: 101 },
      text: 'Eval priority must be between 1 and 100 inclusively',
    },
  ]
  test.each(rows)('$what', ({ job, more = {}, pathId, text }) => {
    const world = frozenWorld()
    expect(() => register(world, job, { ...more }, { pathId })).toThrow(malformed(text))
  })
})

describe('behaviour/scheduler#register: the order of the checks of the server', () => {
  const forbid = {
    authorize: () => {
      throw refuse('permission-denied')
    },
  }

  test('validation comes before the permission', () => {
    const world = frozenWorld()
    expect(() => register(world, inputJob({ TaskGroups: [] }), {}, forbid)).toThrow(
      rejected('1 error occurred:\n\t* Missing job task groups\n\n'),
    )
    expect(() => register(world, inputJob(), {}, forbid)).toThrow(denied())
  })

  test('the permission comes before the index', () => {
    const world = frozenWorld()
    const enforced = { EnforceIndex: true, JobModifyIndex: 5 }
    expect(() => register(world, inputJob(), enforced, forbid)).toThrow(denied())
  })

  test('the index comes before the transition', () => {
    const world = frozenWorld()
    register(world, inputJob())
    const enforced = { EnforceIndex: true, JobModifyIndex: 0 }
    expect(() => register(world, inputJob({ Type: 'batch' }), enforced)).toThrow(
      rejected('Enforcing job modify index 0: job already exists'),
    )
  })

  test.each([
    { more: {}, needs: ['submit-job'] },
    { more: { PolicyOverride: true }, needs: ['submit-job', 'policy-override'] },
  ])('$more needs $needs', ({ more, needs }) => {
    const world = frozenWorld()
    const checked: unknown[] = []
    const authorize = (...question: unknown[]) => void checked.push(question)
    register(world, inputJob(), more, { authorize })
    expect(checked).toEqual([[expect.objectContaining({ ID: 'web', Namespace: 'default' }), needs]])
  })

  test('nothing is changed by a refused request, the numbers drawn for IDs included', async () => {
    const world = frozenWorld()
    register(world, inputJob())
    const wrong = inputJob({ TaskGroups: [...scaled, { Name: 'empty' }] })
    expect(await isUnchangedBy(world, () => register(world, wrong))).toBe(true)
  })

  test('while registration is closed, only management tokens register jobs', () => {
    const open = frozenWorld({ rejectJobRegistration: true })
    // Without ACLs nobody is refused.
    expect(register(open, inputJob()).EvalID).not.toBe('')
    const world = frozenWorld({ rejectJobRegistration: true, aclEnabled: true })
    expect(() => register(world, inputJob())).toThrow(schedulerMessages['registration-closed'].text)
    expect(register(world, inputJob(), {}, { isManagement: true }).EvalID).not.toBe('')
  })
})

describe('behaviour/scheduler#jobs: EnforceIndex', () => {
  test('0 registers a new job only', () => {
    const world = frozenWorld()
    register(world, inputJob(), { EnforceIndex: true })
    expect(() => register(world, inputJob(), { EnforceIndex: true })).toThrow(
      rejected('Enforcing job modify index 0: job already exists'),
    )
  })

  test("an index other than the job's is refused", () => {
    const world = frozenWorld()
    const { JobModifyIndex } = register(world, inputJob())
    const enforced = { EnforceIndex: true, JobModifyIndex: 7 }
    expect(() => register(world, inputJob({ Priority: 60 }), enforced)).toThrow(
      rejected(
        `Enforcing job modify index 7: job exists with conflicting job modify index: ${JobModifyIndex}`,
      ),
    )
    register(world, inputJob({ Priority: 60 }), { EnforceIndex: true, JobModifyIndex })
    expect(job(world, 'web').Version).toBe(1)
  })

  test('an index for a job that does not exist is refused', () => {
    const enforced = { EnforceIndex: true, JobModifyIndex: 7 }
    expect(() => register(frozenWorld(), inputJob(), enforced)).toThrow(
      rejected('Enforcing job modify index 7: job does not exist'),
    )
  })

  test('without EnforceIndex the index is ignored', () => {
    expect(register(frozenWorld(), inputJob(), { JobModifyIndex: 7 }).EvalID).not.toBe('')
  })
})

describe('behaviour/scheduler#jobs: transitions', () => {
  test.each([
    {
      from: inputJob(),
      to: inputJob({ Type: 'batch' }),
      text: 'cannot update job from type "service" to "batch"',
    },
    {
      from: periodic,
      to: inputBatchJob(),
      text: 'cannot update periodic job to being non-periodic',
    },
    {
      from: inputBatchJob(),
      to: periodic,
      text: 'cannot update non-periodic job to being periodic',
    },
    {
      from: parameterized,
      to: inputBatchJob(),
      text: 'cannot update parameterized job to being non-parameterized',
    },
    {
      from: inputBatchJob(),
      to: parameterized,
      text: 'cannot update non-parameterized job to being parameterized',
    },
  ])('$text', async ({ from, to, text }) => {
    const world = frozenWorld()
    register(world, from)
    expect(() => register(world, to)).toThrow(rejected(text))
    expect(await isUnchangedBy(world, () => register(world, to))).toBe(true)
  })
})

describe('behaviour/scheduler#jobs: response', () => {
  test('of a new job: one index for the job, its version, summary, source and evaluation', () => {
    const world = frozenWorld()
    const before = lastIndex(world)
    const reply = register(world, inputJob(), {
      Submission: { Format: 'hcl2', Source: 'job "web" {}' },
    })
    const index = before + 1
    const [evaluation] = evaluationsOf(world, 'default', 'web')
    expect(reply).toEqual({
      EvalID: evaluation?.ID,
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Warnings: [],
      Index: index,
    })
    expect(lastIndex(world)).toBe(index)
    expect(job(world, 'web')).toMatchObject({
      Version: 0,
      Status: 'pending',
      StatusDescription: '',
      Stable: false,
      SubmitTime: startNanoseconds,
      CreateIndex: index,
      ModifyIndex: index,
      JobModifyIndex: index,
    })
    expect(summaryOf(world, 'default', 'web')).toMatchObject({
      CreateIndex: index,
      ModifyIndex: index,
    })
    expect(submissionOf(world, 'default', 'web', 0)?.JobIndex).toBe(index)
    expect(evaluation).toMatchObject({
      TriggeredBy: 'job-register',
      Type: 'service',
      Priority: 50,
      JobModifyIndex: index,
      CreateIndex: index,
    })
  })

  test('of a changed job: new version and indexes, CreateIndex stays', () => {
    const world = frozenWorld()
    const first = register(world, inputJob())
    const second = register(world, inputJob({ Priority: 60 }))
    expect(second).toEqual({
      EvalID: expect.not.stringMatching(first.EvalID),
      EvalCreateIndex: first.Index + 1,
      JobModifyIndex: first.Index + 1,
      Warnings: [],
      Index: first.Index + 1,
    })
    expect(job(world, 'web')).toMatchObject({ Version: 1, CreateIndex: first.Index })
  })

  test('of an unchanged job: a fresh evaluation, no version, ModifyIndex as JobModifyIndex', () => {
    const world = frozenWorld()
    const first = register(world, inputJob())
    const before = job(world, 'web')
    const second = register(world, inputJob())
    expect(second).toEqual({
      EvalID: expect.not.stringMatching(first.EvalID),
      EvalCreateIndex: first.Index + 1,
      JobModifyIndex: before.ModifyIndex,
      Warnings: [],
      Index: first.Index + 1,
    })
    expect(job(world, 'web')).toBe(before)
    expect(evaluationsOf(world, 'default', 'web')).toHaveLength(2)
  })

  test.each([
    { kind: 'periodic', sent: periodic, warned: ['cron-deprecated'] },
    { kind: 'parameterized', sent: parameterized, warned: [] },
  ])('of a $kind job: no evaluation; unchanged, nothing is written', ({ sent, warned }) => {
    const world = frozenWorld()
    const first = register(world, sent)
    const { Index } = first
    const Warnings = warned.map((rule) => expect.objectContaining({ rule }))
    const none = { EvalID: '', EvalCreateIndex: 0, Warnings }
    expect(first).toEqual({ ...none, JobModifyIndex: Index, Index })
    expect(job(world, 'batch').Status).toBe('running')
    expect(register(world, sent)).toEqual({ ...none, JobModifyIndex: Index, Index: 0 })
    expect(lastIndex(world)).toBe(Index)
  })

  test('EvalPriority is only the priority of the evaluation', () => {
    const world = frozenWorld()
    register(world, inputJob(), { EvalPriority: 90 })
    expect(evaluationsOf(world, 'default', 'web')[0]?.Priority).toBe(90)
    expect(job(world, 'web').Priority).toBe(50)
  })

  test('warnings come with the reply, unchanged or not', () => {
    const world = frozenWorld()
    const group = { Name: 'app', Count: 2, Tasks: [{ Name: 'main', Driver: 'docker' }] }
    const sent = inputJob({ Update: { MaxParallel: 5 }, TaskGroups: [group] })
    const { Warnings } = register(world, sent)
    expect(formatWarnings(Warnings, renderMessage)).toContain('(5 > 2)')
    expect(register(world, sent).Warnings).toEqual(Warnings)
  })
})

describe('behaviour/scheduler#versions: change test', () => {
  test.each(['Status', 'StatusDescription', 'ParentID'])('a sent %s is ignored', (member) => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ [member]: 'sent' }))
    expect(job(world, 'web')).toMatchObject({
      Version: 0,
      Status: 'pending',
      StatusDescription: '',
      ParentID: '',
    })
    expect(jobVersionsOf(world, 'default', 'web')).toHaveLength(1)
  })

  test.each(['SubmitTime', 'CreateIndex', 'ModifyIndex', 'JobModifyIndex', 'Version'])(
    'another %s is not a change',
    (member) => {
      const world = frozenWorld()
      register(world, inputJob())
      register(world, inputJob({ [member]: 3 }))
      expect(job(world, 'web').Version).toBe(0)
    },
  )

  test('Stable and Dispatched are not a change', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Stable: true, Dispatched: true }))
    expect(job(world, 'web')).toMatchObject({ Version: 0, Stable: false, Dispatched: false })
  })

  test('the order of keys does not matter', () => {
    const world = frozenWorld()
    register(world, inputJob({ Meta: { a: '1', b: '2' } }))
    register(world, inputJob({ Meta: { b: '2', a: '1' } }))
    expect(job(world, 'web').Version).toBe(0)
  })

  test('the token that registers counts', () => {
    const world = frozenWorld()
    register(world, inputJob(), {}, { accessorId: 'one' })
    register(world, inputJob(), {}, { accessorId: 'one' })
    expect(job(world, 'web')).toMatchObject({ Version: 0, SchedTokenID: 'one' })
    register(world, inputJob(), {}, { accessorId: 'two' })
    expect(job(world, 'web')).toMatchObject({ Version: 1, SchedTokenID: 'two' })
  })

  test('a scaling policy keeps its ID, so the job is unchanged', () => {
    const world = frozenWorld()
    register(world, inputJob({ TaskGroups: scaled }))
    const before = job(world, 'web')
    register(world, inputJob({ TaskGroups: scaled }))
    expect(job(world, 'web')).toBe(before)
    expect(before.TaskGroups?.[0]?.Scaling?.ID).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([
    { before: [], sent: 5, version: 0, what: 'a new job' },
    { before: [0], sent: 4, version: 1, what: 'a higher one' },
    { before: [5, 5], sent: 0, version: 1, what: 'a lower one' },
  ])('a sent Version is ignored: $what', ({ before, sent, version }) => {
    const world = frozenWorld()
    for (const Version of before) register(world, inputJob({ Version }))
    register(world, inputJob({ Version: sent, Priority: 60 }))
    expect(job(world, 'web').Version).toBe(version)
  })

  test('Stop is honoured: the job is dead once nothing runs, and registering again revives it', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Stop: true }))
    expect(job(world, 'web')).toMatchObject({ Stop: true, Version: 1 })
    register(world, inputJob())
    expect(job(world, 'web')).toMatchObject({ Stop: false, Version: 2, Status: 'pending' })
  })
})

describe('behaviour/scheduler#jobs: PreserveCounts', () => {
  const groups = (...counts: readonly (readonly [string, number])[]) =>
    counts.map(([Name, Count]) => ({ Name, Count, Tasks: [{ Name: 'main', Driver: 'docker' }] }))
  const countsOf = (world: ReturnType<typeof frozenWorld>) =>
    job(world, 'web').TaskGroups?.map(({ Name, Count }) => [Name, Count])

  test('groups that exist keep their counts, new ones get the sent', () => {
    const world = frozenWorld()
    register(world, inputJob({ TaskGroups: groups(['a', 5], ['gone', 1]) }))
    register(world, inputJob({ TaskGroups: groups(['a', 1], ['new', 2]) }), {
      PreserveCounts: true,
    })
    expect(countsOf(world)).toEqual([
      ['a', 5],
      ['new', 2],
    ])
  })

  test('the change test runs on the sent job', () => {
    const world = frozenWorld()
    register(world, inputJob({ TaskGroups: groups(['a', 5]) }))
    register(world, inputJob({ TaskGroups: groups(['a', 1]) }), { PreserveCounts: true })
    expect(countsOf(world)).toEqual([['a', 5]])
    expect(job(world, 'web').Version).toBe(1)
  })

  test('of a new job it has no effect', () => {
    const world = frozenWorld()
    register(world, inputJob({ TaskGroups: groups(['a', 3]) }), { PreserveCounts: true })
    expect(countsOf(world)).toEqual([['a', 3]])
    expect(findJob(world, 'default', 'web')?.Version).toBe(0)
  })
})
