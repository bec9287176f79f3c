import { X509Certificate } from 'node:crypto'
import type { Message } from '../../kernel/message.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { filledAddresses } from './address-templates.ts'
import { rebuildCrls } from './crl.ts'
import { checkIssuerName, hasNoAddresses, requireIssuer, templatesOf } from './issuers.ts'
import { message, refuse } from './messages.ts'
import { isSignedBy, maySignCrls } from './parsed.ts'
import { pkiRoles } from './roles.ts'
import { algorithmName } from './signing.ts'
import {
  checkUrls,
  findIssuer,
  issuersOf,
  issuerUsages,
  type PkiIssuer,
  parsedCertificate,
  pkiCertificates,
  pkiDefaults,
  pkiIssuers,
  setPkiDefaults,
} from './tables.ts'

/** Settings that a request changes; undefined members keep their values. */
interface IssuerChange {
  readonly issuer_name?: string
  readonly leaf_not_after_behavior?: string
  readonly usage?: readonly string[]
  /** References to issuers. The first reference must be to the changed issuer itself, or `self`. */
  readonly manual_chain?: readonly string[]
  readonly revocation_signature_algorithm?: string
  readonly issuing_certificates?: readonly string[]
  readonly crl_distribution_points?: readonly string[]
  readonly ocsp_servers?: readonly string[]
  readonly enable_aia_url_templating?: boolean
}

const behaviors = ['err', 'truncate', 'permit'] as const

interface ChangedIssuer {
  readonly issuer: PkiIssuer
  readonly warnings: readonly Message[]
}

/**
 * Changes the given settings of an issuer. The warnings concern roles that reference the issuer's
 * old name, and address templates that lack a value or do not result in a URL. Throws `absent` for
 * an unknown issuer, also in `manual_chain`, and `invalid` refusals for values that are malformed
 * or do not fit the issuer.
 */
export function changeIssuer(
  world: World,
  mount: Mount,
  ref: string,
  change: IssuerChange,
): ChangedIssuer {
  const before = requireIssuer(world, mount, ref)
  const { issuer_name: name = before.name, usage: requestedUsage = before.usage } = change
  checkIssuerName(world, mount, name, before.id)
  const requestedBehavior = change.leaf_not_after_behavior ?? before.leaf_not_after_behavior
  const behavior = behaviors.find((each) => each === requestedBehavior)
  if (behavior === undefined) throw refuse('pki-leaf-behavior')
  const usage = issuerUsages.filter((each) => requestedUsage.includes(each))
  if (requestedUsage.some((each) => !issuerUsages.some((known) => known === each))) {
    throw refuse('pki-usage-unknown', { values: requestedUsage.join(' ') })
  }
  const mayIssue = usage.includes('issuing-certificates')
  if (before.revoked_at !== null && mayIssue) throw refuse('pki-issuer-revoked')
  const requestsCrlSigning = usage.includes('crl-signing') && change.usage !== undefined
  if (requestsCrlSigning && !maySignCrls(parsedCertificate(before)))
    throw refuse('pki-usage-without-crl-sign')
  const { revocation_signature_algorithm: algorithm, manual_chain: chain } = change
  const addresses = changedAddresses(before, change)
  const issuer: PkiIssuer = {
    ...before,
    ...addresses,
    name,
    leaf_not_after_behavior: behavior,
    usage,
    revocation_signature_algorithm:
      algorithm === undefined
        ? before.revocation_signature_algorithm
        : crlAlgorithm(before, algorithm),
    manual_chain:
      chain === undefined ? before.manual_chain : readChain(world, mount, before, chain),
  }
  pkiIssuers.put(world, mount, issuer.id, issuer)
  const isRenamed = before.name !== '' && name !== before.name
  return {
    issuer,
    warnings: [
      ...(isRenamed ? referenceWarnings(world, mount, before.name) : []),
      ...(hasNoAddresses(issuer) ? [] : templateWarnings(world, mount, issuer)),
    ],
  }
}

/**
 * Returns a warning if the issuer's address templates lack a value or do not result in URLs,
 * because issuing certificates will then fail.
 */
export function templateWarnings(world: World, mount: Mount, issuer: PkiIssuer): Message[] {
  const filled = filledAddresses(world, mount, templatesOf(world, mount, issuer), issuer.id)
  return filled instanceof Refusal ? [message('pki-issuance-may-fail', { why: filled.reason })] : []
}

const addressMembers = ['issuing_certificates', 'crl_distribution_points', 'ocsp_servers'] as const

function changedAddresses(before: PkiIssuer, change: IssuerChange) {
  const changed = { ...before }
  for (const field of addressMembers) changed[field] = change[field] ?? before[field]
  const { enable_aia_url_templating: templating = before.enable_aia_url_templating } = change
  const { issuing_certificates, crl_distribution_points, ocsp_servers } = changed
  const addresses = { issuing_certificates, crl_distribution_points, ocsp_servers }
  if (!templating) checkUrls(addresses)
  // As in the reference, an issuer without addresses does not keep `enable_aia_url_templating`.
  return {
    ...addresses,
    enable_aia_url_templating: templating && !hasNoAddresses(addresses),
  }
}

const algorithmNames = [
  'SHA256WithRSA',
  'SHA384WithRSA',
  'SHA512WithRSA',
  'ECDSAWithSHA256',
  'ECDSAWithSHA384',
  'ECDSAWithSHA512',
  'SHA256WithRSAPSS',
  'SHA384WithRSAPSS',
  'SHA512WithRSAPSS',
  'Ed25519',
]

/**
 * Returns a CRL signature algorithm in the spelling of the reference; an empty string stays empty.
 * Throws an `invalid` refusal for unknown algorithms and for those that do not fit the issuer's
 * key.
 */
