import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { documentedNames } from '../../src/client-environment.ts'
import { clientVariables } from '../../src/client-variables.ts'

/** Server in the role of a real product. No request of a test may reach this server. */
interface OtherServer {
  /**
   * Environment in which every variable of the products' clients, and every variable for a proxy,
   * names the server.
   */
  readonly env: Readonly<Record<string, string>>
  /** Requests that have arrived, proxied ones included. */
  readonly received: readonly string[]
  close(): void
}

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']

/** Starts a server on a free port, with an environment that leads clients to it. */
export async function startOtherServer(): Promise<OtherServer> {
  const received: string[] = []
  const server = createServer((request, reply) => {
    received.push(`${request.method} ${request.url}`)
    reply.end('{}')
  })
  server.on('connect', (request, socket) => {
    received.push(`CONNECT ${request.url}`)
    socket.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = Object.values(clientVariables)
  const names = [
    ...clients.flatMap(({ urls, hosts = [], tokens }) => [...urls, ...hosts, ...tokens]),
    ...documentedNames({}),
    // One name for each prefix of a client's variables. No client reads these names yet, but a
    // future version may.
    ...clients.flatMap(({ prefixes }) => prefixes.map((prefix) => `${prefix}_OF_TOMORROW`)),
    'TF_HTTP_ADDRESS',
    'TF_TOKEN_app_terraform_io',
    'vault_addr',
  ]
  const url = `http://127.0.0.1:${port}`
  return {
    env: Object.fromEntries([...names, ...proxies].map((name) => [name, url])),
    received,
    close: () => void server.close(),
  }
}
