import { FunctionError } from '../language/function.ts'
import type { HclValue } from '../language/values.ts'
import { asInteger, asText, type FunctionTable, listOf, parameter } from './arguments.ts'

/** HCL functions for network addresses (behaviour/scheduler#functions). */
export const networkFunctions: FunctionTable = {
  cidrhost: {
    parameters: [parameter('prefix', 'string'), parameter('hostnum', 'number')],
    run([prefix, hostNumber]) {
      const number = asInteger(hostNumber)
      return hostAddress(requireNetwork(prefix), number)
    },
  },
  cidrnetmask: {
    parameters: [parameter('prefix', 'string')],
    run([prefix]) {
      const { size, prefix: length } = requireNetwork(prefix)
      const hostBits = BigInt(size - length)
      return formatAddress((((1n << BigInt(size)) - 1n) >> hostBits) << hostBits, size)
    },
  },
  cidrsubnet: {
    parameters: [
      parameter('prefix', 'string'),
      parameter('newbits', 'number'),
      parameter('netnum', 'number'),
    ],
    run([prefix, newBits, number]) {
      const bits = asInteger(newBits)
      const wanted = asInteger(number)
      return formatNetwork(subnet(requireNetwork(prefix), bits, wanted))
    },
  },
  cidrsubnets: {
    parameters: [parameter('prefix', 'string')],
    variadic: parameter('newbits', 'number'),
    run: ([prefix, ...newBits], { spend }) => {
      spend(newBits.length * 40)
      return listOf(subnets(requireNetwork(prefix, 0), newBits).map(formatNetwork))
    },
  },
}

function requireNetwork(value: HclValue | undefined, argument?: number): Network {
  const text = asText(value)
  const network = parseNetwork(text)
  if (network !== undefined) return network
  throw new FunctionError(`invalid CIDR expression: invalid CIDR address: ${text}`, argument)
}

/**
 * Returns the address at a position in a network, from 0. Negative positions count from the end.
 * Throws a FunctionError for a position outside the network.
 */
function hostAddress({ address, size, prefix }: Network, number: number): string {
  const highest = (1n << BigInt(size - prefix)) - 1n
  const distance = number < 0 ? -BigInt(number) - 1n : BigInt(number)
  if (distance > highest) {
    throw new FunctionError(
      `prefix of ${prefix} does not accommodate a host numbered ${BigInt(number)}`,
    )
  }
  return formatAddress(address + (number < 0 ? highest - distance : distance), size)
}

/** Maximum number of bits that the product adds to a prefix in one call. */
const maxNewBits = 32

function subnet({ address, size, prefix }: Network, newBits: number, number: number): Network {
  if (newBits > maxNewBits) {
    throw new FunctionError('may not extend prefix by more than 32 bits')
  }
  const length = prefix + newBits
  if (length > size) {
    throw new FunctionError(
      `insufficient address space to extend prefix of ${prefix} by ${newBits}`,
    )
  }
  // The product accepts any number if the requested prefix is shorter than the network's.
  if (length < 0 || (newBits >= 0 && (number < 0 || number >= 2 ** newBits))) {
    throw new FunctionError(
      `prefix extension of ${newBits} does not accommodate a subnet numbered ${BigInt(number)}`,
    )
  }
  const shifted = BigInt(number) << BigInt(size - length)
  return { address: BigInt.asUintN(size, address | shifted), size, prefix: length }
}

/**
 * Returns consecutive networks within a network. Each prefix is longer than the prefix of
 * `parentNetwork` by the corresponding number in `newBits`. Throws a FunctionError for an invalid
 * number, and if the networks do not fit.
 */
function subnets(parentNetwork: Network, newBits: readonly HclValue[]): Network[] {
  const end = parentNetwork.address + (1n << BigInt(parentNetwork.size - parentNetwork.prefix))
  const found: Network[] = []
  let next = parentNetwork.address
  for (const [index, bits] of newBits.entries()) {
    const functionError = (why: string): FunctionError => new FunctionError(why, index + 1)
    const prefix = extendPrefix(parentNetwork, asInteger(bits, functionError), functionError)
    const step = 1n << BigInt(parentNetwork.size - prefix)
    const address = ((next + step - 1n) / step) * step
    if (address + step > end) {
      const before = formatNetwork(found.at(-1) ?? parentNetwork)
      throw functionError(
        `not enough remaining address space for a subnet with a prefix of ${prefix} bits after ${before}`,
      )
    }
    found.push({ address, size: parentNetwork.size, prefix })
    next = address + step
  }
  return found
}

