import type { X509Certificate } from 'node:crypto'
import { readElement } from '../../kernel/der.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { extensionsOfCertificate, readCertificate } from '../pki/parsed.ts'
import { colonHex } from '../pki/signing.ts'
import { matchesGlob } from '../tokens/globs.ts'
import { type CertEntry, certConfig, certCrls, certEntries, certificatesIn } from './certs.ts'
import { refuse } from './messages.ts'

interface CertLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Name of the entry to match; empty to try all entries. */
  readonly name: string
  /**
   * PEM of the client's certificate; empty if the client sent no certificate, undefined without
   * TLS.
   */
  readonly certificate: string | undefined
}

/**
 * Logs a client in with its TLS certificate.
 *
 * @throws Refusal `invalid` for the first check that fails, in the order of behaviour/secrets#cert
 */
export function certLogin(
  world: World,
  { namespace, mount, name, certificate }: CertLogin,
): LoginGrant {
  if (certificate === undefined) throw refuse('cert-connection-plain')
  const [leaf] = certificatesIn(certificate)
  if (leaf === undefined) throw refuse('cert-missing')
  const names = name === '' ? certEntries.names(world, mount) : [name]
  const trustingNames = names.filter((each) => {
    const entry = certEntries.find(world, mount, each)
    return entry !== undefined && isTrusted(world, entry, leaf)
  })
  if (trustingNames.length === 0) throw refuse('cert-untrusted')
  const serial = BigInt(`0x${leaf.serialNumber}`).toString()
  const crls = certCrls.names(world, mount).map((each) => certCrls.read(world, mount, each))
  const isRevoked = crls.some(({ serials }) => Object.hasOwn(serials, serial))
  const found = trustingNames.find((each) => matches(certEntries.read(world, mount, each), leaf))
  if (isRevoked || found === undefined) throw refuse('cert-unmatched')
  const entry = certEntries.read(world, mount, found)
  const [commonName = ''] = subjectParts(leaf, 'CN')
  const metadata = { ...metadataOf(entry, leaf), cert_name: found, serial_number: serial }
  const hasAliasMetadata = certConfig(world, mount).enable_identity_alias_metadata
  return grantLogin(world, {
    namespace,
    mount,
    path: 'login',
    alias: commonName,
    name: entry.display_name,
    metadata,
    aliasMetadata: hasAliasMetadata ? metadata : null,
    fields: entry,
  })
}

/**
 * Returns whether a client certificate is valid now, and either is a certificate of the entry or
 * was signed by a CA certificate of the entry.
 */
function isTrusted(world: World, { certificate }: CertEntry, leaf: X509Certificate): boolean {
  const now = world.clock.now()
  const { notBefore, notAfter } = readCertificate(leaf.raw)
  if (now < notBefore || now > notAfter) return false
  return certificatesIn(certificate).some(
    (each) => each.raw.equals(leaf.raw) || (each.ca && leaf.verify(each.publicKey)),
  )
}

/** Returns the values of one attribute, such as `CN`, in the subject. */
function subjectParts({ subject }: X509Certificate, kind: string): string[] {
  return subject
    .split('\n')
    .filter((line) => line.startsWith(`${kind}=`))
    .map((line) => line.slice(kind.length + 1))
}

/** Returns the subject alternative names of one kind: `DNS`, `email` or `URI`. */
function alternativeNames({ subjectAltName = '' }: X509Certificate, kind: string): string[] {
  return subjectAltName
    .split(', ')
    .filter((name) => name.startsWith(`${kind}:`))
    .map((name) => name.slice(kind.length + 1))
}

function matches(entry: CertEntry, leaf: X509Certificate): boolean {
  const names = subjectParts(leaf, 'CN')
  const [hosts, emails] = [alternativeNames(leaf, 'DNS'), alternativeNames(leaf, 'email')]
  const hasAny = (globs: readonly string[] | null, values: readonly string[]) =>
    globs === null ||
    globs.length === 0 ||
    values.some((value) => globs.some((glob) => matchesGlob(glob, value)))
  return (
    hasAny(entry.allowed_names, [...names, ...hosts, ...emails]) &&
    hasAny(entry.allowed_common_names, names) &&
    hasAny(entry.allowed_dns_sans, hosts) &&
    hasAny(entry.allowed_email_sans, emails) &&
    hasAny(entry.allowed_uri_sans, alternativeNames(leaf, 'URI')) &&
    hasAny(entry.allowed_organizational_units, subjectParts(leaf, 'OU')) &&
    hasExtensions(entry.required_extensions ?? [], leaf)
  )
}

/** Returns the string value of an extension; undefined if the certificate lacks the extension. */
function extensionText(leaf: X509Certificate, oid: string): string | undefined {
  const value = extensionsOfCertificate(leaf.raw).get(oid)?.value
  return value && readElement(value).content.toString()
}

function hasExtensions(required: readonly string[], leaf: X509Certificate): boolean {
  return required.every((each) => {
    const [oid = '', glob = ''] = each.split(/:(.*)/s)
    const value = extensionText(leaf, oid)
    return value !== undefined && matchesGlob(glob, value)
  })
}

const subjectKeyId = '2.5.29.14'
const authorityKeyId = '2.5.29.35'

function metadataOf(entry: CertEntry, leaf: X509Certificate): Record<string, string> {
  const extensions = extensionsOfCertificate(leaf.raw)
  const subjectKeyExtension = extensions.get(subjectKeyId)?.value
  const authorityKeyExtension = extensions.get(authorityKeyId)?.value
  // The first member of the authority key identifier extension is the key id of the issuer.
  const issuerId =
    authorityKeyExtension && readElement(readElement(authorityKeyExtension).content).content
  const extensionMetadata = (entry.allowed_metadata_extensions ?? []).flatMap((oid) => {
    const value = extensionText(leaf, oid)
    return value === undefined ? [] : [[oid.replaceAll('.', '-'), value]]
  })
  return {
    authority_key_id: colonHex(issuerId ?? Buffer.alloc(0)),
    common_name: subjectParts(leaf, 'CN')[0] ?? '',
    subject_key_id: colonHex(
      subjectKeyExtension === undefined
        ? Buffer.alloc(0)
        : readElement(subjectKeyExtension).content,
    ),
    ...Object.fromEntries(extensionMetadata),
  }
}
