import { once } from 'node:events'
import { request } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { issueCertificate } from '../../../src/server/certificates.ts'
import { TlsServer } from '../../../src/server/tls-server.ts'

async function listening() {
  const { ca, cert, key } = await issueCertificate(['127.0.0.1'])
  const server = new TlsServer({ cert, key }, (_request, response) => response.end('ok'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { server, port, ca }
}

describe('behaviour/program#command: closing an HTTPS listener', () => {
  test('does not wait for a client that never begins its handshake', async () => {
    const { server, port } = await listening()
    const connected = once(server, 'connection')
    const client = connect({ port, host: '127.0.0.1' })
    await connected
    expect(server.connectionCount).toBe(1)

    const ended = Promise.all([once(server, 'close'), once(client, 'close')])
    server.close()
    server.closeAllConnections()
    await ended
    expect(server.connectionCount).toBe(0)
  })

  test('connections that have ended are removed', async () => {
    const { server, port, ca } = await listening()
    const connected = once(server, 'connection')
    const clientRequest = request({ port, host: '127.0.0.1', ca, agent: false })
    clientRequest.end()
    const [socket] = await connected
    const ended = once(socket, 'close')
    const [response] = await once(clientRequest, 'response')
    expect(server.connectionCount).toBe(1)

    response.resume()
    await ended
    expect(server.connectionCount).toBe(0)
  })
})
