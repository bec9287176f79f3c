/** A network: an address with all bits behind the prefix cleared. */
export interface Network {
  readonly address: bigint
  /** How many bits an address has: 32 or 128. */
  readonly size: 32 | 128
  /** How many of them are the network's. */
  readonly prefix: number
}

/**
 * Reads a network in CIDR notation, as Go's net.ParseCIDR. IPv4 addresses in IPv6 form are IPv6 here.
 *
 * @returns undefined for other text
 */
export function parseNetwork(text: string): Network | undefined {
  const [, host = '', length = ''] = /^([^/]*)\/(\d{1,4})$/.exec(text) ?? []
  const size = host.includes(':') ? 128 : 32
  const address = size === 128 ? parseIpv6(host) : parseIpv4(host)
  const prefix = Number(length)
  if (address === undefined || length === '' || prefix > size) return undefined
  const behind = BigInt(size - prefix)
  return { address: (address >> behind) << behind, size, prefix }
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
  const [front, back] = halves.map(groupsOf)
  if (front === undefined || (back === undefined && halves.length === 2)) return undefined
  const missing = 8 - front.length - (back?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...front, ...Array<number>(missing).fill(0), ...(back ?? [])]
  return groups.reduce((total, group) => (total << 16n) | BigInt(group), 0n)
}

/** Groups of 16 bits; the last two may be written as an IPv4 address. */
function groupsOf(text: string, half: number, halves: readonly string[]): number[] | undefined {
  if (text === '') return halves.length === 2 ? [] : undefined
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const groups: number[] = []
  for (const part of last.includes('.') ? parts.slice(0, -1) : parts) {
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
    groups.push(Number.parseInt(part, 16))
  }
  if (!last.includes('.')) return groups
  const embedded = half === halves.length - 1 ? parseIpv4(last) : undefined
  if (embedded === undefined) return undefined
  return [...groups, Number(embedded >> 16n), Number(embedded & 0xffffn)]
}

/** An address as Go writes it; the longest run of zero groups of IPv6 is left out (RFC 5952). */
export function formatAddress(address: bigint, size: Network['size']): string {
  if (size === 32) return [24n, 16n, 8n, 0n].map((by) => (address >> by) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
  const runs = [...groups.join(':').matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].map(([run]) => run)
  const longest = runs.reduce((one, other) => (other.length > one.length ? other : one), '')
  const text = groups.join(':')
  if (longest === '') return text
  const start = text.search(new RegExp(`(?<![^:])${longest}(?![^:])`))
  return `${text.slice(0, start).replace(/:$/, '')}::${text.slice(start + longest.length).replace(/^:/, '')}`
}

/** A network in CIDR notation. */
export function formatNetwork({ address, size, prefix }: Network): string {
  return `${formatAddress(address, size)}/${prefix}`
}
