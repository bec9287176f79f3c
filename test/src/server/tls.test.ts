import { createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../src/cli/config.ts'
import { startServer } from '../../../src/cli/server.ts'
import { ConfigError } from '../../../src/config-error.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'
import { loadTls, type TlsMaterial, type TlsRequest } from '../../../src/server/tls.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-tls-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Creates a directory with these files for one test. */
function directory(name: string, files: Readonly<Record<string, string>> = {}): string {
  const dir = join(folder, name)
  mkdirSync(dir)
  for (const [file, content] of Object.entries(files)) writeFileSync(join(dir, file), content)
  return dir
}

/**
 * Returns the status that a client which trusts only `ca` gets from a server with this certificate.
 */
async function verifiedStatus(
  served: TlsMaterial,
  servername: string,
): Promise<number | undefined> {
  const server = createServer({ cert: served.cert, key: served.key }, (_, reply) => reply.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const clientRequest = request({
      host: '127.0.0.1',
      port,
      ca: readFileSync(served.caFile),
      rejectUnauthorized: true,
      agent: false,
      servername,
    })
    clientRequest.end()
    const [response] = await once(clientRequest, 'response')
    response.resume()
    return response.statusCode
  } finally {
    server.close()
  }
}

async function refusal(request: TlsRequest): Promise<string> {
  const error: unknown = await loadTls(request).catch((thrown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${error}`)
  expect(error.message).not.toContain('\n')
  return error.message
}

describe('behaviour/program#command: --tls with an own certificate', () => {
  test('a client that trusts the CA verifies every name of the server', async () => {
    const served = await loadTls({ dir: directory('names'), hosts: ['box.example.test'] })
    for (const name of ['localhost', 'box.example.test', hostname()]) {
      expect(await verifiedStatus(served, name)).toBe(200)
    }
    await expect(verifiedStatus(served, 'other.example.test')).rejects.toThrow(
      "Hostname/IP does not match certificate's altnames",
    )
    const leaf = new X509Certificate(served.cert)
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(leaf.checkIP('::1')).toBe('::1')
  })

  test('a wildcard address is not in the certificate', async () => {
    const { cert } = await loadTls({ dir: directory('all'), hosts: ['0.0.0.0', '::', '10.1.2.3'] })
    const leaf = new X509Certificate(cert)
    expect(leaf.checkIP('10.1.2.3')).toBe('10.1.2.3')
    expect(leaf.checkIP('0.0.0.0')).toBeUndefined()
  })

  // choice/process#certificates
  test('the files hold the served certificate, and only their owner can read the key', async () => {
    const dir = join(folder, 'made', 'below')
    const served = await loadTls({ dir, hosts: [] })
    expect(served).toEqual({
      ca: readFileSync(join(dir, 'ca.pem'), 'utf8'),
      cert: readFileSync(join(dir, 'cert.pem'), 'utf8'),
      key: readFileSync(join(dir, 'key.pem'), 'utf8'),
      caFile: join(dir, 'ca.pem'),
    })
    expect(readdirSync(dir).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem'])
    const { publicKey } = new X509Certificate(served.ca)
    expect(createPublicKey(served.key).equals(publicKey)).toBe(false)
    expect(statSync(join(dir, 'key.pem')).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'ca.pem')).mode & 0o777).toBe(0o644)
  })

  test('without a directory, a fresh temporary one whose CA others can read', async () => {
    const served = await loadTls({ hosts: [] })
    const dir = dirname(served.caFile)
    expect(dirname(dir)).toBe(tmpdir())
    expect(statSync(dir).mode & 0o777).toBe(0o755)
    rmSync(dir, { recursive: true })
  })

  test('servers that start at the same time serve one certificate, and leave no other files', async () => {
    const dir = join(folder, 'simultaneous')
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => loadTls({ dir, hosts: [] })))
    for (const other of others) expect(other).toEqual(first)
    expect(readdirSync(dir).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem'])
  })

  test('a lock that a dead process left behind is removed', async () => {
    const dir = directory('stale', { '.understudy.lock': '1\n' })
    const old = new Date(Date.now() - 60_000)
    utimesSync(join(dir, '.understudy.lock'), old, old)
    await loadTls({ dir, hosts: [] })
    expect(readdirSync(dir).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem'])
  })

  test('the temporary directory is removed when the server ends', async () => {
    const config = await readConfig(['--port=0', '--tls', '--log-level=silent'], {}, false)
    if ('help' in config || 'version' in config) throw new Error('expected a configuration')
    const server = await startServer(config)
    const { UNDERSTUDY_URL, VAULT_CACERT = '' } = server.env
    expect(UNDERSTUDY_URL).toMatch(/^https:/)
    expect(existsSync(VAULT_CACERT)).toBe(true)
    await server.close()
    expect(existsSync(dirname(VAULT_CACERT))).toBe(false)
  })

  test('the chain has the key identifiers that strict clients ask for', async () => {
    const { ca, cert } = await issueCertificate(['localhost'])
    // Object identifiers 2.5.29.14 and 2.5.29.35 in DER.
    const subjectKeyId = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x0e])
    const authorityKeyId = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23])
    expect(new X509Certificate(ca).raw.includes(subjectKeyId)).toBe(true)
    expect(new X509Certificate(cert).raw.includes(subjectKeyId)).toBe(true)
    expect(new X509Certificate(cert).raw.includes(authorityKeyId)).toBe(true)
    expect(new X509Certificate(ca).ca).toBe(true)
    expect(new X509Certificate(cert).ca).toBe(false)
  })

  test('the next start serves the same certificate; another host name needs a new one', async () => {
    const dir = directory('again')
    const first = await loadTls({ dir, hosts: ['a.example.test'] })
    expect(await loadTls({ dir, hosts: ['a.example.test'] })).toEqual(first)
    expect(await loadTls({ dir, hosts: [] })).toEqual(first)
    const third = await loadTls({ dir, hosts: ['b.example.test'] })
    expect(third.cert).not.toBe(first.cert)
    expect(await verifiedStatus(third, 'b.example.test')).toBe(200)
    expect(statSync(join(dir, 'key.pem')).mode & 0o777).toBe(0o600)
  })

  // choice/process#certificates
  test('a year and a day later it has expired, and is replaced', async () => {
    const dir = directory('expired')
    const first = await loadTls({ dir, hosts: [] })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 364 * 86_400_000 })
    try {
      expect(await loadTls({ dir, hosts: [] })).toEqual(first)
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      expect((await loadTls({ dir, hosts: [] })).cert).not.toBe(first.cert)
    } finally {
      vi.useRealTimers()
    }
  })

  test('an own certificate of another CA is replaced', async () => {
    const { ca } = await issueCertificate(['localhost'])
    const { cert, key } = await issueCertificate(['localhost'])
    const dir = directory('mixed', { 'ca.pem': ca, 'cert.pem': cert, 'key.pem': key })
    const served = await loadTls({ dir, hosts: [] })
    expect(served.cert).not.toBe(cert)
    expect(await verifiedStatus(served, 'localhost')).toBe(200)
  })
})

// A self-signed certificate like a user's own, for mock.example.test and expired since 2001, made
// for this test and not used anywhere else.
const foreignCert = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQygAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFtb2NrLmV4
YW1wbGUudGVzdDAeFw0wMDAxMDEwMDAwMDBaFw0wMTAxMDEwMDAwMDBaMBwxGjAY
BgNVBAMMEW1vY2suZXhhbXBsZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEUbjjv6IQdcVT0kl8CGp2JbE56cO+7XUmgX6ODfigjEKHrIvV1u014nzOnMJM
o3iELBQH740wP/J6wVubQqdG3KM/MD0wHAYDVR0RBBUwE4IRbW9jay5leGFtcGxl
LnRlc3QwHQYDVR0OBBYEFILavUdyn4xi+BMYsKD7rwDx83YtMAoGCCqGSM49BAMC
A0kAMEYCIQD0kBoX9LbzK1b7Zr6D6W7I9mNDV2D7FwlPDk1F939gdQIhALxfglze
UnRF4yYPOhxRcnxkpFJetaUhJ4wfvQXDHyDR
-----END CERTIFICATE-----
`
const foreignKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVTx1nn0GBLBtzmgW
KnqEKjoorEfiBDA0TOL0xQ/r+Q+hRANCAARRuOO/ohB1xVPSSXwIanYlsTnpw77t
dSaBfo4N+KCMQoesi9XW7TXifM6cwkyjeIQsFAfvjTA/8nrBW5tCp0bc
-----END PRIVATE KEY-----
`

describe('behaviour/program#command: --tls with given files', () => {
  let own: Awaited<ReturnType<typeof issueCertificate>>
  beforeAll(async () => {
    own = await issueCertificate(['localhost'])
  })

  test('--tls-cert and --tls-key are served unchanged', async () => {
    const dir = directory('given', { 'c.pem': foreignCert, 'k.pem': foreignKey })
    const [certFile, keyFile] = [join(dir, 'c.pem'), join(dir, 'k.pem')]
    expect(await loadTls({ certFile, keyFile, dir: join(folder, 'unused'), hosts: [] })).toEqual({
      cert: foreignCert,
      key: foreignKey,
      ca: foreignCert,
      caFile: certFile,
    })
  })

  test("a user's files in the directory are served and never replaced", async () => {
    const files = { 'ca.pem': foreignCert, 'cert.pem': foreignCert, 'key.pem': foreignKey }
    const dir = directory('foreign', files)
    const served = await loadTls({ dir, hosts: ['other.example.test'] })
    expect(served.cert).toBe(foreignCert)
    expect(readFileSync(join(dir, 'key.pem'), 'utf8')).toBe(foreignKey)
  })

  test('a half-filled directory is refused', async () => {
    const dir = directory('half', { 'ca.pem': own.ca })
    expect(await refusal({ dir, hosts: [] })).toBe(
      `--tls-dir: ${dir} lacks cert.pem and key.pem; add the missing files, or remove the other .pem files so that new files are issued`,
    )
  })

  test('a missing file is refused', async () => {
    const certFile = join(folder, 'none.pem')
    expect(await refusal({ certFile, keyFile: certFile, hosts: [] })).toBe(
      `--tls-cert: cannot read ${certFile} (ENOENT: no such file or directory, open '${certFile}')`,
    )
  })

  test('a file that cannot be read is refused', async () => {
    const dir = directory('unreadable', { 'ca.pem': own.ca, 'key.pem': own.key })
    mkdirSync(join(dir, 'cert.pem'))
    expect(await refusal({ dir, hosts: [] })).toBe(
      `--tls-dir: cannot read ${join(dir, 'cert.pem')} (EISDIR: illegal operation on a directory, read)`,
    )
  })

  test('a directory that cannot be written to is refused', async () => {
    const dir = join(directory('blocked', { file: '' }), 'file', 'below')
    expect(await refusal({ dir, hosts: [] })).toBe(
      `--tls-dir: cannot write to ${dir} (ENOTDIR: not a directory, mkdir '${dir}')`,
    )
  })

  test('a key of another certificate is refused', async () => {
    const dir = directory('unequal', { 'c.pem': own.cert, 'k.pem': foreignKey })
    const [certFile, keyFile] = [join(dir, 'c.pem'), join(dir, 'k.pem')]
    expect(await refusal({ certFile, keyFile, hosts: [] })).toBe(
      `${keyFile} is not the private key of ${certFile}`,
    )
  })

  test('texts that are not PEM are refused', async () => {
    const dir = directory('garbage', { 'c.pem': own.cert, 'no.pem': 'nothing' })
    const [good, bad] = [join(dir, 'c.pem'), join(dir, 'no.pem')]
    expect(await refusal({ certFile: bad, keyFile: good, hosts: [] })).toContain(
      `${bad} holds no certificate in PEM form (`,
    )
    expect(await refusal({ certFile: good, keyFile: bad, hosts: [] })).toContain(
      `${bad} holds no usable private key in PEM form (`,
    )
  })
})
