import type { Certificate } from './certificate.ts'
import { groupBy } from './group-by.ts'
import { mountOf, type ServiceState, type StateRow } from './items.ts'

export interface IssuedCertificate {
  /** Id of the certificate in the list of state machines of the kind `secrets.certificate`. */
  readonly id: string
  readonly serial: string
  readonly pem: string
  /**
   * Milliseconds since 1970. A forced transition can set this time earlier than the expiry in the
   * certificate.
   */
  readonly notAfter: number
  /** Milliseconds since 1970; undefined for a certificate that is not revoked. */
  readonly revokedAt: number | undefined
}

/** Issuer of a mount, with the issuers and certificates that it signed in the mount. */
export interface IssuerView {
  readonly id: string
  /** The issuer's own name; without one, the subject of the certificate or the id. */
  readonly name: string
  readonly pem: string
  readonly certificate: Certificate | undefined
  readonly revokedAt: number | undefined
  readonly isDefault: boolean
  readonly hasKey: boolean
  /**
   * Mount and name of this issuer's signer, if the signer is in another mount; undefined if the
   * signer is in the same mount or unknown.
   */
  readonly signedElsewhereBy: string | undefined
  readonly issuers: readonly IssuerView[]
  /** Issued certificates, latest expiry first. */
  readonly certificates: readonly IssuedCertificate[]
  readonly crl: CrlView | undefined
}

export interface CrlView {
  /** Id of the CRL in the list of state machines of the kind `secrets.crl`. */
  readonly id: string
  readonly number: number
  /** DER as base64. */
  readonly content: string
  /** Milliseconds since 1970. */
  readonly nextUpdate: number
}

export interface PkiMount {
  /** Path below `/v1`, with a trailing slash. */
  readonly path: string
  /** Issuers that no other issuer of the mount signed, and issuers that sign each other. */
  readonly issuers: readonly IssuerView[]
  /** Certificates whose issuer is deleted. */
  readonly orphans: readonly IssuedCertificate[]
  /** Number of certificates, without those of the issuers. */
  readonly total: number
}

/** Returns the status of a certificate at a time in milliseconds since 1970. */
export function certificateStatus(
  times: Pick<IssuedCertificate, 'notAfter' | 'revokedAt'> & { readonly notBefore?: number },
  now: number,
): 'valid' | 'revoked' | 'expired' | 'not yet valid' {
  if (times.revokedAt !== undefined) return 'revoked'
  if (times.notAfter <= now) return 'expired'
  return (times.notBefore ?? 0) > now ? 'not yet valid' : 'valid'
}

interface PlacedIssuer {
  readonly mount: string
  readonly row: StateRow
  readonly certificate: Certificate | undefined
}

/**
 * Returns the mounts of the PKI engine, sorted by path. The signer of an issuer is the one whose
 * subject and key identifier are named in the issuer's certificate. Signatures are not verified.
 */
