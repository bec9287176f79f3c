import { bytesOf, type Request } from './connection.ts'
import { runLoad } from './load.ts'
import { type ServerProcess, startCommand, startProcess } from './process.ts'
import type { Scenario } from './scenario.ts'

/** Server that can run a scenario repeatedly, each time from the same state. */
export interface MeasuredServer {
  /** Restores the state that the scenario starts from. */
  prepare(): Promise<void>
  /** Returns the answers per second that ten connections receive at full speed. */
  maxThroughput(seconds: number): Promise<number>
  /** Measures at a fixed rate. Returns microseconds of CPU per request and the achieved rate. */
  atFixedRate(rate: number, seconds: number): Promise<{ cpu: number; rate: number }>
  stop(): Promise<void>
}

/** Sends a request and returns the body of the answer. Throws if the answer is not successful. */
export async function ask(url: string, { method, path, headers, body }: Request): Promise<string> {
  const answer = await fetch(url + path, {
    method,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was refused: ${text}`)
  return text
}

/**
 * Returns a running server with the requests to send to it.
 *
 * @param prepare restores the state that the scenario starts from
 */
export function measuredServer(
  server: ServerProcess,
  requests: readonly Buffer[],
  prepare: () => Promise<unknown> = async () => {},
): MeasuredServer {
  const { url } = server
  return {
    prepare: async () => void (await prepare()),
    maxThroughput: async (seconds) => {
      const result = await runLoad({ url, requests, seconds })
      return result.answers / result.seconds
    },
    atFixedRate: async (rate, seconds) => {
      const before = await server.cpu()
      const result = await runLoad({ url, requests, seconds, rate })
      const used = (await server.cpu()) - before
      return { cpu: used / result.answers, rate: result.answers / result.seconds }
    },
    stop: () => server.stop(),
  }
}

/**
 * Starts the command of a built checkout and stores the data that the scenario needs.
 *
 * @param args further arguments of the command
 */
export async function startUnderstudy(
  checkout: string,
  scenario: Scenario,
  args: readonly string[] = [],
): Promise<MeasuredServer> {
  const server = await startListener(checkout, scenario, args)
  const control = (path: string, body: object = {}): Promise<string> =>
    ask(server.controlUrl, {
      method: 'POST',
      path: `/_mock${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const request of scenario.setUp) await ask(server.url, request)
  // Advance the clock so that pending work ends: jobs are placed and run.
  await control('/clock/advance', { by: '5m' })
  const { id } = JSON.parse(await control('/snapshots'))
  const requests = scenario.requests.map(bytesOf)
  return measuredServer(server, requests, () => control(`/snapshots/${id}/restore`))
}

function startListener(checkout: string, { api }: Scenario, args: readonly string[] = []) {
  return api === undefined
    ? startCommand(checkout, args)
    : startCommand(checkout, [...args, `--${api}-port`, '0'], api)
}

/** Starts a Fastify that does nothing but HTTP and replies with the bytes that our server sends. */
export async function startBare(checkout: string, scenario: Scenario): Promise<MeasuredServer> {
  const [request] = scenario.requests
  if (request === undefined) throw new Error(`${scenario.name} sends nothing`)
  const model = await startListener(checkout, scenario)
  for (const first of scenario.setUp) await ask(model.url, first)
  const reply = await ask(model.url, request)
  await model.stop()
  // Fastify matches routes by the path without the query.
  const [path = ''] = request.path.split('?', 1)
  const env = { BARE_REPLY: reply, BARE_PATH: path }
  const server = await startProcess('test/bench/bare-fastify.mjs', { env, probed: true })
  return measuredServer(server, scenario.requests.map(bytesOf))
}