function extendPrefix(
  { size, prefix }: Network,
  bits: number,
  functionError: (why: string) => FunctionError,
): number {
  if (bits < 1) throw functionError('must extend prefix by at least one bit')
  if (bits > maxNewBits) throw functionError('may not extend prefix by more than 32 bits')
  const length = prefix + bits
  if (length <= size) return length
  const protocol = size === 32 ? 'IPv4' : 'IPv6'
  throw functionError(
    `would extend prefix to ${length} bits, which is too long for an ${protocol} address`,
  )
}

/** A network: an address whose bits after the prefix are 0. */
interface Network {
  readonly address: bigint
  /** Number of bits of an address: 32 or 128. */
  readonly size: 32 | 128
  /** Number of leading bits that identify the network. */
  readonly prefix: number
}

/**
 * Parses a network in CIDR notation, as Go's net.ParseCIDR does. IPv4 addresses in IPv6 notation
 * count as IPv6.
 *
 * @returns undefined for other text
 */
function parseNetwork(text: string): Network | undefined {
  const [, host = '', length = ''] = /^([^/]*)\/(\d{1,4})$/.exec(text) ?? []
  const size = host.includes(':') ? 128 : 32
  const address = size === 128 ? parseIpv6(host) : parseIpv4(host)
  const prefix = Number(length)
  if (address === undefined || length === '' || prefix > size) return undefined
  const hostBits = BigInt(size - prefix)
  return { address: (address >> hostBits) << hostBits, size, prefix }
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  const isPart = (part: string): boolean => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256
  if (parts.length !== 4 || !parts.every(isPart)) return undefined
  return parts.reduce((total, part) => (total << 8n) | BigInt(part), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [frontGroups, backGroups] = halves.map(groupsOf)
  if (frontGroups === undefined || (backGroups === undefined && halves.length === 2))
    return undefined
  const missing = 8 - frontGroups.length - (backGroups?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...frontGroups, ...Array<number>(missing).fill(0), ...(backGroups ?? [])]
  return groups.reduce((total, group) => (total << 16n) | BigInt(group), 0n)
}

/**
 * Parses the part of an IPv6 address before or after `::` into groups of 16 bits. Returns undefined
 * for a malformed part. The last two groups of the address may be written as an IPv4 address.
 */
function groupsOf(
  text: string,
  halfIndex: number,
  halves: readonly string[],
): number[] | undefined {
  if (text === '') return halves.length === 2 ? [] : undefined
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const groups: number[] = []
  for (const part of last.includes('.') ? parts.slice(0, -1) : parts) {
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
    groups.push(Number.parseInt(part, 16))
  }
  if (!last.includes('.')) return groups
  const embeddedIpv4 = halfIndex === halves.length - 1 ? parseIpv4(last) : undefined
  if (embeddedIpv4 === undefined) return undefined
  return [...groups, Number(embeddedIpv4 >> 16n), Number(embeddedIpv4 & 0xffffn)]
}

/**
 * Formats an address as Go does. In an IPv6 address, the longest run of two or more zero groups is
 * left out (RFC 5952).
 */
function formatAddress(address: bigint, size: Network['size']): string {
  if (size === 32) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
  const zeroRuns = [...groups.join(':').matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].map(([run]) => run)
  const longest = zeroRuns.reduce((one, other) => (other.length > one.length ? other : one), '')
  const text = groups.join(':')
  if (longest === '') return text
  const start = text.search(new RegExp(`(?<![^:])${longest}(?![^:])`))
  return `${text.slice(0, start).replace(/:$/, '')}::${text.slice(start + longest.length).replace(/^:/, '')}`
}

/** Formats a network in CIDR notation. */
function formatNetwork({ address, size, prefix }: Network): string {
  return `${formatAddress(address, size)}/${prefix}`
}
