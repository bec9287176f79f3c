/** Value still to copy, and the member (`name` of `into`) that receives the copy. */
interface PendingCopy<C> {
  readonly into: object
  readonly name: string
  readonly value: unknown
  readonly context: C
}

/** Function that returns the copy of a text, number, boolean or null. */
type CopyScalar<C> = (scalar: unknown, context: C) => unknown

/**
 * Copies a value and replaces each scalar by the result of `copyScalar`. The copying is iterative,
 * because values may be nested as deeply as JSON permits.
 *
 * @param within returns the context for a named member of a value
 */
export function copyDeep<C>(
  root: unknown,
  rootContext: C,
  within: (context: C, name: string) => C,
  copyScalar: CopyScalar<C>,
): unknown {
  const result: { copy?: unknown } = {}
  const pending: PendingCopy<C>[] = [
    { into: result, name: 'copy', value: root, context: rootContext },
  ]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { into, name, value, context } = next
    if (typeof value !== 'object' || value === null) {
      setOwnProperty(into, name, copyScalar(value, context))
      continue
    }
    const copy = Array.isArray(value) ? [] : {}
    setOwnProperty(into, name, copy)
    const members = Object.entries(value)
    // Create all members in their original order now, because their values are set in another
    // order.
    for (const [member] of members) setOwnProperty(copy, member, undefined)
    for (const [member, inner] of members) {
      const innerContext = Array.isArray(value) ? context : within(context, member)
      pending.push({ into: copy, name: member, value: inner, context: innerContext })
    }
  }
  return result.copy
}

/** Sets a member of any name, `__proto__` included. */
function setOwnProperty(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Yields every string and every member name in a value, at any depth. */
export function* textsIn(root: unknown): Generator<string, void, undefined> {
  const pending: unknown[] = [root]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') yield value
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield* Object.keys(value)
    for (const inner of Object.values(value).reverse()) pending.push(inner)
  }
}
