import { bytesOf, type Request } from './connection.ts'
import { runLoad } from './load.ts'
import { type ServerProcess, startCommand, startProcess } from './process.ts'
import type { Scenario } from './scenario.ts'

/** A server that a scenario is played against, again and again from the same state. */
export interface MeasuredServer {
  /** Puts the server back to the state that the scenario begins with. */
  prepare(): Promise<void>
  /** Answers per second, as many as ten connections get. */
  maxThroughput(seconds: number): Promise<number>
  /** At a fixed rate: microseconds of CPU for each request, and the rate that was held. */
  atFixedRate(rate: number, seconds: number): Promise<{ cpu: number; rate: number }>
  stop(): Promise<void>
}

/** Sends a request and gives the body of the answer, which must be a good one. */
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
 * A running server as one that requests are sent to.
 *
 * @param prepare what puts it back to the state that is begun with
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
 * The command of a built checkout, with what the scenario needs stored in it.
 *
 * @param args further ones of the command line
 */
export async function startUnderstudy(
  checkout: string,
  scenario: Scenario,
  args: readonly string[] = [],
): Promise<MeasuredServer> {
  const server = await startCommand(checkout, args)
  const control = (path: string, body: object = {}): Promise<string> =>
    ask(server.url, {
      method: 'POST',
      path: `/_mock${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const request of scenario.setUp) await ask(server.url, request)
  // What was begun comes to an end: jobs are placed and run.
  await control('/clock/advance', { by: '5m' })
  const { id } = JSON.parse(await control('/snapshots'))
  const requests = scenario.requests.map(bytesOf)
  return measuredServer(server, requests, () => control(`/snapshots/${id}/restore`))
}

/** A Fastify that does nothing but HTTP, with the scenario's own bodies and the bytes of its reply. */
export async function startBare(checkout: string, scenario: Scenario): Promise<MeasuredServer> {
  const [request] = scenario.requests
  if (request === undefined) throw new Error(`${scenario.name} sends nothing`)
  const model = await startCommand(checkout)
  for (const first of scenario.setUp) await ask(model.url, first)
  const reply = await ask(model.url, request)
  await model.stop()
  // A route is found by the path alone.
  const [path = ''] = request.path.split('?', 1)
  const env = { BARE_REPLY: reply, BARE_PATH: path }
  const server = await startProcess('test/bench/bare-fastify.mjs', { env, probed: true })
  return measuredServer(server, scenario.requests.map(bytesOf))
}
