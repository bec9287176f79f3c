import type { Ids } from '../../../state/kernel/worlds/ids.ts'

/** Makes a value by chance; equal seeds give equal values. */
export type ValueGenerator<T> = (random: Ids) => T

/** Always the same value. */
export function constant<T>(value: T): ValueGenerator<T> {
  return () => value
}

/** One of these values, each as likely as another; those given twice are twice as likely. */
export function oneOf<const T>(...values: readonly T[]): ValueGenerator<T> {
  return (random) => {
    const value = values[random.integerBelow(values.length)]
    // Undefined can be one of them.
    return value as T
  }
}

/** What one of these makes, each as likely as its weight says. */
export function weighted<T>(
  ...choices: readonly (readonly [weight: number, draw: ValueGenerator<T>])[]
): ValueGenerator<T> {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0)
  return (random) => {
    let remaining = random.integerBelow(total)
    for (const [weight, generate] of choices) {
      if (remaining < weight) return generate(random)
      remaining -= weight
    }
    throw new RangeError('nothing to choose from')
  }
}

/** Lists of so many items. */
export function listOf<T>(
  generate: ValueGenerator<T>,
  min: number,
  max: number,
): ValueGenerator<T[]> {
  return (random) =>
    Array.from({ length: min + random.integerBelow(max - min + 1) }, () => generate(random))
}

/** So many of these values, in their order. */
export function someOf<T>(values: readonly T[], min: number, max: number): ValueGenerator<T[]> {
  return (random) => {
    const top = Math.min(max, values.length)
    let needed = Math.min(min, top) + random.integerBelow(top - Math.min(min, top) + 1)
    return values.filter((_, at) => {
      // As likely as the others that are left.
      const isPicked = random.integerBelow(values.length - at) < needed
      if (isPicked) needed -= 1
      return isPicked
    })
  }
}

/** Objects with some of these members. */
export function objectOf(
  members: readonly (readonly [name: string, draw: ValueGenerator<unknown>])[],
  min: number,
  max: number,
): ValueGenerator<Record<string, unknown>> {
  const some = someOf(members, min, max)
  return (random) =>
    Object.fromEntries(some(random).map(([name, generate]) => [name, generate(random)] as const))
}
