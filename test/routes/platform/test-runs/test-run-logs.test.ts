import { describe, expect, test } from 'vitest'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import { type PlatformSettings, platform } from '../../../support/platform/platform.ts'
import {
  createRun,
  localPart,
  notFound,
  runsPath,
} from '../../../support/platform/platform-tests.ts'

/** Returns a server with a running run and its log. */
async function withLog(attributes: object = {}, settings: PlatformSettings = {}) {
  const mock = await platform(settings)
  const { id } = await createRun(mock.platform, attributes)
  mock.clock.advance(250)
  const { body } = await mock.platform.get(`${runsPath}/${id}`)
  const path = localPart(body.data.attributes['log-read-url'])
  const get = (query: Readonly<Record<string, string>> = {}) =>
    mock.platform.get(path, { token: null, query })
  return {
    ...mock,
    id: String(id),
    path,
    get,
    read: async () => {
      const reply = await get()
      expect(reply.status).toBe(200)
      return reply.text
    },
    act: (action: string) => mock.platform.post(`${runsPath}/${id}/${action}`),
  }
}

/** Parses the lines of a log, without the marks, as JSON. */
function linesOf(log: string) {
  const lines = log.replaceAll('\u0002', '').replaceAll('\u0003', '').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

const messagesOf = (log: string): string[] => linesOf(log).map((line) => line['@message'])

const results = (testResults: PlatformOptions['testResults']) => ({ options: { testResults } })

describe('behaviour/platform#log: the log of a test run', () => {
  test('the log is text/plain between the bytes 0x02 and 0x03, and needs no token', async () => {
    const { get, clock } = await withLog()
    const running = await get()
    expect([running.status, running.headers['content-type']]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ])
    expect(running.text.startsWith('\u0002{"@level":"info","@message":"Infra 1.9.8",')).toBe(true)
    expect(running.text).not.toContain('\u0003')
    clock.advance(2_000)
    const { text } = await get()
    expect(text.endsWith('\n\u0003')).toBe(true)
    expect(text.lastIndexOf('\u0002')).toBe(0)
  })

  test('JSON lines only, with members in order; without an upload one run block passes', async () => {
    const { read, clock } = await withLog()
    clock.advance(2_000)
    const ui = '"@module":"infra.ui"'
    const at = '"@timestamp":"2026-01-01T00:00:00.250000Z"'
    const end = '"@timestamp":"2026-01-01T00:00:02.250000Z"'
    const file = '"@testfile":"tests/main.test.hcl"'
    const run = `${file},"@testrun":"run_1"`
    const path = '"path":"tests/main.test.hcl"'
    expect((await read()).split('\n')).toEqual([
      `\u0002{"@level":"info","@message":"Infra 1.9.8",${ui},${at},"infra":"1.9.8","type":"version","ui":"1.2"}`,
      `{"@level":"info","@message":"Found 1 file and 1 run block",${ui},${at},"test_abstract":{"tests/main.test.hcl":["run_1"]},"type":"test_abstract"}`,
      `{"@level":"info","@message":"tests/main.test.hcl... in progress",${ui},${file},${at},"test_file":{${path},"progress":"starting"},"type":"test_file"}`,
      `{"@level":"info","@message":"  \\"run_1\\"... in progress",${ui},${run},${at},"test_run":{${path},"run":"run_1","progress":"starting","elapsed":0},"type":"test_run"}`,
      `{"@level":"info","@message":"  \\"run_1\\"... pass",${ui},${run},${end},"test_run":{${path},"run":"run_1","progress":"complete","status":"pass"},"type":"test_run"}`,
      `{"@level":"info","@message":"tests/main.test.hcl... tearing down",${ui},${file},${end},"test_file":{${path},"progress":"teardown"},"type":"test_file"}`,
      `{"@level":"info","@message":"tests/main.test.hcl... pass",${ui},${file},${end},"test_file":{${path},"progress":"complete","status":"pass"},"type":"test_file"}`,
      `{"@level":"info","@message":"Success! 1 passed, 0 failed.",${ui},${end},"test_summary":{"status":"pass","passed":1,"failed":0,"errored":0,"skipped":0},"type":"test_summary"}`,
      '\u0003',
    ])
  })

  test('the option toolVersion; from 1.15 on the log format version is 1.3', async () => {
    for (const [toolVersion, ui] of [
      ['1.14.2', '1.2'],
      ['1.15.0', '1.3'],
    ] as const) {
      const { read } = await withLog({}, { options: { toolVersion } })
      expect(linesOf(await read())[0]).toMatchObject({
        '@message': `Infra ${toolVersion}`,
        infra: toolVersion,
        type: 'version',
        ui,
      })
    }
  })

  // choice/platform#log-all-skipped
  test.each([
    [{ failed: 1 }, 'Failure! 0 passed, 1 failed.', 'fail'],
    [{ passed: 2, failed: 1, errored: 1 }, 'Failure! 2 passed, 2 failed.', 'error'],
    [{ passed: 2, skipped: 1 }, 'Success! 2 passed, 0 failed, 1 skipped.', 'pass'],
    [{ skipped: 2 }, 'Failure! 0 passed, 0 failed, 2 skipped.', 'skip'],
    [{}, 'Success! 0 passed, 0 failed.', 'pass'],
  ] as const)('results %j end in %s', async (testResults, message, status) => {
    const { read, clock } = await withLog({}, results(testResults))
    clock.advance(2_000)
    const last = linesOf(await read()).at(-1)
    expect([last['@message'], last.test_summary.status]).toEqual([message, status])
  })

  // choice/platform#log-pace
  test('tests are reported one after the other during the run', async () => {
    const { read, clock } = await withLog({}, results({ passed: 3, failed: 1 }))
    const messages: (string | undefined)[] = []
    for (const wait of [0, 499, 1, 500, 500, 499, 1]) {
      clock.advance(wait)
      messages.push(messagesOf(await read()).at(-1))
    }
    expect(messages).toEqual([
      '  "run_1"... in progress',
      '  "run_1"... in progress',
      '  "run_2"... in progress',
      '  "run_3"... in progress',
      '  "run_4"... in progress',
      '  "run_4"... in progress',
      'Failure! 3 passed, 1 failed.',
    ])
  })

  // choice/platform#log-pace
  test('a running test is reported every two seconds', async () => {
    const variables = [{ key: 'wait_time', value: '5s' }]
    const { read, clock } = await withLog({ variables })
    const elapsed = async () =>
      linesOf(await read()).flatMap(({ test_run: run }) => run?.elapsed ?? [])
    clock.advance(1_999)
    expect(await elapsed()).toEqual([0])
    clock.advance(2_001)
    expect(await elapsed()).toEqual([0, 2_000, 4_000])
    expect(linesOf(await read()).at(-1)).toMatchObject({
      '@message': '  "run_1"... in progress',
      '@timestamp': '2026-01-01T00:00:04.250000Z',
      test_run: { progress: 'running', elapsed: 4_000 },
    })
    clock.advance(60_000)
    expect(await elapsed()).toEqual([0, 2_000, 4_000])
  })

  // choice/platform#log-pace
  test.each([
    ['4s', [0, 2_000]],
    ['10000s', Array.from({ length: 1_801 }, (_, tick) => tick * 2_000)],
  ])(
    'progress is reported for one hour at most, and not at the end: %s',
    async (value, expectedValue) => {
      const { read, clock } = await withLog({ variables: [{ key: 'wait_time', value }] })
      clock.advance(10_000_000)
      expect(linesOf(await read()).flatMap(({ test_run: run }) => run?.elapsed ?? [])).toEqual(
        expectedValue,
      )
    },
  )

  test('without an upload, filters and directory name the files; the first has the run blocks', async () => {
    const filtered = await withLog({ filters: ['a.test.hcl', 'b.test.hcl'] })
    expect(linesOf(await filtered.read())[1]).toMatchObject({
      '@message': 'Found 2 files and 1 run block',
      test_abstract: { 'a.test.hcl': ['run_1'], 'b.test.hcl': null },
    })
    filtered.clock.advance(2_000)
    expect(messagesOf(await filtered.read()).slice(5)).toEqual([
      'a.test.hcl... tearing down',
      'a.test.hcl... pass',
      'b.test.hcl... in progress',
      'b.test.hcl... pass',
      'Success! 1 passed, 0 failed.',
    ])
    const placed = await withLog({ 'test-directory': 'checks' })
    expect(linesOf(await placed.read())[1].test_abstract).toEqual({
      'checks/main.test.hcl': ['run_1'],
    })
  })

  test('the log of an errored run has the version and one diagnostic', async () => {
    const { read, clock } = await withLog({}, { options: { testOutcome: 'errored' } })
    expect(messagesOf(await read())).toEqual(['Infra 1.9.8'])
    clock.advance(2_000)
    const log = await read()
    expect(linesOf(log).slice(1)).toEqual([
      {
        '@level': 'error',
        '@message': 'Error: Test run errored',
        '@module': 'infra.ui',
        '@timestamp': '2026-01-01T00:00:02.250000Z',
        diagnostic: {
          severity: 'error',
          summary: 'Test run errored',
          detail: 'The outcome of this test run was set to error.',
        },
        type: 'diagnostic',
      },
    ])
    expect(log.endsWith('\u0003')).toBe(true)
  })

  test('a cancel is logged at once; the running test completes, the others are skipped', async () => {
    const { read, act, clock } = await withLog({}, results({ passed: 4 }))
    clock.advance(600)
    await act('cancel')
    const interrupted = await read()
    expect(linesOf(interrupted).at(-1)).toEqual({
      '@level': 'info',
      '@message':
        '\nInterrupt received.\nPlease wait for Infra to exit or data loss may occur.\nGracefully shutting down...\n',
      '@module': 'infra.ui',
      '@timestamp': '2026-01-01T00:00:00.850000Z',
      type: 'log',
    })
    await act('cancel')
    clock.advance(1_000)
    expect(await read()).toBe(interrupted)
    clock.advance(500)
    const log = await read()
    expect(log.startsWith(interrupted)).toBe(true)
    expect(messagesOf(log.slice(interrupted.length))).toEqual([
      '  "run_2"... pass',
      '  "run_3"... skip',
      '  "run_4"... skip',
      'tests/main.test.hcl... tearing down',
      'tests/main.test.hcl... pass',
      'Success! 2 passed, 0 failed, 2 skipped.',
    ])
    expect(linesOf(log).at(-1).test_summary).toEqual({
      status: 'pass',
      passed: 2,
      failed: 0,
      errored: 0,
      skipped: 2,
    })
    expect(log.endsWith('\u0003')).toBe(true)
  })

  test('a force-cancel: the running test is an error, without teardown and summary', async () => {
    const { read, act, clock } = await withLog()
    clock.advance(600)
    await act('cancel')
    const before = await read()
    await act('force-cancel')
    const log = await read()
    expect(log.startsWith(before)).toBe(true)
    expect(messagesOf(log.slice(before.length))).toEqual([
      '\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n',
      '  "run_1"... fail',
      'Error: Test interrupted',
      'tests/main.test.hcl... fail',
    ])
    const [, ended, diagnosis, file] = linesOf(log.slice(before.length))
    expect(ended.test_run).toMatchObject({ progress: 'complete', status: 'error' })
    expect(diagnosis).toMatchObject({
      '@level': 'error',
      '@testrun': 'run_1',
      diagnostic: {
        summary: 'Test interrupted',
        detail:
          'The test operation could not be completed due to an interrupt signal. Please read the remaining diagnostics carefully for any sign of failed state cleanup or dangling resources.',
      },
    })
    expect(file.test_file).toEqual({
      path: 'tests/main.test.hcl',
      progress: 'complete',
      status: 'error',
    })
    expect(log.endsWith('\u0003')).toBe(true)
  })

  // choice/platform#log-of-pushed-run
  test('the log only ever grows, even after a forced transition', async () => {
    for (const extra of [{}, { results: { failed: 5 } }, { results: {} }]) {
      const { read, clock, world, id } = await withLog({}, results({ passed: 4 }))
      const seen = [await read()]
      clock.advance(1_100)
      seen.push(await read())
      world.transitions.get('platform.test-run')?.force(world, id, 'finished', extra)
      seen.push(await read())
      clock.advance(60_000)
      seen.push(await read())
      for (const [index, text] of seen.slice(1).entries()) {
        expect(text.startsWith(seen[index] ?? 'nothing')).toBe(true)
      }
      expect(seen[3]).toBe(seen[2])
    }
  })

  // choice/platform#log-of-pushed-run
  test('reported tests stand; the others get the remaining statuses, and those without one are left out', async () => {
    const { read, clock, world, id } = await withLog({}, results({ passed: 4 }))
    clock.advance(600)
    const before = await read()
    const pushed = { results: { passed: 1, failed: 1, skipped: 1 } }
    world.transitions.get('platform.test-run')?.force(world, id, 'finished', pushed)
    const after = messagesOf((await read()).slice(before.length))
    expect(messagesOf(before).at(-1)).toBe('  "run_2"... in progress')
    expect(after.filter((message) => message.includes('run_'))).toEqual([
      '  "run_2"... fail',
      '  "run_3"... skip',
    ])
    expect(after.at(-1)).toBe('Failure! 1 passed, 1 failed, 1 skipped.')
  })

  test('forced to the end, a run with the planned outcome errored reports all tests at that time', async () => {
    const { read, world, id } = await withLog({}, { options: { testOutcome: 'errored' } })
    const results = { passed: 1, errored: 1 }
    world.transitions.get('platform.test-run')?.force(world, id, 'finished', { results })
    expect(messagesOf(await read()).slice(1)).toEqual([
      'Found 1 file and 2 run blocks',
      'tests/main.test.hcl... in progress',
      '  "run_1"... in progress',
      '  "run_1"... pass',
      '  "run_2"... in progress',
      '  "run_2"... fail',
      'Error: Test run failed',
      'tests/main.test.hcl... tearing down',
      'tests/main.test.hcl... fail',
      'Failure! 1 passed, 1 failed.',
    ])
  })

  test('behaviour/platform#vendor-names: the vendor dialect uses the names of the vendor for the program and the made-up file', async () => {
    const { read, act } = await withLog({}, { dialect: 'vendor' })
    await act('cancel')
    const [version, abstract, ...more] = linesOf(await read())
    expect(version).toMatchObject({
      '@message': 'Terraform 1.9.8',
      '@module': 'terraform.ui',
      terraform: '1.9.8',
    })
    expect(abstract.test_abstract).toEqual({ 'tests/main.tftest.hcl': ['run_1'] })
    expect(more.at(-1)['@message']).toContain('Please wait for Terraform to exit')
  })

  // choice/platform#log-slice-values
  test('limit and offset count bytes, not characters; at the end the reply is 200 and empty', async () => {
    const { get, clock } = await withLog({ filters: ['päß.test.hcl'] })
    clock.advance(2_000)
    const complete = Buffer.from((await get()).text)
    let read = ''
    for (let offset = 0; ; offset += 100) {
      const reply = await get({ limit: '100', offset: String(offset) })
      expect(reply.status).toBe(200)
      if (reply.text === '') {
        expect(offset).toBeGreaterThanOrEqual(complete.length)
        break
      }
      expect(reply.headers['content-length']).toBe(String(Math.min(100, complete.length - offset)))
      read += reply.text
    }
    expect(read.length).toBeGreaterThan(0)
    expect((await get({ offset: '7' })).text).toBe(complete.subarray(7).toString())
    expect((await get({ limit: '1' })).text).toBe('\u0002')
    expect((await get({ limit: '0' })).text).toBe('')
    for (const query of [{ limit: '-1' }, { limit: 'x' }, { offset: '-5' }, { offset: '1.5' }]) {
      expect((await get(query)).text).toBe(complete.toString())
    }
  })

  test('each run has its own log; an unknown address is 404', async () => {
    const { platform: api, clock, path } = await withLog()
    const second = await createRun(api, { filters: ['second.test.hcl'] })
    clock.advance(250)
    const { body } = await api.get(`${runsPath}/${second.id}`)
    const url = localPart(body.data.attributes['log-read-url'])
    expect(url).not.toBe(path)
    expect((await api.get(url)).text).toContain('second.test.hcl')
    const unknown = await api.get(`${path}x`)
    expect([unknown.status, unknown.body]).toEqual([404, notFound])
  })
})
