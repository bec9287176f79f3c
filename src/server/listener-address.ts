import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The address that an app listens on; undefined while it does not. */
export function addressOf(app: FastifyInstance | undefined): AddressInfo | undefined {
  const address = app?.server.address()
  return typeof address === 'object' && address !== null ? address : undefined
}

/** The host that a client on this machine uses for a listener's address. */
export function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
