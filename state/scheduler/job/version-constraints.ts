/** Operators of version constraints: `version` is lenient, `semver` is strict. */
export type VersionKind = 'version' | 'semver'

/** Conditions on a version, such as `>= 1.2, < 2.0`. */
interface VersionConstraint {
  /** Returns true if a version meets all conditions, and false for an invalid version. */
  check(version: string): boolean
}

/** A parsed version, padded to three segments and without build metadata. */
interface Version {
  readonly segments: readonly bigint[]
  /** Number of segments in the version's text, before padding. */
  readonly segmentCount: number
  readonly prerelease: string
}

/**
 * Version patterns of the reference's library. In the lenient form, the hyphen before a prerelease
 * is optional: `1.2beta`.
 */
const versionPatterns: Readonly<Record<VersionKind, RegExp>> = {
  version: versionPattern('-?'),
  semver: versionPattern('-'),
}

function versionPattern(hyphen: '-' | '-?'): RegExp {
  const identifierCharacter = '[0-9A-Za-z\\-~]'
  const numericPrerelease = `-(?<numbered>[0-9]${identifierCharacter}*(?:\\.${identifierCharacter}+)*)`
  const namedPrerelease = `${hyphen}(?<named>[A-Za-z\\-~]${identifierCharacter}*(?:\\.${identifierCharacter}+)*)`
  const metadataPattern = `(?:\\+${identifierCharacter}+(?:\\.${identifierCharacter}+)*)?`
  return new RegExp(
    `^v?(?<numbers>[0-9]+(?:\\.[0-9]+)*)(?:${numericPrerelease}|${namedPrerelease})?${metadataPattern}$`,
  )
}

/** Maximum length of a version in characters, far above the length of real versions. */
const maxVersionLength = 256

const maxSegment = 2n ** 63n - 1n

const whitespace = /[\t\n\f\r ]+/
const conditionPattern = /^(>=|<=|!=|~>|=|>|<|)(.*)$/s

type VersionTest = (version: Version, limit: Version) => boolean

const strictOperators: ReadonlyMap<string, VersionTest> = new Map<string, VersionTest>([
  ['', (version, limit) => compare(version, limit) === 0],
  ['=', (version, limit) => compare(version, limit) === 0],
  ['!=', (version, limit) => compare(version, limit) !== 0],
  ['>', (version, limit) => compare(version, limit) > 0],
  ['<', (version, limit) => compare(version, limit) < 0],
  ['>=', (version, limit) => compare(version, limit) >= 0],
  ['<=', (version, limit) => compare(version, limit) <= 0],
])

/**
 * Operators of the lenient kind. With `<`, `<=`, `>` and `>=`, a prerelease matches only if the
 * limit is a prerelease with equal segments.
 */
const lenientOperators: ReadonlyMap<string, VersionTest> = new Map<string, VersionTest>([
  ...Array.from(strictOperators, ([operator, test]): [string, VersionTest] => [
    operator,
    /[<>]/.test(operator)
      ? (version, limit) => isComparable(version, limit) && test(version, limit)
      : test,
  ]),
  ['~>', isPessimisticMatch],
])

/**
 * Parses the right side of a `version` or `semver` constraint.
 *
 * @throws RangeError with the reference's message: `Malformed constraint: x`
 */
export function parseVersionConstraint(text: string, kind: VersionKind): VersionConstraint {
  const operators = kind === 'version' ? lenientOperators : strictOperators
  const conditions = text.split(',').map((part) => {
    const words = part.split(whitespace).filter((word) => word !== '')
    const [, operator = '', attached = ''] = conditionPattern.exec(words[0] ?? '') ?? []
    const [limit, ...rest] = attached === '' ? words.slice(1) : [attached, ...words.slice(1)]
    const test = operators.get(operator)
    const parsed = parseVersion(limit ?? '', kind)
    if (test === undefined || parsed === undefined || rest.length > 0) {
      throw new RangeError(`Malformed constraint: ${part}`)
    }
    return (version: Version) => test(version, parsed)
  })
  return {
    check(version) {
      const parsed = parseVersion(version, kind)
      return parsed !== undefined && conditions.every((matches) => matches(parsed))
    },
  }
}

function parseVersion(text: string, kind: VersionKind): Version | undefined {
  const match = text.length > maxVersionLength ? null : versionPatterns[kind].exec(text)
  const { numbers = '', numbered, named } = match?.groups ?? {}
  if (numbers === '') return undefined
  const segments = numbers.split('.').map(BigInt)
  if (segments.some((segment) => segment > maxSegment)) return undefined
  const padding = Array.from({ length: Math.max(0, 3 - segments.length) }, () => 0n)
  return {
    segments: [...segments, ...padding],
    segmentCount: segments.length,
    prerelease: named ?? numbered ?? '',
  }
}

function compare(a: Version, b: Version): number {
  const length = Math.max(a.segments.length, b.segments.length)
  for (let at = 0; at < length; at++) {
    const left = a.segments[at] ?? 0n
    const right = b.segments[at] ?? 0n
    if (left !== right) return left < right ? -1 : 1
  }
  // The reference compares prereleases only if both versions have equally many segments.
  if (a.segments.length !== b.segments.length || a.prerelease === b.prerelease) return 0
  if (a.prerelease === '') return 1
  return b.prerelease === '' ? -1 : comparePrereleases(a.prerelease, b.prerelease)
}

function comparePrereleases(a: string, b: string): number {
  const left = a.split('.')
  const right = b.split('.')
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareParts(left[at] ?? '', right[at] ?? '')
    if (order !== 0) return order
  }
  return 0
}

function compareParts(a: string, b: string): number {
  if (a === b) return 0
  const aIsNumber = /^-?\d+$/.test(a)
  const bIsNumber = /^-?\d+$/.test(b)
  if (a === '') return bIsNumber ? -1 : 1
  if (b === '') return aIsNumber ? 1 : -1
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  const isLarger = aIsNumber ? BigInt(a) > BigInt(b) : a > b
  return isLarger ? 1 : -1
}

function sameSegments(a: Version, b: Version): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every((segment, at) => segment === b.segments[at])
  )
}

/**
 * Returns false if the version is a prerelease but the limit is not a prerelease with equal
 * segments. Returns true in all other cases.
 */
function isComparable(version: Version, limit: Version): boolean {
  if (version.prerelease === '') return true
  return limit.prerelease !== '' && sameSegments(version, limit)
}

/**
 * Tests `~> 1.2.3`. Returns true if the version is not lower than the limit and equals the limit in
 * all segments except the last segment that the constraint states. If either side is a prerelease,
 * both must be prereleases with equal segments.
 */
function isPessimisticMatch(version: Version, limit: Version): boolean {
  if (!isComparable(version, limit)) return false
  if (limit.prerelease !== '' && version.prerelease === '') return false
  if (compare(version, limit) < 0 || limit.segments.length > version.segments.length) return false
  const hasSamePrefix = limit.segments
    .slice(0, limit.segmentCount - 1)
    .every((segment, at) => segment === version.segments[at])
  const last = limit.segments.length - 1
  return hasSamePrefix && (limit.segments[last] ?? 0n) <= (version.segments[last] ?? 0n)
}
