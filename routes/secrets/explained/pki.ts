import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { pkiRoles } from '../../../state/secrets/pki/roles.ts'
import {
  findIssuer,
  issuersOf,
  keysOf,
  type PkiIssuer,
  parsedCertificate,
} from '../../../state/secrets/pki/tables.ts'
import type { Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  explainInMount,
  explainUnknownName,
  joinNames,
  lastSegment,
  listAt,
  memberOf,
  patchAt,
} from './names.ts'
import { pkiFieldExplanations } from './pki-fields.ts'
import { exampleRoot, issuerRef, nameOf, pkiIssuerExplanations } from './pki-issuers.ts'
import { explainMissingName, explainRefusedKind, explainRefusedName, roleOf } from './pki-names.ts'
import { pkiSettingExplanations } from './pki-settings.ts'
import { pkiSignedCrlExplanations } from './pki-signed-crls.ts'
import { pkiTextExplanations } from './pki-texts.ts'
import { targetOf } from './request-target.ts'
import { sendTo, withField } from './root-requests.ts'

const explainUnknownRole: ExplainInMount = (request, mount) => {
  const name = lastSegment(request)
  const domain = String(memberOf(request, 'common_name') ?? 'example.com')
  const body = { allowed_domains: [domain], allow_bare_domains: true, allow_subdomains: true }
  return explainUnknownName(request, mount, {
    kind: 'role',
    name,
    names: pkiRoles.names(request.world, mount),
    create: () =>
      sendTo(request, `${mount.path}roles/${name}`, () => body, `Create the role ${name} first`),
  })
}

const explainUnknownKey: ExplainInMount = (request, mount) => {
  const keys = keysOf(request.world, mount)
  return explainUnknownName(request, mount, {
    kind: 'key',
    name: String(request.refusal?.params['ref']),
    names: [...keys.map(({ id }) => id), ...keys.map(({ name }) => name)].filter(Boolean),
    create: undefined,
  })
}

/**
 * Explains that a certificate would outlive its CA, or that the CA itself has expired. Returns
 * undefined if the CA is unknown.
 */
const explainEndAfterIssuer: ExplainInMount = (request, mount) => {
  const { world, at, refusal } = request
  const issuer = findIssuer(world, mount, issuerRef(request, mount))
  if (issuer === undefined) return undefined
  const { notAfter } = parsedCertificate(issuer)
  const end = formatTimestamp(notAfter)
  if (notAfter <= at) {
    const change = 'Create a new CA, then make it the default with root/replace'
    return {
      because: `the CA ${nameOf(issuer)} of ${mount.path} expired at ${end}, and the world's clock is at ${formatTimestamp(at)}`,
      ...sendTo(request, `${mount.path}root/rotate/internal`, () => exampleRoot, change),
    }
  }
  const left = Math.max(1, Math.floor((notAfter - at) / 1000))
  return {
    because: `the certificate would expire at ${String(refusal?.params['wanted'])}, after the CA ${nameOf(issuer)}, which expires at ${end}`,
    change: `Send "ttl": "${left}s" or less`,
    request: { body: (sent) => ({ ...Object(sent), not_after: '', ttl: `${left}s` }) },
  }
}

const explainUnknownSerial: ExplainInMount = (request, mount) => ({
  because: `${mount.path} has stored no certificate with the serial number ${String(request.refusal?.params['serial'])}; certificates of roles with no_store are not stored`,
  ...listAt(request, `${mount.path}certs`, 'List the stored serial numbers'),
})

const explainIssuerRevocation: ExplainInMount = (request, mount) => {
  const id = String(request.refusal?.params['id'])
  const path = `${mount.path}issuer/${id}/revoke`
  return {
    because: `the serial number is that of the issuer ${id}, and a CRL cannot list the issuer that signs it`,
    ...sendTo(request, path, () => ({}), 'Revoke the issuer instead'),
  }
}

/**
 * Explains that the role does not allow the type or size of the signing request's key. Returns
 * undefined if the role is unknown.
 */
const explainRequestKey: ExplainInMount = (request, mount) => {
  const role = roleOf(request, mount)
  if (role === undefined) return undefined
  const { key_type, key_bits } = role
  const bits = request.refusal?.params['bits']
  const size =
    bits === undefined
      ? ''
      : ` of ${key_bits} bits, and the key of the signing request has ${String(bits)}`
  const path = `${mount.path}roles/${lastSegment(request)}`
  const body = { key_type: 'any', key_bits: 0 }
  return {
    because: `the role ${lastSegment(request)} does not allow the key of the signing request; the role requires ${key_type}${size}`,
    ...patchAt(request, path, body, 'Allow any key in the role'),
  }
}

const explainAnyKey: ExplainInMount = (request, mount) => ({
  because: `the role ${lastSegment(request)} has the key type "any", which is only for signing requests: to issue a certificate, the mount must know the type of the key to generate`,
  ...patchAt(
    request,
    `${mount.path}roles/${lastSegment(request)}`,
    { key_type: 'ec', key_bits: 256 },
    'Set "key_type" in the role, or send a signing request to sign/',
  ),
})

