import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { issueCertificate } from '../../../../src/server/certificates.ts'
import { replications } from '../../../../state/secrets/replication/modes.ts'
import { createOperationToken } from '../../../../state/secrets/replication/operation-tokens.ts'
import {
  activationToken,
  type Cluster,
  dr,
  twoClusters,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { multierrorReply, statusAndBody } from '../replies.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-replication-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

function directory(name: string, files: Readonly<Record<string, string>> = {}): string {
  mkdirSync(join(folder, name))
  for (const [file, text] of Object.entries(files)) write(join(name, file), text)
  return join(folder, name)
}

const enable = ({ secrets }: Cluster, fields: object) =>
  secrets.post(`${dr}/secondary/enable`, fields)

/** Returns the certificates that a secondary trusts for its primary. */
function trusted({ world }: Cluster): readonly string[] | undefined {
  const row = world.table(replications).get('dr')
  return row?.mode === 'secondary' ? row.primary?.ca : undefined
}

/** Returns a certificate in its stored form. */
const kept = (pem = '') => new X509Certificate(pem).toString()

/** Creates a pipe without a writer: opening it would wait forever. */
function pipe(name: string): string {
  execFileSync('mkfifo', [join(folder, name)])
  return join(folder, name)
}

describe('behaviour/secrets#ca-files: ca_file and ca_path', () => {
  const cases = (certificate: string) => [
    { ca_file: join(folder, 'missing.pem') },
    { ca_file: folder },
    { ca_file: write('garbage.pem', 'garbage') },
    { ca_file: write('empty.pem', '') },
    { ca_path: join(folder, 'missing') },
    { ca_path: write('file.pem', 'x') },
    { ca_path: directory('mixed', { 'a.pem': 'garbage' }) },
    { ca_file: pipe('pipe.pem') },
    { ca_file: '/dev/zero' },
    { ca_file: write('large.pem', `${certificate}${' '.repeat(1024 * 1024)}`) },
    { ca_file: write('broken.pem', certificate.replace(/[A-Z]/g, 'A')) },
    { ca_path: directory('eight', eight(`${certificate}\n`.repeat(1200))) },
  ]

  /**
   * Returns eight files by name. Each file is small enough, but their total size exceeds the limit.
   */
  const eight = (text: string) =>
    Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at}.pem`, text.slice(0, 900_000)]))

  // choice/secrets#replication-ca
  test('an unreadable file and a file without certificates are refused with the same text, and the token stays valid', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const { ca } = await issueCertificate(['x'])
    for (const fields of cases(ca)) {
      const [name, path] = Object.entries(fields)[0] ?? ['', '']
      const reply = await enable(second, { token, ...fields })
      const why = 'only regular files of up to 1 MiB with certificates in PEM can be read'
      expect([path, reply.status, reply.body]).toEqual([
        path,
        400,
        { errors: [`error reading ${name}: ${why}`] },
      ])
      expect(await second.status()).toEqual({ mode: 'disabled' })
    }
    expect((await enable(second, { token })).status).toBe(200)
    await waitForSync(first, second)
    expect(trusted(second)).toEqual([])
  })

  test('no file is read for an invalid activation token', async () => {
    const { second } = await twoClusters()
    const reply = await enable(second, { token: 'none', ca_file: join(folder, 'missing.pem') })
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0]).toContain('error response unwrapping secondary token')
  })

  test('a private key in the file is not kept', async () => {
    const { first, second } = await twoClusters()
    const { ca, key } = await issueCertificate(['x'])
    const token = await activationToken(first)
    await enable(second, { token, ca_file: write('both.pem', `${key}\n${ca}`) })
    expect(trusted(second)).toEqual([kept(ca)])
    expect(JSON.stringify(second.world.table(replications).get('dr'))).not.toContain('PRIVATE')
  })

  // choice/secrets#replication-ca
  test('reads the certificates of a file and of a directory, but not of subdirectories', async () => {
    const { first, second } = await twoClusters()
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => issueCertificate(['x'])))
    const ca_path = directory('several', { 'b.pem': one?.ca ?? '', 'a.crt': two?.ca ?? '' })
    mkdirSync(join(ca_path, 'below'))
    const token = await activationToken(first)
    const ca_file = write('three.pem', three?.ca ?? '')
    expect((await enable(second, { token, ca_file, ca_path })).status).toBe(200)
    expect(trusted(second)).toEqual([three, two, one].map((each) => kept(each?.ca)))
  })

  test('a bundle in one file is kept, certificate by certificate', async () => {
    const { first, second } = await twoClusters()
    const [one, two] = await Promise.all([1, 2].map(() => issueCertificate(['x'])))
    const bundle = `${one?.ca}\n${two?.ca}`
    const token = await activationToken(first)
    await enable(second, { token, ca_file: write('bundle.pem', bundle) })
    expect(trusted(second)).toEqual([kept(one?.ca), kept(two?.ca)])
  })

  test('an empty directory adds nothing', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const ca_path = directory('nothing')
    expect((await enable(second, { token, ca_path })).status).toBe(200)
    expect(trusted(second)).toEqual([])
  })
})

describe('behaviour/secrets#replication: primary_api_addr', () => {
  test('a primary of the same process is found with any address', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const primary_api_addr = 'http://127.0.0.1:1/elsewhere/'
    expect((await enable(second, { token, primary_api_addr })).status).toBe(200)
    await waitForSync(first, second)
    expect((await second.status()).primaries).toMatchObject([{ api_address: primary_api_addr }])
  })

  // choice/secrets#replication-own-address
  test('host and port of the secondary itself mean a world of the process, without a socket', async () => {
    const token = await activationToken((await twoClusters()).first)
    const { second } = await twoClusters({ seed: 'other' })
    const primary_api_addr = 'http://localhost:80/_world/default'
    // Nothing listens there: over a socket this would be 502.
    expect(statusAndBody(await enable(second, { token, primary_api_addr }))).toEqual(
      multierrorReply(
        400,
        'error response unwrapping secondary token; status code is 400, message is "400 Bad Request"',
      ),
    )
  })

  test.each(['nonsense', 'ftp://127.0.0.1/', 'http://', '127.0.0.1:4600'])(
    '%j is refused as an address; the token stays valid',
    async (primary_api_addr) => {
      // Two processes: the second does not know the token.
      const one = await twoClusters()
      const other = await twoClusters({ seed: 'other' })
      const token = await activationToken(one.first)
      expect(statusAndBody(await enable(other.first, { token, primary_api_addr }))).toEqual(
        multierrorReply(
          502,
          `error unwrapping secondary token: "${primary_api_addr}" is not an address of an API`,
        ),
      )
      expect(await other.first.status()).toEqual({ mode: 'disabled' })
      expect((await enable(one.second, { token })).status).toBe(200)
    },
  )

  test('a closed port is 502 with the reason, and 500 in the vendor dialect', async () => {
    const one = await twoClusters()
    const token = await activationToken(one.first)
    for (const [dialect, status] of [
      ['neutral', 502],
      ['vendor', 500],
    ] as const) {
      const { first } = await twoClusters({ seed: dialect, dialect })
      const reply = await enable(first, { token, primary_api_addr: 'http://127.0.0.1:1' })
      expect(statusAndBody(reply)).toEqual(
        multierrorReply(
          status,
          'error unwrapping secondary token: POST "http://127.0.0.1:1/v1/sys/wrapping/unwrap": connect ECONNREFUSED 127.0.0.1:1',
        ),
      )
      expect(await first.status()).toEqual({ mode: 'disabled' })
    }
  })

  test('update-primary to an unreachable one: 502, and the old one is kept', async () => {
    const { first, second } = await twoClusters()
    const foreign = await twoClusters({ seed: 'other' })
    await enable(second, { token: await activationToken(first) })
    await waitForSync(first, second)
    const before = second.world.table(replications).get('dr')
    const reply = await second.secrets.post(`${dr}/secondary/update-primary`, {
      dr_operation_token: createOperationToken(second.world),
      token: await activationToken(foreign.first),
      primary_api_addr: 'http://127.0.0.1:1',
    })
    expect(reply.status).toBe(502)
    expect(second.world.table(replications).get('dr')).toEqual(before)
    await waitForSync(first, second)
  })
})
