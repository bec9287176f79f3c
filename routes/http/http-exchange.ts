import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http'
import { request as tlsRequest } from 'node:https'
import { setAlarm } from '../../state/kernel/time.ts'

/** An HTTP request that this process sends, for example to a primary of a replication. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Certificates in PEM format that are trusted instead of the default root certificates; if empty,
   * the defaults are trusted.
   */
  readonly ca: readonly string[]
  /** True to accept any certificate. */
  readonly skipsVerification?: boolean
  /** Name that the certificate must have; the name of the host by default. */
  readonly serverName?: string
  /**
   * Maximum time to wait for the head of the reply, and maximum time without data, in milliseconds
   * of real time.
   */
  readonly timeout: number
  readonly signal?: AbortSignal
}

/**
 * Error of an exchange that exceeded its timeout. `send` rejects with another error whose `cause`
 * is this error. If only the body is late, `sendAndRead` rejects with this error itself.
 */
export class ExchangeTimeout extends Error {}

/** Maximum size of the body of a reply in characters. Primaries send shorter bodies. */
const maxBodyLength = 1024 * 1024

/**
 * Sends a request. Resolves to the reply when its head has arrived. Rejects with an error that
 * names the URL and has the failure as its `cause`.
 */
export function send(exchange: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = createRequest(exchange)
    const abort = () =>
      request.destroy(new ExchangeTimeout(`no answer within ${exchange.timeout} ms`))
    // The timeout of the socket does not fire if the head arrives byte by byte.
    const timer = setAlarm(exchange.timeout, abort)
    request.once('timeout', abort)
    request.once('response', (response) => {
      timer.cancel()
      resolve(response)
    })
    request.on('error', (error) => {
      timer.cancel()
      const reason = `${exchange.method} "${exchange.url}": ${reasonOf(error)}`
      reject(new Error(reason, { cause: error }))
    })
    request.end(exchange.body)
  })
}

interface ExchangeReply {
  readonly status: number
  /** Status with its text, such as `200 OK`. */
  readonly statusLine: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * Sends a request. Resolves to the status and the complete body. The timeout limits the wait for
 * the head and, separately, the time to receive the body. Rejects if the exchange fails or the body
 * is too large.
 */
export async function sendAndRead(exchange: Exchange): Promise<ExchangeReply> {
  const response = await send(exchange)
  const timeoutError = new ExchangeTimeout(`no whole answer within ${exchange.timeout} ms`)
  const timer = setAlarm(exchange.timeout, () => response.destroy(timeoutError))
  try {
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      if (text.length > maxBodyLength) throw new Error('the answer is too large')
    }
    const { statusCode: status = 0, statusMessage = '', headers } = response
    return { status, statusLine: `${status} ${statusMessage}`.trim(), headers, text }
  } finally {
    timer.cancel()
    response.destroy()
  }
}

function createRequest(exchange: Exchange): ClientRequest {
  const { method, url, headers, ca, timeout, signal, skipsVerification, serverName } = exchange
  const options = {
    method,
    headers,
    timeout,
    // A pooled connection would keep the process alive.
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  } as const
  return url.startsWith('https:')
    ? tlsRequest(url, {
        ...options,
        ...(ca.length === 0 ? {} : { ca: [...ca] }),
        ...(skipsVerification === true && { rejectUnauthorized: false }),
        ...(serverName && { servername: serverName }),
      })
    : plainRequest(url, options)
}

/**
 * Returns the message of an error. Node leaves the message empty if several attempts failed; the
 * result then joins the messages of the attempts.
 */
function reasonOf(error: Error & { code?: string; errors?: Error[] }): string {
  return (
    error.message ||
    error.errors?.map(({ message }) => message).join('; ') ||
    error.code ||
    'failed'
  )
}
