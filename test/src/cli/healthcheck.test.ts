import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { healthcheck } from '../../../src/cli/healthcheck.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-health-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open: TcpServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** Makes a server listen until the end of the test and returns its port. */
async function listen(server: TcpServer, host = '127.0.0.1'): Promise<number> {
  open.push(server)
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Answers health checks with 200, and everything else with 404. */
const healthy: RequestListener = (request, reply) => {
  const right = request.method === 'GET' && request.url === '/_mock/health'
  reply.writeHead(right ? 200 : 404).end('{}')
}

/** Answers like a server with the control token `t0ken`. */
const guarded: RequestListener = (request, reply) => {
  reply.writeHead(request.headers.authorization === 'Bearer t0ken' ? 200 : 401).end('{}')
}

describe('behaviour/program#command: understudy healthcheck', () => {
  test('a 200 on the effective port is healthy', async () => {
    const port = await listen(createServer(healthy))
    expect(await healthcheck({ host: '127.0.0.1', port })).toEqual({ code: 0 })
    expect(await healthcheck({ host: 'localhost', port })).toEqual({ code: 0 })
  })

  test('every address means the loopback one', async () => {
    const four = await listen(createServer(healthy), '0.0.0.0')
    expect(await healthcheck({ host: '0.0.0.0', port: four })).toEqual({ code: 0 })
    const six = await listen(createServer(healthy), '::1')
    expect(await healthcheck({ host: '::', port: six })).toEqual({ code: 0 })
  })

  test('any other status is a failure', async () => {
    const port = await listen(createServer((_, reply) => reply.writeHead(503).end()))
    expect(await healthcheck({ host: '127.0.0.1', port })).toEqual({
      code: 1,
      line: `unhealthy: http://127.0.0.1:${port}/_mock/health answered 503`,
    })
  })

  test('the control token is sent along', async () => {
    const port = await listen(createServer(guarded))
    const target = { host: '127.0.0.1', port }
    expect(await healthcheck({ ...target, controlToken: 't0ken' })).toEqual({ code: 0 })
    expect(await healthcheck(target)).toEqual({
      code: 1,
      line: `unhealthy: http://127.0.0.1:${port}/_mock/health answered 401`,
    })
  })

  test('reports a refused connection', async () => {
    const server = createServer(healthy)
    const port = await listen(server)
    server.close()
    await once(server, 'close')
    expect(await healthcheck({ host: '::1', port })).toEqual({
      code: 1,
      line: `unhealthy: http://[::1]:${port}/_mock/health did not answer: connect ECONNREFUSED ::1:${port}`,
    })
  })

  test('silence is a failure', async () => {
    const port = await listen(createTcpServer())
    expect(await healthcheck({ host: '127.0.0.1', port }, 50)).toEqual({
      code: 1,
      line: `unhealthy: http://127.0.0.1:${port}/_mock/health did not answer within 50 ms`,
    })
  })

  test('reports port 0', async () => {
    expect(await healthcheck({ host: '127.0.0.1', port: 0 })).toEqual({
      code: 1,
      line: 'unhealthy: http://127.0.0.1:0/_mock/health: port 0 does not identify a running server; set its port with --port',
    })
  })
})

describe('behaviour/program#command: understudy healthcheck with --tls', () => {
  /** Starts a TLS server whose certificate is in `dir` and names another host. */
  async function tlsServer(dir: string): Promise<{ server: Server; port: number }> {
    const issued = await issueCertificate(['mock.example.test'])
    writeFileSync(join(folder, `${dir}.pem`), issued.cert)
    const server = createTlsServer({ cert: issued.cert, key: issued.key }, guarded)
    return { server, port: await listen(server) }
  }

  test('the certificate that was to be served is healthy, another one is not', async () => {
    const { port } = await tlsServer('served')
    await tlsServer('other')
    const target = { host: '127.0.0.1', port, controlToken: 't0ken' }
    const certFile = join(folder, 'served.pem')
    expect(await healthcheck({ ...target, tls: { certFile } })).toEqual({ code: 0 })
    const other = join(folder, 'other.pem')
    expect(await healthcheck({ ...target, tls: { certFile: other } })).toEqual({
      code: 1,
      line: `unhealthy: https://127.0.0.1:${port}/_mock/health did not answer: the server uses a different certificate than ${other}`,
    })
  })

  test('with --tls-dir it is cert.pem there', async () => {
    const { port } = await tlsServer('cert')
    const target = { host: '127.0.0.1', port, controlToken: 't0ken' }
    expect(await healthcheck({ ...target, tls: { dir: folder } })).toEqual({ code: 0 })
    const missing = await healthcheck({ ...target, tls: { dir: '/no/such' } })
    expect(missing).toEqual({
      code: 1,
      line: `unhealthy: https://127.0.0.1:${port}/_mock/health did not answer: ENOENT: no such file or directory, open '/no/such/cert.pem'`,
    })
  })

  test('without a CA and a host name, any certificate is accepted', async () => {
    const { port } = await tlsServer('any')
    const target = { host: '127.0.0.1', port, controlToken: 't0ken' }
    expect(await healthcheck({ ...target, tls: {} })).toEqual({ code: 0 })
  })

  test('a server without TLS is a failure', async () => {
    const port = await listen(createServer(healthy))
    const health = await healthcheck({ host: '127.0.0.1', port, tls: {} })
    expect(health).toMatchObject({ code: 1, line: expect.stringContaining('did not answer: ') })
  })
})
