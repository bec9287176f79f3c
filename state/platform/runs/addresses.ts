/** Parts of the address of a resource instance. */
interface InstanceAddress {
  /** Path of the module, such as `module.net["eu"].module.dns`; empty in the root module. */
  readonly module: string
  readonly mode: 'managed' | 'data'
  readonly type: string
  readonly name: string
  /** Key of an instance of `count` or `for_each`; otherwise undefined. */
  readonly key: string | number | undefined
  /** Address without the module path. */
  readonly localAddress: string
}

/**
 * Splits an address into its parts. An address without a dot becomes the type, with an empty name.
 */
export function parseAddress(address: string): InstanceAddress {
  const parts = segments(address)
  let at = 0
  while (parts[at] === 'module' && at + 2 < parts.length) at += 2
  const module = parts.slice(0, at).join('.')
  const localAddress = parts.slice(at).join('.')
  const mode = parts[at] === 'data' ? 'data' : 'managed'
  const [type = address, last = ''] = parts.slice(mode === 'data' ? at + 1 : at)
  const { name, key } = splitKey(last)
  return { module, mode, type, name, key, localAddress }
}

/** Returns the path of the parent module; empty if the parent is the root module. */
export function parentModule(path: string): string {
  return segments(path).slice(0, -2).join('.')
}

/** Splits an address at the dots that are not inside keys. */
function segments(address: string): string[] {
  const parts: string[] = []
  let start = 0
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < address.length; at++) {
    const character = address[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '[') depth++
    else if (character === ']') depth--
    else if (character === '.' && depth === 0) {
      parts.push(address.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, address.slice(start)]
}

function splitKey(text: string): Pick<InstanceAddress, 'name' | 'key'> {
  const start = text.endsWith(']') ? text.indexOf('[') : -1
  if (start < 0) return { name: text, key: undefined }
  return { name: text.slice(0, start), key: parseKey(text.slice(start + 1, -1)) }
}

function parseKey(text: string): string | number {
  try {
    const key: unknown = JSON.parse(text)
    return typeof key === 'number' ? key : String(key)
  } catch {
    return text
  }
}

/**
 * Parts from which an address is formatted. `mode` comes from a state file and may have any type.
 */
type AddressParts = Omit<InstanceAddress, 'localAddress' | 'mode'> & { readonly mode: unknown }

export function formatAddress({ module, mode, type, name, key }: AddressParts): string {
  const path = [module, mode === 'data' ? 'data' : '', type, name].filter((part) => part !== '')
  return `${path.join('.')}${key === undefined ? '' : `[${JSON.stringify(key)}]`}`
}

/**
 * Returns whether an address is the target, an instance of the target, or inside the target module.
 */
export function isWithinTarget(address: string, target: string): boolean {
  return address === target || address.startsWith(`${target}[`) || address.startsWith(`${target}.`)
}
