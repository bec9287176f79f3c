import { isIPv4, isIPv6 } from 'node:net'
import { isInNetworks } from '../tokens/addresses.ts'
import { refuse } from './messages.ts'

/** Returns the networks of a comma-separated list. Refuses a text that is not a network. */
export function networksOf(text: string, member: string): string[] {
  const networks = text.split(',').flatMap((part) => part.trim() || [])
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/')
    const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
    if (!/^\d+$/.test(bits) || Number(bits) > most) {
      throw refuse('ssh-networks-invalid', { member, network })
    }
  }
  return networks
}

/** Returns whether an address is in one list of networks and not in another. */
export function isInLists(address: string, included: string, excluded: string): boolean {
  const isIn = (text: string) => isInNetworks(networksOf(text, 'cidr_list'), address)
  return isIn(included) && !isIn(excluded)
}
