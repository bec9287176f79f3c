import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { type Cluster, type ClusterClient, clusterOf } from './replication.ts'
import {
  type AnyRequest,
  type Reply,
  type RequestOptions,
  servedSecrets,
  type TestSettings,
} from './secrets.ts'

/** Cluster with worlds, app and listener of its own, as in a separate process. */
export interface ServedCluster extends Cluster {
  readonly app: FastifyInstance
  /** Scheme, address and port, and the prefix of a named world. */
  readonly url: string
}

/** Starts a cluster in the named world, or in the default one. */
export async function servedCluster(
  settings: TestSettings = {},
  name?: string,
): Promise<ServedCluster> {
  const { app, worlds, world: first } = await servedSecrets(settings)
  const world = name === undefined ? first : worlds.create({ id: name, seed: name })
  const listening = await app.listen({ host: '127.0.0.1', port: 0 })
  // Fastify does not detect the TLS of a server that it did not create.
  const origin = settings.tls === undefined ? listening : listening.replace('http:', 'https:')
  const url = name === undefined ? origin : `${origin}/_world/${name}`
  const secrets = new SocketClient(url, settings.tls?.ca)
  return { ...clusterOf(app, world, secrets), app, url }
}

/** Client of the secrets API over a socket. Paths are below `/v1/`. */
class SocketClient implements ClusterClient {
  readonly #url: string
  readonly #ca: string | undefined

  constructor(url: string, ca?: string) {
    this.#url = url
    this.#ca = ca
  }

  request({ method, path, payload, token = 'root', headers, query }: AnyRequest): Promise<Reply> {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const url = `${this.#url}/v1/${path}${search}`
    const options = {
      method,
      agent: false,
      headers: { ...(token === null ? {} : { 'x-secrets-token': token }), ...headers },
    }
    return new Promise((resolve, reject) => {
      const clientRequest =
        this.#ca === undefined
          ? plainRequest(url, options)
          : tlsRequest(url, { ...options, ca: this.#ca })
      clientRequest.once('error', reject)
      clientRequest.once('response', async (response) => {
        let text = ''
        for await (const chunk of response.setEncoding('utf8')) text += chunk
        const body = text === '' ? undefined : JSON.parse(text)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body })
      })
      clientRequest.end(typeof payload === 'object' ? JSON.stringify(payload) : payload)
    })
  }

  get(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'GET', path, ...options })
  }

  list(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.get(path, { ...options, query: { ...options.query, list: 'true' } })
  }

  post(path: string, payload?: object | string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'POST', path, payload, ...options })
  }

  delete(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'DELETE', path, ...options })
  }
}

/** Network between two clusters, which tests can interrupt. */
interface Network {
  /** URL that leads to the cluster through this network. */
  readonly url: string
  /** Closes all connections and rejects new ones. */
  disconnect(): void
  restore(): void
}

/** Creates a network in front of a cluster, until the end of the test. */
export async function networkInFrontOf({ url }: Pick<ServedCluster, 'url'>): Promise<Network> {
  const { hostname, port, pathname } = new URL(url)
  const open = new Set<Socket>()
  let isConnected = true
  const server = createServer((clientSocket) => {
    if (!isConnected) return void clientSocket.destroy()
    const serverSocket = connect(Number(port), hostname)
    for (const [socket, other] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.once('close', () => open.delete(socket))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const disconnect = () => {
    isConnected = false
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    disconnect()
    server.close()
  })
  const { port: proxyPort } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${proxyPort}${pathname}`.replace(/\/$/, ''),
    disconnect,
    restore: () => {
      isConnected = true
    },
  }
}
