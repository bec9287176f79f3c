import { createPrivateKey, type KeyObject } from 'node:crypto'
import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import { keysFromMembers } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import { type ParsedCertificate, readCertificate } from './parsed.ts'
import { pemBlocks } from './signing.ts'

/** URLs that issued certificates contain. */
const addressFields = {
  issuing_certificates: list(text),
  crl_distribution_points: list(text),
  ocsp_servers: list(text),
} as const

const addressShape = struct(addressFields)

/** Operations that an issuer may be used for, in the order in which replies list them. */
export const issuerUsages = [
  'crl-signing',
  'issuing-certificates',
  'ocsp-signing',
  'read-only',
] as const

/**
 * A CA certificate of the mount, with or without its private key (behaviour/secrets#pki-issuers).
 */
const pkiIssuerShape = struct({
  id: text,
  /** Empty if the issuer has no name. */
  name: text,
  /** Empty if the mount does not have the private key. */
  key_id: text,
  /** PEM, without a newline at the end. */
  certificate: text,
  leaf_not_after_behavior: word('err', 'truncate', 'permit'),
  usage: list(word(...issuerUsages)),
  /** Ids of the issuers that replace the computed chain; null if no chain was set. */
  manual_chain: nullable(list(text)),
  ...addressFields,
  enable_aia_url_templating: bool,
  /**
   * Name of the signature algorithm of CRLs, such as `SHA256WithRSA`; empty for the default of the
   * key.
   */
  revocation_signature_algorithm: text,
  revoked_at: nullable(instant),
  ...walField,
})
export interface PkiIssuer extends StoredOf<typeof pkiIssuerShape> {}

export const pkiKeyTypes = ['rsa', 'ec', 'ed25519'] as const
export type PkiKeyType = (typeof pkiKeyTypes)[number]

/** A private key, which any number of issuers can use. */
const pkiKeyShape = struct({
  id: text,
  /** Empty if the key has no name. */
  name: text,
  type: word(...pkiKeyTypes),
  /** PKCS #8 key in PEM format. */
  private_key: text,
  ...walField,
})
export interface PkiKey extends StoredOf<typeof pkiKeyShape> {}

/** A certificate that the engine issued, generated or revoked. */
const pkiCertificateShape = struct({
  /** Pairs of hexadecimal digits, separated by colons. */
  serial: text,
  certificate: text,
  issuer_id: text,
  not_after: instant,
  revoked_at: nullable(instant),
  ...walField,
})
export interface PkiCertificate extends StoredOf<typeof pkiCertificateShape> {}

const pkiDefaultsShape = struct({
  /**
   * Id of the default issuer. This member and `key`, the id of the default key, are empty if there
   * is no default.
   */
  issuer: text,
  key: text,
  follows_latest: bool,
  ...walField,
})
interface PkiDefaults extends StoredOf<typeof pkiDefaultsShape> {}

/** Addresses of the mount, for issuers without addresses. */
const pkiUrlsShape = struct({ ...addressFields, enable_templating: bool, ...walField })
export interface PkiUrls extends StoredOf<typeof pkiUrlsShape> {}

/** Values of `{{cluster_path}}` and `{{cluster_aia_path}}` in templates; empty if not set. */
const pkiClusterShape = struct({ path: text, aia_path: text, ...walField })
export interface PkiCluster extends StoredOf<typeof pkiClusterShape> {}

const pkiIssuerTable = secretsTable('pki-issuers', pkiIssuerShape, { secrets: 'none' })
const pkiKeyTable = secretsTable('pki-keys', pkiKeyShape, {
  secrets: { members: ['private_key'] },
})
/** Index `byEnd`: unrevoked certificates in the order in which they expire. */
export const pkiCertificateTable = secretsTable('pki-certificates', pkiCertificateShape, {
  secrets: 'none',
  indexes: {
    byEnd: keysFromMembers<PkiCertificate>()(
      ['not_after', 'revoked_at'],
      ({ not_after, revoked_at }, key) =>
        revoked_at === null ? certificateExpiryKey(not_after) + key : undefined,
    ),
  },
})

/** Returns the prefix that keys of `byEnd` have for certificates that expire at an instant. */
export function certificateExpiryKey(notAfter: number): string {
  return `${sortableNumber(Math.max(0, notAfter), 16)}/`
}

const pkiDefaultsTable = secretsTable('pki-defaults', pkiDefaultsShape, { secrets: 'none' })
const pkiUrlsTable = secretsTable('pki-urls', pkiUrlsShape, { secrets: 'none' })

const pkiClusterTable = secretsTable('pki-clusters', pkiClusterShape, { secrets: 'none' })

const absentRefusal = () => refuse('nothing-here')

/** Issuers by id; `findIssuer` also accepts names. */
export const pkiIssuers = new NamedRows(pkiIssuerTable, absentRefusal)
/** Keys by id; `findKey` also accepts names. */
export const pkiKeys = new NamedRows(pkiKeyTable, absentRefusal)
/** Certificates by serial, including the certificates of generated roots. */
export const pkiCertificates = new NamedRows(pkiCertificateTable, absentRefusal)
const pkiDefaultRows = new MountRow(pkiDefaultsTable, absentRefusal)
const pkiClusterRows = new MountRow(pkiClusterTable, absentRefusal)
const pkiUrlRows = new MountRow(pkiUrlsTable, absentRefusal)

