/**
 * Sends random requests to all APIs for a long time, while worlds come and go and blocked reads are
 * dropped, and reports the memory used: `npm run soak`, with N requests (5,000,000 by default) from
 * the seed SEED, for at most MINUTES. Exits with 1 if memory kept growing or a request failed with
 * 500.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { createUnderstudy } from '../../src/embedding/index.ts'
import { dropReads, statusOf } from './clients.ts'
import { nextRequest, randomNumbers } from './requests.ts'

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback)
const requests = number('N', 5_000_000)
const end = Date.now() + number('MINUTES', 600) * 60_000
const seed = number('SEED', 1)

/** Requests between two cycles. In each cycle, worlds come and go and reads are dropped. */
const requestsPerCycle = 1000
const cyclesPerLine = Math.max(1, Math.round(requests / requestsPerCycle / 25))

const collect = globalThis.gc
if (collect === undefined) throw new Error('run the soak with --expose-gc')
const print = (line: string) => process.stdout.write(`${line}\n`)

const understudy = await createUnderstudy({
  seed: `soak-${seed}`,
  clock: 'frozen@2026-01-01T00:00:00Z',
  apiPorts: { scheduler: 0 },
})
const { port } = new URL(await understudy.listen())
const random = randomNumbers(seed)
const headers = { 'x-secrets-token': 'root', authorization: 'Bearer site-admin-token' }
const statuses = new Map<number, number>()
const failures: string[] = []
/** Ids of the worlds other than the default one, oldest first. */
const others: string[] = []
let dropped = 0
let created = 0

async function ask(world: string): Promise<void> {
  const { method, url, payload } = nextRequest(random)
  const reply = await understudy.inject({
    method,
    url: world === 'default' ? url : `/_world/${world}${url}`,
    headers: url.startsWith('/api/')
      ? { ...headers, 'content-type': 'application/vnd.api+json' }
      : headers,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  })
  const { statusCode } = reply
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
  // The scheduler and the mesh answer conflicts with 500, as the products do.
  const isFailure = statusCode >= 500 && (url.startsWith('/api/') || /internal/.test(reply.body))
  if (isFailure) failures.push(`${statusCode} ${method} ${url} ${reply.body.slice(0, 200)}`)
}

/** Advances time, replaces worlds, takes snapshots and drops blocked reads between the requests. */
async function churn(): Promise<void> {
  const { id } = understudy.createWorld({
    id: `w${created}`,
    ...(created % 2 === 0 && { from: 'default' }),
  })
  created += 1
  others.push(id)
  await dropReads(Number(port), id, 10)
  dropped += 10
  for (const oldest of others.splice(0, Math.max(0, others.length - 10))) {
    understudy.deleteWorld(oldest)
  }
  const world = understudy.world()
  const snapshot = world.snapshot()
  world.clock.advance('30s')
  world.dropSnapshot(snapshot.id)
  // The cluster keeps finished jobs until garbage is collected.
  const collected = await statusOf('PUT', `${understudy.apiUrl('scheduler')}/v1/system/gc`)
  if (collected !== 200) failures.push(`${collected} PUT /v1/system/gc`)
  if (created % 10 === 0) {
    for (const { id: worldId } of understudy.worlds()) understudy.world(worldId).clock.advance('1h')
  }
  if (created % 100 === 0) world.reset()
  await turn()
}

interface MemorySample {
  readonly asked: number
  readonly heap: number
  readonly rss: number
}

const curve: MemorySample[] = []
async function sampleMemory(sent: number): Promise<void> {
  collect?.()
  await turn()
  collect?.()
  const { heapUsed, rss } = process.memoryUsage()
  const line = { asked: sent, heap: Math.round(heapUsed / 1e6), rss: Math.round(rss / 1e6) }
  curve.push(line)
  print(`| ${sent} | ${line.heap} | ${line.rss} | ${created} | ${dropped} |`)
}

print(`seed ${seed}, Node ${process.version}`)
print('| Requests | Heap, MB | RSS, MB | Worlds made | Reads dropped |\n|---|---|---|---|---|')
const begun = performance.now()
let sent = 0
for (let cycles = 0; sent < requests && Date.now() < end && failures.length === 0; cycles += 1) {
  if (cycles % cyclesPerLine === 0) await sampleMemory(sent)
  for (let count = 0; count < requestsPerCycle && sent < requests; count += 1) {
    const world = random(3) === 0 ? others[random(Math.max(1, others.length))] : undefined
    await ask(world ?? 'default')
    sent += 1
  }
  await churn()
}
await sampleMemory(sent)
const cpu = process.cpuUsage()
await understudy.close()

const seconds = (performance.now() - begun) / 1000
const statusCounts = [...statuses].sort(([a], [b]) => a - b).map((pair) => pair.join(': '))
print(
  `${sent} requests in ${seconds.toFixed(0)} s, ${((cpu.user + cpu.system) / 1e6).toFixed(0)} s of the processor; ${statusCounts.join(', ')}`,
)
for (const line of failures) print(line)

// Compiled code and caches are complete by this point; afterwards, the heap may grow only by noise.
const early = curve.find((line) => line.asked >= Math.max(sent / 5, 15_000))?.heap ?? 0
const late = curve.at(-1)?.heap ?? 0
const hasGrown = early > 0 && late > early * 1.25 + 10
print(
  hasGrown
    ? `the heap went from ${early} to ${late} MB`
    : `the heap stayed: ${early} and ${late} MB`,
)
process.exitCode = hasGrown || failures.length > 0 ? 1 : 0
