import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { reasonOf } from '../config-error.ts'
import type { Config, TlsSetting } from './config.ts'

/** The part of the configuration that says where the server is and how it is spoken to. */
export type HealthTarget = Pick<Config, 'host' | 'port' | 'tls' | 'controlToken'>

/** The result of a check: the exit code, and for a failure one line that says why. */
export type HealthResult = { readonly code: 0 } | { readonly code: 1; readonly line: string }

/**
 * Asks the combined listener of a running server for `GET /_mock/health`. Healthy is a 200.
 *
 * @param timeoutMs milliseconds until an answer counts as missing
 */
export async function healthcheck(target: HealthTarget, timeoutMs = 2000): Promise<HealthResult> {
  const url = `${originOf(target)}/_mock/health`
  if (target.port === 0) {
    return unhealthy(`${url}: port 0 names no running server; give its port with --port`)
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

/** Scheme, host and port of the server that the flags name. */
export function originOf({ host, port, tls }: HealthTarget): string {
  const reachable = reachableHost(host)
  return `${tls === undefined ? 'http' : 'https'}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}

function unhealthy(reason: string): HealthResult {
  return { code: 1, line: `unhealthy: ${reason}` }
}

/** A server that listens on every address is asked on the loopback one. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

/** Asks a server by GET. With TLS it must have the certificate that the flags name, if they name one. */
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
      : // Whether it is the right server is checked below: its certificate may rightly lack the
        // loopback address that is asked here.
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
 * Only the certificate that the server was told to serve will do. Without --tls-dir and --tls-cert
 * the server's own is in a directory that nobody else knows; then any is taken, since the question
 * whether something answers on our own address is all that is asked.
 */
function verifyPeer(socket: TLSSocket, { dir, certFile }: TlsSetting): void {
  const file = certFile ?? (dir === undefined ? undefined : join(dir, 'cert.pem'))
  if (file === undefined) return
  const certificate = socket.getPeerX509Certificate()
  if (certificate?.raw.equals(new X509Certificate(readFileSync(file)).raw)) return
  throw new Error(`it serves another certificate than ${file}`)
}
