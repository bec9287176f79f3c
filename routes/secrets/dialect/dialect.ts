import { type Message, renderMessage } from '../../../state/kernel/message.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { vendorMessages } from './vendor-messages.ts'
import { vendorField, vendorType, withVendorFields } from './vendor-names.ts'

/**
 * Parts of a dialect that only the secrets API has (behaviour/secrets#notation and
 * behaviour/secrets#vendor-names).
 */
export interface SecretsDialect {
  readonly name: DialectName
  /** Prefix of the API's own headers, in the case in which it is sent. */
  readonly headerPrefix: string
  /** First part of the names of metrics. */
  readonly metricsPrefix: string
  /** First part of the transit engine's ciphertexts and signatures. */
  readonly transitPrefix: string
  /** Suffix of the versions of built-in plug-ins. */
  readonly builtin: string
  /** Renders an error or a warning in the words of the dialect. */
  render(message: Message): string
  /** Returns the dialect's name of a declared field. */
  fieldName(neutral: string): string
  /** Returns a payload whose top-level fields have the names of the dialect. */
  fields(neutral: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Returns the dialect's name of a mount type. */
  mountType(neutral: string): string
  /** Whether replies have the reference's status where it differs from the specification's (R5). */
  readonly referenceStatuses: boolean
  /** Whether replies have the reference's body where it differs (behaviour/secrets#body-kinds). */
  readonly referenceBodies: boolean
}

const neutralDialect: SecretsDialect = {
  name: 'neutral',
  headerPrefix: 'X-Secrets-',
  metricsPrefix: 'service',
  transitPrefix: 'service',
  builtin: '+builtin',
  render: (message) => renderMessage(message),
  fieldName: (neutral) => neutral,
  fields: (neutral) => neutral,
  mountType: (neutral) => neutral,
  referenceStatuses: false,
  referenceBodies: false,
}

const vendorDialect: SecretsDialect = {
  name: 'vendor',
  headerPrefix: 'X-Vault-',
  metricsPrefix: 'vault',
  transitPrefix: 'vault',
  builtin: '+builtin.vault',
  render: (message) => renderMessage(message, vendorMessages),
  fieldName: vendorField,
  fields: withVendorFields,
  mountType: vendorType,
  referenceStatuses: true,
  referenceBodies: true,
}

/** Returns the secrets dialect of a name. */
export function secretsDialect(name: DialectName): SecretsDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Names of request headers in both dialects; constants, because every request looks them up. */
const requestHeaders = {
  token: ['x-secrets-token', 'x-vault-token'],
  namespace: ['x-secrets-namespace', 'x-vault-namespace'],
  request: ['x-secrets-request', 'x-vault-request'],
  'wrap-ttl': ['x-secrets-wrap-ttl', 'x-vault-wrap-ttl'],
  'wrap-format': ['x-secrets-wrap-format', 'x-vault-wrap-format'],
  index: ['x-secrets-index', 'x-vault-index'],
  inconsistent: ['x-secrets-inconsistent', 'x-vault-inconsistent'],
} as const

/** Returns every value of a request header that may be sent more than once. */
export function apiHeaderValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: keyof typeof requestHeaders,
): string[] {
  const [neutralName, vendorName] = requestHeaders[name]
  // Node joins the values of a repeated custom header with commas.
  const values = [headers[neutralName] ?? [], headers[vendorName] ?? []].flat()
  return values.flatMap((value) => value.split(',')).map((value) => value.trim())
}

/**
 * Returns a request header of the API under the name of either dialect (behaviour/program#worlds):
 * `token` is `X-Secrets-Token` or `X-Vault-Token`, whichever is not empty. Node joins several
 * values with commas; the first one counts, as in the reference.
 */
export function apiHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: keyof typeof requestHeaders,
): string | undefined {
  const [neutralName, vendorName] = requestHeaders[name]
  const value = headers[neutralName] || headers[vendorName]
  const text = typeof value === 'string' ? value : value?.[0]
  const comma = text?.indexOf(', ') ?? -1
  return comma < 0 ? text : text?.slice(0, comma)
}
