import { isIPv4 } from 'node:net'

/**
 * Returns whether a host is `localhost` or a loopback address. Other names are not resolved.
 *
 * @param host a name or an address; IPv6 addresses may be in brackets
 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '[::1]' || host === '::1') return true
  return isIPv4(host) && host.startsWith('127.')
}
