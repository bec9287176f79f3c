import type { Ids } from '../../../state/kernel/worlds/ids.ts'

/** Function that generates a random value; equal seeds give equal values. */
export type ValueGenerator<T> = (random: Ids) => T

/** Returns a generator of a fixed value. */
export function constant<T>(value: T): ValueGenerator<T> {
  return () => value
}

/** Returns a generator that picks one of the values. A value given twice is twice as likely. */
export function oneOf<const T>(...values: readonly T[]): ValueGenerator<T> {
  return (random) => {
    const value = values[random.integerBelow(values.length)]
    // The cast replaces a check for undefined, because undefined may be one of the values.
    return value as T
  }
}

/** Returns a generator that draws its value from one of several generators, picked by weight. */
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

/** Returns a generator of lists with `min` to `max` items. */
export function listOf<T>(
  generate: ValueGenerator<T>,
  min: number,
  max: number,
): ValueGenerator<T[]> {
  return (random) =>
    Array.from({ length: min + random.integerBelow(max - min + 1) }, () => generate(random))
}

/** Returns a generator of subsets of `min` to `max` values, in the order of the values. */
export function someOf<T>(values: readonly T[], min: number, max: number): ValueGenerator<T[]> {
  return (random) => {
    const top = Math.min(max, values.length)
    let needed = Math.min(min, top) + random.integerBelow(top - Math.min(min, top) + 1)
    return values.filter((_, at) => {
      // Each remaining value has an equal chance.
      const isPicked = random.integerBelow(values.length - at) < needed
      if (isPicked) needed -= 1
      return isPicked
    })
  }
}

/** Returns a generator of objects with `min` to `max` randomly picked members. */
export function objectOf(
  members: readonly (readonly [name: string, draw: ValueGenerator<unknown>])[],
  min: number,
  max: number,
): ValueGenerator<Record<string, unknown>> {
  const someMembers = someOf(members, min, max)
  return (random) =>
    Object.fromEntries(
      someMembers(random).map(([name, generate]) => [name, generate(random)] as const),
    )
}
