import { join } from 'node:path'
import { type ExternalServer, freePort, startExternalServer } from './external-server.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { binaryOf, type Product, realServers, startReal } from './product-servers.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 15

/**
 * Measures the time from the spawn of the command to its ready line, against a bare Fastify
 * process.
 */
export function startRow(): Promise<Row> {
  return rowOf('cold start to the ready line, against a bare Fastify process', 1, {})
}

/**
 * Measures a cold start without the compile cache. A flag of V8 invalidates the cache, as another
 * build of Node does.
 */
export function uncachedStartRow(): Promise<Row> {
  const what = 'cold start of a program that another Node built, against a bare Fastify process'
  return rowOf(what, 1.4, { NODE_OPTIONS: '--stack-trace-limit=11' })
}

/**
 * Returns the settings to start the command as an external server, which is polled until it
 * answers.
 */
export function understudyOn(port: number): ExternalServer {
  const args = ['--port', String(port), '--log-level', 'silent']
  return {
    command: process.execPath,
    args: [join(process.cwd(), 'dist/src/cli.js'), ...args],
    port,
    probe: { path: '/v1/sys/health' },
  }
}

/** Returns the settings to start a bare Fastify as an external server. */
export function bareOn(port: number, env: Readonly<Record<string, string>> = {}): ExternalServer {
  return {
    command: process.execPath,
    args: [join(process.cwd(), 'test/bench/bare-fastify.mjs')],
    env: { ...env, BARE_PORT: String(port) },
    port,
    probe: { path: env['BARE_PATH'] ?? '/' },
  }
}

/**
 * Measures the time from the spawn to the first successful answer, against a bare Fastify and the
 * products whose binaries are named.
 */
export async function firstAnswerRows(): Promise<readonly Row[]> {
  const started = async () => startExternalServer(understudyOn(await freePort()))
  const what = 'cold start to the first answered request, against'
  const rows = [
    await compareStarts(`${what} a bare Fastify process`, 1, started, async () =>
      startExternalServer(bareOn(await freePort())),
    ),
  ]
  for (const product of Object.keys(realServers) as Product[]) {
    const binary = binaryOf(product)
    if (binary === undefined) continue
    const { api } = realServers[product]
    const row = await compareStarts(
      `${what} the development server that the ${api} API plays`,
      1.2,
      started,
      () => startReal(product, binary, false),
    )
    rows.push(row)
  }
  return rows
}

function rowOf(what: string, bound: number, env: Readonly<Record<string, string>>): Promise<Row> {
  const args = ['--port', '0', '--log-level', 'silent']
  return compareStarts(
    what,
    bound,
    () => startProcess('dist/src/cli.js', { args, env }),
    () => startProcess('test/bench/bare-fastify.mjs', { env }),
  )
}

/** Starts two servers alternately and compares their start times. */
async function compareStarts(
  what: string,
  bound: number,
  start: () => Promise<ServerProcess>,
  startOther: () => Promise<ServerProcess>,
): Promise<Row> {
  const figures = { ours: [] as number[], other: [] as number[], ratio: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const ours = await start()
    await ours.stop()
    const other = await startOther()
    await other.stop()
    figures.ours.push(ours.startTime)
    figures.other.push(other.startTime)
    figures.ratio.push(ours.startTime / other.startTime)
  }
  const ratio = spreadOf(figures.ratio)
  return {
    what,
    ours: showSpread(spreadOf(figures.ours), 0, ' ms'),
    against: showSpread(spreadOf(figures.other), 0, ' ms'),
    ratio: showSpread(ratio, 2),
    bound: `at most ${bound}`,
    holds: ratio.median <= bound,
  }
}
