import { decodeBase64 } from '../../go/base64.ts'
import { parseGoBoolean } from '../../go/booleans.ts'
import { quoteGo } from '../../go/text.ts'
import { totpAlgorithms } from '../totp/codes.ts'
import { refuse } from './messages.ts'
import type { MethodSettings } from './methods.ts'

interface TotpInput {
  readonly algorithm: string
  readonly digits: number
  readonly issuer: string
  readonly key_size: number
  readonly max_validation_attempts: number
  readonly period: number
  readonly qr_size: number
  readonly skew: number
}

/** Number of validation attempts if a TOTP method sets no number. */
const defaultAttempts = 5

/**
 * Builds the settings of a TOTP method from a request.
 * @throws Refusal for the first invalid setting
 */
export function checkedTotpSettings(input: TotpInput): MethodSettings {
  const algorithm = totpAlgorithms.find((each) => each === input.algorithm)
  if (algorithm === undefined) throw refuse('mfa-algorithm-unknown')
  if (input.digits !== 6 && input.digits !== 8) throw refuse('mfa-digits')
  if (input.period <= 0) throw refuse('mfa-period')
  if (input.skew !== 0 && input.skew !== 1) throw refuse('mfa-skew')
  if (input.key_size <= 0) throw refuse('mfa-key-size')
  if (input.issuer === '') throw refuse('mfa-issuer-missing')
  if (input.max_validation_attempts < 0) throw refuse('mfa-attempts-negative')
  return {
    totp: {
      algorithm,
      digits: input.digits,
      issuer: input.issuer,
      key_size: input.key_size,
      max_validation_attempts: input.max_validation_attempts || defaultAttempts,
      period: input.period,
      qr_size: input.qr_size,
      skew: input.skew,
    },
  }
}

interface DuoInput {
  readonly secret_key: string
  readonly integration_key: string
  readonly api_hostname: string
  /** Text that Duo adds to push notifications. */
  readonly pushinfo: string
  readonly use_passcode: boolean
  readonly username_format: string
}

/**
 * Builds the settings of a Duo method from a request.
 * @throws Refusal for the first missing setting
 */
export function checkedDuoSettings(input: DuoInput): MethodSettings {
  const { secret_key, integration_key, api_hostname, ...shown } = input
  for (const [name, value] of Object.entries({ secret_key, integration_key, api_hostname })) {
    if (value === '') throw refuse('mfa-setting-empty', { name })
  }
  return {
    settings: { api_hostname, mount_accessor: '', ...shown },
    credentials: { secret_key, integration_key },
  }
}

interface OktaInput {
  readonly org_name: string
  readonly api_token: string
  readonly base_url: string | undefined
  readonly production: boolean | undefined
  readonly username_format: string
}

/**
 * Builds the settings of an Okta method from a request.
 * @throws Refusal for the first missing setting
 */
export function checkedOktaSettings(input: OktaInput): MethodSettings {
  const { org_name, api_token, production, username_format } = input
  for (const [name, value] of Object.entries({ org_name, api_token })) {
    if (value === '') throw refuse('mfa-setting-unset', { name })
  }
  const base_url = input.base_url ?? (production === undefined ? 'okta.com' : '')
  return {
    settings: {
      ...(base_url === '' ? { production: production ?? true } : { base_url }),
      mount_accessor: '',
      org_name,
      username_format,
    },
    credentials: { api_token },
  }
}

/**
 * Keys of a PingID settings file that replies contain in addition to `use_signature`. Replies omit
 * the keys in `secretPingKeys`.
 */
const shownPingKeys = ['admin_url', 'authenticator_url', 'idp_url', 'org_alias'] as const
const secretPingKeys = ['token', 'use_base64_key'] as const

/**
 * Parses the settings file of a PingID method.
 * @param file content of the file in base64
 * @throws Refusal for an empty or malformed file
 */
export function checkedPingSettings(file: string): MethodSettings {
  if (file === '') throw refuse('mfa-setting-empty', { name: 'settings_file_base64' })
  const values = pingValues(Buffer.from(decodeBase64(file)).toString())
  const valueAt = (key: string) => values.get(key) ?? ''
  const use_signature = parseGoBoolean(values.get('use_signature') ?? 'false')
  if (use_signature === undefined) throw refuse('mfa-settings-flag')
  return {
    settings: {
      ...Object.fromEntries(shownPingKeys.map((key) => [key, valueAt(key)])),
      use_signature,
    },
    credentials: Object.fromEntries(secretPingKeys.map((key) => [key, valueAt(key)])),
  }
}

function pingValues(text: string): ReadonlyMap<string, string> {
  const known = new Set<string>([...shownPingKeys, ...secretPingKeys, 'use_signature'])
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.trim() === '') continue
    const at = line.indexOf('=')
    if (at < 0) throw refuse('mfa-settings-line', { line: quoteGo(line) })
    const key = line.slice(0, at)
    if (!known.has(key)) throw refuse('mfa-settings-key', { key: quoteGo(key) })
    values.set(key, line.slice(at + 1))
  }
  return values
}
