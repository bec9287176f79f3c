import { describe, expect, test } from 'vitest'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import { platform, type TestPlatform, testsOfModule } from '../../../support/platform/platform.ts'
import { createRun, notAllowed, runsPath } from '../../../support/platform/platform-tests.ts'

/** Attributes of a run without results. */
const noResults = {
  'test-status': null,
  'tests-passed': null,
  'tests-failed': null,
  'tests-errored': null,
  'tests-skipped': null,
}

const counted = (
  [passed, failed, errored, skipped]: readonly number[],
  verdict: 'pass' | 'fail',
) => ({
  'test-status': verdict,
  'tests-passed': passed,
  'tests-failed': failed,
  'tests-errored': errored,
  'tests-skipped': skipped,
})

async function attributesOf({ platform: api }: TestPlatform, id: string) {
  const reply = await api.get(`${runsPath}/${id}`)
  expect(reply.status).toBe(200)
  return reply.body.data.attributes
}

/** Returns a server with a run, and a function that returns the state of the run. */
async function withRun(
  attributes: object = {},
  settings: { options?: Partial<PlatformOptions>; dialect?: 'vendor' } = {},
) {
  const mock = await platform(settings)
  const { id } = await createRun(mock.platform, attributes)
  return {
    ...mock,
    id: String(id),
    read: () => attributesOf(mock, id),
    cancel: () => mock.platform.post(`${runsPath}/${id}/cancel`),
    forceCancel: () => mock.platform.post(`${runsPath}/${id}/force-cancel`),
  }
}

const variables = (values: Readonly<Record<string, string>>) => ({
  variables: Object.entries(values).map(([key, value]) => ({ key, value })),
})

