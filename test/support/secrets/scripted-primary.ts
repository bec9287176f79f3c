import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type ReplicationMessage,
  snapshotMessages,
} from '../../../state/secrets/replication/feed.ts'

/** Id of the cluster set of a scripted primary. */
const scriptedSet = 'scripted-set'

/** Handler of a scripted primary for a request; `attempt` counts from 1. */
export type ScriptedReply = (
  response: ServerResponse,
  attempt: number,
  request: IncomingMessage,
) => void

/** Handlers that replace the default behaviour of a primary. */
export interface Script {
  readonly unwrap?: ScriptedReply
  readonly activate?: ScriptedReply
  readonly stream?: ScriptedReply
}

/** Server that acts as a primary in another process. */
interface ScriptedPrimary {
  readonly url: string
  /** Activation token of the primary. */
  readonly token: string
  /** Number of requests to each endpoint whose handler a `Script` can replace. */
  readonly requestCounts: Readonly<Record<keyof Script, number>>
}

const parts: Readonly<Record<string, keyof Script>> = {
  '/v1/sys/wrapping/unwrap': 'unwrap',
  '/_replication/dr/activate': 'activate',
  '/_replication/dr/stream': 'stream',
}

/** Returns the reply of a well-behaved primary to an activation token. */
export const membership = (url: string) => ({
  id: 'east',
  credential: 'secret',
  cluster_id: scriptedSet,
  api_address: url,
  cluster_address: 'https://scripted.example:8201',
})

/**
 * Starts a scripted primary until the end of the test. Parts that the script omits behave as in a
 * real primary, except the stream, which replies 503.
 */
export async function scriptedPrimary(script: Script): Promise<ScriptedPrimary> {
  const requestCounts = { unwrap: 0, activate: 0, stream: 0 }
  let url = ''
  const defaultReplies: Required<Script> = {
    unwrap: (response) => response.end(JSON.stringify({ data: membership(url) })),
    activate: (response) => response.writeHead(204).end(),
    stream: (response) => response.writeHead(503).end(),
  }
  const server = createServer((request, response) => {
    const part = parts[new URL(request.url ?? '', 'http://x').pathname]
    if (part === undefined) return void response.writeHead(404).end()
    requestCounts[part] += 1
    const reply = script[part] ?? defaultReplies[part]
    reply(response, requestCounts[part], request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, token: activationTokenFor(url), requestCounts }
}

/** Returns an unsigned activation token of a primary at the given address. */
export function activationTokenFor(addr: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { accessor: '', addr, exp: 1, iat: 1, jti: 's.x', nbf: 1, type: 'wrapping' }
  return `${encode({ alg: 'ES512', kid: '', typ: 'JWT' })}.${encode(claims)}.x`
}

export const line = (message: object): string => `${JSON.stringify(message)}\n`

/** Returns the line with which a primary begins a stream; `more` replaces or adds members. */
export const hello = (more: object = {}): string =>
  line({ kind: 'hello', cluster_id: scriptedSet, feed: 'f', snapshot: true, ...more })

/** Returns the lines of a complete snapshot of a world, from `hello` to `complete`. */
export function snapshotLines(world: World): string[] {
  const messages: ReplicationMessage[] = [
    ...snapshotMessages(world, world.store.snapshot()),
    { kind: 'complete', sequence: world.store.sequence, wal: world.store.index('secrets') },
  ]
  return [hello(), ...messages.map(line)]
}
