import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { start } from '../../support/command.ts'
import { type Answer, WireClient } from '../wire-client.ts'

/** Reply as received over a socket. */
interface WireReply {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Parsed body; undefined if there is none. Tests inspect replies of every shape. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

/** Headers, body and agent of a request. */
interface WireRequest {
  /** Body; objects are sent as JSON, texts unchanged. */
  readonly body?: object | string
  /** Headers to send instead of the root token; no content type is added. */
  readonly headers?: OutgoingHttpHeaders | readonly string[]
  readonly agent?: Agent
}

/** Running command with its clock frozen at 2026-01-01T00:00:00Z. */
export interface SecretsServer {
  readonly port: number
  readonly origin: string
  /** Sends a request. `path` is relative to `/v1/` and sent unchanged. */
  call(method: string, path: string, request?: WireRequest): Promise<WireReply>
  /** Opens a connection on which the test can send arbitrary bytes. */
  wire(): Promise<WireClient>
}

/** Starts the built command, and stops it when the test ends. */
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

/** Header with the root token. */
export const rootToken: OutgoingHttpHeaders = { 'x-secrets-token': 'root' }

/** Header line with the root token, for handwritten requests. */
export const rootLine = 'X-Secrets-Token: root\r\n'

/** Returns the status and body of a reply, for comparison. */
export function statusAndBody({ status, body }: WireReply): {
  status: number | undefined
  body: unknown
} {
  return { status, body }
}

/** Returns the status and parsed body of an answer from a `WireClient`. */
export function parsedAnswer({ status, body }: Answer): { status: number; body: unknown } {
  return { status, body: body === '' ? undefined : JSON.parse(body) }
}
