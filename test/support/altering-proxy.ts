import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ForwardedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

/**
 * Reply of the server, or the reply that an alteration returns in its place. If the request to the
 * server fails, the reply has status 502 and no body.
 */
export interface ForwardedReply {
  readonly status: number
  readonly body: string
}

export type Alteration = (request: ForwardedRequest, reply: ForwardedReply) => ForwardedReply

/**
 * Starts a proxy that changes replies, and returns its address. The proxy reads requests from the
 * socket, because Node's server does not know the method LIST. The proxy ends with the test.
 */
export async function alteringProxy(origin: string, alter: Alteration): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const [first = '', ...lines] = received.subarray(0, end).toString().split('\r\n')
      const headers = Object.fromEntries(lines.map((line) => line.split(/: ?/, 2)))
      const length = Number(headers['content-length'] ?? 0)
      if (received.length < end + 4 + length) return
      const body = received.subarray(end + 4).toString()
      received = Buffer.alloc(0)
      const [method = '', path = ''] = first.split(' ')
      forward(origin, { method, path, body }, headers, (reply) => {
        const altered = alter({ method, path, body }, reply)
        const size = Buffer.byteLength(altered.body)
        const head = `HTTP/1.1 ${altered.status} X\r\nContent-Length: ${size}\r\n\r\n`
        // Head and body are sent with one write, because a second write would wait for the
        // receiver's delayed acknowledgement.
        socket.write(head + altered.body)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function forward(
  origin: string,
  { method, path, body }: ForwardedRequest,
  headers: Record<string, string>,
  onReply: (reply: ForwardedReply) => void,
): void {
  const sent = httpRequest(origin + path, { method, headers }, (reply) => {
    const chunks: Buffer[] = []
    reply.on('data', (chunk: Buffer) => chunks.push(chunk))
    reply.on('end', () =>
      onReply({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
    )
  })
  sent.on('error', () => onReply({ status: 502, body: '' }))
  sent.end(body)
}
