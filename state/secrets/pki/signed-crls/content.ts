import { Base64Error, decodeBase64 } from '../../../go/base64.ts'
import { parseGoBoolean } from '../../../go/booleans.ts'
import { decodeHex, HexError } from '../../../go/hex.ts'
import { quoteGo } from '../../../go/text.ts'
import { isObject, type Members } from '../../../kernel/objects.ts'
import { parseTimestamp } from '../../../kernel/time.ts'
import { extension, extensionOids } from '../certificate.ts'
import type { CrlEntry } from '../crl-encoding.ts'
import { colonHex } from '../signing.ts'

/** Error for malformed entries or extensions in a request, with the reference's message. */
export class CrlContentError extends Error {}

/**
 * Names, in messages, of the extensions that requests cannot set because the engine adds them; by
 * object identifier.
 */
const reservedOids: ReadonlyMap<string, string> = new Map([
  [extensionOids.authorityKeyId, 'authority key'],
  [extensionOids.crlNumber, 'crl number'],
  [extensionOids.deltaCrl, 'delta crl'],
])

/**
 * Parses the revoked certificates of a request; skips items that are not objects.
 *
 * @throws CrlContentError for malformed items
 */
export function readRevokedCertificates(entries: readonly unknown[]): CrlEntry[] {
  return entries.flatMap((entry, index) => {
    if (!isObject(entry)) return []
    const part = <T>(field: string, read: (entry: Members) => T): T =>
      withPrefix(`failed parsing ${field} from entry ${index}`, () => read(entry))
    return [
      {
        serial: part('serial_number', readSerial),
        revokedAt: part('revocation_time', readRevocationTime),
        extensions: part('extensions', readEntryExtensions),
      },
    ]
  })
}

/**
 * Parses the extensions of a request and returns the DER of each.
 *
 * @throws CrlContentError for malformed, repeated or reserved extensions
 */
export function readListedExtensions(listedExtensions: readonly unknown[]): Buffer[] {
  const seen = new Set<string>()
  return listedExtensions.map((entry, index) => {
    if (!isObject(entry)) throw new CrlContentError(`extension entry ${index} not a map`)
    const { id, encoded } = withPrefix(`failed parsing extension entry ${index}`, () =>
      readListedExtension(entry),
    )
    if (seen.has(id)) throw new CrlContentError(`duplicate extension id: ${id}`)
    seen.add(id)
    return encoded
  })
}

/**
 * Returns the result of `read`. Puts the prefix in front of the message of a `CrlContentError` that
 * `read` throws.
 */
function withPrefix<T>(prefix: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CrlContentError)) throw error
    throw new CrlContentError(`${prefix}: ${error.message}`)
  }
}

/**
 * Returns a text unchanged, a number as text, and null as an empty string.
 * @throws CrlContentError for other values
 */
function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value === null) return ''
  throw new CrlContentError(`'${field}' field value was not a string`)
}

function readSerial(entry: Members): string {
  if (!('serial_number' in entry)) throw new CrlContentError("missing 'serial_number' field")
  const digits = textOf(entry['serial_number'], 'serial_number').replace(/[:.\- ]/g, '')
  try {
    return colonHex(decodeHex(digits))
  } catch (error) {
    if (!(error instanceof HexError)) throw error
    throw new CrlContentError(`'serial_number' failed converting to bytes: ${error.message}`)
  }
}

/**
 * Parses a timestamp or a number of seconds since 1970; returns milliseconds since 1970.
 * @throws CrlContentError for a missing or malformed time
 */
function readRevocationTime(entry: Members): number {
  if (!('revocation_time' in entry)) throw new CrlContentError("missing 'revocation_time' field")
  const value = entry['revocation_time']
  const isEpoch = /^[+-]?\d{1,11}$/.test(String(value))
  const instant = isEpoch ? Number(value) * 1000 : parseTimestamp(String(value))
  if (instant !== undefined) return instant
  const why =
    typeof value === 'string'
      ? 'could not parse string as date and time'
      : 'could not parse time from input type'
  throw new CrlContentError(`failed parsing time ${String(value)}: ${why}`)
}

function readEntryExtensions({ extensions: listedExtensions }: Members): Buffer[] {
  if (listedExtensions === undefined || listedExtensions === null || listedExtensions === '')
    return []
  if (Array.isArray(listedExtensions)) return readListedExtensions(listedExtensions)
  throw new CrlContentError("'extensions' field did not contain a slice")
}

function readListedExtension(entry: Members) {
  const id = readIdentifier(entry)
  const owner = reservedOids.get(id)
  if (owner !== undefined)
    throw new CrlContentError(`${owner} object identifier (${id}) is reserved`)
  const isCritical = readCritical(entry['critical'])
  return { id, encoded: extension(id, readExtensionValue(entry), isCritical) }
}

function readIdentifier(entry: Members): string {
  if (!('id' in entry)) throw new CrlContentError('missing id field')
  const dotted = textOf(entry['id'], 'id')
  if (dotted === '') throw new CrlContentError('zero length object identifier')
  const arcs = dotted.split('.')
  const wrong = arcs.findIndex((arc) => !/^\d{1,18}$/.test(arc))
  if (wrong !== -1) {
    const arc = arcs[wrong] ?? ''
    const why = `strconv.Atoi: parsing ${quoteGo(arc)}: invalid syntax`
    throw new CrlContentError(`failed parsing asn1 index element ${wrong} value ${arc}: ${why}`)
  }
  const [first = 0, second = 0] = arcs.map(Number)
  if (arcs.length < 2 || first > 2 || (first < 2 && second >= 40)) {
    throw new CrlContentError('asn1: structure error: invalid object identifier')
  }
  return arcs.map(BigInt).join('.')
}

function readCritical(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  if (typeof value === 'boolean') return value
  const parsed = typeof value === 'number' ? value !== 0 : parseGoBoolean(String(value))
  if (parsed !== undefined) return parsed
  const why = `strconv.ParseBool: parsing ${quoteGo(String(value))}: invalid syntax`
  throw new CrlContentError(`critical field value failed to be parsed: ${why}`)
}

function readExtensionValue(entry: Members): Uint8Array {
  if (!('value' in entry)) throw new CrlContentError("missing 'value' field")
  try {
    return decodeBase64(textOf(entry['value'], 'value'))
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw new CrlContentError(`failed base64 decoding 'value' field: ${error.message}`)
  }
}
