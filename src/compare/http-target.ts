import { request as askPlainly, Agent as PlainAgent } from 'node:http'
import { request as askSecurely, Agent as SecureAgent } from 'node:https'
import { trimEndOf } from '../../state/kernel/trimming.ts'
import type { Answer, Target } from './request.ts'

/** Milliseconds until an answer counts as missing. */
const patience = 30_000

/** Makes a target of a server that listens: the mock, or a real one. */
export function httpTarget(
  name: string,
  base: string,
  token: string,
  tokenHeader: string,
  words: Readonly<Record<string, string>> = {},
): Target {
  const { protocol, hostname, port, pathname } = new URL(base)
  const isSecure = protocol === 'https:'
  const ask = isSecure ? askSecurely : askPlainly
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true })
    : new PlainAgent({ keepAlive: true })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const prefix = trimEndOf(pathname, '/')
  return {
    name,
    token,
    words,
    send: ({ method, path, body, contentType, token: sent }) =>
      new Promise<Answer>((resolve, reject) => {
        const headers: Record<string, string> = {}
        if (sent !== 'none' && sent !== '') headers[tokenHeader] = sent
        if (contentType !== undefined) headers['content-type'] = contentType
        if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
        const call = ask(
          { host, port, method, path: `${prefix}/v1/${path}`, headers, agent },
          (reply) => {
            const chunks: Buffer[] = []
            reply.on('data', (chunk: Buffer) => chunks.push(chunk))
            reply.on('error', reject)
            reply.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              resolve({ status: reply.statusCode ?? 0, body: parsed(text) })
            })
          },
        )
        call.on('error', reject)
        call.setTimeout(patience, () => call.destroy(new Error(`no answer for ${patience} ms`)))
        call.end(body)
      }),
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
