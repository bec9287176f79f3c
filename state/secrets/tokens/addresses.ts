import { BlockList, isIPv4, isIPv6 } from 'node:net'

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

/**
 * Tells whether an address lies in one of some networks, as `addressIn` keeps them. Paths of sockets
 * hold nobody who has an address.
 *
 * @param address of IPv4 or IPv6; one of IPv4 may be written as one of IPv6
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
