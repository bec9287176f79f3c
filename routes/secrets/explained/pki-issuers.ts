import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { maySignCrls } from '../../../state/secrets/pki/parsed.ts'
import {
  findIssuer,
  issuersOf,
  issuerUsages,
  type PkiIssuer,
  parsedCertificate,
} from '../../../state/secrets/pki/tables.ts'
import type { Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  explainMember,
  explainUnknownName,
  joinNames,
  lastSegment,
  memberOf,
  patchAt,
} from './names.ts'
import { roleOf } from './pki-names.ts'
import { sendTo, withField } from './root-requests.ts'

/** Returns the name of an issuer or a key, or the id if the name is empty. */
export const nameOf = ({ id, name }: { readonly id: string; readonly name: string }) => name || id

/**
 * Returns the reference to the issuer that the request selects: the one in the path, otherwise the
 * one in the role, otherwise `default`.
 */
export function issuerRef(request: RefusedRequest, mount: Mount): string {
  const refInPath = /\/issuer\/([^/]+)/.exec(request.path)?.[1]
  return refInPath ?? roleOf(request, mount)?.issuer_ref ?? 'default'
}

/**
 * Body of a suggested request that generates a root. The key type is EC because EC keys are
 * generated fast.
 */
export const exampleRoot = { common_name: 'example.com', key_type: 'ec', ttl: '87600h' }

/** Explains that the mount has no CA, or has issuers but no default issuer. */
const explainMissingCa: ExplainInMount = (request, mount) => {
  const [first, ...others] = issuersOf(request.world, mount).map(nameOf)
  if (first === undefined) {
    const path = `${mount.path}root/generate/internal`
    return {
      because: `${mount.path} has no CA: no root was generated there, and no issuer was imported`,
      ...sendTo(request, path, () => exampleRoot, 'Generate a root first'),
    }
  }
  const body = { default: first }
  return {
    because: `${mount.path} has no default issuer; it has ${joinNames([first, ...others])}`,
    ...sendTo(request, `${mount.path}config/issuers`, () => body, `Make ${first} the default`),
  }
}

/**
 * Explains that an issuer does not exist. The issuer is the one in the message of the refusal,
 * otherwise the one that the request selects.
 */
const explainUnknownIssuer: ExplainInMount = (request, mount) => {
  const ref = String(request.refusal?.params['ref'] ?? issuerRef(request, mount))
  const issuers = issuersOf(request.world, mount)
  const isInRole = roleOf(request, mount)?.issuer_ref === ref
  const rolePath = `${mount.path}roles/${lastSegment(request)}`
  const defaultIssuerMember = { issuer_ref: 'default' }
  return explainUnknownName(request, mount, {
    kind: 'issuer',
    name: ref,
    names: ['default', ...issuers.map(({ id }) => id), ...issuers.map(({ name }) => name)].filter(
      (each) => each !== '',
    ),
    ...(isInRole && {
      replace: (name) => patchAt(request, rolePath, { issuer_ref: name }, '').request,
    }),
    create: isInRole
      ? () =>
          patchAt(request, rolePath, defaultIssuerMember, 'Set "issuer_ref": "default" in the role')
      : undefined,
  })
}

/**
 * Explains that the `usage` of the issuer does not include the requested usage. Returns undefined
 * if the issuer is unknown.
 */
const explainUsage: ExplainInMount = (request, mount) => {
  const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
  if (issuer === undefined) return undefined
  const usage = [...issuerUsages]
  const requiredUsage = String(request.refusal?.params['usage'] ?? 'crl-signing')
  const path = `${mount.path}issuer/${issuer.id}`
  return {
    because: `the issuer ${nameOf(issuer)} may be used for ${issuer.usage.join(', ')}, not for ${requiredUsage}`,
    ...patchAt(request, path, { usage }, 'Add the usage to the issuer'),
  }
}

/**
 * Explains that an issuer cannot sign because the mount does not have its private key. Returns
 * undefined if the issuer is unknown.
 */
const explainMissingKey: ExplainInMount = (request, mount) => {
  const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
  if (issuer === undefined) return undefined
  return {
    because: `${mount.path} has no key of the issuer ${nameOf(issuer)}, so the issuer cannot sign`,
    ...makeOtherRoot(request, mount, 'Import its key, or generate another root'),
  }
}

/**
 * Returns a correction that generates a root whose path length is unlimited and whose key the mount
 * stores.
 */
function makeOtherRoot(request: RefusedRequest, mount: Mount, change: string) {
  return sendTo(request, `${mount.path}root/generate/internal`, () => exampleRoot, change)
}

/**
 * Returns a sentence that says that the certificate of an issuer does not allow the issuer to sign
 * CRLs.
 */
const reasonOfNoCrl = (issuer: PkiIssuer) =>
  `the certificate of the issuer ${nameOf(issuer)} lacks the key usage cRLSign, so the issuer cannot sign CRLs`

