import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { documentedControl } from '../../support/openapi/documented-control.ts'

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy({ seed: 'test', ...options })
  onTestFinished(() => understudy.close())
  return understudy
}

/** Returns samples by name and labels. Throws for text that Prometheus would not accept. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (name !== '') types.set(name, type)
    if (line.startsWith('# HELP ') || name !== '') continue
    const [, sample = '', value] =
      /^(\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})?) (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line) ?? []
    if (value === undefined || samples.has(sample)) throw new Error(`cannot be read: ${line}`)
    const metricName = sample.replace(/\{.*/, '')
    if (
      !types.has(metricName) &&
      types.get(metricName.replace(/_(bucket|sum|count)$/, '')) !== 'histogram'
    ) {
      throw new Error(`${metricName} has no type`)
    }
    samples.set(sample, Number(value))
  }
  return samples
}

const requests = (service: string, operation: string, status: string) =>
  `understudy_requests_total{service="${service}",operation="${operation}",status="${status}"}`

describe('behaviour/program#events: metrics', () => {
  test.each(['neutral', 'vendor'] as const)(
    'count requests by operation and status, and how long they took (%s)',
    async (dialect) => {
      const understudy = await started({ dialect })
      understudy.createWorld({ id: 'w' })
      for (const prefix of ['', '', '/_world/w']) {
        await understudy.inject(`${prefix}/v1/sys/health`)
        await understudy.inject(`${prefix}/v1/jobs`)
      }
      await understudy.inject('/v1/nowhere/at/all')
      const ask = documentedControl(understudy)
      const { headers, text } = await ask('GET', '/metrics')
      expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
      const all = samplesOf(text)
      const [{ operation } = { operation: null }] = understudy.world().requests.find()
      expect(all.get(requests('secrets', String(operation), '200'))).toBe(3)
      expect([...all].filter(([name]) => name.includes('operation=""'))).toEqual([
        [expect.stringMatching(/service="\w+",operation="",status="40\d"/), 1],
      ])
      const one = samplesOf((await ask('GET', '/worlds/w/metrics')).text)
      expect(one.get(requests('secrets', String(operation), '200'))).toBe(1)
      expect(one.get('understudy_worlds')).toBe(2)
      const duration = (samples: typeof all, part: string) =>
        samples.get(`understudy_request_duration_seconds_${part}`)
      expect(duration(one, 'count{service="secrets"}')).toBe(1)
      expect(duration(all, 'bucket{service="scheduler",le="+Inf"}')).toBe(3)
      expect(duration(all, 'sum{service="scheduler"}')).toBeGreaterThan(0)
      understudy.deleteWorld('w')
      // Counters never decrease.
      expect(
        samplesOf(await understudy.metrics()).get(requests('secrets', String(operation), '200')),
      ).toBe(3)
      expect((await ask('GET', '/worlds/w/metrics')).status).toBe(404)
    },
  )

  test('classes of durations hold those of the lower ones', async () => {
    const understudy = await started()
    understudy.world().faults.add({ action: { latency: '30ms' } })
    await understudy.inject('/v1/sys/health')
    const buckets = [...samplesOf(await understudy.world().metrics())].filter(([name]) =>
      name.includes('_bucket'),
    )
    const counts = buckets.map(([, count]) => count)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect([counts[0], counts.at(-1)]).toEqual([0, 1])
  })

  test('count faults by their action, requests that journals lost, and those without an answer', async () => {
    const understudy = await started({ options: { control: { journalSize: 1 } } })
    const world = understudy.world()
    world.faults.add({ times: 2, action: { latency: '1ms' } })
    world.faults.add({ times: 1, action: { status: 503 } })
    world.faults.add({ times: 1, when: { skip: 2 }, action: { reset: true } })
    for (let at = 0; at < 2; at += 1) await understudy.inject('/v1/sys/health')
    await expect(understudy.inject('/v1/sys/health')).rejects.toThrow()
    world.requests.clear()
    for (let at = 0; at < 2; at += 1) await understudy.inject('/v1/sys/health')
    const samples = samplesOf(await understudy.metrics())
    const applied = (action: string) =>
      samples.get(`understudy_faults_applied_total{action="${action}"}`)
    expect([applied('latency'), applied('status'), applied('reset')]).toEqual([2, 1, 1])
    expect(samples.get('understudy_journal_dropped_total')).toBe(3)
    const unanswered = [...samples].filter(([name]) => name.includes('status=""'))
    expect(unanswered.map(([, count]) => count)).toEqual([1])
  })

  test('also count with the journal off', async () => {
    const understudy = await started({ options: { control: { journalSize: 0 } } })
    await understudy.inject('/v1/sys/health')
    const samples = samplesOf(await understudy.world().metrics())
    expect([...samples].find(([name]) => name.startsWith('understudy_requests'))?.[1]).toBe(1)
    expect(samples.get('understudy_journal_dropped_total')).toBe(0)
  })

  test('include waiting reads and figures of the process', async () => {
    const understudy = await started()
    const blocked = async () =>
      samplesOf(await understudy.metrics()).get('understudy_blocked_readers')
    // A request without a socket starts only when its result is awaited.
    const waiting = Promise.all([understudy.inject('/v1/jobs?index=99&wait=60s')])
    await expect.poll(blocked).toBe(1)
    expect(samplesOf(await understudy.world().metrics()).get('understudy_blocked_readers')).toBe(1)
    understudy.world().clock.advance('2m')
    await waiting
    expect(await blocked()).toBe(0)
    const samples = samplesOf(await understudy.metrics())
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
      expect(samples.get(name)).toBeGreaterThan(1_000_000)
    }
    expect(samples.get('understudy_event_loop_delay_seconds')).toBeGreaterThanOrEqual(0)
  })
})
