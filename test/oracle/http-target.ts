import { request as ask } from 'node:http'
import type { Answer, Target } from './request.ts'

/** Makes a target of a server that listens: the mock, or a real one. */
export function httpTarget(
  name: string,
  base: string,
  token: string,
  tokenHeader: string,
  words: Readonly<Record<string, string>> = {},
): Target {
  const { hostname, port, pathname } = new URL(base)
  const prefix = pathname.replace(/\/$/, '')
  return {
    name,
    token,
    words,
    send: ({ method, path, body, contentType, token: sent }) =>
      new Promise<Answer>((resolve, reject) => {
        const headers: Record<string, string> = {}
        if (sent !== 'none') headers[tokenHeader] = sent
        if (contentType !== undefined) headers['content-type'] = contentType
        if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
        const call = ask(
          // Each request has a connection of its own: none waits for another's end.
          { hostname, port, method, path: `${prefix}/v1/${path}`, headers, agent: false },
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
