/** Returns true for a UUID in lower case with all four hyphens. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}

/**
 * Returns the reference's error for a string that cannot be looked up as a UUID, or undefined for
 * other strings.
 */
export function uuidError(text: string): string | undefined {
  if (Buffer.byteLength(text) !== 36) return 'index error: UUID must be 36 characters'
  return uuidPrefixError(text)
}

/**
 * Returns the reference's error for a string that cannot be looked up as the prefix of a UUID, or
 * undefined for other strings.
 */
export function uuidPrefixError(text: string): string | undefined {
  const { length } = Buffer.from(text)
  if (length > 36) return `index error: Invalid UUID length. UUID have 36 characters; got ${length}`
  const hyphens = text.split('-').length - 1
  if (hyphens > 4) return `index error: UUID should have maximum of 4 "-"; got ${hyphens}`
  const digits = text.replaceAll('-', '')
  if (digits.length % 2 !== 0) return 'index error: Input (without hyphens) must be even length'
  const invalidCharacter = /[^0-9a-fA-F]/u.exec(digits)?.[0]
  if (invalidCharacter === undefined) return undefined
  const code = invalidCharacter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `index error: Invalid UUID: encoding/hex: invalid byte: U+${code} '${invalidCharacter}'`
}

/** Formats a prefix of a UUID in lower case, with hyphens where a UUID has them. */
export function uuidPrefix(text: string): string {
  const digits = text.replaceAll('-', '').toLowerCase()
  const parts = [0, 8, 12, 16, 20].map((from, at, positions) =>
    digits.slice(from, positions[at + 1]),
  )
  return parts.filter((part) => part !== '').join('-')
}