describe('behaviour/platform#test-run-states: states of a test run', () => {
  test('queued 250 ms, running 2 s, then finished with one passed test', async () => {
    const { read, clock } = await withRun()
    clock.advance(249)
    expect(await read()).toMatchObject({ status: 'queued', ...noResults })
    expect(await read()).not.toHaveProperty('log-read-url')
    clock.advance(1)
    const running = await read()
    expect(running).toMatchObject({
      status: 'running',
      'status-timestamps': {
        'queued-at': '2026-01-01T00:00:00+00:00',
        'started-at': '2026-01-01T00:00:00+00:00',
      },
      'created-at': '2026-01-01T00:00:00.000Z',
      'updated-at': '2026-01-01T00:00:00.250Z',
      ...noResults,
    })
    expect(running['log-read-url']).toMatch(
      /^http:\/\/localhost:80\/v1\/object\/[1-9A-HJ-NP-Za-km-z]{48}$/,
    )
    clock.advance(1_999)
    expect((await read()).status).toBe('running')
    clock.advance(1)
    expect(await read()).toEqual({
      ...running,
      status: 'finished',
      'status-timestamps': {
        'queued-at': '2026-01-01T00:00:00+00:00',
        'started-at': '2026-01-01T00:00:00+00:00',
        'finished-at': '2026-01-01T00:00:02+00:00',
      },
      'updated-at': '2026-01-01T00:00:02.250Z',
      ...counted([1, 0, 0, 0], 'pass'),
    })
  })

  test('options set how long a run is queued and running', async () => {
    const options = { queuedTime: '1s', runningTime: '1m' }
    const { read, clock } = await withRun({}, { options })
    clock.advance(1_000)
    expect((await read()).status).toBe('running')
    clock.advance(59_999)
    expect((await read()).status).toBe('running')
    clock.advance(1)
    expect((await read()).status).toBe('finished')
  })

  test.each([['5s'], ['"5s"'], ['5.0s']])(
    'wait_time %s makes running last five seconds',
    async (value) => {
      const { read, clock } = await withRun(variables({ wait_time: value }))
      clock.advance(250 + 4_999)
      expect((await read()).status).toBe('running')
      clock.advance(1)
      expect((await read()).status).toBe('finished')
    },
  )

  // choice/platform#test-run-mock-variables
  test.each(['5', 'soon', '-5s', '1m', ''])('wait_time %j is ignored', async (value) => {
    const { read, clock } = await withRun(variables({ wait_time: value }))
    clock.advance(2_250)
    expect((await read()).status).toBe('finished')
  })

  // choice/platform#test-run-mock-variables
  test('wait_time is limited to one day', async () => {
    const { read, clock } = await withRun(variables({ wait_time: '999999s' }))
    clock.advance(250 + 86_400_000 - 1)
    expect((await read()).status).toBe('running')
    clock.advance(1)
    expect((await read()).status).toBe('finished')
  })

  test('mock_result fail: finished with one failed test', async () => {
    const { read, clock } = await withRun(variables({ mock_result: 'fail' }))
    clock.advance(2_250)
    expect(await read()).toMatchObject({
      status: 'finished',
      ...counted([0, 1, 0, 0], 'fail'),
    })
  })

  test('mock_result error: errored, without results', async () => {
    const { read, clock } = await withRun(variables({ mock_result: '"error"' }))
    clock.advance(2_250)
    expect(await read()).toMatchObject({
      status: 'errored',
      'status-timestamps': {
        'queued-at': '2026-01-01T00:00:00+00:00',
        'started-at': '2026-01-01T00:00:00+00:00',
        'errored-at': '2026-01-01T00:00:02+00:00',
      },
      'updated-at': '2026-01-01T00:00:02.250Z',
      ...noResults,
    })
  })

  test.each([
    [{ passed: 3, skipped: 2 }, [3, 0, 0, 2], 'pass'],
    [{ passed: 3, failed: 1 }, [3, 1, 0, 0], 'fail'],
    [{ passed: 3, errored: 1 }, [3, 0, 1, 0], 'fail'],
    [{}, [0, 0, 0, 0], 'pass'],
  ] as const)('the option testResults %j', async (testResults, counts, verdict) => {
    const { read, clock } = await withRun({}, { options: { testResults } })
    clock.advance(2_250)
    expect(await read()).toMatchObject({ status: 'finished', ...counted(counts, verdict) })
  })

  // choice/platform#test-run-outcome
  test('behaviour/platform#test-run-states: the counts of the option testResults take precedence over mock_result', async () => {
    const options = { testResults: { passed: 2, skipped: 1 } }
    const { read, clock } = await withRun(variables({ mock_result: 'error' }), { options })
    clock.advance(2_250)
    expect(await read()).toMatchObject({ status: 'finished', ...counted([2, 0, 0, 1], 'pass') })
  })

  // choice/platform#test-run-outcome
  test('mock_result takes precedence over the option testOutcome', async () => {
    const options = { testOutcome: 'errored' } as const
    const errored = await withRun({}, { options })
    errored.clock.advance(2_250)
    expect(await errored.read()).toMatchObject({ status: 'errored', ...noResults })
    const passed = await withRun(variables({ mock_result: 'pass' }), { options })
    passed.clock.advance(2_250)
    expect(await passed.read()).toMatchObject({
      status: 'finished',
      ...counted([1, 0, 0, 0], 'pass'),
    })
  })

  // choice/platform#test-run-mock-variables choice/platform#test-run-outcome
  test("a module's variables count as well, a run's own take precedence, and only the latter are echoed", async () => {
    const mock = await platform()
    for (const [key, value] of [
      ['mock_result', 'fail'],
      ['wait_time', '5s'],
    ]) {
      const attributes = { key, value, category: 'env', sensitive: key === 'wait_time' }
      const reply = await mock.platform.post(`${testsOfModule}/vars`, {
        data: { type: 'vars', attributes },
      })
      expect(reply.status).toBe(201)
    }
    const plain = await createRun(mock.platform)
    const own = await createRun(mock.platform, variables({ mock_result: 'pass' }))
    expect(plain.attributes.variables).toEqual([])
    expect(own.attributes.variables).toEqual([{ key: 'mock_result', value: 'pass' }])
    mock.clock.advance(250 + 4_999)
    expect((await attributesOf(mock, own.id)).status).toBe('running')
    mock.clock.advance(1)
    expect((await attributesOf(mock, plain.id))['test-status']).toBe('fail')
    expect((await attributesOf(mock, own.id))['test-status']).toBe('pass')
  })

  // choice/platform#test-run-hold
  test('holdTestRuns: a run is pending, without timestamps, until a forced transition', async () => {
    const mock = await withRun({}, { options: { holdTestRuns: true } })
    mock.clock.advance(60_000)
    expect(await mock.read()).toMatchObject({
      status: 'pending',
      'status-timestamps': {},
      'updated-at': '2026-01-01T00:00:00.000Z',
    })
    const kind = mock.world.transitions.get('platform.test-run')
    kind?.force(mock.world, mock.id, 'queued', {})
    expect(await mock.read()).toMatchObject({
      status: 'queued',
      'status-timestamps': { 'queued-at': '2026-01-01T00:01:00+00:00' },
    })
    mock.clock.advance(2_250)
    expect((await mock.read()).status).toBe('finished')
  })
})

