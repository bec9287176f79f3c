import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import { step } from '../../../../state/scheduler/cluster/step-runner.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, mockJob, overview, reasons } from '../cluster/support.ts'
import {
  aclScheduler,
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'

const section = 'behaviour/scheduler#operator'
const path = 'operator/scheduler/configuration'

const begun = {
  SchedulerAlgorithm: 'binpack',
  PreemptionConfig: {
    SystemSchedulerEnabled: true,
    SysBatchSchedulerEnabled: false,
    BatchSchedulerEnabled: false,
    ServiceSchedulerEnabled: false,
  },
  MemoryOversubscriptionEnabled: false,
  RejectJobRegistration: false,
  PauseEvalBroker: false,
  CreateIndex: 1,
  ModifyIndex: 1,
}

/** Returns the name of a JSON value's type in messages of Go's decoder. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const reply = (SchedulerConfig: Members, Index: unknown) => ({
  SchedulerConfig,
  Index,
  LastContact: 0,
  KnownLeader: true,
  NextToken: '',
})

describe(`the configuration of the scheduler (${section})`, () => {
  // choice/scheduler#operator-configuration-begun
  test.each<DialectName>(['neutral', 'vendor'])('initial configuration: %s', async (dialect) => {
    const { scheduler: client } = await frozenScheduler({ dialect })
    const read = await requireSuccess(client.get(path))
    expect(read.body).toEqual(reply(begun, 1))
    const prefix = dialect === 'vendor' ? 'x-nomad-' : 'x-sched-'
    expect(apiHeaders(read, prefix)).toEqual(readHeaders(1, prefix))
    // The reference answers at once, whatever the index.
    expect((await client.get(`${path}?index=1&wait=5m`)).status).toBe(200)
  })

  test.each(['PUT', 'POST'])('%s replaces all of it: omitted members are off', async (method) => {
    const { scheduler: client } = await frozenScheduler()
    const written = await client.request(method, path, {
      SchedulerAlgorithm: 'spread',
      PreemptionConfig: { BatchSchedulerEnabled: true },
      ModifyIndex: 99,
    })
    expect([written.status, written.body, apiHeaders(written)]).toEqual([
      200,
      { Updated: true, Index: 11 },
      { 'x-sched-index': '11' },
    ])
    const PreemptionConfig = {
      ...begun.PreemptionConfig,
      SystemSchedulerEnabled: false,
      BatchSchedulerEnabled: true,
    }
    const now = { ...begun, SchedulerAlgorithm: 'spread', PreemptionConfig, ModifyIndex: 11 }
    expect((await client.get(path)).body).toEqual(reply(now, 11))
    await requireSuccess(client.put(path, { SchedulerAlgorithm: '' }))
    const again = (await client.get(path)).body.SchedulerConfig
    expect([again.SchedulerAlgorithm, again.CreateIndex, again.ModifyIndex]).toEqual([
      'binpack',
      1,
      12,
    ])
  })

  test('cas writes only over the expected index', async () => {
    const { scheduler: client } = await frozenScheduler()
    const missed = await client.put(`${path}?cas=7`, { SchedulerAlgorithm: 'spread' })
    expect([missed.status, missed.body]).toEqual([200, { Updated: false, Index: 10 }])
    expect((await client.get(path)).body.SchedulerConfig).toEqual(begun)
    const met = await client.put(`${path}?cas=1`, { SchedulerAlgorithm: 'spread' })
    expect([met.status, met.body.Updated]).toEqual([200, true])
    expect((await client.put(`${path}?cas=1`, {})).body.Updated).toBe(false)
  })

  test.for([
    ['', { SchedulerAlgorithm: 'x' }, 'invalid scheduler algorithm: x'],
    ['?cas=z', {}, 'Error parsing cas value: strconv.ParseUint: parsing "z": invalid syntax'],
    ['?cas=', {}, 'Error parsing cas value: strconv.ParseUint: parsing "": invalid syntax'],
    ['?cas=z', { SchedulerAlgorithm: 'x' }, 'invalid scheduler algorithm: x'],
    ['', undefined, 'Error parsing scheduler config: Request body is empty'],
    [
      '',
      { PauseEvalBroker: 1 },
      'Error parsing scheduler config: json: cannot unmarshal number into Go struct field SchedulerConfiguration.PauseEvalBroker of type bool',
    ],
    // The types are those of the reference's structs.
    ...[1, true, [], {}].map(
      (sent) =>
        [
          '',
          { SchedulerAlgorithm: sent },
          `Error parsing scheduler config: json: cannot unmarshal ${goKind(sent)} into Go struct field SchedulerConfiguration.SchedulerAlgorithm of type api.SchedulerAlgorithm`,
        ] as const,
    ),
    [
      '',
      { PreemptionConfig: 1 },
      'Error parsing scheduler config: json: cannot unmarshal number into Go struct field SchedulerConfiguration.PreemptionConfig of type api.PreemptionConfig',
    ],
    [
      '',
      { PreemptionConfig: { SystemSchedulerEnabled: 'x' } },
      'Error parsing scheduler config: json: cannot unmarshal string into Go struct field PreemptionConfig.PreemptionConfig.SystemSchedulerEnabled of type bool',
    ],
    // Indexes are ignored, but must have the right type.
    [
      '',
      { ModifyIndex: 'x' },
      'Error parsing scheduler config: json: cannot unmarshal string into Go struct field SchedulerConfiguration.ModifyIndex of type uint64',
    ],
    [
      '',
      { CreateIndex: -1 },
      'Error parsing scheduler config: json: cannot unmarshal number -1 into Go struct field SchedulerConfiguration.CreateIndex of type uint64',
    ],
    ['', { SchedulerAlgorithm: 'BINPACK' }, 'invalid scheduler algorithm: BINPACK'],
    [
      '',
      '3',
      'Error parsing scheduler config: json: cannot unmarshal number into Go value of type api.SchedulerConfiguration',
    ],
  ] as const)('%s %j: 400', async ([query, sent, why]) => {
    const { scheduler: client, as } = await aclScheduler()
    expect(await failureOf(client.put(path + query, sent))).toEqual([400, why])
    // Validated before access is checked, as in the reference.
    expect(await failureOf(as('x').put(path + query, sent))).toEqual([400, why])
  })

  test('other methods are 405', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.delete(path))).toEqual([405, 'Invalid method'])
  })
})

describe(`effects of the configuration (${section})`, () => {
  test('RejectJobRegistration allows only management to register', async () => {
    const { manager, holder } = await aclScheduler()
    const { client } = await holder('namespace "default" { policy = "write" }')
    await requireSuccess(manager.put(path, { RejectJobRegistration: true }))
    expect(await failureOf(client.post('jobs', { Job: exampleJob() }))).toEqual([
      403,
      'Job registration, dispatch, and scale are disabled by the scheduler configuration',
    ])
    await register(manager, exampleJob())
    await requireSuccess(manager.put(path, {}))
    await register(client, exampleJob({ ID: 'other' }))
  })

  // choice/scheduler#operator-configuration-begun
  test('the option rejectJobRegistration sets the initial value', async () => {
    const options = { rejectJobRegistration: true }
    const { manager, holder } = await aclScheduler({ options })
    expect((await manager.get(path)).body.SchedulerConfig.RejectJobRegistration).toBe(true)
    await requireSuccess(manager.put(path, {}))
    const { client } = await holder('namespace "default" { policy = "write" }')
    await register(client, exampleJob())
  })

  test('memory_max gives a warning unless oversubscription is enabled', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Resources = { CPU: 100, MemoryMB: 100, MemoryMaxMB: 200 }
    const Job = mockJob({ t: { Resources } })
    const warnings = async () => [
      (await register(client, Job)).Warnings,
      (await client.post('job/example/plan', { Job })).body.Warnings,
      (await client.post('validate/job', { Job })).body.Warnings,
    ]
    const warning = expect.stringContaining('Memory oversubscription is not enabled; Task "g.t"')
    expect(await warnings()).toEqual([warning, warning, warning])
    await requireSuccess(client.put(path, { MemoryOversubscriptionEnabled: true }))
    expect(await warnings()).toEqual(['', '', ''])
  })

  test('allocations have memory_max if oversubscription is enabled, as in the reference', async () => {
    const { scheduler: client, clock } = await scheduler()
    const job = (ID: string) =>
      mockJob({ t: { Resources: { MemoryMB: 100, MemoryMaxMB: 200 } } }, {}, { ID })
    const given = async (ID: string) => {
      await register(client, job(ID))
      clock.advance(1000)
      const { ID: id } = await allocationOf(client, 0, ID)
      return (await client.get(`allocation/${id}`)).body.AllocatedResources.Tasks.t.Memory
    }
    expect(await given('before')).toEqual({ MemoryMB: 100, MemoryMaxMB: 0 })
    await requireSuccess(client.put(path, { MemoryOversubscriptionEnabled: true }))
    expect(await given('after')).toEqual({ MemoryMB: 100, MemoryMaxMB: 200 })
  })

  test('PauseEvalBroker holds evaluations until it is disabled', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    await requireSuccess(client.put(path, { PauseEvalBroker: true }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'other' }))
    clock.advance(60_000)
    // Pending evaluations are held as well.
    for (const id of ['example', 'other']) {
      expect([await reasons(client, id), await overview(client, id)]).toEqual([
        ['job-register pending'],
        [],
      ])
    }
    await requireSuccess(client.put(path, {}))
    clock.advance(60_000)
    for (const id of ['example', 'other']) {
      expect(await overview(client, id)).toEqual([`${id}.g[0] v0 run/running`])
    }
  })

  // choice/scheduler#operator-paused-steps
  test('single steps skip held evaluations', async () => {
    const { scheduler: client, world } = await scheduler({ options: { schedulerMode: 'manual' } })
    const { EvalID } = await register(client, mockJob({ t: {} }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'other' }))
    await requireSuccess(client.put(path, { PauseEvalBroker: true }))
    expect(step(world)).toBeUndefined()
    // A forced transition still processes one evaluation with all its effects.
    world.transitions.get('scheduler.evaluation')?.force(world, String(EvalID), 'complete', {})
    expect(step(world)).toMatchObject({ kind: 'scheduler.task' })
    await requireSuccess(client.put(path, {}))
    expect(step(world)).toMatchObject({ kind: 'scheduler.evaluation' })
  })

  test('single steps skip evaluations that were scheduled before the pause as well', async () => {
    const { scheduler: client, world } = await scheduler()
    await register(client, mockJob({ t: {} }))
    await requireSuccess(client.put(path, { PauseEvalBroker: true }))
    expect(step(world)).toBeUndefined()
  })
})
