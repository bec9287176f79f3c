import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { mockJob } from '../cluster/support.ts'
import { aclScheduler, failureOf, register } from '../support.ts'

const section = 'behaviour/scheduler#operator'

/** Starts a server with a running job, a job that waits for capacity and a completed job. */
async function busy(dialect: 'neutral' | 'vendor') {
  const served = await scheduler({ dialect })
  const { scheduler: client, clock } = served
  await register(client, mockJob({ t: {} }, { Count: 2 }))
  await register(client, mockJob({ t: {} }, {}, { ID: 'once', Type: 'batch' }))
  const Constraints = [{ LTarget: 'a', RTarget: 'b', Operand: '=' }]
  await register(client, mockJob({ t: {} }, {}, { ID: 'nowhere', Constraints }))
  clock.advance(10_000)
  return served
}

const gauges = (product: string) => [
  [`${product}.client.allocations.pending`, 0],
  [`${product}.client.allocations.running`, 2],
  [`${product}.client.allocations.terminal`, 1],
  [`${product}.${product}.blocked_evals.total_blocked`, 1],
  [`${product}.${product}.job_status.dead`, 1],
  [`${product}.${product}.job_status.pending`, 1],
  [`${product}.${product}.job_status.running`, 1],
]

const counters = ['raft.apply', 'sched.rpc.query', 'sched.rpc.request']

const samples = [
  'raft.commitTime',
  'sched.plan.evaluate',
  'sched.plan.submit',
  'sched.worker.invoke_scheduler.service',
]

/** Returns a counter or sample with its only value. */
function sampled(name: string, product: string) {
  const Name = `${product}.${name.replace(/^sched/, product)}`
  return { Name, Count: 1, Rate: 0.1, Sum: 1, Min: 1, Max: 1, Mean: 1, Stddev: 0, Labels: {} }
}

describe(`metrics (${section})`, () => {
  // choice/scheduler#operator-metrics
  test.each([
    ['neutral', 'sched'],
    ['vendor', 'nomad'],
  ] as const)('%s: numbers of allocations and jobs', async (dialect, product) => {
    const { scheduler: client, clock } = await busy(dialect)
    const { status, body } = await client.get('metrics')
    expect(status).toBe(200)
    const at = new Date(clock.now()).toISOString()
    expect(body).toEqual({
      Timestamp: `${at.slice(0, 10)} ${at.slice(11, 19)} +0000 UTC`,
      Gauges: gauges(product).map(([Name, Value]) => ({ Name, Value, Labels: {} })),
      Points: [],
      Counters: counters.map((name) => sampled(name, product)),
      Samples: samples.map((name) => sampled(name, product)),
    })
    const reply = await client.get('metrics?format=prometheus')
    expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = gauges(product).map(([name, value]) => {
      const flat = String(name).replaceAll('.', '_')
      return `# HELP ${flat} ${name}\n# TYPE ${flat} gauge\n${flat} ${value}\n`
    })
    expect(reply.text.startsWith(lines.join(''))).toBe(true)
    expect(reply.text).toContain(`# TYPE ${product}_raft_apply counter\n${product}_raft_apply 1\n`)
    expect(reply.text).toContain(
      `# TYPE ${product}_raft_commitTime summary\n${product}_raft_commitTime{quantile="0.5"} 1\n`,
    )
    expect(reply.text).toContain(`${product}_raft_commitTime_count 1\n`)
  })

  test('require no right; other methods are 405', async () => {
    const { as } = await aclScheduler()
    expect((await as('x').get('metrics')).status).toBe(200)
    expect((await as('x').get('metrics?format=prometheus')).status).toBe(200)
    expect(await failureOf(as('x').put('metrics'))).toEqual([405, 'Invalid method'])
  })
})
