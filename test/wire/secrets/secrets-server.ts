import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { start } from '../../support/command.ts'
import { type Answer, WireClient } from '../wire-client.ts'

/** A reply over a socket. */
interface WireReply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body parsed; undefined when there is none. Tests look into replies of every shape. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

/** What a request has besides verb and path. */
interface WireRequest {
  /** An object goes as JSON, a text as it is. */
  readonly body?: object | string
  /** Instead of the root token's header; no content type is added to them. */
  readonly headers?: OutgoingHttpHeaders | readonly string[]
  readonly agent?: Agent
}

/** A running command whose clock stands at 2026-01-01T00:00:00Z. */
export interface SecretsServer {
  readonly port: number
  readonly origin: string
  /** Sends one request; `path` is below `/v1/` and goes out as it is. */
  call(method: string, path: string, request?: WireRequest): Promise<WireReply>
  /** A connection for bytes of the test's own. */
  wire(): Promise<WireClient>
}

/** Starts the built command, which ends with the test. */
export async function startSecrets(...flags: readonly string[]): Promise<SecretsServer> {
  const frozen = '--clock=frozen@2026-01-01T00:00:00Z'
  const { origins } = await start(['--port=0', frozen, '--seed=test', ...flags])
  const { origin, port: text } = new URL(origins.secrets)
  const port = Number(text)
  return {
    port,
    origin,
    call: (method, path, settings = {}) => call(port, method, path, settings),
    wire: () => WireClient.open({ port }),
  }
}

function call(
  port: number,
  method: string,
  path: string,
  { body, headers = rootToken, agent }: WireRequest,
): Promise<WireReply> {
  const payload = typeof body === 'object' ? JSON.stringify(body) : body
  return new Promise((resolve, reject) => {
    const clientRequest = request({
      host: '127.0.0.1',
      port,
      method,
      path: `/v1/${path}`,
      headers: Array.isArray(headers) ? ['host', 'mock.test', ...headers] : { ...headers },
      ...(agent === undefined ? { agent: false } : { agent }),
    })
    clientRequest.once('error', reject)
    clientRequest.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () => {
        const parsed: unknown = text === '' ? undefined : JSON.parse(text)
        resolve({ status: response.statusCode, headers: response.headers, text, body: parsed })
      })
    })
    clientRequest.end(payload)
  })
}

/** The header of the root token. */
export const rootToken: OutgoingHttpHeaders = { 'x-secrets-token': 'root' }

/** The header line of the root token, for requests written by hand. */
export const rootLine = 'X-Secrets-Token: root\r\n'

/** Status and body of a reply, as tests compare them. */
export function statusAndBody({ status, body }: WireReply): {
  status: number | undefined
  body: unknown
} {
  return { status, body }
}

/** Status and body of an answer that a test read byte by byte. */
export function parsedAnswer({ status, body }: Answer): { status: number; body: unknown } {
  return { status, body: body === '' ? undefined : JSON.parse(body) }
}
