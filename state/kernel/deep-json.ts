/**
 * A list or object that is being printed. `next` is the index of the next member to print. For a
 * list, `names` is undefined.
 */
interface OpenContainer {
  readonly names: readonly string[] | undefined
  readonly values: readonly unknown[]
  next: number
}

/**
 * Returns the JSON of a value. Differs from `JSON.stringify` in two ways: bigints become numbers,
 * and any nesting that the parsers accept can be printed. (`JSON.stringify` throws for bigints, and
 * deep nesting exhausts its stack.)
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!isTooDeepError(error) && !isBigintError(error)) throw error
    return stringifyWithoutStack(value)
  }
}

function isTooDeepError(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack')
}

function isBigintError(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('BigInt')
}

function stringifyWithoutStack(root: unknown): string {
  const openContainers: OpenContainer[] = []
  const parts: string[] = []
  let value = jsonValueOf(root)
  for (;;) {
    if (Array.isArray(value)) {
      parts.push('[')
      openContainers.push({ names: undefined, values: value, next: 0 })
    } else if (typeof value === 'object' && value !== null) {
      parts.push('{')
      const members = Object.entries(value).filter(([, member]) => isPrinted(member))
      const names = members.map(([name]) => `${JSON.stringify(name)}:`)
      openContainers.push({ names, values: members.map(([, member]) => member), next: 0 })
    } else if (typeof value === 'bigint') parts.push(String(value))
    else parts.push(JSON.stringify(value) ?? 'null')

    let container = openContainers.at(-1)
    while (container !== undefined && container.next === container.values.length) {
      parts.push(container.names === undefined ? ']' : '}')
      openContainers.pop()
      container = openContainers.at(-1)
    }
    if (container === undefined) return parts.join('')
    if (container.next > 0) parts.push(',')
    parts.push(container.names?.[container.next] ?? '')
    value = jsonValueOf(container.values[container.next])
    container.next += 1
  }
}

/**
 * Returns whether an object member is printed. `JSON.stringify` leaves out undefined, functions and
 * symbols.
 */
function isPrinted(member: unknown): boolean {
  return member !== undefined && typeof member !== 'function' && typeof member !== 'symbol'
}

/** Returns the result of a value's `toJSON` method, or the value itself if it has none. */
function jsonValueOf(value: unknown): unknown {
  const isConvertible = typeof value === 'object' && value !== null && 'toJSON' in value
  return isConvertible && typeof value.toJSON === 'function' ? value.toJSON() : value
}
