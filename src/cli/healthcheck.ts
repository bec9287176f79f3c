import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { reasonOf } from '../config-error.ts'
import type { Config } from './config.ts'
import type { TlsSetting } from './flags/flag-types.ts'

/** Part of the configuration that is needed to reach the server. */
export type HealthTarget = Pick<Config, 'host' | 'port' | 'tls' | 'controlToken'>

/** Result of a health check: the exit code, and the reason for a failure in one line. */
export type HealthResult = { readonly code: 0 } | { readonly code: 1; readonly line: string }

/**
 * Sends `GET /_mock/health` to the combined listener of a running server. Status 200 means healthy.
 *
 * @param timeoutMs milliseconds after which the request fails
 */
export async function healthcheck(target: HealthTarget, timeoutMs = 2000): Promise<HealthResult> {
  const url = `${originOf(target)}/_mock/health`
  if (target.port === 0) {
    return unhealthy(`${url}: port 0 does not identify a running server; set its port with --port`)
  }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { status } = await httpGet(new URL(url), target, signal)
    return status === 200 ? { code: 0 } : unhealthy(`${url} answered ${status}`)
  } catch (error) {
    return unhealthy(
      signal.aborted
        ? `${url} did not answer within ${timeoutMs} ms`
        : `${url} did not answer: ${reasonOf(error)}`,
    )
  }
}

/** Returns scheme, host and port of the server that the flags name. */
export function originOf({ host, port, tls }: HealthTarget): string {
  const reachableAddress = reachableHost(host)
  return `${tls === undefined ? 'http' : 'https'}://${isIPv6(reachableAddress) ? `[${reachableAddress}]` : reachableAddress}:${port}`
}

function unhealthy(reason: string): HealthResult {
  return { code: 1, line: `unhealthy: ${reason}` }
}

/**
 * Returns the loopback address for a server that listens on every address, and any other host
 * unchanged.
 */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

/**
 * Sends a GET request, with the control token if there is one. If the flags name a certificate, a
 * TLS server must present this certificate. Throws if the server presents another certificate or
 * does not answer.
 */
export async function httpGet(
  url: URL,
  { tls, controlToken }: Pick<HealthTarget, 'tls' | 'controlToken'>,
  signal: AbortSignal,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port || (isSecure ? 443 : 80))
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = await openSocket(host, port, isSecure ? (tls ?? {}) : undefined, signal)
  try {
    const clientRequest = request(url, {
      protocol: 'http:',
      createConnection: () => socket,
      headers: controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` },
      signal,
    })
    clientRequest.end()
    const [response]: IncomingMessage[] = await once(clientRequest, 'response')
    let text = ''
    for await (const chunk of response ?? []) text += String(chunk)
    return { status: response?.statusCode, text }
  } finally {
    socket.destroy()
  }
}

async function openSocket(
  host: string,
  port: number,
  tls: TlsSetting | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const socket =
    tls === undefined
      ? connectTcp({ host, port })
      : // The peer is verified below, because its certificate need not contain the loopback address that this connection uses.
        connectTls({ host, port, rejectUnauthorized: false })
  try {
    await once(socket, tls === undefined ? 'connect' : 'secureConnect', { signal })
    if (tls !== undefined && 'getPeerX509Certificate' in socket) verifyPeer(socket, tls)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Throws if the server does not present the certificate in the configured files. Without --tls-dir
 * and --tls-cert the certificate is in an unknown temporary directory. Any certificate is accepted
 * then, because the check only asks if a server answers on the local address.
 */
function verifyPeer(socket: TLSSocket, { dir, certFile }: TlsSetting): void {
  const file = certFile ?? (dir === undefined ? undefined : join(dir, 'cert.pem'))
  if (file === undefined) return
  const certificate = socket.getPeerX509Certificate()
  if (certificate?.raw.equals(new X509Certificate(readFileSync(file)).raw)) return
  throw new Error(`the server uses a different certificate than ${file}`)
}
