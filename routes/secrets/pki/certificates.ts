import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { currentCrl, currentDeltaCrl } from '../../../state/secrets/pki/crl.ts'
import { chainOf } from '../../../state/secrets/pki/issuers.ts'
import { refuse } from '../../../state/secrets/pki/messages.ts'
import { normalizeSerial } from '../../../state/secrets/pki/revocation.ts'
import { pemBlocks, toPem } from '../../../state/secrets/pki/signing.ts'
import { findIssuer, type PkiIssuer, pkiCertificates } from '../../../state/secrets/pki/tables.ts'
import { dataOutcome, keysOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { keysEnvelope } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'
import { certificateReply, openIssuerReply } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-reading' })
const openOperation = operationsOf({ spec: 'behaviour/secrets#pki-reading', access: 'anyone' })

/** Content types of raw certificates. */
const contentTypes = {
  der: 'application/pkix-cert',
  pem: 'application/pem-certificate-chain',
} as const

/** Replies of an operation whose body is not JSON. */
export const rawReply = { 200: { type: 'string' }, 204: null } as const

/** Returns a 200 whose body is not JSON; a 204 if the body is undefined. */
function rawOutcome(contentType: string, body: string | Uint8Array | undefined): SecretsOutcome {
  if (body === undefined) return { kind: 'bytes', status: 204, contentType, bytes: undefined }
  if (typeof body === 'string') return { kind: 'text', status: 200, contentType, text: body }
  return { kind: 'bytes', status: 200, contentType, bytes: body }
}

export const crlTypes = { der: 'application/pkix-crl', pem: 'application/x-pem-file' } as const

/** Returns a CRL as a body that is not JSON; a 204 if the CRL is undefined. */
export function rawCrl(der: Buffer | undefined, form: 'der' | 'pem'): SecretsOutcome {
  return rawOutcome(crlTypes[form], form === 'der' ? der : der && toPem('X509 CRL', der))
}

/**
 * Functions that return a CRL, by the path segment that replaces the serial number: a request for
 * this segment returns the CRL instead of a certificate.
 */
const crlReaders: Readonly<Record<string, typeof currentCrl>> = {
  crl: currentCrl,
  'delta-crl': currentDeltaCrl,
}

function derOf(certificate: string): Uint8Array {
  return pemBlocks(certificate)[0]?.der ?? Buffer.alloc(0)
}

function defaultCertificate(world: World, mount: Mount, form: 'der' | 'pem'): SecretsOutcome {
  const certificate = findIssuer(world, mount, 'default')?.certificate
  if (certificate === undefined || form === 'pem')
    return rawOutcome(contentTypes[form], certificate)
  return rawOutcome(contentTypes.der, derOf(certificate))
}

/**
 * Returns the issuer that is named in a path that needs no token. Throws an `absent` refusal for an
 * unknown issuer.
 */
export function openIssuer(world: World, mount: Mount, ref: string): PkiIssuer {
  const issuer = findIssuer(world, mount, ref)
  if (issuer === undefined) throw refuse('pki-issuer-unknown', { ref })
  return issuer
}

/**
 * Returns a certificate with the time of its revocation. Instead of a serial number, `serial` can
 * be `ca`, `ca_chain`, `crl` or `delta-crl`. Throws a refusal if the serial number is malformed, or
 * if the certificate or the CRL does not exist.
 */
function readCertificate(world: World, mount: Mount, serial: string): SecretsOutcome {
  const unrevokedMembers = { revocation_time: 0, revocation_time_rfc3339: '' }
  if (serial === 'ca' || serial === 'ca_chain') {
    const issuer = findIssuer(world, mount, 'default')
    if (issuer === undefined) throw refuse('pki-no-default-issuer-open')
    const chain = chainOf(world, mount, issuer).join('\n')
    if (serial === 'ca')
      return dataOutcome({ certificate: issuer.certificate, ...unrevokedMembers })
    return dataOutcome({ ca_chain: chain, certificate: chain, ...unrevokedMembers })
  }
  const readCrl = crlReaders[serial]
  if (readCrl !== undefined) {
    const issuer = findIssuer(world, mount, 'default')
    const der = issuer && readCrl(world, mount, issuer)
    if (der === undefined) throw refuse('pki-no-default-crl')
    return dataOutcome({ certificate: toPem('X509 CRL', der), ...unrevokedMembers })
  }
  const found = storedCertificate(world, mount, serial)
  const { certificate, revoked_at } = found
  if (revoked_at === null) return dataOutcome({ certificate, ...unrevokedMembers })
  return dataOutcome({
    certificate,
    issuer_id: found.issuer_id,
    revocation_time: Math.floor(revoked_at / 1000),
    revocation_time_rfc3339: formatTimestamp(revoked_at),
  })
}

/** Returns a stored certificate. Throws a refusal for a malformed or unknown serial number. */
function storedCertificate(world: World, mount: Mount, serial: string) {
  if (!/^[0-9A-Fa-f:-]+$/.test(serial)) throw refuse('pki-open-path-unsupported')
  return pkiCertificates.read(world, mount, normalizeSerial(serial))
}

/**
 * Returns a raw certificate or CRL; 204 for a missing CA or CRL. Instead of a serial number,
 * `serial` can be `ca`, `crl` or `delta-crl`. Throws a refusal for a malformed or unknown serial
 * number.
 */
function rawCertificate(world: World, mount: Mount, serial: string, form: 'der' | 'pem') {
  if (serial === 'ca') return defaultCertificate(world, mount, form)
  const readCrl = crlReaders[serial]
  if (readCrl !== undefined) {
    const issuer = findIssuer(world, mount, 'default')
    return rawCrl(issuer && readCrl(world, mount, issuer), form)
  }
  const { certificate } = storedCertificate(world, mount, serial)
  return rawOutcome(contentTypes[form], form === 'pem' ? certificate : derOf(certificate))
}

/** Operations that read certificates, most of them without a token. */
export const certificateOperations = [
  openOperation.read('pkiReadCa', 'ca', {
    summary: 'Read the certificate of the default issuer as DER.',
    mediaType: contentTypes.der,
    reply: rawReply,
    run: ({ world, mount }) => defaultCertificate(world, mount, 'der'),
  }),
  openOperation.read('pkiReadCaPem', 'ca/pem', {
    summary: 'Read the certificate of the default issuer as PEM.',
    mediaType: contentTypes.pem,
    reply: rawReply,
    run: ({ world, mount }) => defaultCertificate(world, mount, 'pem'),
  }),
  openOperation.read('pkiReadCaChain', 'ca_chain', {
    summary: 'Read the chain of the default issuer as PEM.',
    mediaType: contentTypes.der,
    reply: rawReply,
    run({ world, mount }) {
      const issuer = findIssuer(world, mount, 'default')
      const chain = issuer && chainOf(world, mount, issuer).join('\n')
      return rawOutcome(contentTypes.der, chain)
    },
  }),
  // Serial numbers contain colons, so these paths have wildcards. The router takes the first match,
  // so the longest path comes first.
  openOperation.read('pkiReadPemCertificate', 'cert/*serial/raw/pem', {
    summary: 'Read a certificate by its serial as PEM.',
    mediaType: contentTypes.pem,
    reply: rawReply,
    run: ({ world, mount, params }) => rawCertificate(world, mount, params.serial, 'pem'),
  }),
  openOperation.read('pkiReadRawCertificate', 'cert/*serial/raw', {
    summary: 'Read a certificate by its serial as DER.',
    mediaType: contentTypes.der,
    reply: rawReply,
    run: ({ world, mount, params }) => rawCertificate(world, mount, params.serial, 'der'),
  }),
  openOperation.read('pkiReadCertificate', 'cert/*serial', {
    summary: 'Read a certificate by its serial.',
    failures: [500],
    reply: certificateReply,
    run: ({ world, mount, params }) => readCertificate(world, mount, params.serial),
  }),
  openOperation.read('pkiReadIssuerJson', 'issuer/:issuer_ref/json', {
    summary: 'Read the certificate of an issuer with its chain.',
    reply: openIssuerReply,
    run({ world, mount, params }) {
      const issuer = openIssuer(world, mount, params.issuer_ref)
      return dataOutcome({
        ca_chain: chainOf(world, mount, issuer).map((pem) => `${pem}\n`),
        certificate: `${issuer.certificate}\n`,
        issuer_id: issuer.id,
        issuer_name: issuer.name,
      })
    },
  }),
  openOperation.read('pkiReadIssuerDer', 'issuer/:issuer_ref/der', {
    summary: 'Read the certificate of an issuer as DER.',
    mediaType: contentTypes.der,
    reply: rawReply,
    run: ({ world, mount, params }) =>
      rawOutcome(contentTypes.der, derOf(openIssuer(world, mount, params.issuer_ref).certificate)),
  }),
  openOperation.read('pkiReadIssuerPem', 'issuer/:issuer_ref/pem', {
    summary: 'Read the certificate of an issuer as PEM.',
    mediaType: contentTypes.pem,
    reply: rawReply,
    run: ({ world, mount, params }) =>
      rawOutcome(contentTypes.pem, `${openIssuer(world, mount, params.issuer_ref).certificate}\n`),
  }),
  operation.list('pkiListCertificates', 'certs', {
    summary: 'List the serials of the stored certificates.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keysOutcome(pkiCertificates.names(world, mount)),
  }),
]