/**
 * Explains that the settings or the certificate of an issuer do not allow it to sign CRLs. Returns
 * undefined if the issuer is unknown.
 */
const explainCrlUsage: ExplainInMount = (request, mount) => {
  const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
  if (issuer === undefined || maySignCrls(parsedCertificate(issuer)))
    return explainUsage(request, mount)
  const change = 'Use a CA whose certificate allows CRLs; generate one first'
  return { because: reasonOfNoCrl(issuer), ...makeOtherRoot(request, mount, change) }
}

/** Explains that an issuer has no CRL, because the issuer does not exist or cannot sign. */
const explainAbsentCrl: ExplainInMount = (request, mount) => {
  const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
  if (issuer === undefined) return explainMissingCa(request, mount)
  return issuer.usage.includes('crl-signing')
    ? explainMissingKey(request, mount)
    : explainCrlUsage(request, mount)
}

/** Explains that the path length of an issuer allows no intermediate CA. */
const explainPathLength: ExplainInMount = (request, mount) => ({
  because: `the CA ${issuerRef(request, mount)} of ${mount.path} has the path length 0, so it cannot sign another CA`,
  ...makeOtherRoot(request, mount, 'Sign with a CA that has no such limit; generate one first'),
})

/**
 * Returns a function that calls `explain` with the issuer that the request selects. The explanation
 * is undefined if the issuer is unknown.
 */
function explainIssuer(
  explain: (request: RefusedRequest, issuer: PkiIssuer) => Diagnosis,
): ExplainInMount {
  return (request, mount) => {
    const issuer = findIssuer(request.world, mount, issuerRef(request, mount))
    return issuer && explain(request, issuer)
  }
}

/** Returns a correction that gives an issuer all usages except one. */
function withoutUsage(missingUsage: (typeof issuerUsages)[number]) {
  return withField('usage', issuerUsages.filter((usage) => usage !== missingUsage).join(','))
}

/** Explains that a manual chain does not begin with the issuer itself. */
const explainChain = explainIssuer((request, issuer) => {
  const [first, ...others] = [memberOf(request, 'manual_chain')]
    .flatMap((chain) => (typeof chain === 'string' ? chain.split(',') : chain))
    .map(String)
  return {
    because: `"manual_chain" begins with ${first}, but must begin with the issuer ${nameOf(issuer)} itself, as "self"`,
    ...withField('manual_chain', ['self', ...others])(request),
  }
})

const setUsualAlgorithm = withField('revocation_signature_algorithm', '')

/** Explanations of refusals about issuers of PKI engines: their settings, keys and CRLs. */
export const pkiIssuerExplanations: Readonly<Record<string, ExplainInMount>> = {
  'pki-no-ca': explainMissingCa,
  'pki-no-default-issuer': explainMissingCa,
  'pki-no-default-issuer-open': explainMissingCa,
  'pki-issuer-unknown': explainUnknownIssuer,
  'pki-ca-unknown': explainUnknownIssuer,
  'pki-issuer-ref-unresolved': explainUnknownIssuer,
  'pki-usage-missing': explainUsage,
  'pki-ca-without-key': explainMissingKey,
  'pki-crl-absent': explainAbsentCrl,
  'pki-no-default-crl': explainAbsentCrl,
  'pki-path-length-zero': explainPathLength,
  'pki-issuer-revoked': explainIssuer((request, issuer) => ({
    because: `the issuer ${nameOf(issuer)} was revoked at ${formatTimestamp(issuer.revoked_at ?? 0)}, so it no longer issues certificates`,
    ...withoutUsage('issuing-certificates')(request),
  })),
  'pki-usage-without-crl-sign': explainIssuer((request, issuer) => ({
    because: reasonOfNoCrl(issuer),
    ...withoutUsage('crl-signing')(request),
  })),
  'pki-chain-self': explainChain,
  'pki-crl-algorithm-unknown': explainMember(
    'revocation_signature_algorithm',
    'it must be a name such as SHA256WithRSA, ECDSAWithSHA256 or Ed25519, or empty for the default',
    setUsualAlgorithm,
  ),
  'pki-crl-algorithm-unfit': explainIssuer((request, issuer) => ({
    because: `"revocation_signature_algorithm" is ${String(memberOf(request, 'revocation_signature_algorithm'))}, but the issuer ${nameOf(issuer)} has a key of the type ${String(request.refusal?.params['type'])}`,
    ...setUsualAlgorithm(request),
  })),
  'pki-signed-crl-issuer': (request, mount) =>
    issuerRef(request, mount) === 'default'
      ? explainMissingCa(request, mount)
      : explainUnknownIssuer(request, mount),
  'pki-signed-crl-usage': explainCrlUsage,
  'pki-signed-crl-no-key': explainMissingKey,
}
