import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { fileOf } from '../support/files.ts'
import { nginxProgram, startNginx, worldsOf } from '../support/scale.ts'

/**
 * Load-tests several servers behind nginx (`npm run scale`, after a build). Workers create worlds,
 * use them by prefix and by header, and delete them; then the run repeats against one server, with
 * and without nginx. `SCALE_SERVERS`, `SCALE_WORKERS` and `SCALE_WORLDS` (per worker) set the
 * numbers.
 */
const count = (name: string, defaultCount: number) =>
  Number(process.env[`SCALE_${name}`] ?? defaultCount)
const [servers, workers, worlds] = [count('SERVERS', 4), count('WORKERS', 64), count('WORLDS', 50)]
/** Number of write-read pairs that a worker sends in each world. */
const pairs = 5
const rounds = 3

/** Starts a server on a free port. */
async function startServer() {
  const argv = [fileOf('dist/src/cli.js'), '--port=0', '--dialect=vendor', '--default-world=off']
  const child = spawn(process.execPath, [...argv, '--log-level=silent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const [, url = ''] = /control=(\S+)\/_mock/.exec(line) ?? []
  return { url, stop: () => child.kill('SIGTERM') }
}

type Ask = (method: string, path: string, world?: string, body?: string) => Promise<string>

/** Returns a client that uses keep-alive connections. */
function keepAliveClient(url: string): { readonly ask: Ask; readonly requestCount: () => number } {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: workers })
  let requestCount = 0
  const ask: Ask = (method, path, world, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'x-vault-token': 'root', ...(world && { 'x-mock-world': world }) }
      const call = request({ agent, hostname, port, method, path, headers }, (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        reply.on('end', () => {
          requestCount += 1
          const status = reply.statusCode ?? 0
          if (status < 300) resolve(text)
          else reject(new Error(`${method} ${path} answered ${status}: ${text}`))
        })
      })
      call.on('error', reject)
      call.end(body)
    })
  return { ask, requestCount: () => requestCount }
}

async function work(ask: Ask, worker: number, round: string): Promise<void> {
  for (let at = 0; at < worlds; at++) {
    const id = `${round}-${worker}-${at}`
    await ask('PUT', `/_mock/worlds/${id}`)
    for (let pair = 0; pair < pairs; pair++) {
      const body = JSON.stringify({ data: { of: id, pair } })
      await ask('POST', `/_world/${id}/v1/secret/data/app`, undefined, body)
      const read = JSON.parse(await ask('GET', '/v1/secret/data/app', id))
      if (read.data.data.of !== id) throw new Error(`${id} has what is another's`)
    }
  }
}

/** Runs all workers in parallel, each with its own worlds. Returns the requests per second. */
async function measure(url: string, round: string): Promise<number> {
  const { ask, requestCount } = keepAliveClient(url)
  const begun = performance.now()
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(ask, worker, round)))
  return Math.round(requestCount() / ((performance.now() - begun) / 1000))
}

/** Throws if a world of a round exists on two servers or on none. */
async function checkPlaces(urls: readonly string[], round: string): Promise<void> {
  const of = (ids: readonly string[]) => ids.filter((id) => id.startsWith(`${round}-`))
  const worldCounts = (await Promise.all(urls.map(worldsOf))).map(of)
  const all = worldCounts.flat()
  const twice = all.length - new Set(all).size
  console.log(
    `${round}: worlds by server ${worldCounts.map((each) => each.length).join(', ')}; on two ${twice}`,
  )
  if (twice > 0 || all.length !== workers * worlds) throw new Error('worlds are lost or doubled')
}

function renderRates(name: string, rates: readonly number[]): string {
  const sorted = rates.toSorted((one, other) => one - other)
  const middle = sorted[Math.floor(sorted.length / 2)]
  return `${name}: ${middle} requests a second (${sorted[0]} to ${sorted.at(-1)})`
}

/** Measures the setups alternately, so that other load on the machine affects all of them. */
async function main(program: string): Promise<void> {
  const cores = availableParallelism()
  console.log(`${servers} servers, ${workers} workers with ${worlds} worlds each, ${cores} cores`)
  const several = await Promise.all(Array.from({ length: servers }, startServer))
  const one = await startServer()
  const urls = several.map(({ url }) => url)
  const many = await startNginx(program, urls)
  const front = await startNginx(program, [one.url])
  const ways = [
    { name: `${servers} servers behind nginx`, url: many.url, at: urls, rates: [] as number[] },
    { name: 'one server', url: one.url, at: [one.url], rates: [] as number[] },
    { name: 'one server behind nginx', url: front.url, at: [one.url], rates: [] as number[] },
  ]
  for (let round = 0; round < rounds; round++) {
    for (const [way, { url, at, rates }] of ways.entries()) {
      rates.push(await measure(url, `r${round}w${way}`))
      await checkPlaces(at, `r${round}w${way}`)
    }
  }
  for (const { name, rates } of ways) console.log(renderRates(name, rates))
  await Promise.all([many.stop(), front.stop()])
  for (const { stop } of [...several, one]) stop()
}

const program = nginxProgram()
if (program === undefined) console.log('there is no nginx here; UNDERSTUDY_NGINX may name it')
else await main(program)
