import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sharedValidator } from '../../../routes/http/declare/validate.ts'
import { readTrace, renderTracePage } from '../../../routes/trace/page.ts'
import { stateAfter } from '../../../routes/trace/past-state.ts'
import { TraceSecrets } from '../../../routes/trace/secrets.ts'
import type { RequestStep, TracedWorld, TraceStep } from '../../../routes/trace/trace.ts'
import { Turns } from '../../../routes/trace/turns.ts'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'
import { documentedControl } from '../../support/openapi/documented-control.ts'

const template = '<script type="application/octet-stream" id="trace-data"></script>'
const root = { 'x-secrets-token': 'root' }

async function started(options: object = {}): Promise<Understudy> {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', ...options })
  onTestFinished(() => understudy.close())
  return understudy
}

const write = (understudy: Understudy, path: string, options: object = {}) =>
  understudy.world().inject({
    method: 'POST',
    url: `/v1/secret/data/${path}`,
    headers: root,
    payload: { data: { value: path }, ...options },
  })

const summaryOf = (step: TraceStep): string => {
  switch (step.kind) {
    case 'request':
      return `${step.entry.id}.${step.round} ${step.entry.status}`
    case 'changes':
      return `changes of ${step.request ?? 'none'}`
    case 'replaced':
      return step.cause
    case 'clock':
      return `clock ${step.fired.length}`
    case 'snapshot':
      return 'snapshot'
    case 'mark':
      return step.text
  }
}

const requestsOf = ({ steps }: TracedWorld) =>
  steps.filter((step): step is RequestStep => step.kind === 'request')

async function worldOf(understudy: Understudy, id = 'default'): Promise<TracedWorld> {
  const { worlds } = await understudy.traces.data()
  const found = worlds.find((world) => world.id === id)
  if (found === undefined) throw new Error(`no world ${id}`)
  return found
}

