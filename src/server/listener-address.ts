import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Returns the address of an app's listener; undefined while it is not open. */
export function addressOf(app: FastifyInstance | undefined): AddressInfo | undefined {
  const address = app?.server.address()
  return typeof address === 'object' && address !== null ? address : undefined
}

/** Returns the host with which a local client reaches a listener. */
export function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
