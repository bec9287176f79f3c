import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import {
  fromBytes,
  type ListenerName,
  type RecordingStart,
  toBytes,
  type WireReply,
  type WireRequest,
} from './format.ts'

const builtCommand = ['node', fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url))]

/** Host header of every request, so that URLs in replies do not depend on the port. */
export const host = 'localhost:4600'

/** Milliseconds without a reply after which a request is assumed to wait for the clock. */
const patience = 300

/** Milliseconds without a reply after which any other request is given up. */
const longest = 20_000

const sleep = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), milliseconds))

/** Started server that receives one request at a time. */
export class RecordedServer {
  readonly #ports: Readonly<Record<ListenerName, number>>
  readonly #agent = new Agent({ keepAlive: true, timeout: 4000 })
  readonly #end: () => Promise<void>

  private constructor(ports: Readonly<Record<ListenerName, number>>, end: () => Promise<void>) {
    this.#ports = ports
    this.#end = end
  }

  /** Starts the command with the arguments and fixtures of a recording. */
  static async start(
    { args, fixtures }: RecordingStart,
    command: readonly string[] = builtCommand,
  ): Promise<RecordedServer> {
    const [program = 'node', ...first] = command
    // Environment variables of the machine must not configure the server.
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      UNDERSTUDY_FIXTURES: fixtures,
    }
    const child = spawn(program, [...first, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const killed = () => void child.kill('SIGKILL')
    process.once('exit', killed)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => process.exit(1))
    }
    const ended = once(child, 'exit')
    let text = ''
    for await (const chunk of child.stdout
      .setEncoding('utf8')
      .iterator({ destroyOnReturn: false })) {
      text += chunk
      if (text.includes('\n')) break
    }
    const portOf = (name: string) => Number(new RegExp(`${name}=\\S+?:(\\d+)`).exec(text)?.[1])
    const ports = {
      secrets: portOf('secrets'),
      platform: portOf('platform'),
      mesh: portOf('mesh'),
      scheduler: portOf('scheduler'),
      combined: portOf('control'),
    }
    if (Object.values(ports).some(Number.isNaN)) throw new Error(`not a ready line: ${text}`)
    child.stdout.resume()
    return new RecordedServer(ports, async () => {
      process.removeListener('exit', killed)
      child.kill('SIGTERM')
      await ended
    })
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    await this.#end()
  }

  /**
   * Sends a request and waits for its reply. If the request waits for the world's clock, advances
   * the clock until there is a reply.
   */
  async exchange(request: WireRequest): Promise<{ reply: WireReply; advances: number }> {
    const sent = this.#send(request)
    let advances = 0
    for (let waited = 0; ; ) {
      const before = performance.now()
      const first = await Promise.race([sent.reply, sleep(patience)])
      if (first !== undefined) return { reply: first, advances }
      if ((await this.#blockedReaders()) > 0 && advances < 5) {
        advances += 1
        await this.#control('POST', '/clock/advance', '{"by":"1h"}')
        continue
      }
      waited += performance.now() - before
      if (waited < longest) continue
      sent.giveUp()
      const reply = await sent.reply
      // A slow request must not be mistaken for one that is still waiting.
      for (let n = 0; n < 20 && (await this.#blockedReaders()) > 0; n += 1) await sleep(100)
      return { reply, advances }
    }
  }

  #send({ listener, method, url, headers, body }: WireRequest) {
    const bytes = body === undefined ? undefined : fromBytes(body)
    const sent = httpRequest({
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#ports[listener],
      method,
      path: url,
      headers: {
        host,
        ...headers,
        ...(bytes === undefined ? {} : { 'content-length': bytes.length }),
      },
    })
    let givenUp = false
    const reply = new Promise<WireReply>((resolve) => {
      const chunks: Buffer[] = []
      let message: IncomingMessage | undefined
      const end = (isWhole: boolean) => {
        const broken = givenUp ? 'unanswered' : 'closed'
        const body = toBytes(Buffer.concat(chunks))
        resolve({
          status: message?.statusCode ?? 0,
          headers: pairsOf(message?.rawHeaders ?? []).map(([name, value]) => [
            name,
            this.#withoutPorts(value),
          ]),
          body: typeof body === 'string' ? this.#withoutPorts(body) : body,
          ...(isWhole ? {} : { broken }),
        })
      }
      sent.on('response', (response) => {
        message = response
        response.on('data', (chunk: Buffer) => void chunks.push(chunk))
        response.on('end', () => end(response.complete))
        response.on('error', () => end(false))
      })
      sent.on('error', () => end(false))
    })
    sent.end(bytes)
    const giveUp = () => {
      givenUp = true
      sent.destroy()
    }
    return { reply, giveUp }
  }

  /** Replaces the ports of the listeners, which differ between starts, by the listeners' names. */
  #withoutPorts(text: string): string {
    if (!/(127\.0\.0\.1|localhost):\d/.test(text)) return text
    return text.replaceAll(/(?<=(?:127\.0\.0\.1|localhost):)\d+/g, (port) => {
      const [name] = Object.entries(this.#ports).find(([, known]) => known === Number(port)) ?? []
      return name === undefined ? port : `<port of ${name}>`
    })
  }

  async #blockedReaders(): Promise<number> {
    const text = await this.#control('GET', '/metrics')
    return Number(/^understudy_blocked_readers (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  async #control(method: string, path: string, body?: string): Promise<string> {
    const { reply } = this.#send({
      listener: 'combined',
      method,
      url: `/_mock${path}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
    const { body: text } = await reply
    return typeof text === 'string' ? text : ''
  }
}

function pairsOf(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
}