describe('behaviour/program#traces: the content of a trace', () => {
  test('everything that happened, in order', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    const world = understudy.world()
    world.mark('begin')
    await write(understudy, 'a')
    world.snapshot()
    await write(understudy, 'a', { options: { cas: 9 } })
    world.clock.advance('1h')
    world.reset()
    await write(understudy, 'b')
    world.mark('end')
    const traced = await worldOf(understudy)
    expect(traced.steps.map(summaryOf)).toEqual([
      'begin',
      'changes of r1',
      'r1.0 200',
      'snapshot',
      'r2.0 400',
      'clock 0',
      'reset',
      'changes of r1',
      'r1.1 200',
      'end',
    ])
  })

  test('explanations of refused requests are made from the state at the refusal', async () => {
    const understudy = await started({ options: { control: { journalSize: 0 } } })
    understudy.traces.collector.start()
    await write(understudy, 'a')
    await write(understudy, 'a', { options: { cas: 9 } })
    await write(understudy, 'a')
    await write(understudy, 'a')
    const [, refused] = requestsOf(await worldOf(understudy))
    expect(refused?.explanation?.because).toContain('1')
    expect(refused?.explanation?.because).not.toContain('3')
    expect(understudy.world().requests.find()).toEqual([])
  })

  test('deleted worlds, and the world that another was made from', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    await write(understudy, 'a')
    const fork = understudy.world().fork('copy')
    await fork.inject({ url: '/v1/secret/data/a', headers: root })
    fork.delete()
    const traced = await worldOf(understudy, 'copy')
    expect([traced.deleted, traced.from, requestsOf(traced)[0]?.entry.status]).toEqual([
      true,
      { id: 'default' },
      200,
    ])
    expect(Object.keys(stateAfter(traced, -1))).toContain('secrets.kv2-data')
  })

  test('nothing is collected before the start, and the journal is enough', async () => {
    const understudy = await started()
    await write(understudy, 'a')
    understudy.world().mark('between')
    await write(understudy, 'b')
    expect(understudy.traces.collector.worlds()).toEqual([])
    const traced = await worldOf(understudy)
    expect(traced.steps.map(summaryOf)).toEqual([
      'changes of r1',
      'r1.0 200',
      'between',
      'changes of r2',
      'r2.0 200',
    ])
  })

  test('above the limit the oldest served requests are missing, and states stay right', async () => {
    const understudy = await started({ options: { control: { traceLimit: 60_000 } } })
    understudy.traces.collector.start()
    await write(understudy, 'refused', { options: { cas: 9 } })
    for (let at = 0; at < 60; at += 1) await write(understudy, `p${at % 10}`)
    const trace = await understudy.traces.data({ keepsValues: true })
    const [traced] = trace.worlds
    if (traced === undefined) throw new Error('no world')
    const requests = requestsOf(traced)
    expect(traced.missing).toBeGreaterThan(0)
    expect(traced.missing + requests.length).toBe(61)
    expect(requests[0]?.entry.outcome).toBe('refused')
    expect(requests.at(-1)?.entry.id).toBe('r61')
    const { tables } = understudy.world().serviceState('secrets')
    expect(stateAfter(traced)['secrets.kv2-data']).toEqual(tables?.['kv2-data'])
  })

  test('the estimate of the size is within 30 percent', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    for (let at = 0; at < 200; at += 1) await write(understudy, `p${at}`)
    const page = await renderTracePage(await understudy.traces.packTrace(), template)
    const data = page.slice(page.indexOf('>') + 1, page.lastIndexOf('<'))
    const actual = gunzipSync(Buffer.from(data, 'base64')).length
    expect(understudy.traces.collector.estimatedSize / actual).toBeGreaterThan(0.7)
    expect(understudy.traces.collector.estimatedSize / actual).toBeLessThan(1.3)
  })

  test('the data have the form of the schema in the OpenAPI document', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    const world = understudy.world()
    await write(understudy, 'a', { options: { cas: 9 } })
    await write(understudy, 'a')
    world.restore(world.snapshot().id)
    world.clock.advance('1h')
    world.mark('end')
    const { body } = await documentedControl(understudy)('GET', '/openapi.json')
    const schema = body.components.schemas.Trace
    expect(sharedValidator.check(schema, await understudy.traces.data(), 'trace')).toEqual([])
    expect(sharedValidator.check(schema, { format: 1 }, 'trace').length).toBeGreaterThan(0)
  })

  test('other requests are served while a trace is written, and a turn has 200 entries', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    for (let at = 0; at < 210; at += 1) {
      await understudy.world().inject({ url: '/v1/sys/health' })
    }
    let turns = 0
    let isWritten = false
    const count = () => {
      turns += 1
      if (!isWritten) setImmediate(count)
    }
    setImmediate(count)
    const writing = understudy.traces.page().then(() => {
      isWritten = true
    })
    await understudy.world().inject({ url: '/v1/sys/health' })
    expect(isWritten).toBe(false)
    await writing
    // Each request is formatted, searched for secrets, and written.
    expect(turns).toBeGreaterThan(3)
  })

  test('states of many rows are written in turns', async () => {
    const turns = new Turns()
    const pause = vi.spyOn(turns, 'pause')
    const rows = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, { at }]))
    const state = { 'mesh.keys': rows }
    const secrets = new TraceSecrets(false, [])
    secrets.add('a-secret-of-the-run')
    expect(await turns.run(secrets.hideParts(state, 2))).toEqual(state)
    expect(pause.mock.calls.length).toBeGreaterThanOrEqual(5)
  })

  test('a page holds the data', async () => {
    const understudy = await started()
    await write(understudy, 'a')
    const trace = await understudy.traces.data()
    expect(readTrace(await renderTracePage(trace, template))).toEqual(trace)
  })

  test('requests that reached no world, and calls that changed something', async () => {
    const understudy = await started()
    understudy.traces.collector.start()
    await understudy.inject({ url: '/_world/nowhere/v1/sys/health' })
    await understudy.inject({ url: '/_mock/info', headers: { host: 'evil.example' } })
    await understudy.inject({ method: 'POST', url: '/_mock/requests/find', payload: {} })
    await understudy.inject({ method: 'POST', url: '/_mock/reset', payload: {} })
    const { unattributed, controlCalls } = await understudy.traces.data()
    expect(unattributed.map(({ kind, path }) => [kind, path])).toEqual([
      ['unknown-world', '/_world/nowhere/v1/sys/health'],
      ['refused-caller', '/_mock/info'],
    ])
    expect(controlCalls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /_mock/reset',
    ])
  })

  test('faults that one property kept from applying', async () => {
    const understudy = await started()
    const { id } = understudy.world().faults.add({
      match: { path: '/v1/secret/data/other', method: 'POST' },
      action: { status: 503 },
    })
    await write(understudy, 'a')
    const [request] = requestsOf(await worldOf(understudy))
    expect(request?.nearMisses).toMatchObject([{ fault: id, differences: [{ at: '/path' }] }])
  })

  test('open requests have an age', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.faults.add({ action: { hang: true } })
    const pending = write(understudy, 'a').catch(() => undefined)
    await expect.poll(() => world.requests.open().length).toBe(1)
    const traced = await worldOf(understudy)
    expect(traced.open).toMatchObject([{ id: 'r1', path: '/v1/secret/data/a' }])
    world.faults.clear()
    await pending
  })
})