describe('behaviour/platform#cancel: cancel and force-cancel', () => {
  test('cancel of a running run: 202 without a body, canceled once it has stopped', async () => {
    const { read, cancel, clock } = await withRun()
    clock.advance(1_000)
    const before = await read()
    const reply = await cancel()
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([202, '', undefined])
    expect(await read()).toEqual(before)
    clock.advance(1_499)
    expect((await read()).status).toBe('running')
    clock.advance(1)
    expect(await read()).toMatchObject({
      status: 'canceled',
      'status-timestamps': {
        'queued-at': '2026-01-01T00:00:00+00:00',
        'started-at': '2026-01-01T00:00:00+00:00',
        'canceled-at': '2026-01-01T00:00:02+00:00',
      },
      'updated-at': '2026-01-01T00:00:02.500Z',
      ...noResults,
    })
    clock.advance(60_000)
    expect((await read()).status).toBe('canceled')
  })

  test('a second cancel is 202 and changes nothing, not even the time of the stop', async () => {
    const { read, cancel, clock } = await withRun()
    clock.advance(1_000)
    await cancel()
    clock.advance(1_000)
    expect((await cancel()).status).toBe(202)
    clock.advance(500)
    expect((await read()).status).toBe('canceled')
  })

  test('a graceful stop takes its full time, however little running time was left', async () => {
    const { read, cancel, clock } = await withRun({}, { options: { stopTime: '10s' } })
    clock.advance(2_249)
    await cancel()
    clock.advance(9_999)
    expect((await read()).status).toBe('running')
    clock.advance(1)
    expect((await read()).status).toBe('canceled')
  })

  test.each([
    ['queued', {}, 0],
    ['pending', { holdTestRuns: true }, 0],
    ['finished', {}, 2_250],
    ['errored', { testOutcome: 'errored' }, 2_250],
  ] as const)('both are rejected while %s: 409', async (status, options, wait) => {
    const { read, cancel, forceCancel, clock } = await withRun({}, { options })
    clock.advance(wait)
    const before = await read()
    expect(before.status).toBe(status)
    for (const reply of [await cancel(), await forceCancel()]) {
      expect([reply.status, reply.body]).toEqual([409, notAllowed])
    }
    expect(await read()).toEqual(before)
  })

  test('force-cancel without a cancel before is 409', async () => {
    const { read, forceCancel, clock } = await withRun()
    clock.advance(1_000)
    const reply = await forceCancel()
    expect([reply.status, reply.body]).toEqual([409, notAllowed])
    expect((await read()).status).toBe('running')
  })

  test('force-cancel after a cancel ends the run at once', async () => {
    const { read, cancel, forceCancel, clock } = await withRun()
    clock.advance(1_000)
    await cancel()
    clock.advance(500)
    const reply = await forceCancel()
    expect([reply.status, reply.text]).toEqual([202, ''])
    expect(await read()).toMatchObject({
      status: 'canceled',
      'status-timestamps': {
        'queued-at': '2026-01-01T00:00:00+00:00',
        'started-at': '2026-01-01T00:00:00+00:00',
        'canceled-at': '2026-01-01T00:00:01+00:00',
        'force-canceled-at': '2026-01-01T00:00:01+00:00',
      },
      ...noResults,
    })
  })

  test('both are 409 after the graceful stop', async () => {
    const { cancel, forceCancel, clock } = await withRun()
    clock.advance(1_000)
    await cancel()
    clock.advance(1_500)
    for (const reply of [await forceCancel(), await cancel()]) {
      expect([reply.status, reply.body]).toEqual([409, notAllowed])
    }
  })

  test.each([
    ['queued', {}],
    ['pending', { holdTestRuns: true }],
  ] as const)(
    'behaviour/platform#differences, vendor: cancel of a %s run ends it at once',
    async (_, more) => {
      const options = { cancelQueued: true, ...more }
      const run = await withRun({}, { options, dialect: 'vendor' })
      const { read, cancel, forceCancel, clock, platform: api } = run
      expect((await cancel()).status).toBe(202)
      const canceled = await read()
      expect(canceled).toMatchObject({ status: 'canceled', ...noResults })
      expect(canceled['status-timestamps']['canceled-at']).toBe('2026-01-01T00:00:00+00:00')
      const { pathname } = new URL(canceled['log-read-url'])
      const log = await api.get(pathname, { token: null })
      expect([log.status, log.text]).toEqual([200, '\u0002\u0003'])
      clock.advance(60_000)
      expect(await read()).toEqual(canceled)
      expect([(await cancel()).status, (await forceCancel()).status]).toEqual([409, 409])
    },
  )

  test('bodies are ignored', async () => {
    const { platform: api, id, clock } = await withRun()
    clock.advance(1_000)
    for (const action of ['cancel', 'force-cancel']) {
      const reply = await api.post(`${runsPath}/${id}/${action}`, '{ no JSON')
      expect(reply.status).toBe(202)
    }
  })
})
