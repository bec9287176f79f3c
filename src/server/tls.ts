import { createPrivateKey, X509Certificate } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isIP } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseTimestamp, setAlarm, wallClock } from '../../state/kernel/time.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import { caName, type IssuedCertificate, issueCertificate } from './certificates.ts'

/** Certificates that an HTTPS listener serves and that its clients have to trust, as PEM texts. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  /**
   * Certificate of the CA. If the user gives a certificate file, `ca` equals `cert`, because the CA
   * is not known.
   */
  readonly ca: string
  /** Path of the file with `ca`. */
  readonly caFile: string
  /**
   * Whether listeners that serve a single API refuse clients without a valid certificate. The
   * combined listener always accepts such clients, because it serves the control plane.
   */
  readonly requiresClientCertificate?: boolean | undefined
  /** CA that signs client certificates; undefined for the CAs built into Node. */
  readonly clientCa?: string | undefined
  /** Temporary directory of the files, which is removed when the server ends. */
  readonly temporaryDir?: string
}

export interface TlsRequest {
  /** Directory of ca.pem, cert.pem and key.pem. Default: a fresh temporary one. */
  readonly dir?: string | undefined
  /** Prefix of the file names `ca.pem`, `cert.pem` and `key.pem`. Default: empty. */
  readonly filePrefix?: string | undefined
  /**
   * Certificate file of the user, which is served instead of a generated one. The key file must be
   * given as well.
   */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Whether clients need a certificate. */
  readonly requiresClientCertificate?: boolean | undefined
  /** File of the CA that signs client certificates. */
  readonly clientCaFile?: string | undefined
  /** Names and addresses of the server, in addition to those of the local machine. */
  readonly hosts: readonly string[]
}

/**
 * Reads or issues the certificate of the HTTPS listeners (behaviour/program#command, `--tls`). An
 * issued certificate is written to the directory and reused at the next start, unless it has
 * expired or lacks a name. The user's own files are served unchanged, even if expired, and never
 * overwritten.
 *
 * @throws {ConfigError} if files are missing, unreadable or do not belong together, or if the
 * directory cannot be written
 */
export async function loadTls(request: TlsRequest): Promise<TlsMaterial> {
  const { certFile, keyFile, requiresClientCertificate, clientCaFile } = request
  if (certFile !== undefined && keyFile !== undefined) {
    const cert = readPem('--tls-cert', certFile)
    const key = readPem('--tls-key', keyFile)
    requireMatchingPair(cert, key, certFile, keyFile)
    const clientCa =
      clientCaFile === undefined ? undefined : readPem('tls_client_ca_file', clientCaFile)
    return { cert, key, ca: cert, caFile: certFile, requiresClientCertificate, clientCa }
  }
  const hosts = servedHosts(request.hosts)
  const { dir, filePrefix = '' } = request
  if (dir !== undefined) return await provideCertificate({ dir, filePrefix }, hosts)
  const temporaryDir = createTemporaryDirectory()
  const place = { dir: temporaryDir, filePrefix }
  return { ...writeCertificates(place, await issueCertificate(hosts)), temporaryDir }
}

/** Directory of the generated files, and prefix of their names. */
interface CertificateLocation {
  readonly dir: string
  readonly filePrefix: string
}

/** Returns the paths of the CA, the certificate and the key. */
function filesIn({ dir, filePrefix }: CertificateLocation): readonly [string, string, string] {
  const file = (name: string) => join(dir, `${filePrefix}${name}`)
  return [file('ca.pem'), file('cert.pem'), file('key.pem')]
}

/**
 * Returns the certificate in a directory. A missing or outdated certificate is issued. Servers that
 * start at the same time share one certificate: the server that holds the directory's lock writes
 * the files.
 */
async function provideCertificate(
  place: CertificateLocation,
  hosts: readonly string[],
): Promise<TlsMaterial> {
  const { dir } = place
  const readUsableCertificate = () => {
    const existing = readDirectory(place)
    const isUsable =
      existing !== undefined && (!isGeneratedCa(existing.ca) || isReusable(existing, hosts))
    return isUsable ? existing : undefined
  }
  try {
    const existing = readUsableCertificate()
    if (existing !== undefined) return existing
  } catch (error) {
    // Another server may be writing the files, so the directory is read again under the lock.
    if (!(error instanceof ConfigError)) throw error
  }
  try {
    mkdirSync(dir, { recursive: true })
  } catch (error) {
    throw unwritableError(dir, error)
  }
  return await withLock(
    join(dir, '.understudy.lock'),
    async () => readUsableCertificate() ?? writeCertificates(place, await issueCertificate(hosts)),
    // If the lock file cannot be created, existing files are used unchanged.
    async (error) => {
      const existing = readUsableCertificate()
      if (existing !== undefined) return existing
      throw unwritableError(dir, error)
    },
  )
}

function unwritableError(dir: string, error: unknown): ConfigError {
  return new ConfigError(`--tls-dir: cannot write to ${dir} (${reasonOf(error)})`)
}