export function pkiMounts(
  state: ServiceState,
  decode: (pem: string) => Certificate | undefined,
): readonly PkiMount[] {
  const { tables } = state
  const issuers = Object.entries(tables['pki-issuers'] ?? {}).map(
    ([key, row]): PlacedIssuer => ({
      mount: key.slice(0, key.indexOf('/')),
      row,
      certificate: decode(String(row['certificate'])),
    }),
  )
  return Object.values(tables['mounts'] ?? {})
    .filter(({ type }) => type === 'pki')
    .map((mount) => pkiMount(state, issuers, String(mount['uuid'])))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function pkiMount(
  { tables }: ServiceState,
  allIssuers: readonly PlacedIssuer[],
  uuid: string,
): PkiMount {
  const path = mountOf(uuid, tables) ?? ''
  const mountIssuers = allIssuers.filter(({ mount }) => mount === uuid)
  const signers = new Map(mountIssuers.map((issuer) => [issuer, signerOf(issuer, allIssuers)]))
  const parents = new Map(
    mountIssuers.map((issuer) => {
      const signer = signers.get(issuer)
      return [issuer, signer?.mount === uuid && !isOwnSigner(issuer, signers) ? signer : undefined]
    }),
  )
  const issuerSerials = new Set(mountIssuers.map(({ certificate }) => certificate?.serial))
  const certificates = Object.entries(tables['pki-certificates'] ?? {})
    .filter(([key, row]) => key.startsWith(`${uuid}/`) && !issuerSerials.has(String(row['serial'])))
    .map(([, row]) => row)
    .sort((a, b) => Number(b['not_after']) - Number(a['not_after']))
  const certificatesByIssuer = groupBy(certificates, ({ issuer_id }) => String(issuer_id))
  const defaultId = tables['pki-defaults']?.[`${uuid}/`]?.['issuer']
  const issuedCertificate = (row: StateRow): IssuedCertificate => ({
    id: `${path}${row['serial']}`,
    serial: String(row['serial']),
    pem: String(row['certificate']),
    notAfter: Number(row['not_after']),
    revokedAt: instantIn(row['revoked_at']),
  })
  const viewOf = (issuer: PlacedIssuer): IssuerView => {
    const { row, certificate } = issuer
    const id = String(row['id'])
    const crl = tables['pki-crls']?.[`${uuid}/${id}`]
    const signer = signers.get(issuer)
    return {
      id,
      name: nameOf(issuer),
      pem: String(row['certificate']),
      certificate,
      revokedAt: instantIn(row['revoked_at']),
      isDefault: id === defaultId,
      hasKey: row['key_id'] !== '',
      signedElsewhereBy:
        signer === undefined || signer.mount === uuid
          ? undefined
          : `${mountOf(signer.mount, tables)}${nameOf(signer)}`,
      issuers: mountIssuers.filter((each) => parents.get(each) === issuer).map(viewOf),
      certificates: (certificatesByIssuer.get(id) ?? []).map(issuedCertificate),
      crl: crl && {
        id: `${path}${id}`,
        number: Number(crl['number']),
        content: String(crl['crl']),
        nextUpdate: Number(crl['next_update']),
      },
    }
  }
  const ids = new Set(mountIssuers.map(({ row }) => String(row['id'])))
  return {
    path,
    issuers: mountIssuers.filter((issuer) => parents.get(issuer) === undefined).map(viewOf),
    orphans: certificates
      .filter(({ issuer_id }) => !ids.has(String(issuer_id)))
      .map(issuedCertificate),
    total: certificates.length,
  }
}

function nameOf({ row, certificate }: PlacedIssuer): string {
  return String(row['name'] || certificate?.subject || row['id'])
}

const instantIn = (value: unknown) => (typeof value === 'number' ? value : undefined)

/**
 * Returns the issuer that signed another one; prefers issuers of the same mount. Returns undefined
 * for a root, for an unknown signer, and for a certificate that cannot be decoded.
 */
function signerOf(
  issuer: PlacedIssuer,
  allIssuers: readonly PlacedIssuer[],
): PlacedIssuer | undefined {
  const { certificate, mount } = issuer
  if (certificate === undefined || certificate.issuerKeyId === certificate.keyId) return undefined
  const candidates = allIssuers.filter(
    ({ certificate: other }) =>
      other?.keyId === certificate.issuerKeyId && other.subject === certificate.issuer,
  )
  return candidates.find((each) => each.mount === mount) ?? candidates[0]
}

/**
 * Returns whether an issuer is among its own direct or indirect signers, as when two CAs sign each
 * other.
 */
function isOwnSigner(
  issuer: PlacedIssuer,
  signers: ReadonlyMap<PlacedIssuer, PlacedIssuer | undefined>,
): boolean {
  const seen = new Set<PlacedIssuer>()
  for (let at = signers.get(issuer); at !== undefined; at = signers.get(at)) {
    if (at === issuer) return true
    if (seen.has(at)) return false
    seen.add(at)
  }
  return false
}