describe('behaviour/program#traces: calls', () => {
  test('POST /_mock/marks adds a line to the timeline of the world', async () => {
    const understudy = await started()
    const ask = documentedControl(understudy)
    const reply = await ask('POST', '/marks', { text: 'test begins' })
    expect([reply.status, reply.body]).toEqual([
      201,
      { text: 'test begins', at: '2026-01-01T00:00:00Z' },
    ])
    expect((await ask('POST', '/marks', { text: '' })).status).toBe(400)
    expect((await worldOf(understudy)).steps.map(summaryOf)).toEqual(['test begins'])
  })

  test('GET /_mock/trace sends an attachment: all worlds, or the one that is named', async () => {
    const understudy = await started()
    await write(understudy, 'a')
    await understudy.world().fork('copy').inject({ url: '/v1/secret/data/a', headers: root })
    const idsIn = async (url: string, headers = {}) => {
      const reply = await understudy.inject({ url, headers })
      // Checkouts that are not built have no page.
      if (reply.statusCode === 503) return undefined
      expect(reply.headers['content-disposition']).toContain('attachment')
      return readTrace(reply.body).worlds.map(({ id }) => id)
    }
    const named = { 'x-mock-world': 'copy' }
    const all = [
      await idsIn('/_mock/trace'),
      await idsIn('/_mock/trace', named),
      await idsIn('/_world/copy/_mock/trace'),
      await idsIn('/_mock/worlds/copy/trace'),
    ]
    const expected = [['default', 'copy'], ['copy'], ['copy'], ['copy']]
    expect(all).toEqual(all[0] === undefined ? expected.map(() => undefined) : expected)
  })

  test('POST /_mock/trace adds facts that only the caller knows: the test and its command', async () => {
    const understudy = await started()
    const { id } = understudy.createWorld({ id: 'of-the-test' })
    const run = {
      command: ['pytest', '-q'],
      test: {
        file: 'app_test.py',
        title: 'TestApp::test_reads[1]',
        result: 'failed',
        error: { text: 'AssertionError', at: 'app_test.py:7' },
      },
    }
    const ask = async (url: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const payload = JSON.stringify(body)
      return understudy.inject({ method: 'POST', url, headers, payload })
    }
    const replies = [
      await ask(`/_mock/worlds/${id}/trace`, run),
      await ask(`/_world/${id}/_mock/trace`, run),
    ]
    for (const { statusCode, body } of replies) {
      // Checkouts that are not built have no page.
      if (statusCode === 503) continue
      expect(readTrace(body).run).toMatchObject(run)
    }
    const unknown = { test: { ...run.test, result: 'skipped' } }
    expect((await ask(`/_mock/worlds/${id}/trace`, unknown)).statusCode).toBe(400)
  })
})