/**
 * Returns the names for a certificate: the requested names except wildcard addresses, and the names
 * of the local machine.
 */
function servedHosts(requested: readonly string[]): string[] {
  const withoutWildcards = requested.filter((host) => host !== '0.0.0.0' && host !== '::')
  return [...new Set(['localhost', '127.0.0.1', '::1', ...withoutWildcards, hostname()])]
}

function createTemporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-tls-'))
  // Clients of other users must be able to read the CA; the key file has permissions of its own.
  chmodSync(dir, 0o755)
  return dir
}

function readDirectory(place: CertificateLocation): TlsMaterial | undefined {
  const { dir } = place
  const files = filesIn(place)
  const [caFile, certFile, keyFile] = files
  const missing = files.filter((file) => !existsSync(file)).map((file) => basename(file))
  if (missing.length === files.length) return undefined
  if (missing.length > 0) {
    throw new ConfigError(
      `--tls-dir: ${dir} lacks ${missing.join(' and ')}; add the missing files, or remove the other .pem files so that new files are issued`,
    )
  }
  const ca = readPem('--tls-dir', caFile)
  const cert = readPem('--tls-dir', certFile)
  const key = readPem('--tls-dir', keyFile)
  parseCertificate(ca, caFile)
  requireMatchingPair(cert, key, certFile, keyFile)
  return { ca, cert, key, caFile }
}

function isGeneratedCa(ca: string): boolean {
  return new X509Certificate(ca).subject === `CN=${caName}`
}

/**
 * Returns true if an issued certificate is signed by its CA and covers these hosts, and neither
 * certificate has expired.
 */
function isReusable({ ca, cert }: TlsMaterial, hosts: readonly string[]): boolean {
  const leaf = new X509Certificate(cert)
  const authority = new X509Certificate(ca)
  return (
    leaf.verify(authority.publicKey) &&
    expiryOf(leaf) > wallClock() &&
    expiryOf(authority) > wallClock() &&
    hosts.every((host) =>
      isIP(host) === 0 ? leaf.checkHost(host) !== undefined : leaf.checkIP(host) !== undefined,
    )
  )
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Returns the expiry time in milliseconds since 1970, from OpenSSL's format `Nov 1 09:08:07 2027
 * GMT`.
 */
function expiryOf({ validTo }: X509Certificate): number {
  const [month = '', day = '', time = '', year = ''] = validTo.split(/\s+/)
  const number = String(months.indexOf(month) + 1).padStart(2, '0')
  return parseTimestamp(`${year}-${number}-${day.padStart(2, '0')}T${time}Z`) ?? 0
}

function readPem(origin: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${origin}: cannot read ${file} (${reasonOf(error)})`)
  }
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new ConfigError(`${file} holds no certificate in PEM form (${reasonOf(error)})`)
  }
}

function requireMatchingPair(cert: string, key: string, certFile: string, keyFile: string): void {
  const leaf = parseCertificate(cert, certFile)
  let matches: boolean
  try {
    matches = leaf.checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw new ConfigError(`${keyFile} holds no usable private key in PEM form (${reasonOf(error)})`)
  }
  if (!matches) throw new ConfigError(`${keyFile} is not the private key of ${certFile}`)
}

/**
 * Writes the files under temporary names, and renames them when all are complete. Throws a
 * ConfigError if the directory cannot be written.
 */
function writeCertificates(place: CertificateLocation, issued: IssuedCertificate): TlsMaterial {
  const { dir } = place
  const [caFile, certFile, keyFile] = filesIn(place)
  const files = [
    { file: certFile, content: issued.cert, mode: 0o644 },
    { file: keyFile, content: issued.key, mode: 0o600 },
    { file: caFile, content: issued.ca, mode: 0o644 },
  ].map((each) => ({ ...each, draft: `${each.file}.${process.pid}.draft` }))
  try {
    for (const { draft, content, mode } of files) {
      rmSync(draft, { force: true })
      writeFileSync(draft, content, { mode, flag: 'wx' })
    }
    for (const { draft, file } of files) renameSync(draft, file)
  } catch (error) {
    for (const { draft } of files) rmSync(draft, { force: true })
    throw unwritableError(dir, error)
  }
  return { ...issued, caFile }
}

/** Milliseconds between two attempts to take a lock. */
const pollInterval = 50
/** Age in milliseconds above which a lock counts as left behind. */
const staleAge = 10_000

/**
 * Runs work while this process holds a lock file, and returns the result. Only one process at a
 * time can hold the lock. A lock file that is older than ten seconds is removed, because the
 * process that held it must be dead.
 *
 * @param withoutLock called with the error if the file cannot be created; its result is returned
 */
async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  withoutLock: (error: unknown) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
      break
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EEXIST') {
        return await withoutLock(error)
      }
      if (isStale(file)) rmSync(file, { force: true })
      else await new Promise<void>((resolve) => void setAlarm(pollInterval, resolve))
    }
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Returns true if the lock file is too old to belong to a running process. */
function isStale(file: string): boolean {
  const age = wallClock() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? wallClock())
  return age > staleAge
}
