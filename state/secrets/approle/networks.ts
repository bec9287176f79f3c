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
  return networkIn(text) !== undefined
}

/**
 * Returns whether each inner network lies in one of the outer networks. An address without a prefix
 * length counts as a network of one address.
 */
export function areInNetworks(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((each) => {
    const network = addressOrNetwork(each)
    return outer.some((other) => contains(addressOrNetwork(other), network))
  })
}

function contains(outer: Network | undefined, inner: Network | undefined): boolean {
  if (outer === undefined || inner === undefined || outer.family !== inner.family) return false
  if (outer.bits > inner.bits) return false
  const list = new BlockList()
  list.addSubnet(outer.host, outer.bits, outer.family)
  return list.check(inner.host, inner.family)
}

function addressOrNetwork(text: string): Network | undefined {
  return networkIn(text.includes('/') ? text : `${text}/${isIPv4(text) ? 32 : 128}`)
}

function networkIn(text: string): Network | undefined {
  const [, host = '', digits = ''] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? []
  const family = isIPv4(host) ? 'ipv4' : 'ipv6'
  const bits = Number(digits)
  if (family === 'ipv6' && !isIPv6(host)) return undefined
  return bits <= (family === 'ipv4' ? 32 : 128) ? { host, bits, family } : undefined
}
