import { isIPv4, isIPv6 } from 'node:net'
import { isInNetworks } from '../tokens/addresses.ts'
import { refuse } from './messages.ts'

/**
 * Splits a comma-separated list of networks, such as `10.0.0.0/8`. Throws an `invalid` refusal for
 * an item that is not a network.
 *
 * @param member name of the list in the message
 */
export function networksOf(text: string, member: string): string[] {
  const networks = text.split(',').flatMap((part) => part.trim() || [])
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    const maxBits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
    if (!/^\d+$/.test(bits) || Number(bits) > maxBits) {
      throw refuse('ssh-networks-invalid', { member, network })
    }
  }
  return networks
}

/**
 * Returns whether an address is in a network of the list `included` and in no network of the list
 * `excluded`.
 */
export function isInLists(address: string, included: string, excluded: string): boolean {
  const isInList = (text: string) => isInNetworks(networksOf(text, 'cidr_list'), address)
  return isInList(included) && !isInList(excluded)
}
