import { describe, expect, test } from 'vitest'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import { type PlatformSettings, platform } from '../../../support/platform.ts'
import { createRun, localPart, notFound, runsPath } from '../../../support/platform-tests.ts'

/** A server with a run that runs, and its log. */
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

/** The JSON lines of a log, without marks and version line. */
function linesOf(log: string) {
  const [, ...lines] = log.replaceAll('\u0003', '').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

const messagesOf = (log: string): string[] => linesOf(log).map((line) => line['@message'])
const typesOf = (log: string): string[] => linesOf(log).map(({ type }) => type)

const results = (testResults: PlatformOptions['testResults']) => ({ options: { testResults } })

describe('2-platform-decisions.md section 2.5: the log of a test run', () => {
  test('text/plain without a token, between the bytes 0x02 and 0x03', async () => {
    const { get, clock } = await withLog()
    const running = await get()
    expect([running.status, running.headers['content-type']]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ])
    expect(running.text.startsWith('\u0002Infra v1.9.8\n')).toBe(true)
    expect(running.text).not.toContain('\u0003')
    clock.advance(2_000)
    const { text } = await get()
    expect(text.endsWith('\n\u0003')).toBe(true)
    expect(text.lastIndexOf('\u0002')).toBe(0)
  })

  test('a version line, then JSON lines; the last says Success! 1 passed, 0 failed.', async () => {
    const { read, clock } = await withLog()
    clock.advance(2_000)
    const file = 'tests/main.test.hcl'
    const ui = { '@level': 'info', '@module': 'infra.ui' }
    const started = { ...ui, '@timestamp': '2026-01-01T00:00:00.250Z' }
    const ended = { ...ui, '@timestamp': '2026-01-01T00:00:02.250Z' }
    expect(linesOf(await read())).toEqual([
      {
        ...started,
        '@message': 'Found 1 file and 1 run block',
        type: 'test_abstract',
        test_abstract: { [file]: ['run_1'] },
      },
      {
        ...started,
        '@message': `${file}... in progress`,
        type: 'test_file',
        test_file: { path: file, progress: 'starting' },
      },
      {
        ...started,
        '@message': '  "run_1"... in progress',
        type: 'test_run',
        test_run: { path: file, run: 'run_1', progress: 'starting' },
      },
      {
        ...ended,
        '@message': '  "run_1"... pass',
        type: 'test_run',
        test_run: { path: file, run: 'run_1', progress: 'complete', status: 'pass' },
      },
      {
        ...ended,
        '@message': `${file}... tearing down`,
        type: 'test_file',
        test_file: { path: file, progress: 'teardown' },
      },
      {
        ...ended,
        '@message': `${file}... pass`,
        type: 'test_file',
        test_file: { path: file, progress: 'complete', status: 'pass' },
      },
      {
        ...ended,
        '@message': 'Success! 1 passed, 0 failed.',
        type: 'test_summary',
        test_summary: { status: 'pass', passed: 1, failed: 0, errored: 0, skipped: 0 },
      },
    ])
  })

  test.each([
    [{ failed: 1 }, 'Failure! 0 passed, 1 failed.', 'fail'],
    [{ passed: 2, failed: 1, errored: 1 }, 'Failure! 2 passed, 2 failed.', 'error'],
    [{ passed: 2, skipped: 1 }, 'Success! 2 passed, 0 failed, 1 skipped.', 'pass'],
    [{}, 'Success! 0 passed, 0 failed.', 'pass'],
  ] as const)('results %j end in %s', async (testResults, message, status) => {
    const { read, clock } = await withLog({}, results(testResults))
    clock.advance(2_000)
    const last = linesOf(await read()).at(-1)
    expect([last['@message'], last.test_summary.status]).toEqual([message, status])
  })

  test('tests are told of one after the other while the run goes on', async () => {
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

  test('filters and directory name the files', async () => {
    const filtered = await withLog({ filters: ['a.test.hcl', 'b.test.hcl'] })
    expect(linesOf(await filtered.read())[0]).toMatchObject({
      '@message': 'Found 2 files and 1 run block',
      test_abstract: { 'a.test.hcl': ['run_1'], 'b.test.hcl': [] },
    })
    const placed = await withLog({ 'test-directory': 'checks' })
    expect(linesOf(await placed.read())[0].test_abstract).toEqual({
      'checks/main.test.hcl': ['run_1'],
    })
  })

  test('an errored run ends in a failure', async () => {
    const { read, clock } = await withLog({}, { options: { testOutcome: 'errored' } })
    clock.advance(2_000)
    const log = await read()
    expect(messagesOf(log)).toEqual([
      'Found 1 file and 0 run blocks',
      'tests/main.test.hcl... in progress',
      'tests/main.test.hcl... tearing down',
      'tests/main.test.hcl... error',
      'Failure! 0 passed, 0 failed.',
    ])
    expect(log.endsWith('\u0003')).toBe(true)
  })

  test('a cancel adds test_interrupt; what runs then is skipped', async () => {
    const { read, act, clock } = await withLog({}, results({ passed: 4 }))
    clock.advance(600)
    await act('cancel')
    const interrupted = await read()
    expect(typesOf(interrupted).at(-1)).toBe('test_interrupt')
    clock.advance(1_000)
    expect(await read()).toBe(interrupted)
    clock.advance(500)
    const log = await read()
    expect(messagesOf(log).slice(-4)).toEqual([
      '  "run_2"... skip',
      'tests/main.test.hcl... tearing down',
      'tests/main.test.hcl... error',
      'Failure! 1 passed, 0 failed, 1 skipped.',
    ])
    expect(log.endsWith('\u0003')).toBe(true)
  })

  test('a forced end writes nothing more than the last byte', async () => {
    const { read, act, clock } = await withLog()
    clock.advance(600)
    await act('cancel')
    const before = await read()
    await act('force-cancel')
    expect(await read()).toBe(`${before}\u0003`)
  })

  test('the log only ever grows, whatever a push makes of the run', async () => {
    for (const extra of [{}, { results: { failed: 5 } }, { results: {} }]) {
      const { read, clock, world, id } = await withLog({}, results({ passed: 4 }))
      const seen = [await read()]
      clock.advance(1_100)
      seen.push(await read())
      world.transitions.get('platform.test-run')?.push(world, id, 'finished', extra)
      seen.push(await read())
      clock.advance(60_000)
      seen.push(await read())
      for (const [index, text] of seen.slice(1).entries()) {
        expect(text.startsWith(seen[index] ?? 'nothing')).toBe(true)
      }
      expect(seen[3]).toBe(seen[2])
    }
  })

  test('section 9: the vendor names the program by its name', async () => {
    const { read } = await withLog({}, { dialect: 'vendor' })
    const log = await read()
    expect(log.startsWith('\u0002Terraform v1.9.8\n')).toBe(true)
    expect(linesOf(log)[0]['@module']).toBe('terraform.ui')
  })

  test('limit and offset cut bytes, not characters; at the end it is 200 and empty', async () => {
    const { get, clock } = await withLog({ filters: ['päß.test.hcl'] })
    clock.advance(2_000)
    const whole = Buffer.from((await get()).text)
    let read = ''
    for (let offset = 0; ; offset += 100) {
      const reply = await get({ limit: '100', offset: String(offset) })
      expect(reply.status).toBe(200)
      if (reply.text === '') {
        expect(offset).toBeGreaterThanOrEqual(whole.length)
        break
      }
      expect(reply.headers['content-length']).toBe(String(Math.min(100, whole.length - offset)))
      read += reply.text
    }
    expect(read.length).toBeGreaterThan(0)
    expect((await get({ offset: '7' })).text).toBe(whole.subarray(7).toString())
    expect((await get({ limit: '1' })).text).toBe('\u0002')
    expect((await get({ limit: '0' })).text).toBe('')
    for (const query of [{ limit: '-1' }, { limit: 'x' }, { offset: '-5' }, { offset: '1.5' }]) {
      expect((await get(query)).text).toBe(whole.toString())
    }
  })

  test('each run has a log of its own; an address nobody gave out is 404', async () => {
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
