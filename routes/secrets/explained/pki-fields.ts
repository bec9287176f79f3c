import { issuersOf, issuerUsages, keysOf } from '../../../state/secrets/pki/tables.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  explainExtraMember,
  explainMember,
  lastSegment,
  memberOf,
  withoutMembers,
} from './names.ts'
import { roleOf } from './pki-names.ts'
import { sendTo, withField } from './root-requests.ts'

/**
 * Returns a function that explains that the role does not allow the value of a member, because of
 * the given setting of the role. The explanation is undefined if the role is unknown or the body
 * lacks the member.
 */
function explainRefusedValue(
  member: string,
  setting: 'allowed_other_sans' | 'allowed_serial_numbers' | 'allowed_user_ids',
): ExplainInMount {
  return (request, mount) => {
    const allowed = roleOf(request, mount)?.[setting]
    const sent = memberOf(request, member)
    if (allowed === undefined || sent === undefined) return undefined
    const shown = allowed.length === 0 ? 'none' : allowed.join(', ')
    const because = `"${member}" is ${[sent].flat().join(', ')}, but ${setting} of the role ${lastSegment(request)} allows ${shown}`
    return { because, ...withoutMembers(member) }
  }
}

/**
 * Returns a function that explains that the requested default issuer or key is invalid. The
 * function suggests the first issuer or key of the mount.
 */
function explainDefault(
  kind: 'issuer' | 'key',
  find: typeof issuersOf | typeof keysOf,
): ExplainInMount {
  return (request, mount) => {
    const names = find(request.world, mount).map(({ id, name }) => name || id)
    const because = `the default must be the name or the id of one ${kind}; ${mount.path} has ${names.join(', ') || 'none'}`
    return { because, ...(names[0] !== undefined && withField('default', names[0])(request)) }
  }
}

/** Suggests generating the key inside the mount. */
const generateInternally = ({ path }: RefusedRequest) => {
  const inside = `${path.slice(0, path.lastIndexOf('/'))}/internal`
  return { change: `Send the request to ${inside}`, request: { path: inside } }
}

const explainManagedKey: ExplainInMount = (request, mount) => ({
  because: `the path ends in kms, which is for keys that an external system manages, but ${mount.path} manages its keys itself`,
  ...generateInternally(request),
})

const explainMaxPathLength = explainMember(
  'max_path_length',
  'it must be the maximum number of CAs below this one, or -1 for any number',
  withField('max_path_length', -1),
)

const otherSansRule = 'other names must have the form <OID>;UTF8:<text>'
const nameRule =
  'names consist of letters, digits, hyphens, underscores and periods, and "default" is reserved'

