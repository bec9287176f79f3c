import type { Ids } from '../../state/kernel/ids.ts'

/** Makes a value by chance; equal seeds give equal values. */
export type Draw<T> = (chance: Ids) => T

/** Always the same value. */
export function always<T>(value: T): Draw<T> {
  return () => value
}

/** One of these values, each as likely as another; those given twice are twice as likely. */
export function oneOf<const T>(...values: readonly T[]): Draw<T> {
  return (chance) => {
    const value = values[chance.integerBelow(values.length)]
    // Undefined can be one of them.
    return value as T
  }
}

/** What one of these makes, each as likely as its weight says. */
export function weighted<T>(
  ...each: readonly (readonly [weight: number, draw: Draw<T>])[]
): Draw<T> {
  const whole = each.reduce((sum, [weight]) => sum + weight, 0)
  return (chance) => {
    let left = chance.integerBelow(whole)
    for (const [weight, draw] of each) {
      if (left < weight) return draw(chance)
      left -= weight
    }
    throw new RangeError('nothing to choose from')
  }
}

/** Lists of so many items. */
export function listOf<T>(draw: Draw<T>, least: number, most: number): Draw<T[]> {
  return (chance) =>
    Array.from({ length: least + chance.integerBelow(most - least + 1) }, () => draw(chance))
}

/** So many of these values, in their order. */
export function someOf<T>(values: readonly T[], least: number, most: number): Draw<T[]> {
  return (chance) => {
    const top = Math.min(most, values.length)
    let wanted = Math.min(least, top) + chance.integerBelow(top - Math.min(least, top) + 1)
    return values.filter((_, at) => {
      // As likely as the others that are left.
      const isTaken = chance.integerBelow(values.length - at) < wanted
      if (isTaken) wanted -= 1
      return isTaken
    })
  }
}

/** Objects with some of these members. */
export function objectOf(
  members: readonly (readonly [name: string, draw: Draw<unknown>])[],
  least: number,
  most: number,
): Draw<Record<string, unknown>> {
  const some = someOf(members, least, most)
  return (chance) =>
    Object.fromEntries(some(chance).map(([name, draw]) => [name, draw(chance)] as const))
}