/**
 * Tables that the whole engine uses. A table that only one feature uses is declared with that
 * feature.
 */
export const pkiAuthorityTables = [
  pkiIssuerTable,
  pkiKeyTable,
  pkiCertificateTable,
  pkiDefaultsTable,
  pkiUrlsTable,
  pkiClusterTable,
] as const

/**
 * Returns the ids of the default key and the default issuer, and whether the default issuer follows
 * the latest issuer. Returns empty ids and false if no defaults are stored.
 */
export function pkiDefaults(world: World, mount: Mount): PkiDefaults {
  return pkiDefaultRows.find(world, mount) ?? { issuer: '', key: '', follows_latest: false }
}

export function setPkiDefaults(world: World, mount: Mount, change: Partial<PkiDefaults>): void {
  pkiDefaultRows.put(world, mount, { ...pkiDefaults(world, mount), ...change })
}

const noUrls: PkiUrls = {
  issuing_certificates: [],
  crl_distribution_points: [],
  ocsp_servers: [],
  enable_templating: false,
}

/** Returns the mount's own addresses; empty lists if no addresses are stored. */
export function pkiUrls(world: World, mount: Mount): PkiUrls {
  return pkiUrlRows.find(world, mount) ?? noUrls
}

/** Returns the addresses of the cluster; empty strings if no addresses are stored. */
export function pkiCluster(world: World, mount: Mount): PkiCluster {
  return pkiClusterRows.find(world, mount) ?? { path: '', aia_path: '' }
}

/**
 * Changes only the given addresses and returns both addresses. Throws an `invalid` refusal for an
 * address that is not a URL.
 */
export function setPkiCluster(
  world: World,
  mount: Mount,
  change: { readonly path?: string; readonly aia_path?: string },
): PkiCluster {
  const { path, aia_path } = change
  if (path !== undefined && !isUrl(path)) throw refuse('pki-cluster-path', { value: path })
  if (aia_path !== undefined && !isUrl(aia_path)) {
    throw refuse('pki-cluster-aia-path', { value: aia_path })
  }
  const cluster = { ...pkiCluster(world, mount), ...change }
  pkiClusterRows.put(world, mount, cluster)
  return cluster
}

/** Returns whether a string is an absolute http, https, ldap or ftp URL with a host. */
export function isUrl(value: string): boolean {
  return /^(?:https?|ldap|ftp):\/\/[^\s/?#{}]\S*$/i.test(value)
}

/** Throws an `invalid` refusal for the first address that is not a URL. */
export function checkUrls(addresses: StoredOf<typeof addressShape>): void {
  for (const field of [
    'issuing_certificates',
    'crl_distribution_points',
    'ocsp_servers',
  ] as const) {
    const value = addresses[field].find((each) => !isUrl(each))
    if (value !== undefined) throw refuse('pki-url-invalid', { field, value })
  }
}

/**
 * Changes only the given addresses and returns all of them. Throws an `invalid` refusal for an
 * address that is not a URL, unless addresses are templates.
 */
export function setPkiUrls(world: World, mount: Mount, change: Partial<PkiUrls>): PkiUrls {
  const urls = { ...pkiUrls(world, mount), ...change }
  if (!urls.enable_templating) checkUrls(urls)
  pkiUrlRows.put(world, mount, urls)
  return urls
}

/** Returns the issuers in the order of their ids. */
export function issuersOf(world: World, mount: Mount): PkiIssuer[] {
  return pkiIssuers.names(world, mount).map((id) => pkiIssuers.read(world, mount, id))
}

/** Returns the keys in the order of their ids. */
export function keysOf(world: World, mount: Mount): PkiKey[] {
  return pkiKeys.names(world, mount).map((id) => pkiKeys.read(world, mount, id))
}

/** Resolves a reference: `default`, an id or a name. Returns undefined for an unknown reference. */
export function findIssuer(world: World, mount: Mount, ref: string): PkiIssuer | undefined {
  if (ref === 'default') {
    const { issuer } = pkiDefaults(world, mount)
    return issuer === '' ? undefined : pkiIssuers.find(world, mount, issuer)
  }
  return issuersOf(world, mount).find(({ id, name }) => id === ref || (name !== '' && name === ref))
}

/** Resolves a reference: `default`, an id or a name. Returns undefined for an unknown reference. */
export function findKey(world: World, mount: Mount, ref: string): PkiKey | undefined {
  const idOrName = ref === 'default' ? pkiDefaults(world, mount).key : ref
  if (idOrName === '') return undefined
  return keysOf(world, mount).find(({ id, name }) => id === idOrName || name === idOrName)
}

/** Parses the private key of a row and caches it, because parsing takes longer than signing. */
export function keyObjectOf(world: World, key: PkiKey): KeyObject {
  return world.derived(key, loadKey)
}

function loadKey({ private_key }: PkiKey): KeyObject {
  return createPrivateKey(private_key)
}

/** Decodes the PEM certificate of an issuer or a stored certificate. */
export function parsedCertificate({
  certificate,
}: {
  readonly certificate: string
}): ParsedCertificate {
  return readCertificate(pemBlocks(certificate)[0]?.der ?? Buffer.alloc(0))
}