/** Explanations of invalid members and paths, and of members that the role does not allow. */
export const pkiFieldExplanations: Readonly<Record<string, ExplainInMount>> = {
  'pki-key-bits': explainMember(
    'key_bits',
    'EC keys have 224, 256, 384 or 521 bits, RSA keys 2048, 3072, 4096 or 8192; 0 is the default',
    withField('key_bits', 0),
  ),
  'pki-signature-bits': explainMember(
    'signature_bits',
    'it must be 256, 384 or 512, or 0 for the default',
    withField('signature_bits', 0),
  ),
  'pki-format': explainMember(
    'format',
    'it must be pem, der or pem_bundle',
    withField('format', 'pem'),
  ),
  'pki-ip-invalid': explainExtraMember('ip_sans', 'one of these is not an IP address'),
  'pki-uri-invalid': explainExtraMember('uri_sans', 'one of these is not a URI'),
  'pki-not-after-invalid': explainExtraMember(
    'not_after',
    'it must be a time in the form of RFC 3339',
  ),
  'pki-times-reversed': explainExtraMember(
    'not_after',
    'that is before the start of the certificate',
  ),
  'pki-ttl-and-not-after': explainExtraMember('not_after', 'the request also has "ttl"'),
  'pki-existing-key-fields': () => ({
    because: 'an existing key already has a type and a length',
    ...withoutMembers('key_type', 'key_bits'),
  }),
  'pki-issuer-name-reserved': explainMember(
    'issuer_name',
    nameRule,
    withField('issuer_name', 'ca'),
  ),
  'pki-issuer-name-invalid': explainMember('issuer_name', nameRule, withField('issuer_name', 'ca')),
  'pki-key-name-reserved': explainMember('key_name', nameRule, withField('key_name', 'key')),
  'pki-key-name-invalid': explainMember('key_name', nameRule, withField('key_name', 'key')),
  'pki-other-san-unreadable': explainExtraMember('other_sans', otherSansRule),
  'pki-other-san-colon': explainExtraMember('other_sans', otherSansRule),
  'pki-other-san-type': explainExtraMember('other_sans', otherSansRule),
  'pki-other-oid-refused': explainRefusedValue('other_sans', 'allowed_other_sans'),
  'pki-other-value-refused': explainRefusedValue('other_sans', 'allowed_other_sans'),
  'pki-serial-number-refused': explainRefusedValue('serial_number', 'allowed_serial_numbers'),
  'pki-user-id-refused': explainRefusedValue('user_ids', 'allowed_user_ids'),
  'pki-default-issuer-invalid': explainDefault('issuer', issuersOf),
  'pki-default-key-invalid': explainDefault('key', keysOf),
  'pki-leaf-behavior': explainMember(
    'leaf_not_after_behavior',
    'it must be err, truncate or permit',
    withField('leaf_not_after_behavior', 'err'),
  ),
  'pki-usage-unknown': explainMember(
    'usage',
    `the usages are ${issuerUsages.join(', ')}`,
    withField('usage', issuerUsages.join(',')),
  ),
  'pki-revoke-both': explainExtraMember('certificate', 'the request also has "serial_number"'),
  'pki-import-both': () => ({
    because:
      '"pem_bundle" and "certificate" have the same purpose; a request must have only one of them',
    ...withoutMembers('certificate'),
  }),
  'pki-import-key': (request, mount) => ({
    because: 'the text contains a private key, which this path does not accept',
    ...sendTo(
      request,
      `${mount.path}issuers/import/bundle`,
      (sent) => sent,
      'Send the request to issuers/import/bundle',
    ),
  }),
  'pki-crl-delta-alone': (request) => ({
    because:
      'without auto_rebuild every revocation rebuilds the complete CRL, so a delta CRL would be empty',
    ...withField('auto_rebuild', true)(request),
  }),
  'pki-how': (request) => ({
    because: `the path ends in ${lastSegment(request)}; it must end in internal, exported or existing`,
    ...generateInternally(request),
  }),
  'pki-kms': explainManagedKey,
  'pki-kms-raised': explainManagedKey,
  'pki-key-spec': (request) => ({
    because: `"key_type" is ${String(memberOf(request, 'key_type') ?? 'rsa')} and "key_bits" is ${String(memberOf(request, 'key_bits') ?? 0)}; the types are rsa, ec and ed25519, and 0 bits stand for the default`,
    change: 'Send "key_type": "ec" and "key_bits": 0',
    request: { body: (sent) => ({ ...Object(sent), key_type: 'ec', key_bits: 0 }) },
  }),
  'pki-new-key-name-invalid': explainMember('key_name', nameRule, withField('key_name', 'key')),
  'pki-path-length': explainMaxPathLength,
  'pki-signed-path-length': explainMaxPathLength,
  'pki-skid-unreadable': explainExtraMember(
    'skid',
    'it must consist of pairs of hexadecimal digits',
  ),
  'pki-role-oid': explainExtraMember(
    'ext_key_usage_oids',
    'object identifiers are numbers with periods between them, such as 1.3.6.1.5.5.7.3.1',
  ),
  'pki-role-other-san': explainExtraMember(
    'allowed_other_sans',
    'allowed names must have the form <OID>;UTF8:<pattern>, or be * for all',
  ),
  'pki-cn-type': explainExtraMember(
    'cn_validations',
    'the values are email and hostname, or only disabled',
  ),
  'pki-cn-disabled': explainMember(
    'cn_validations',
    'disabled must be the only value',
    withField('cn_validations', 'disabled'),
  ),
}
