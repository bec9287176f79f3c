import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  checkCalls,
  mayCall,
  type WaitingCall,
  waitingCalls,
} from '../../../state/mesh/agent/check-calls.ts'
import { outputLimit } from '../../../state/mesh/agent/check-input.ts'
import { storeCallResult } from '../../../state/mesh/agent/registry.ts'
import type { AgentCheck, CheckCall } from '../../../state/mesh/agent/tables.ts'
import { BackgroundExchanges } from '../../http/background-exchanges.ts'
import { ExchangeTimeout, sendAndRead } from '../../http/http-exchange.ts'
import { openConnection } from '../../http/tcp-exchange.ts'
import type { MeshDialect } from '../dialect.ts'

type CallResult = Pick<AgentCheck, 'status' | 'output'>

/**
 * Creates the background worker that makes the HTTP and TCP calls of health checks in all worlds
 * (behaviour/mesh#agent-checks, option `callChecks`).
 */
export function createCheckRunner(dialect: MeshDialect): BackgroundExchanges<WaitingCall> {
  return new BackgroundExchanges<WaitingCall>({
    watch: (world, wake) => void world.store.watchers.watchPrefix(checkCalls.id, '', wake),
    waiting: waitingCalls,
    keyOf: ({ key, number }) => `${key} ${number}`,
    async perform(world, waiting, signal) {
      const { call, check } = waiting
      const result =
        call.kind === 'tcp'
          ? await callTcp(call, signal)
          : await callHttp(world, dialect, call, check.output_limit ?? outputLimit, signal)
      return () => storeCallResult(world, waiting, result)
    },
  })
}

const criticalResult = (output: string): CallResult => ({ status: 'critical', output })

async function callTcp(call: CheckCall, signal: AbortSignal): Promise<CallResult> {
  const { target, uses_tls, server_name, skips_verification, timeout } = call
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(target) ?? []
  if (port === '') return criticalResult(`dial tcp: address ${target}: missing port in address`)
  const tls = uses_tls
    ? { serverName: server_name, skipsVerification: skips_verification }
    : undefined
  try {
    await openConnection({ host, port: Number(port), tls, timeout, signal })
    return { status: 'passing', output: `TCP${uses_tls ? '+TLS' : ''} connect ${target}: Success` }
  } catch (error) {
    if (error instanceof ExchangeTimeout) return criticalResult(`dial tcp ${target}: i/o timeout`)
    return criticalResult(goReason(error))
  }
}

/** Number of redirects at which a call fails, as in the reference. */
const redirectLimit = 10

async function callHttp(
  world: World,
  dialect: MeshDialect,
  call: CheckCall,
  limit: number,
  signal: AbortSignal,
): Promise<CallResult> {
  const { target, follows_redirects, timeout, server_name, skips_verification } = call
  const headers = headersOf(dialect, call)
  let [url, method, body] = [target, call.method, call.body]
  const failed = (reason: string) =>
    criticalResult(`${method.slice(0, 1)}${method.slice(1).toLowerCase()} "${url}": ${reason}`)
  try {
    for (let redirects = 0; ; redirects++) {
      const reply = await sendAndRead({
        ...{ method, url, headers, body, timeout, signal, ca: [] },
        ...{ skipsVerification: skips_verification, serverName: server_name },
      })
      const { status, statusLine, text } = reply
      const { location } = reply.headers
      const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined
      if (!isRedirect || !follows_redirects) {
        const shown = Buffer.from(text).subarray(-limit).toString('utf8')
        return {
          status: checkStatusOf(status),
          output: `HTTP ${call.method} ${target}: ${statusLine} Output: ${shown}`,
        }
      }
      url = new URL(location, url).href
      if (redirects === redirectLimit - 1) return failed(`stopped after ${redirectLimit} redirects`)
      if (!mayCall(world, { kind: 'http', target: url })) return failed('not on this machine')
      if (status < 304) {
        method = method === 'HEAD' ? method : 'GET'
        body = ''
      }
    }
  } catch (error) {
    return failed(goReason(error))
  }
}

function checkStatusOf(status: number): string {
  if (status === 429) return 'warning'
  return status >= 200 && status < 300 ? 'passing' : 'critical'
}

function headersOf(dialect: MeshDialect, { headers }: CheckCall): Record<string, string> {
  const headerPairs = Object.entries(headers).map(
    ([name, values]) => [name, values.join(', ')] as const,
  )
  const names = new Set(headerPairs.map(([name]) => name.toLowerCase()))
  return {
    ...(!names.has('user-agent') && {
      'User-Agent': `${dialect.name === 'vendor' ? 'Consul' : 'Mesh'} Health Check`,
    }),
    ...(!names.has('accept') && { Accept: 'text/plain, text/*, */*' }),
    ...Object.fromEntries(headerPairs),
  }
}

/** Go's messages for system errors, by Node's error code. */
const systemErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
}

/** Members that Node adds to errors about connections. */
interface ConnectionError extends Error {
  readonly code?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  /** Errors of the attempts at each address, if the host has several addresses. */
  readonly errors?: readonly ConnectionError[]
}

/** Formats the reason of a failed call as Go does. */
function goReason(error: unknown): string {
  const cause = (error instanceof Error && error.cause) || error
  if (!(cause instanceof Error)) return String(cause)
  if (cause instanceof ExchangeTimeout) {
    return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
  }
  const { errors } = cause as ConnectionError
  const { code = '', address = '', port, hostname, message }: ConnectionError = errors?.[0] ?? cause
  const text = systemErrors[code]
  const shown = address.includes(':') ? `[${address}]` : address
  if (text !== undefined) return `dial tcp ${shown}:${port}: connect: ${text}`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  return message
}
