import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** A parsed network, where `bits` is the prefix length. */
interface Network {
  readonly host: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/**
 * Returns whether a string is a network in CIDR notation; false for an address without a prefix
 * length.
 */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined
}

/**
 * Returns whether each inner network lies in one of the outer networks. An address without a prefix
 * length is read as a network of one address.
 */
export function areInNetworks(
  innerNetworks: readonly string[],
  outerNetworks: readonly string[],
): boolean {
  return innerNetworks.every((each) => {
    const network = parseAddressOrNetwork(each)
    return outerNetworks.some((other) => contains(parseAddressOrNetwork(other), network))
  })
}

function contains(outerNetwork: Network | undefined, innerNetwork: Network | undefined): boolean {
  if (
    outerNetwork === undefined ||
    innerNetwork === undefined ||
    outerNetwork.family !== innerNetwork.family
  )
    return false
  if (outerNetwork.bits > innerNetwork.bits) return false
  const list = new BlockList()
  list.addSubnet(outerNetwork.host, outerNetwork.bits, outerNetwork.family)
  return list.check(innerNetwork.host, innerNetwork.family)
}

function parseAddressOrNetwork(text: string): Network | undefined {
  return parseNetwork(text.includes('/') ? text : `${text}/${isIPv4(text) ? 32 : 128}`)
}

function parseNetwork(text: string): Network | undefined {
  const [, host = '', digits = ''] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? []
  const family = isIPv4(host) ? 'ipv4' : 'ipv6'
  const bits = Number(digits)
  if (family === 'ipv6' && !isIPv6(host)) return undefined
  return bits <= (family === 'ipv4' ? 32 : 128) ? { host, bits, family } : undefined
}