/** Explains that the mount has no default key. */
const explainMissingKey: ExplainInMount = (request, mount) => {
  const [first, ...others] = keysOf(request.world, mount).map(nameOf)
  if (first === undefined) {
    const path = `${mount.path}keys/generate/internal`
    return {
      because: `${mount.path} has no key`,
      ...sendTo(request, path, () => ({ key_type: 'ec' }), 'Generate a key first'),
    }
  }
  const body = { default: first }
  return {
    because: `${mount.path} has no default key; it has ${joinNames([first, ...others])}`,
    ...sendTo(request, `${mount.path}config/keys`, () => body, `Make ${first} the default`),
  }
}

/** Explains that nothing exists at the path. Used for paths that need no token. */
const explainOpenPath: ExplainInMount = (request, mount) => {
  const rest = targetOf(request).path.slice(mount.path.length)
  const isCertificate = rest.startsWith('cert/')
  return {
    because: isCertificate
      ? `${mount.path}cert/ must be followed by a serial number, ca, ca_chain, crl or delta-crl, not by ${rest.slice('cert/'.length)}`
      : `${mount.path} has nothing at ${rest}`,
    ...listAt(request, `${mount.path}certs`, 'List the stored serial numbers'),
  }
}

/**
 * Returns a function that explains that another issuer or key already has the name. The explanation
 * is undefined if no issuer or key has it.
 */
function explainTakenName(
  member: 'issuer_name' | 'key_name',
  find: (
    request: RefusedRequest,
    mount: Mount,
  ) => readonly { readonly id: string; readonly name: string }[],
): ExplainInMount {
  return (request, mount) => {
    const name = String(memberOf(request, member))
    const owner = find(request, mount).find((each) => each.name === name)
    if (owner === undefined) return undefined
    const because = `"${member}" is ${name}, the name of ${owner.id} in ${mount.path}`
    return { because, ...withField(member, `${name}-2`)(request) }
  }
}

const explainKeyInUse: ExplainInMount = (request, mount) => {
  const ref = lastSegment(request)
  const usesKey = ({ key_id }: PkiIssuer) =>
    keysOf(request.world, mount).some(({ id, name }) => id === key_id && [id, name].includes(ref))
  const issuer = issuersOf(request.world, mount).find(usesKey)
  if (issuer === undefined) return undefined
  const sent = listAt(request, `${mount.path}issuer/${issuer.id}`, 'Delete the issuer first')
  return {
    because: `the issuer ${nameOf(issuer)} signs with the key ${ref}`,
    ...sent,
    request: { ...sent.request, method: 'DELETE' },
  }
}

const explainRoleTtl = (request: RefusedRequest): Diagnosis => {
  const maxTtl = memberOf(request, 'max_ttl')
  return {
    because: `"ttl" is ${String(memberOf(request, 'ttl'))}, longer than "max_ttl", ${String(maxTtl)}`,
    ...withField('ttl', maxTtl)(request),
  }
}

export const pkiExplanations = explainInMount({
  ...pkiFieldExplanations,
  ...pkiTextExplanations,
  ...pkiIssuerExplanations,
  ...pkiSettingExplanations,
  ...pkiSignedCrlExplanations,
  'pki-role-to-patch-unknown': explainUnknownRole,
  'pki-no-default-key': explainMissingKey,
  'pki-open-path-unsupported': explainOpenPath,
  'pki-role-unknown': explainUnknownRole,
  'pki-key-unknown': explainUnknownKey,
  'pki-existing-key-unknown': explainUnknownKey,
  'pki-default-key-unresolved': explainUnknownKey,
  'pki-cn-refused': explainRefusedName,
  'pki-name-refused': explainRefusedName,
  'pki-mail-refused': explainRefusedName,
  'pki-cn-missing': explainMissingName,
  'pki-ip-refused': explainRefusedKind('ip_sans', () => 'allow_ip_sans false'),
  'pki-uri-not-allowed': explainRefusedKind('uri_sans', () => 'no allowed_uri_sans'),
  'pki-uri-refused': explainRefusedKind(
    'uri_sans',
    ({ allowed_uri_sans }) => `allowed_uri_sans ${joinNames(allowed_uri_sans)}`,
  ),
  'pki-beyond-issuer': explainEndAfterIssuer,
  'pki-revoke-unknown': explainUnknownSerial,
  'pki-revoke-issuer': explainIssuerRevocation,
  'pki-csr-key-type': explainRequestKey,
  'pki-csr-key-bits': explainRequestKey,
  'pki-any-key': explainAnyKey,
  'pki-issuer-name-taken': explainTakenName('issuer_name', ({ world }, mount) =>
    issuersOf(world, mount),
  ),
  'pki-key-name-taken': explainTakenName('key_name', ({ world }, mount) => keysOf(world, mount)),
  'pki-key-in-use': explainKeyInUse,
  'pki-role-ttl': explainRoleTtl,
  'pki-rsa-short': (request) => ({
    because: `"key_bits" is ${String(memberOf(request, 'key_bits'))}, but RSA keys must have at least 2048 bits`,
    ...withField('key_bits', 2048)(request),
  }),
  'pki-key-type-unknown': (request) => ({
    because: `"key_type" is ${String(memberOf(request, 'key_type'))}; it must be rsa, ec or ed25519`,
    ...withField('key_type', 'rsa')(request),
  }),
})
