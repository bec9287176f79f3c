import { describe, expect, test } from 'vitest'
import { taskLog } from '../../../../state/scheduler/client/files.ts'
import { requireAllocation } from '../../../../state/scheduler/cluster/allocations/allocations.ts'
import { addOutcomeRule } from '../../../../state/scheduler/cluster/model/task-outcomes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { allocationOf, mockJob, unknownId } from '../cluster/support.ts'
import { failureOf, type Members, requireSuccess } from '../support.ts'

const section = 'behaviour/scheduler#files'

/** Starts a server with a job whose tasks run, and helpers that read their output. */
async function printing(tasks: Readonly<Record<string, Members>>, job: Members = {}) {
  const served = await scheduler()
  const { scheduler: client, clock, app } = served
  await requireSuccess(client.post('jobs', { Job: mockJob(tasks, {}, job) }))
  clock.advance(300)
  const { ID: id } = await allocationOf(client)
  const url = (query: string) => `client/fs/logs/${id}?${query}`
  const plain = async (task = 't', type = 'stdout', more = '') =>
    (await requireSuccess(client.get(url(`task=${task}&type=${type}&plain=true${more}`)))).text
  const raw = async (query: string) => {
    const { statusCode, body, headers } = await app.inject(`/v1/${url(query)}`)
    return { status: statusCode, body, type: headers['content-type'] }
  }
  return { ...served, client, id, url, plain, raw }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe(`the output of tasks (${section})`, () => {
  test('is empty by default', async () => {
    const { plain, raw } = await printing({ t: {} })
    expect([await plain('t', 'stdout'), await plain('t', 'stderr')]).toEqual(['', ''])
    const { status, body, type } = await raw('task=t&type=stdout')
    expect([status, body, type]).toEqual([200, '', 'application/json'])
  })

  test('follows the configuration of the mock driver, repeated at its intervals', async () => {
    const Config = {
      stdout_string: 'tick ',
      stdout_repeat: 2,
      stdout_repeat_duration: '10s',
      stderr_string: 'oops',
    }
    const { plain, clock } = await printing({ t: { Config } })
    expect([await plain(), await plain('t', 'stderr')]).toEqual(['tick ', 'oops'])
    clock.advance(10_000)
    expect(await plain()).toBe('tick tick ')
    clock.advance(60_000)
    expect(await plain()).toBe('tick tick tick ')
  })

  test('follows metadata for any driver; the closest level wins', async () => {
    const { plain } = await printing(
      { a: { Meta: { mock_stdout: 'of task' }, Driver: 'exec', Config: { command: 'x' } }, b: {} },
      { Meta: { mock_stdout: 'of job', mock_stderr: 'err of job' } },
    )
    expect(await plain('a')).toBe('of task')
    expect([await plain('b'), await plain('b', 'stderr')]).toEqual(['of job', 'err of job'])
  })

  // choice/scheduler#client-output
  test('a rule takes precedence over both and does not change the outcome', async () => {
    const served = await scheduler()
    const { scheduler: client, clock, world } = served
    addOutcomeRule(world, { task: 't', stdout: 'of rule' })
    const Config = { stdout_string: 'of config', stderr_string: 'err', exit_code: 3, run_for: '1s' }
    await requireSuccess(
      client.post('jobs', { Job: mockJob({ t: { Config } }, {}, { Type: 'batch' }) }),
    )
    clock.advance(1500)
    const { ID } = await allocationOf(client)
    const read = async (type: string) =>
      (await client.get(`client/fs/logs/${ID}?task=t&plain=true&type=${type}`)).text
    expect([await read('stdout'), await read('stderr')]).toEqual(['of rule', 'err'])
    expect(await client.get(`allocation/${ID}`)).toMatchObject({
      body: { TaskStates: { t: { Restarts: 1 } } },
    })
  })

  // choice/scheduler#client-output
  test('at most 10 MB are kept per start, in one file', async () => {
    const stdout_string = 'x'.repeat(1024 * 1024)
    const Config = { stdout_string, stdout_repeat: 99, stdout_repeat_duration: '1ms' }
    const { client, clock, id, world } = await printing({ t: { Config } })
    const sizes = async () =>
      (await client.get(`client/fs/ls/${id}?path=alloc/logs`)).body.map(
        ({ Name, Size }: Members) => [Name, Size],
      )
    clock.advance(10_000)
    const most = 10 * 1024 * 1024
    expect(await sizes()).toEqual([
      ['t.stderr.0', 0],
      ['t.stdout.0', most],
    ])
    const allocation = requireAllocation(world, id)
    // A reader that follows the output does not wait for more.
    expect(taskLog(world, allocation, 't', 'stdout').growsAt).toBeUndefined()
    await requireSuccess(client.post(`client/allocation/${id}/restart`))
    clock.advance(10_000)
    expect((await sizes())[1]).toEqual(['t.stdout.0', 2 * most])
  })

  test('each restart appends; a task that has ended prints no more', async () => {
    const Config = { stdout_string: 'x', stdout_repeat: 5, stdout_repeat_duration: '10s' }
    const { plain, client, clock, id } = await printing({ t: { Config } })
    clock.advance(15_000)
    await requireSuccess(client.post(`client/allocation/${id}/restart`))
    clock.advance(1000)
    expect(await plain()).toBe('xxx')
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(60_000)
    expect(await plain()).toBe('xxx')
  })
})

describe(`reading logs (${section})`, () => {
  const Config = { stdout_string: 'one two three' }

  test('frames are concatenated JSON objects with the offset of their end', async () => {
    const { raw } = await printing({ t: { Config } })
    const frame = { Data: base64('one two three'), File: 'alloc/logs/t.stdout.0', Offset: 13 }
    expect(await raw('task=t&type=stdout')).toEqual({
      status: 200,
      body: JSON.stringify(frame),
      type: 'application/json',
    })
    const big = await printing({ t: { Config: { stdout_string: 'x'.repeat(70_000) } } })
    const { body } = await big.raw('task=t&type=stdout')
    const frames = JSON.parse(`[${body.replace('}{', '},{')}]`)
    expect(frames.map(({ Offset }: { Offset: number }) => Offset)).toEqual([65_536, 70_000])
  })

  test('starts at an offset from either end', async () => {
    const { plain, raw } = await printing({ t: { Config } })
    expect(await plain('t', 'stdout', '&offset=4')).toBe('two three')
    expect(await plain('t', 'stdout', '&origin=end&offset=5')).toBe('three')
    expect(await plain('t', 'stdout', '&origin=end&offset=99')).toBe('one two three')
    expect(await plain('t', 'stdout', '&origin=end')).toBe('')
    expect(await plain('t', 'stdout', '&offset=99')).toBe('')
    const { body } = await raw('task=t&type=stdout&origin=end&offset=5')
    expect(JSON.parse(body)).toMatchObject({ Data: base64('three'), Offset: 13 })
    expect((await raw('task=t&type=stdout&plain=1')).type).toBe('text/plain')
  })

  test('errors are reported in the reference order', async () => {
    const { client, url } = await printing({
      t: { Config },
      late: { Config: { start_block_for: '1h' } },
    })
    const refused = (query: string) => failureOf(client.get(url(query)))
    expect(await failureOf(client.get('client/fs/logs/'))).toEqual([
      400,
      'must provide a valid alloc id',
    ])
    expect(await refused('follow=x')).toEqual([400, 'must provide task name'])
    expect(await refused('task=t&follow=x')).toEqual([
      400,
      'failed to parse follow field to boolean: strconv.ParseBool: parsing "x": invalid syntax',
    ])
    const noType = [400, 'must provide log type (stdout/stderr)']
    expect(await refused('task=t')).toEqual(noType)
    expect(await refused('task=t&type=both')).toEqual(noType)
    expect(await refused('task=t&type=stdout&offset=x')).toEqual([
      400,
      'error parsing offset: strconv.ParseInt: parsing "x": invalid syntax',
    ])
    expect(await refused('task=t&type=stdout&origin=middle')).toEqual([
      400,
      'origin must be start or end',
    ])
    expect(await refused('task=x&type=stdout')).toEqual([400, 'unknown task name "x"'])
    expect(await refused('task=late&type=stdout')).toEqual([
      404,
      'task "late" not started yet. No logs available',
    ])
    const query = 'task=t&type=stdout'
    expect(await failureOf(client.get(`client/fs/logs/${unknownId}?${query}`))).toEqual([
      404,
      `Unknown allocation "${unknownId}"`,
    ])
    expect(await failureOf(client.get(`client/fs/logs/x?${query}`))).toEqual([
      500,
      'alloc lookup failed: index error: UUID must be 36 characters',
    ])
    expect((await client.post(url(query))).status).toBe(200)
    expect(await failureOf(client.get('client/fs/nonsense/x'))).toEqual([404, 'Invalid method'])
  })
})

describe(`following logs (${section})`, () => {
  test('waits until the task ends on the world clock', async () => {
    const Config = { stdout_string: 'x', stdout_repeat: 9, stdout_repeat_duration: '10s' }
    const { raw, client, clock, id } = await printing({ t: { Config } })
    const followed = raw('task=t&type=stdout&plain=true&follow=true')
    const late = raw('task=t&type=stdout&follow=true&origin=end')
    await client.get('status/leader')
    clock.advance(10_000)
    await requireSuccess(client.post(`client/allocation/${id}/restart`))
    clock.advance(1000)
    await requireSuccess(client.post(`allocation/${id}/stop`))
    clock.advance(1000)
    expect((await followed).body).toBe('xxx')
    const frames = JSON.parse(`[${(await late).body.replaceAll('}{', '},{')}]`)
    expect(frames.map(({ Offset }: { Offset: number }) => Offset)).toEqual([2, 3])
  })

  test('ends at once for an ended task, and when the world is deleted', async () => {
    const Config = { stdout_string: 'done', run_for: '1s' }
    const ended = await printing({ t: { Config } }, { Type: 'batch' })
    ended.clock.advance(5000)
    expect((await ended.raw('task=t&type=stdout&plain=true&follow=1')).body).toBe('done')
    const { raw, client, world } = await printing({ t: { Config: { stdout_string: 'up' } } })
    const followed = raw('task=t&type=stdout&plain=true&follow=true')
    await client.get('status/leader')
    world.reset()
    expect((await followed).body).toBe('up')
  })
})
