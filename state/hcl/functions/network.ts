import { FunctionFault } from '../language/function.ts'
import type { HclValue } from '../language/values.ts'
import { asText, asWhole, type FunctionTable, listOf, parameter } from './arguments.ts'
import { formatAddress, formatNetwork, type Network, parseNetwork } from './ip.ts'

/** Functions of network addresses (3b-scheduler-decisions.md section 9, Functions). */
export const networkFunctions: FunctionTable = {
  cidrhost: {
    parameters: [parameter('prefix', 'string'), parameter('hostnum', 'number')],
    run([prefix, hostNumber]) {
      const number = asWhole(hostNumber)
      return host(networkOf(prefix), number)
    },
  },
  cidrnetmask: {
    parameters: [parameter('prefix', 'string')],
    run([prefix]) {
      const { size, prefix: length } = networkOf(prefix)
      const behind = BigInt(size - length)
      return formatAddress((((1n << BigInt(size)) - 1n) >> behind) << behind, size)
    },
  },
  cidrsubnet: {
    parameters: [
      parameter('prefix', 'string'),
      parameter('newbits', 'number'),
      parameter('netnum', 'number'),
    ],
    run([prefix, newBits, number]) {
      const bits = asWhole(newBits)
      const wanted = asWhole(number)
      return formatNetwork(subnet(networkOf(prefix), bits, wanted))
    },
  },
  cidrsubnets: {
    parameters: [parameter('prefix', 'string')],
    variadic: parameter('newbits', 'number'),
    run: ([prefix, ...newBits], { spend }) => {
      spend(newBits.length * 40)
      return listOf(subnets(networkOf(prefix, 0), newBits).map(formatNetwork))
    },
  },
}

function networkOf(value: HclValue | undefined, argument?: number): Network {
  const text = asText(value)
  const network = parseNetwork(text)
  if (network !== undefined) return network
  throw new FunctionFault(`invalid CIDR expression: invalid CIDR address: ${text}`, argument)
}

/** An address of a network by its number, from the network's end when that is negative. */
function host({ address, size, prefix }: Network, number: number): string {
  const highest = (1n << BigInt(size - prefix)) - 1n
  const distance = number < 0 ? -BigInt(number) - 1n : BigInt(number)
  if (distance > highest) {
    throw new FunctionFault(
      `prefix of ${prefix} does not accommodate a host numbered ${BigInt(number)}`,
    )
  }
  return formatAddress(address + (number < 0 ? highest - distance : distance), size)
}

/** The reference extends a prefix by no more bits than this at once. */
const mostNewBits = 32

function subnet({ address, size, prefix }: Network, newBits: number, number: number): Network {
  if (newBits > mostNewBits) {
    throw new FunctionFault('may not extend prefix by more than 32 bits')
  }
  const length = prefix + newBits
  if (length > size) {
    throw new FunctionFault(
      `insufficient address space to extend prefix of ${prefix} by ${newBits}`,
    )
  }
  // The reference lets a prefix shrink, whatever the number.
  if (length < 0 || (newBits >= 0 && (number < 0 || number >= 2 ** newBits))) {
    throw new FunctionFault(
      `prefix extension of ${newBits} does not accommodate a subnet numbered ${BigInt(number)}`,
    )
  }
  const shifted = BigInt(number) << BigInt(size - length)
  return { address: BigInt.asUintN(size, address | shifted), size, prefix: length }
}

/** Networks one behind the other within a network, each as far from it as its own number of bits says. */
function subnets(within: Network, newBits: readonly HclValue[]): Network[] {
  const end = within.address + (1n << BigInt(within.size - within.prefix))
  const found: Network[] = []
  let next = within.address
  for (const [index, bits] of newBits.entries()) {
    const fault = (why: string): FunctionFault => new FunctionFault(why, index + 1)
    const prefix = extended(within, asWhole(bits, fault), fault)
    const step = 1n << BigInt(within.size - prefix)
    const address = ((next + step - 1n) / step) * step
    if (address + step > end) {
      const before = formatNetwork(found.at(-1) ?? within)
      throw fault(
        `not enough remaining address space for a subnet with a prefix of ${prefix} bits after ${before}`,
      )
    }
    found.push({ address, size: within.size, prefix })
    next = address + step
  }
  return found
}

function extended(
  { size, prefix }: Network,
  bits: number,
  fault: (why: string) => FunctionFault,
): number {
  if (bits < 1) throw fault('must extend prefix by at least one bit')
  if (bits > mostNewBits) throw fault('may not extend prefix by more than 32 bits')
  const length = prefix + bits
  if (length <= size) return length
  const protocol = size === 32 ? 'IPv4' : 'IPv6'
  throw fault(`would extend prefix to ${length} bits, which is too long for an ${protocol} address`)
}
