import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

/** Newly issued certificate with its key and its CA, all in PEM. */
export interface IssuedCertificate {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Common name of the CAs issued here, which distinguishes their files from those of the user. */
export const caName = 'infra-understudy local CA'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Issues a server certificate for these names and addresses, valid for one year, under a new CA.
 * The key of the CA is discarded, so that nobody can issue another certificate that clients with
 * this CA would trust. Key identifiers are included, because OpenSSL's strict check, the default of
 * current Python clients, requires them.
 */
export async function issueCertificate(hosts: readonly string[]): Promise<IssuedCertificate> {
  // This import takes more than 100 ms, and only TLS needs it.
  const x509 = await import('@peculiar/x509')
  const authority = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const server = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [caName] }],
    keys: authority,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: ['infra-understudy'] }],
    issuer: ca.subject,
    publicKey: server.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({
          type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const),
          value: host,
        })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(server.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', server.privateKey)
  return {
    ca: `${ca.toString('pem')}\n`,
    cert: `${cert.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  }
}
