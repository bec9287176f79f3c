import type { Module, ModuleVersion } from './modules.ts'

/**
 * Returns the versions of a module with the status `ok`, highest version first
 * (behaviour/platform#beyond, registry protocol).
 */
export function publishedVersions({ versions }: Module): ModuleVersion[] {
  return versions
    .filter(({ status }) => status === 'ok')
    .sort((one, other) => compareVersions(other.version, one.version))
}

/**
 * Compares semantic versions by precedence (semver.org, section 11). Returns a negative number if
 * `one` is lower, a positive number if `one` is higher, and 0 for equal precedence.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)]
  return (
    compareLists(left.numbers, right.numbers) ||
    // A release has a higher precedence than its pre-releases.
    Number(left.labels.length === 0) - Number(right.labels.length === 0) ||
    compareLists(left.labels, right.labels)
  )
}

function partsOf(version: string) {
  const [text = ''] = version.split('+', 1)
  const hyphen = text.indexOf('-')
  const numbers = hyphen < 0 ? text : text.slice(0, hyphen)
  return {
    numbers: numbers.split('.'),
    labels: hyphen < 0 ? [] : text.slice(hyphen + 1).split('.'),
  }
}

function compareLists(one: readonly string[], other: readonly string[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = compareParts(one[index], other[index])
    if (difference !== 0) return difference
  }
  return 0
}

/** Compares two parts of versions: a missing part is lowest, and numbers are lower than words. */
function compareParts(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined)
  const [left, right] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (left && right) return Number(one) - Number(other)
  if (left !== right) return left ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}
