import { int, list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { trimEndOf } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { codeAt, encodeBase32, invalidBase32At, totpAlgorithms } from './codes.ts'
import { refuse } from './messages.ts'

/** A named key for one-time passwords (behaviour/secrets#totp). */
const totpKeyShape = struct({
  /** Base32 in upper case, without padding. */
  key: text,
  issuer: text,
  account_name: text,
  period: uint,
  algorithm: word(...totpAlgorithms),
  digits: uint,
  /** Number of periods before and after the current one whose codes are also valid. */
  skew: uint,
  /**
   * Used codes. `until` is the time at which the code becomes usable again, in milliseconds since
   * 1970.
   */
  used: list(struct({ code: text, until: int })),
  ...walField,
})
interface TotpKey extends StoredOf<typeof totpKeyShape> {}

export const totpKeyTable = secretsTable('totp-keys', totpKeyShape, {
  secrets: { members: ['key', 'used'] },
})

/** Keys by mount and case-sensitive name. */
export const totpKeys = new NamedRows(
  totpKeyTable,
  () => refuse('totp-key-absent'),
  (name) => name,
)

export interface TotpKeyRequest {
  readonly generate: boolean
  /** Whether the reply contains a generated key. */
  readonly exported: boolean
  /** Length of a generated key in bytes. */
  readonly key_size: number
  /** `otpauth://` URL whose parameters replace the other members; empty if not given. */
  readonly url: string
  readonly key: string
  readonly issuer: string
  readonly account_name: string
  readonly period: number
  readonly algorithm: string
  readonly digits: number
  readonly skew: number
  /** Width of the QR code in pixels; 0 means no image. */
  readonly qr_size: number
}

/**
 * Creates or replaces a key. Returns its `otpauth://` URL if it is generated and exported,
 * otherwise undefined.
 *
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#totp
 */
export function createTotpKey(
  world: World,
  mount: Mount,
  name: string,
  request: TotpKeyRequest,
): string | undefined {
  if (request.generate) {
    if (request.key !== '') throw refuse('totp-key-with-generation')
    if (request.url !== '') throw refuse('totp-url-with-generation')
  }
  const settings = request.url === '' ? request : { ...request, ...settingsInUrl(request) }
  const { account_name, issuer, period, digits, skew } = settings
  if (digits !== 6 && digits !== 8) throw refuse('totp-digits')
  const algorithm = totpAlgorithms.find((each) => each === settings.algorithm)
  if (algorithm === undefined) throw refuse('totp-algorithm')
  if (period <= 0) throw refuse('totp-period')
  if (skew !== 0 && skew !== 1) throw refuse('totp-skew')
  if (settings.qr_size < 0) throw refuse('totp-qr-size')
  if (settings.key_size <= 0) throw refuse('totp-key-size')
  if (settings.generate && account_name === '') throw refuse('totp-account-missing')
  if (settings.generate && issuer === '') throw refuse('totp-issuer-missing')
  const key = settings.generate
    ? encodeBase32(world.ids.bytes(settings.key_size))
    : parseBase32Key(settings.key)
  const row = { key, issuer, account_name, period, algorithm, digits, skew, used: [] }
  totpKeys.put(world, mount, name, row)
  return settings.generate && settings.exported ? otpauthUrl(row) : undefined
}

/**
 * Converts a key to the stored form: base32 in upper case, without padding.
 *
 * @throws Refusal `invalid` for a missing key, and for a text that is not base32
 */
export function parseBase32Key(input: string): string {
  if (input === '') throw refuse('totp-key-missing')
  const key = trimEndOf(input, '=')
  const at = invalidBase32At(key)
  if (at >= 0) throw refuse('totp-key-invalid', { at })
  return key.toUpperCase()
}

/**
 * Parses an `otpauth://` URL. The key and the account name always come from the URL; other settings
 * that the URL lacks keep the value of the request. Throws an `invalid` refusal for an unreadable
 * URL or number.
 */
function settingsInUrl(request: TotpKeyRequest): Partial<TotpKeyRequest> {
  let url: URL
  let label: string
  try {
    // As in Go, a text without a scheme is a relative URL, whose path is the label.
    url = new URL(request.url, 'otpauth://totp/')
    label = decodeURIComponent(url.pathname.replace(/^\/+(?:totp\/)?/, ''))
  } catch {
    throw refuse('totp-url-unreadable')
  }
  const colon = label.indexOf(':')
  const query = url.searchParams
  const number = (member: 'period' | 'digits') => {
    const value = query.get(member) ?? ''
    if (value === '') return request[member]
    if (!/^[+-]?\d+$/.test(value)) throw refuse('totp-url-number-unreadable', { member })
    return Number(value)
  }
  return {
    issuer: query.get('issuer') || (colon < 0 ? request.issuer : label.slice(0, colon)),
    account_name: label.slice(colon + 1),
    key: query.get('secret') ?? '',
    period: number('period'),
    digits: number('digits'),
    algorithm: query.get('algorithm') || request.algorithm,
  }
}

/** Members of a key that its URL contains. */
type OtpauthKey = Pick<
  TotpKey,
  'key' | 'issuer' | 'account_name' | 'period' | 'algorithm' | 'digits'
>

export function otpauthUrl({
  key,
  issuer,
  account_name,
  period,
  algorithm,
  digits,
}: OtpauthKey): string {
  const label = encodeURI(`${issuer}:${account_name}`).replaceAll('?', '%3F')
  const encodedIssuer = encodeURIComponent(issuer)
  return `otpauth://totp/${label}?algorithm=${algorithm}&digits=${digits}&issuer=${encodedIssuer}&period=${period}&secret=${key}`
}

function requireKey(world: World, mount: Mount, name: string): TotpKey {
  const key = totpKeys.find(world, mount, name)
  if (key === undefined) throw refuse('totp-key-unknown', { name })
  return key
}

/** Returns the code for the time of the world's clock. Throws a refusal for an unknown key. */
export function currentCode(world: World, mount: Mount, name: string): string {
  return codeAt(requireKey(world, mount, name), world.clock.now())
}

/**
 * Returns whether a code is valid, and records a valid code as used until it expires.
 *
 * @throws Refusal `invalid` for a missing code, an unknown key, or a code that was already used
 */
export function validateCode(world: World, mount: Mount, name: string, code: string): boolean {
  if (code === '') throw refuse('totp-code-missing')
  const key = requireKey(world, mount, name)
  const now = world.clock.now()
  const used = key.used.filter(({ until }) => until > now)
  if (used.some((each) => each.code === code)) throw refuse('totp-code-used')
  const offsets = key.skew === 0 ? [0] : [0, -1, 1]
  if (!offsets.some((offset) => codeAt(key, now, offset) === code)) return false
  const until = now + key.period * (2 + key.skew) * 1000
  totpKeys.put(world, mount, name, { ...key, used: [...used, { code, until }] })
  return true
}
