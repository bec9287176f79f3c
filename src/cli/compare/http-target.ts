import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import type { Answer, Target } from './request.ts'

/** Milliseconds after which a request fails. */
const requestTimeout = 30_000

/** Returns a target that sends requests to a running server: the mock, or a real one. */
export function httpTarget(
  name: string,
  base: string,
  token: string,
  tokenHeader: string,
  words: Readonly<Record<string, string>> = {},
): Target {
  const { protocol, hostname, port, pathname } = new URL(base)
  const isSecure = protocol === 'https:'
  const sendRequest = isSecure ? httpsRequest : httpRequest
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const prefix = trimEndOf(pathname, '/')
  return {
    name,
    token,
    words,
    send: ({ method, path, body, contentType, token: requestToken }) =>
      new Promise<Answer>((resolve, reject) => {
        const headers: Record<string, string> = {}
        if (requestToken !== 'none' && requestToken !== '') headers[tokenHeader] = requestToken
        if (contentType !== undefined) headers['content-type'] = contentType
        if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
        const clientRequest = sendRequest(
          { host, port, method, path: `${prefix}/v1/${path}`, headers, agent },
          (reply) => {
            const chunks: Buffer[] = []
            reply.on('data', (chunk: Buffer) => chunks.push(chunk))
            reply.on('error', reject)
            reply.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              resolve({ status: reply.statusCode ?? 0, body: parseBody(text) })
            })
          },
        )
        clientRequest.on('error', reject)
        clientRequest.setTimeout(requestTimeout, () =>
          clientRequest.destroy(new Error(`no answer for ${requestTimeout} ms`)),
        )
        clientRequest.end(body)
      }),
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
