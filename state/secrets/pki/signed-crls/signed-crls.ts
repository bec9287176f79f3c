import { createPublicKey, type KeyObject } from 'node:crypto'
import { parseDuration } from '../../../go/duration.ts'
import { DerSyntaxError } from '../../../kernel/der.ts'
import type { Message } from '../../../kernel/message.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { Mount } from '../../mounts/mounts.ts'
import { crlSignature } from '../crl.ts'
import { type CrlEntry, encodeCrl, readCrlEntries } from '../crl-encoding.ts'
import { signerOf } from '../issuers.ts'
import { message, refuse } from '../messages.ts'
import { pemBlocks, toPem, verifyStructure } from '../signing.ts'
import { findIssuer, parsedCertificate } from '../tables.ts'
import { CrlContentError, readListedExtensions, readRevokedCertificates } from './content.ts'

/** Members of both kinds of requests: to combine CRLs, and to sign a CRL with listed entries. */
interface SignedCrlRequest {
  readonly crl_number: number
  /** CRL number of the complete CRL that a delta CRL refers to; -1 for a complete CRL. */
  readonly delta_crl_base_number: number
  /** Duration from now until the CRL expires, such as `72h`. */
  readonly next_update: string
  /** `pem` or `der`, in upper or lower case. */
  readonly format: string
}

/**
 * Returns the checked members, with `validity` in milliseconds. Throws an `invalid` refusal for an
 * unknown format, for a lifetime that is malformed or not positive, and for a CRL number below its
 * minimum.
 */
function checkedRequest({ next_update, format, ...request }: SignedCrlRequest) {
  const form = format.toLowerCase()
  if (form !== 'pem' && form !== 'der') throw refuse('pki-signed-crl-format', { value: format })
  const validity = parseMilliseconds(next_update)
  if (validity <= 0) throw refuse('pki-signed-crl-next-update-past')
  if (request.crl_number < 0) throw refuse('pki-signed-crl-number')
  if (request.delta_crl_base_number < -1) throw refuse('pki-signed-crl-base')
  return { ...request, form, validity } as const
}

function parseMilliseconds(duration: string): number {
  try {
    return parseDuration(duration) / 1e6
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('pki-signed-crl-next-update', { why: error.reason })
  }
}

/**
 * Returns an issuer and its signer. Throws an `invalid` refusal if the issuer is unknown, or lacks
 * its key or the usage `crl-signing`.
 */
function crlIssuer(world: World, mount: Mount, ref: string) {
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) {
    const why =
      ref === 'default'
        ? 'no default issuer currently configured'
        : `unable to find PKI issuer for reference: ${ref}`
    throw refuse('pki-signed-crl-issuer', { why })
  }
  const { id, name, usage } = issuer
  if (!usage.includes('crl-signing')) {
    throw refuse('pki-signed-crl-usage', { id, name, usages: [...usage].sort().join(',') })
  }
  const signer = signerOf(world, mount, issuer)
  if (signer === undefined) throw refuse('pki-signed-crl-no-key', { id })
  return { issuer, signer }
}

/**
 * Signs a CRL with the entries of other CRLs of the issuer. If several CRLs contain a serial with
 * different times, uses the earliest entry and returns a warning. Stores nothing. Throws an
 * `invalid` refusal for malformed members and CRLs, for an unusable issuer, and for CRLs that the
 * issuer did not sign.
 */
export function combineCrls(
  world: World,
  mount: Mount,
  ref: string,
  request: SignedCrlRequest & { readonly crls: readonly string[] },
): { readonly crl: string; readonly warnings: readonly Message[] } {
  const checked = checkedRequest(request)
  const crls = request.crls.map(readCrl)
  const { issuer } = crlIssuer(world, mount, ref)
  const key = createPublicKey({
    key: parsedCertificate(issuer).publicKey,
    format: 'der',
    type: 'spki',
  })
  const foreignIndex = crls.findIndex(({ der }) => !isCrlOf(der, key))
  if (foreignIndex !== -1) throw refuse('pki-signed-crl-foreign', { index: foreignIndex })
  const entries = new Map<string, CrlEntry>()
  const warnings: Message[] = []
  for (const entry of crls.flatMap((crl) => crl.entries)) {
    const known = entries.get(entry.serial)
    if (known !== undefined && known.revokedAt !== entry.revokedAt) {
      warnings.push(message('pki-signed-crl-duplicate', { serial: entry.serial }))
    }
    if (known === undefined || known.revokedAt > entry.revokedAt) entries.set(entry.serial, entry)
  }
  const content = { entries: [...entries.values()], extensions: [] }
  return { crl: signCrl(world, mount, ref, checked, content), warnings }
}

function isCrlOf(der: Buffer, key: KeyObject): boolean {
  try {
    return verifyStructure(der, key)
  } catch {
    return false
  }
}

/**
 * Parses a CRL from a text with exactly one PEM block. Throws an `invalid` refusal for other
 * strings.
 */
function readCrl(pem: string, index: number) {
  const [block, ...others] = pemBlocks(pem)
  if (block === undefined || others.length > 0 || !/-----\s*$/.test(pem)) {
    const why = 'invalid crl; should be one PEM block only'
    throw refuse('pki-signed-crl-undecodable', { index, why })
  }
  try {
    return { der: block.der, entries: readCrlEntries(block.der) }
  } catch (error) {
    if (!(error instanceof DerSyntaxError)) throw error
    throw refuse('pki-signed-crl-undecodable', { index, why: 'x509: malformed crl' })
  }
}

/**
 * Signs a CRL with the revoked certificates and extensions that a request lists. Stores nothing.
 * Throws an `invalid` refusal for malformed members and for an unusable issuer.
 */
export function signListedCrl(
  world: World,
  mount: Mount,
  ref: string,
  request: SignedCrlRequest & {
    readonly revoked_certs: readonly unknown[]
    readonly extensions: readonly unknown[]
  },
): string {
  const checked = checkedRequest(request)
  try {
    return signCrl(world, mount, ref, checked, {
      entries: readRevokedCertificates(request.revoked_certs),
      extensions: readListedExtensions(request.extensions),
    })
  } catch (error) {
    if (!(error instanceof CrlContentError)) throw error
    throw refuse('pki-signed-crl-content', { why: error.message })
  }
}

/** Returns a signed CRL as PEM or as base64 DER. */
function signCrl(
  world: World,
  mount: Mount,
  ref: string,
  { crl_number, delta_crl_base_number, form, validity }: ReturnType<typeof checkedRequest>,
  content: { readonly entries: readonly CrlEntry[]; readonly extensions: readonly Buffer[] },
): string {
  const { issuer, signer } = crlIssuer(world, mount, ref)
  const now = world.clock.now()
  const der = encodeCrl(
    signer,
    {
      ...content,
      number: crl_number,
      thisUpdate: now,
      nextUpdate: now + validity,
      baseNumber: delta_crl_base_number < 0 ? undefined : delta_crl_base_number,
    },
    crlSignature(issuer),
  )
  return form === 'der' ? der.toString('base64') : `${toPem('X509 CRL', der)}\n`
}
