import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * Converts an address or network to the form that token roles store: a network of one address
 * becomes the address.
 * @returns undefined for a text that is not an IP address (IPv4 also with a port), a network or a
 *   Unix socket path. As in the reference, any text with a slash that is not a network counts as a
 *   socket path.
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

/**
 * Returns whether an address lies in one of the networks. Socket paths match no address.
 * @param networks in the form that `addressIn` returns
 * @param address IPv4 or IPv6; an IPv4 address may be mapped to IPv6
 */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (!isIPv4(plain) && !isIPv6(plain)) return false
  const list = new BlockList()
  for (const network of networks) {
    const [host = '', bits] = network.split('/')
    const hostAddress = isIPv6(host) ? host : host.replace(/:\d+$/, '')
    if (!isIPv4(hostAddress) && !isIPv6(hostAddress)) continue
    const family = isIPv4(hostAddress) ? 'ipv4' : 'ipv6'
    const fullBits = family === 'ipv4' ? 32 : 128
    const prefix = bits === undefined ? fullBits : Number(bits)
    if (Number.isInteger(prefix) && prefix >= 0 && prefix <= fullBits) {
      list.addSubnet(hostAddress, prefix, family)
    }
  }
  return list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}
