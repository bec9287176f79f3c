import { bool, int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { enveloped } from '../envelope/schemas.ts'
import { duration, flag, textField, texts } from '../fields/field-kinds.ts'

const listField = (description: string) => withDefault(texts(description), [])

/** Fields of requests that set the names in a certificate. */
export const nameFields = {
  common_name: textField('Common name of the subject'),
  alt_names: listField('Subject alternative names: host names and mail addresses'),
  ip_sans: listField('Subject alternative names: IP addresses'),
  uri_sans: listField('Subject alternative names: URIs'),
  other_sans: listField('Other subject alternative names: `<OID>;UTF8:<text>`'),
  exclude_cn_from_sans: flag(
    'Whether the common name is left out of the subject alternative names',
  ),
} as const

/** Fields that set the times of a certificate. */
export const lifetimeFields = {
  ttl: withDefault(duration('Validity of the certificate; 0 means the default'), 0),
  not_after: textField('End of the certificate, instead of `ttl`'),
} as const

/** Fields that set the format of a reply. */
export const formatFields = {
  format: withDefault(described(text, '`pem`, `der` or `pem_bundle`'), 'pem'),
  private_key_format: withDefault(described(text, '`der` or `pkcs8`'), 'der'),
} as const

const notBefore = withDefault(
  duration('Time by which the start of the certificate is before the current time'),
  30,
)

const subjectFields = {
  ou: listField('Organizational units of the subject'),
  organization: listField('Organizations of the subject'),
  country: listField('Countries of the subject'),
  locality: listField('Localities of the subject'),
  province: listField('Provinces of the subject'),
  street_address: listField('Street addresses of the subject'),
  postal_code: listField('Postal codes of the subject'),
  serial_number: textField(
    'Serial number attribute of the subject; not the serial number of the certificate',
  ),
} as const

/** Fields that set the key of an authority and the signatures that are made with it. */
export const keyFields = {
  key_type: described(text, '`rsa` (default), `ec` or `ed25519`'),
  key_bits: described(int, 'Key length in bits; 0 means 2048 (`rsa`) or 256 (`ec`)'),
  key_name: textField('Name of the new key'),
  key_ref: withDefault(described(text, 'Id or name of an existing key, or `default`'), 'default'),
  signature_bits: withDefault(
    described(int, 'Hash length of RSA signatures: 256, 384 or 512 bits; 0 means the default'),
    0,
  ),
  use_pss: flag('Whether RSA signatures use PSS padding'),
  use_rsa_pss: flag('Whether RSA signatures use PSS padding'),
} as const

/** Fields of requests that generate the certificate of an authority. */
export const authorityFields = {
  ...nameFields,
  ...lifetimeFields,
  ...formatFields,
  ...subjectFields,
  not_before_duration: notBefore,
  max_path_length: withDefault(
    described(int, 'Maximum number of authorities below; -1 means unlimited'),
    -1,
  ),
  permitted_dns_domains: listField('Domains that certificates below the authority may name'),
  issuer_name: textField('Name of the new issuer'),
} as const

export const rootFields = { ...authorityFields, ...keyFields } as const

export const rootReply = enveloped({
  certificate: text,
  expiration: int,
  issuer_id: text,
  issuer_name: text,
  issuing_ca: text,
  key_id: text,
  key_name: text,
  serial_number: text,
  private_key: optional(text),
  private_key_type: optional(text),
})

/** Reply to reading a certificate by its serial. */
export const certificateReply = enveloped({
  certificate: text,
  revocation_time: int,
  revocation_time_rfc3339: text,
  issuer_id: optional(text),
  ca_chain: optional(list(text)),
})

export const issuerReply = enveloped({
  ca_chain: list(text),
  certificate: text,
  crl_distribution_points: list(text),
  enable_aia_url_templating: optional(bool),
  issuer_id: text,
  issuer_name: text,
  issuing_certificates: list(text),
  key_id: text,
  leaf_not_after_behavior: text,
  manual_chain: nullable(list(text)),
  ocsp_servers: list(text),
  revocation_signature_algorithm: text,
  revoked: bool,
  revocation_time: optional(int),
  revocation_time_rfc3339: optional(text),
  usage: text,
})

/** Reply to reading an issuer without a token. */
export const openIssuerReply = enveloped({
  ca_chain: list(text),
  certificate: text,
  issuer_id: text,
  issuer_name: text,
})

export const addressFields = {
  issuing_certificates: texts("Addresses of the issuer's certificate"),
  crl_distribution_points: texts('Addresses of the CRL'),
  ocsp_servers: texts('Addresses of OCSP servers'),
} as const

export const urlFields = {
  ...addressFields,
  enable_templating: described(bool, 'Whether the addresses contain placeholders'),
} as const

export const urlReply = enveloped({
  issuing_certificates: list(text),
  crl_distribution_points: list(text),
  ocsp_servers: list(text),
  enable_templating: bool,
})
