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
import { type ReadCertificate, readCertificate } from './parsed.ts'
import { pemBlocks } from './signing.ts'

/** Addresses that certificates of an issuer name. */
const addressFields = {
  issuing_certificates: list(text),
  crl_distribution_points: list(text),
  ocsp_servers: list(text),
} as const

const addressShape = struct(addressFields)

/** Purposes of an issuer, in the order of replies. */
export const issuerUsages = [
  'crl-signing',
  'issuing-certificates',
  'ocsp-signing',
  'read-only',
] as const

/** An issuer: a certificate of a CA (behaviour/secrets#pki-issuers). */
const pkiIssuerShape = struct({
  id: text,
  /** Name; empty for none. */
  name: text,
  /** Id of the private key; empty if the mount does not have the key. */
  key_id: text,
  /** PEM without a newline at the end. */
  certificate: text,
  leaf_not_after_behavior: word('err', 'truncate', 'permit'),
  usage: list(word(...issuerUsages)),
  /** References of issuers that replace the computed chain; null for none. */
  manual_chain: nullable(list(text)),
  ...addressFields,
  enable_aia_url_templating: bool,
  /** Name of the algorithm of CRLs in Go; empty for the default of the key. */
  revocation_signature_algorithm: text,
  revoked_at: nullable(instant),
  ...walField,
})
export interface PkiIssuer extends StoredOf<typeof pkiIssuerShape> {}

/** Types of keys. */
export const pkiKeyTypes = ['rsa', 'ec', 'ed25519'] as const
export type PkiKeyType = (typeof pkiKeyTypes)[number]

/** A private key of issuers. */
const pkiKeyShape = struct({
  id: text,
  /** Name; empty for none. */
  name: text,
  type: word(...pkiKeyTypes),
  /** PKCS#8 PEM. */
  private_key: text,
  ...walField,
})
export interface PkiKey extends StoredOf<typeof pkiKeyShape> {}

/** A certificate that an engine issued or generated. */
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

/** The default issuer and the default key of a mount. */
const pkiDefaultsShape = struct({
  /** Ids; empty for none. */
  issuer: text,
  key: text,
  follows_latest: bool,
  ...walField,
})
interface PkiDefaults extends StoredOf<typeof pkiDefaultsShape> {}

/** Addresses in the certificates of issuers without addresses of their own. */
const pkiUrlsShape = struct({ ...addressFields, enable_templating: bool, ...walField })
export interface PkiUrls extends StoredOf<typeof pkiUrlsShape> {}

/** Addresses of the cluster, which fill in templates of addresses; empty for none. */
const pkiClusterShape = struct({ path: text, aia_path: text, ...walField })
export interface PkiCluster extends StoredOf<typeof pkiClusterShape> {}

const pkiIssuerTable = secretsTable('pki-issuers', pkiIssuerShape, { secrets: 'none' })
const pkiKeyTable = secretsTable('pki-keys', pkiKeyShape, {
  secrets: { members: ['private_key'] },
})
/** Index `byEnd`: the certificates that are not revoked, in the order of their ends. */
export const pkiCertificateTable = secretsTable('pki-certificates', pkiCertificateShape, {
  secrets: 'none',
  indexes: {
    byEnd: keysFromMembers<PkiCertificate>()(
      ['not_after', 'revoked_at'],
      ({ not_after, revoked_at }, place) =>
        revoked_at === null ? certificateEndKey(not_after) + place : undefined,
    ),
  },
})

/** Returns the prefix of the keys of the certificates that end at an instant, in `byEnd`. */
export function certificateEndKey(notAfter: number): string {
  return `${sortableNumber(Math.max(0, notAfter), 16)}/`
}

const pkiDefaultsTable = secretsTable('pki-defaults', pkiDefaultsShape, { secrets: 'none' })
const pkiUrlsTable = secretsTable('pki-urls', pkiUrlsShape, { secrets: 'none' })

const pkiClusterTable = secretsTable('pki-clusters', pkiClusterShape, { secrets: 'none' })

const nothingThere = () => refuse('nothing-here')

