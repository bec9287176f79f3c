import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'

const paths = ['/v1/namespaces', '/v1/jobs', '/v1/namespace/team-1', '/v1/job/job-1']

/** Sends blocking reads, each on its own connection, and disconnects while they wait. */
export async function dropReads(port: number, world: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      await once(socket, 'connect')
      const target = `/_world/${world}${paths[at % paths.length]}?index=99999999&wait=300s`
      await new Promise((sent) => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, sent)
      })
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    }),
  )
}

/**
 * Sends a request on a new connection, because the server may close an idle one just as it is
 * reused.
 */
export async function statusOf(method: string, url: string): Promise<number | undefined> {
  const clientRequest = request(url, { method, agent: false })
  clientRequest.end()
  const [reply] = (await once(clientRequest, 'response')) as [IncomingMessage]
  reply.resume()
  await once(reply, 'end')
  return reply.statusCode
}