function crlAlgorithm(issuer: PkiIssuer, requested: string): string {
  if (requested === '') return ''
  const requestedName = requested.toLowerCase().replace(/^pure(?=ed25519$)/, '')
  const name = algorithmNames.find((each) => each.toLowerCase() === requestedName)
  if (name === undefined) {
    const names = [...algorithmNames, 'PureEd25519'].map((each) => each.toLowerCase()).join(', ')
    throw refuse('pki-crl-algorithm-unknown', { names })
  }
  const keyAlgorithm = algorithmName(new X509Certificate(issuer.certificate).publicKey)
  if (name.includes(keyAlgorithm)) return name
  throw refuse('pki-crl-algorithm-unfit', { type: keyAlgorithm, algorithm: goAlgorithmName(name) })
}

/** Returns the name that Go prints for an algorithm, such as `SHA256-RSA` or `ECDSA-SHA256`. */
function goAlgorithmName(name: string): string {
  return name.replace(/^(SHA\d+)With(RSA)(PSS)?$/, '$1-$2$3').replace('With', '-')
}

/**
 * Returns the ids of the issuers in a manual chain; null for an empty chain. Throws `absent` for an
 * unknown reference, and `invalid` if the first reference is to another issuer.
 */
function readChain(
  world: World,
  mount: Mount,
  issuer: PkiIssuer,
  refs: readonly string[],
): readonly string[] | null {
  const ids = refs.map((ref, at) => {
    if (at === 0 && ref === 'self') return issuer.id
    const { id } = requireIssuer(world, mount, ref)
    if (at === 0 && id !== issuer.id) throw refuse('pki-chain-self', { ref, id })
    return id
  })
  return ids.length === 0 ? null : ids
}

/**
 * Returns a warning with the number of roles whose `issuer_ref` is this name. Returns an empty list
 * if there is no such role.
 */
function referenceWarnings(world: World, mount: Mount, name: string): Message[] {
  const roles = pkiRoles.names(world, mount).map((each) => pkiRoles.read(world, mount, each))
  const count = roles.filter(({ issuer_ref }) => issuer_ref === name).length
  return count === 0 ? [] : [message('pki-roles-reference', { count, name })]
}

/**
 * Revokes an issuer: removes its usage `issuing-certificates`, marks its stored certificate as
 * revoked, and rebuilds the CRLs. Returns the issuer with warnings about the effect. A second call
 * changes nothing and returns no warnings. Throws `absent` for an unknown issuer.
 */
export function revokeIssuer(world: World, mount: Mount, ref: string): ChangedIssuer {
  const before = requireIssuer(world, mount, ref)
  if (before.revoked_at !== null) return { issuer: before, warnings: [] }
  const usage = before.usage.filter((each) => each !== 'issuing-certificates')
  const revoked_at = world.clock.now()
  const issuer: PkiIssuer = { ...before, revoked_at, usage }
  const { der, serial } = parsedCertificate(issuer)
  world.write(() => {
    pkiIssuers.put(world, mount, issuer.id, issuer)
    const stored = pkiCertificates.find(world, mount, serial)
    if (stored !== undefined && parsedCertificate(stored).der.equals(der)) {
      pkiCertificates.put(world, mount, serial, { ...stored, revoked_at })
    }
    rebuildCrls(world, mount)
  })
  const signers = issuersOf(world, mount).filter((each) =>
    isSignedBy(der, parsedCertificate(each).publicKey),
  )
  const isDefault = pkiDefaults(world, mount).issuer === issuer.id
  return {
    issuer,
    warnings: [
      ...(signers.some(({ id }) => id === issuer.id) ? [message('pki-revoked-self-signed')] : []),
      ...(signers.some(({ id }) => id !== issuer.id) ? [] : [message('pki-revoked-no-parent')]),
      ...(isDefault ? [message('pki-revoked-default')] : []),
    ],
  }
}

/**
 * Deletes an issuer, unsets it as the default, and rebuilds the CRLs. Returns warnings about roles
 * that still name the issuer and about the missing default. Does nothing for an unknown issuer.
 */
export function deleteIssuer(world: World, mount: Mount, ref: string): Message[] {
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) return []
  const { id, name } = issuer
  const wasDefault = pkiDefaults(world, mount).issuer === id
  const named = [...(name === '' ? [] : [name]), id]
  world.write(() => {
    pkiIssuers.remove(world, mount, id)
    if (wasDefault) setPkiDefaults(world, mount, { issuer: '' })
    rebuildCrls(world, mount)
  })
  return [
    ...named.flatMap((each) => referenceWarnings(world, mount, each)),
    ...(wasDefault ? [message('pki-default-issuer-deleted', { id, ref })] : []),
    ...(wasDefault ? referenceWarnings(world, mount, 'default') : []),
  ]
}

/**
 * Sets the default issuer and returns a warning if the mount does not have the issuer's key. An
 * undefined `follows` keeps the setting `follows_latest`. Throws an `invalid` refusal for an empty
 * or unknown reference, and for `default`.
 */
export function setDefaultIssuer(
  world: World,
  mount: Mount,
  ref: string,
  follows: boolean | undefined,
): Message[] {
  if (ref === '' || ref === 'default') throw refuse('pki-default-issuer-invalid')
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) throw refuse('pki-issuer-ref-unresolved', { ref })
  const { follows_latest } = pkiDefaults(world, mount)
  setPkiDefaults(world, mount, { issuer: issuer.id, follows_latest: follows ?? follows_latest })
  return issuer.key_id === '' ? [message('pki-issuer-without-key')] : []
}
