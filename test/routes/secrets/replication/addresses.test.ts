import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { issueCertificate } from '../../../../src/certificates.ts'
import { replications } from '../../../../state/secrets/replication/modes.ts'
import { createOperationToken } from '../../../../state/secrets/replication/operation-tokens.ts'
import {
  activationToken,
  type Cluster,
  clusters,
  dr,
  inSync,
} from '../../../support/replication.ts'
import { raisedError, seen } from '../replies.ts'

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

/** The certificates that a secondary trusts for its primary. */
function trusted({ world }: Cluster): readonly string[] | undefined {
  const row = world.table(replications).get('dr')
  return row?.mode === 'secondary' ? row.primary?.ca : undefined
}

describe('behaviour/secrets#replication: ca_file and ca_path', () => {
  const cases = () => [
    { ca_file: join(folder, 'missing.pem') },
    { ca_file: folder },
    { ca_file: write('garbage.pem', 'garbage') },
    { ca_file: write('empty.pem', '') },
    { ca_path: join(folder, 'missing') },
    { ca_path: write('file.pem', 'x') },
    { ca_path: directory('mixed', { 'a.pem': 'garbage' }) },
  ]

  test('unreadable, or no certificate: 400, and the token is still good', async () => {
    const { first, second } = await clusters()
    const token = await activationToken(first)
    for (const fields of cases()) {
      const [name, path] = Object.entries(fields)[0] ?? ['', '']
      const reply = await enable(second, { token, ...fields })
      expect(reply.status).toBe(400)
      expect(reply.body).toEqual({ errors: [expect.any(String)] })
      expect([path, reply.body.errors[0]]).toEqual([
        path,
        expect.stringMatching(new RegExp(`^error reading ${name}: .+`)),
      ])
      expect(await second.status()).toEqual({ mode: 'disabled' })
    }
    expect((await enable(second, { token })).status).toBe(200)
    await inSync(first, second)
    expect(trusted(second)).toEqual([])
  })

  test('the certificates of a file and of a directory; what lies below it is left alone', async () => {
    const { first, second } = await clusters()
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => issueCertificate(['x'])))
    const ca_path = directory('several', { 'b.pem': one?.ca ?? '', 'a.crt': two?.ca ?? '' })
    mkdirSync(join(ca_path, 'below'))
    const token = await activationToken(first)
    const ca_file = write('three.pem', three?.ca ?? '')
    expect((await enable(second, { token, ca_file, ca_path })).status).toBe(200)
    expect(trusted(second)).toEqual([three?.ca, two?.ca, one?.ca])
  })

  test('a bundle in one file is kept whole', async () => {
    const { first, second } = await clusters()
    const [one, two] = await Promise.all([1, 2].map(() => issueCertificate(['x'])))
    const bundle = `${one?.ca}\n${two?.ca}`
    const token = await activationToken(first)
    await enable(second, { token, ca_file: write('bundle.pem', bundle) })
    expect(trusted(second)).toEqual([bundle])
  })

  test('an empty directory adds nothing', async () => {
    const { first, second } = await clusters()
    const token = await activationToken(first)
    const ca_path = directory('nothing')
    expect((await enable(second, { token, ca_path })).status).toBe(200)
    expect(trusted(second)).toEqual([])
  })
})

describe('behaviour/secrets#replication: primary_api_addr', () => {
  test('a primary of the same process is found, whatever the address says', async () => {
    const { first, second } = await clusters()
    const token = await activationToken(first)
    const primary_api_addr = 'http://127.0.0.1:1/elsewhere/'
    expect((await enable(second, { token, primary_api_addr })).status).toBe(200)
    await inSync(first, second)
    expect((await second.status()).primaries).toMatchObject([{ api_address: primary_api_addr }])
  })

  test.each(['nonsense', 'ftp://127.0.0.1/', 'http://', '127.0.0.1:4600'])(
    '%j is no address; the token is still good',
    async (primary_api_addr) => {
      // Two processes: the token is not known in the second.
      const one = await clusters()
      const other = await clusters({ seed: 'other' })
      const token = await activationToken(one.first)
      expect(seen(await enable(other.first, { token, primary_api_addr }))).toEqual(
        raisedError(
          502,
          `error unwrapping secondary token: "${primary_api_addr}" is no address of an API`,
        ),
      )
      expect(await other.first.status()).toEqual({ mode: 'disabled' })
      expect((await enable(one.second, { token })).status).toBe(200)
    },
  )

  test('a closed port: 502 with the reason; the vendor says 500 (R5)', async () => {
    const one = await clusters()
    const token = await activationToken(one.first)
    for (const [dialect, status] of [
      ['neutral', 502],
      ['vendor', 500],
    ] as const) {
      const { first } = await clusters({ seed: dialect, dialect })
      const reply = await enable(first, { token, primary_api_addr: 'http://127.0.0.1:1' })
      expect(seen(reply)).toEqual(
        raisedError(
          status,
          'error unwrapping secondary token: POST "http://127.0.0.1:1/v1/sys/wrapping/unwrap": connect ECONNREFUSED 127.0.0.1:1',
        ),
      )
      expect(await first.status()).toEqual({ mode: 'disabled' })
    }
  })

  test('update-primary to an unreachable one: 502, and the old one is kept', async () => {
    const { first, second } = await clusters()
    const foreign = await clusters({ seed: 'other' })
    await enable(second, { token: await activationToken(first) })
    await inSync(first, second)
    const before = second.world.table(replications).get('dr')
    const reply = await second.secrets.post(`${dr}/secondary/update-primary`, {
      dr_operation_token: createOperationToken(second.world),
      token: await activationToken(foreign.first),
      primary_api_addr: 'http://127.0.0.1:1',
    })
    expect(reply.status).toBe(502)
    expect(second.world.table(replications).get('dr')).toEqual(before)
    await inSync(first, second)
  })
})
