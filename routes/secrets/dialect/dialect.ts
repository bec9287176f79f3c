import { type Message, renderMessage } from '../../../state/kernel/message.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { vendorMessages } from './vendor-messages.ts'
import { vendorField, vendorType, withVendorFields } from './vendor-names.ts'

/** The secrets API's side of a dialect (behaviour/secrets#notation and behaviour/secrets#vendor-names). */
export interface SecretsDialect {
  readonly name: DialectName
  /** Prefix of the API's own headers, in lower case and as sent. */
  readonly headerPrefix: string
  /** The word that ciphertexts and signatures of the transit engine begin with. */
  readonly transitPrefix: string
  /** What versions of built-in plug-ins end in. */
  readonly builtin: string
  /** An error or a warning in the words of this dialect. */
  render(message: Message): string
  /** The name of a declared field. */
  fieldName(neutral: string): string
  /** A payload with the field names of this dialect, at its top level. */
  fields(neutral: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** A type of mount as this dialect calls it. */
  mountType(neutral: string): string
  /**
   * True when to answer with the reference's status where it differs from the specification's (R5).
   */
  readonly referenceStatuses: boolean
  /** True when to answer with the reference's body where it differs (behaviour/secrets#body-kinds). */
  readonly referenceBodies: boolean
}

const neutralDialect: SecretsDialect = {
  name: 'neutral',
  headerPrefix: 'X-Secrets-',
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
  transitPrefix: 'vault',
  builtin: '+builtin.vault',
  render: (message) => renderMessage(message, vendorMessages),
  fieldName: vendorField,
  fields: withVendorFields,
  mountType: vendorType,
  referenceStatuses: true,
  referenceBodies: true,
}

/** The dialect of a name. */
export function secretsDialect(name: DialectName): SecretsDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Request headers of the API in both spellings; constants, because every request looks them up. */
const requestHeaders = {
  token: ['x-secrets-token', 'x-vault-token'],
  namespace: ['x-secrets-namespace', 'x-vault-namespace'],
  request: ['x-secrets-request', 'x-vault-request'],
  'wrap-ttl': ['x-secrets-wrap-ttl', 'x-vault-wrap-ttl'],
  'wrap-format': ['x-secrets-wrap-format', 'x-vault-wrap-format'],
  index: ['x-secrets-index', 'x-vault-index'],
  inconsistent: ['x-secrets-inconsistent', 'x-vault-inconsistent'],
} as const

/** Every value of a request header of the API that may be sent more than once. */
export function apiHeaderValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: keyof typeof requestHeaders,
): string[] {
  const [neutralName, vendorName] = requestHeaders[name]
  // Node joins the values of headers that it does not know.
  const values = [headers[neutralName] ?? [], headers[vendorName] ?? []].flat()
  return values.flatMap((value) => value.split(',')).map((value) => value.trim())
}

/**
 * A request header of the API in either spelling, whatever the dialect (behaviour/program#worlds): `token`
 * is `X-Secrets-Token` or `X-Vault-Token`, whichever is not empty. Of several values, which Node
 * joins with commas, the first counts, as in the reference.
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