/** Issuers of each mount, by id. */
export const pkiIssuers = new NamedRows(pkiIssuerTable, nothingThere)
/** Keys of each mount, by id. */
export const pkiKeys = new NamedRows(pkiKeyTable, nothingThere)
/** Certificates of each mount, by serial. */
export const pkiCertificates = new NamedRows(pkiCertificateTable, nothingThere)
const pkiDefaultRows = new MountRow(pkiDefaultsTable, nothingThere)
const pkiClusterRows = new MountRow(pkiClusterTable, nothingThere)
const pkiUrlRows = new MountRow(pkiUrlsTable, nothingThere)

/** The tables of this file. */
export const pkiAuthorityTables = [
  pkiIssuerTable,
  pkiKeyTable,
  pkiCertificateTable,
  pkiDefaultsTable,
  pkiUrlsTable,
  pkiClusterTable,
] as const

/** Returns the default issuer and key of a mount. */
export function pkiDefaults(world: World, mount: Mount): PkiDefaults {
  return pkiDefaultRows.find(world, mount) ?? { issuer: '', key: '', follows_latest: false }
}

/** Changes the default issuer or key of a mount. */
export function setPkiDefaults(world: World, mount: Mount, change: Partial<PkiDefaults>): void {
  pkiDefaultRows.put(world, mount, { ...pkiDefaults(world, mount), ...change })
}

const noUrls: PkiUrls = {
  issuing_certificates: [],
  crl_distribution_points: [],
  ocsp_servers: [],
  enable_templating: false,
}

/** Returns the addresses of a mount. */
export function pkiUrls(world: World, mount: Mount): PkiUrls {
  return pkiUrlRows.find(world, mount) ?? noUrls
}

/** Returns the addresses of the cluster of a mount. */
export function pkiCluster(world: World, mount: Mount): PkiCluster {
  return pkiClusterRows.find(world, mount) ?? { path: '', aia_path: '' }
}

/** Changes the given addresses of the cluster. Throws `invalid` refusals. */
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

/** Returns whether a text is an absolute URL with a host. */
export function isUrl(value: string): boolean {
  return /^(?:https?|ldap|ftp):\/\/[^\s/?#{}]\S*$/i.test(value)
}

/** Throws an `invalid` refusal for an address that is not a URL. */
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
 * Changes the given addresses of a mount. Throws an `invalid` refusal for an invalid URL, unless
 * addresses are templates.
 */
export function setPkiUrls(world: World, mount: Mount, change: Partial<PkiUrls>): PkiUrls {
  const urls = { ...pkiUrls(world, mount), ...change }
  if (!urls.enable_templating) checkUrls(urls)
  pkiUrlRows.put(world, mount, urls)
  return urls
}

/** Returns all issuers of a mount, in order of their ids. */
export function issuersOf(world: World, mount: Mount): PkiIssuer[] {
  return pkiIssuers.names(world, mount).map((id) => pkiIssuers.read(world, mount, id))
}

/** Returns all keys of a mount, in order of their ids. */
export function keysOf(world: World, mount: Mount): PkiKey[] {
  return pkiKeys.names(world, mount).map((id) => pkiKeys.read(world, mount, id))
}

/** Returns the issuer that a reference names: `default`, an id or a name. */
export function findIssuer(world: World, mount: Mount, ref: string): PkiIssuer | undefined {
  if (ref === 'default') {
    const { issuer } = pkiDefaults(world, mount)
    return issuer === '' ? undefined : pkiIssuers.find(world, mount, issuer)
  }
  return issuersOf(world, mount).find(({ id, name }) => id === ref || (name !== '' && name === ref))
}

/** Returns the key that a reference names: `default`, an id or a name. */
export function findKey(world: World, mount: Mount, ref: string): PkiKey | undefined {
  const wanted = ref === 'default' ? pkiDefaults(world, mount).key : ref
  if (wanted === '') return undefined
  return keysOf(world, mount).find(({ id, name }) => id === wanted || name === wanted)
}

/** Returns the private key of a row. Parsing it takes longer than a signature, so it is kept. */
export function keyObjectOf(world: World, key: PkiKey): KeyObject {
  return world.derived(key, loadKey)
}

function loadKey({ private_key }: PkiKey): KeyObject {
  return createPrivateKey(private_key)
}

/** Returns the parsed certificate of a row. */
export function parsedOf({ certificate }: { readonly certificate: string }): ReadCertificate {
  return readCertificate(pemBlocks(certificate)[0]?.der ?? Buffer.alloc(0))
}
