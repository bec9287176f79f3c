import { isIPv4, isIPv6 } from 'node:net'

/**
 * An address or network as token roles keep it: a network of one address is that address.
 *
 * @returns undefined for what is neither an IP address, a network nor a path of a Unix socket. Like
 *   the reference, whatever has a slash passes for such a path.
 */
export function addressIn(text: string): string | undefined {
  const slash = text.indexOf('/')
  const host = slash < 0 ? text : text.slice(0, slash)
  const bits = slash < 0 ? undefined : text.slice(slash + 1)
  if (isIPv4(host)) return bits === '32' ? host : text
  if (isIPv6(host)) return bits === '128' ? host : text
  const colon = text.lastIndexOf(':')
  if (colon > 0 && isIPv4(text.slice(0, colon)) && /^\d+$/.test(text.slice(colon + 1))) return text
  return text.length > 1 && (text.startsWith('.') || slash >= 0) ? text : undefined
}
