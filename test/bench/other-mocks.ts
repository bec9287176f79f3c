import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bytesOf, type Request } from './connection.ts'
import { type ExternalServer, freePort, startExternalServer } from './external-server.ts'
import type { BenchOptions } from './options.ts'
import { showSpread, spreadOf } from './report.ts'
import { ask, measuredServer } from './servers.ts'
import { bareOn, understudyOn } from './start.ts'

const run = promisify(execFile)

/** Packages of other mock servers, installed from the npm registry on demand. */
const packages = ['json-server@0.17.4', 'mountebank@2.9.1', '@stoplight/prism-cli@5.16.0']
const rate = 500
const starts = 5

const path = '/v1/secret/data/bench'
const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
const body = JSON.stringify({ data: { user: 'ada', password: 'x'.repeat(40), port: 5432 } })
const stored: Request = { method: 'POST', path, headers, body }
const read: Request = { method: 'GET', path, headers: { 'x-secrets-token': 'root' } }

/** Mock server, and the request that must be sent before the measured read. */
interface MockServer {
  readonly name: string
  readonly before?: Request
  configure(folder: string): Promise<ExternalServer>
}

/** Returns the command that runs a Node script. */
const script = (file: string, ...args: string[]) => ({
  command: process.execPath,
  args: [file, ...args],
})

const understudyServer: MockServer = {
  name: 'infra-understudy: a stored secret, with token, policy and journal',
  before: stored,
  configure: async () => understudyOn(await freePort()),
}

/** Returns other mock servers that all send the same bytes, each configured in its usual way. */
const otherMocks = (reply: string): readonly MockServer[] => [
  {
    name: 'a bare Fastify: the same bytes',
    configure: async () => bareOn(await freePort(), { BARE_REPLY: reply, BARE_PATH: path }),
  },
  {
    name: 'json-server 0.17.4: the same document, by a route',
    configure: async (folder) => {
      const port = await freePort()
      const cli = join(folder, 'node_modules/json-server/lib/cli/bin.js')
      const args = ['--host', '127.0.0.1', '--port', String(port), '--quiet']
      return {
        ...script(cli, ...args, '--routes', 'routes.json', 'db.json'),
        port,
        files: {
          'db.json': JSON.stringify({ bench: JSON.parse(reply) }),
          'routes.json': JSON.stringify({ [path]: '/bench' }),
        },
        probe: { path },
      }
    },
  },
  {
    name: 'mountebank 2.9.1: a stub with a predicate',
    configure: async (folder) => {
      const port = await freePort()
      const cli = join(folder, 'node_modules/mountebank/bin/mb')
      const portFlags = ['--port', String(await freePort()), '--host', '127.0.0.1', '--localOnly']
      const answer = {
        statusCode: 200,
        headers: { 'content-type': 'application/json', connection: 'keep-alive' },
        body: reply,
      }
      const stubs = [
        { predicates: [{ equals: { method: 'GET', path } }], responses: [{ is: answer }] },
      ]
      const imposters = [{ port, protocol: 'http', host: '127.0.0.1', stubs }]
      return {
        ...script(
          cli,
          'start',
          ...portFlags,
          '--loglevel',
          'error',
          '--nologfile',
          '--configfile',
          'i.json',
        ),
        port,
        files: { 'i.json': JSON.stringify({ imposters }) },
        probe: { path },
      }
    },
  },
  {
    name: 'Prism 5.16.0: an example of an OpenAPI document',
    configure: async (folder) => {
      const port = await freePort()
      const cli = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
      const content = { 'application/json': { example: JSON.parse(reply) } }
      const responses = { 200: { description: 'the secret', content } }
      return {
        ...script(
          cli,
          'mock',
          '-h',
          '127.0.0.1',
          '-p',
          String(port),
          '-v',
          'fatal',
          'openapi.json',
        ),
        port,
        files: {
          'openapi.json': JSON.stringify({
            openapi: '3.0.3',
            info: { title: 'bench', version: '1' },
            paths: { [path]: { get: { responses } } },
          }),
        },
        probe: { path },
      }
    },
  },
]

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

/** Starts a server several times, then measures the last instance at a fixed rate. */
async function tableLine(server: MockServer, folder: string, { seconds, rounds }: BenchOptions) {
  const times: number[] = []
  for (let start = 1; start < starts; start++) {
    const started = await startExternalServer(await server.configure(folder))
    times.push(started.startTime)
    await started.stop()
  }
  const started = await startExternalServer(await server.configure(folder))
  try {
    times.push(started.startTime)
    if (server.before !== undefined) await ask(started.url, server.before)
    const fresh = await started.memory()
    const measured = measuredServer(started, [bytesOf(read)])
    await measured.maxThroughput(1.5)
    const costs: number[] = []
    for (let round = 0; round < rounds; round++)
      costs.push((await measured.atFixedRate(rate, seconds)).cpu)
    const cells = [
      server.name,
      showSpread(spreadOf(costs), 0, ' µs'),
      megabytes(fresh),
      megabytes(await started.memory()),
      showSpread(spreadOf(times), 0, ' ms'),
    ]
    return `| ${cells.join(' | ')} |`
  } finally {
    await started.stop()
  }
}

/**
 * Returns the reply of our server to the read. The other servers are configured to send the same
 * reply.
 */
async function recordReply(): Promise<string> {
  const server = await startExternalServer(await understudyServer.configure(''))
  try {
    await ask(server.url, stored)
    return await ask(server.url, read)
  } finally {
    await server.stop()
  }
}

/**
 * Yields the lines of the table of other mock servers, if BENCH_MOCKS is set. Installs them into a
 * temporary directory.
 */
export async function* mockTable(options: BenchOptions): AsyncGenerator<string> {
  if (!options.only.test('other mock servers')) return
  if (process.env['BENCH_MOCKS'] === undefined) {
    process.stderr.write('other mock servers: left out, BENCH_MOCKS is not set\n')
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-mocks-'))
  try {
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
    await run('npm', ['install', '--prefix', folder, ...quiet, ...packages])
    yield `\n| Server | CPU of a request at ${rate}/s | Memory at first | Memory after load | Cold start to the first answer |`
    yield '|---|---|---|---|---|'
    for (const server of [understudyServer, ...otherMocks(await recordReply())]) {
      yield await tableLine(server, folder, options)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
