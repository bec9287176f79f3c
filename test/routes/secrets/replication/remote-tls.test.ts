import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type IssuedCertificate, issueCertificate } from '../../../../src/server/certificates.ts'
import {
  activationToken,
  type Cluster,
  dr,
  forceLink,
  promote,
  waitForConnection,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { type ServedCluster, servedCluster } from '../../../support/secrets/served-cluster.ts'
import { multierrorReply, statusAndBody } from '../replies.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-replication-tls-'))
const caFile = join(folder, 'ca.pem')
const caPath = join(folder, 'cas')
let issued: IssuedCertificate
let other: IssuedCertificate

beforeAll(async () => {
  issued = await issueCertificate(['127.0.0.1'])
  other = await issueCertificate(['elsewhere.example'])
  writeFileSync(caFile, issued.ca)
  mkdirSync(caPath)
  writeFileSync(join(caPath, 'one.pem'), other.ca)
  writeFileSync(join(caPath, 'two.pem'), issued.ca)
})
afterAll(() => rmSync(folder, { recursive: true }))

const enable = ({ secrets }: Cluster, token: string, more: object = {}) =>
  secrets.post(`${dr}/secondary/enable`, { token, ...more })

/** Starts a primary with TLS and a second cluster, each with its own listener. */
async function clusterPair() {
  const tls = { ...issued, caFile }
  const primary: ServedCluster = await servedCluster({ tls })
  const secondary = await servedCluster({ seed: 'other' })
  await primary.secrets.post('kv/a', { x: 1 })
  return { primary, secondary, token: await activationToken(primary) }
}

const failure = (url: string, why: string) =>
  multierrorReply(
    502,
    `error unwrapping secondary token: POST "${url}/v1/sys/wrapping/unwrap": ${why}`,
  )

describe('behaviour/secrets#api-replication: ca_file and ca_path', () => {
  test.each([
    ['ca_file', () => ({ ca_file: caFile })],
    ['ca_path', () => ({ ca_path: caPath })],
    ['both', () => ({ ca_file: caFile, ca_path: caPath })],
  ])('a primary with TLS is trusted by %s, for joining and for following', async (_, ca) => {
    const { primary, secondary, token } = await clusterPair()
    expect(primary.url).toMatch(/^https:/)
    expect((await enable(secondary, token, ca())).status).toBe(200)
    await waitForSync(primary, secondary)
    expect((await secondary.status()).primaries).toMatchObject([
      { api_address: primary.url, connection_status: 'connected' },
    ])
    forceLink(secondary, 'primary', 'disconnected')
    await waitForConnection(secondary, 'transient_failure')
    await primary.secrets.post('kv/b', { x: 1 })
    forceLink(secondary, 'primary', 'connected')
    await waitForSync(primary, secondary)
    await promote(secondary)
    expect((await secondary.secrets.list('kv')).body.data).toEqual({ keys: ['a', 'b'] })
  })

  test('without CA files an unknown certificate is refused, and the token stays valid', async () => {
    const { primary, secondary, token } = await clusterPair()
    expect(statusAndBody(await enable(secondary, token))).toEqual(
      failure(primary.url, 'unable to verify the first certificate'),
    )
    expect(await secondary.status()).toEqual({ mode: 'disabled' })
    expect((await primary.status()).known_secondaries).toEqual([])
    expect((await enable(secondary, token, { ca_file: caFile })).status).toBe(200)
  })

  test('a certificate of another authority is refused', async () => {
    const { primary, secondary, token } = await clusterPair()
    const ca_file = join(caPath, 'one.pem')
    const reply = await enable(secondary, token, { ca_file })
    expect(reply.status).toBe(502)
    expect(reply.body.errors[0]).toContain(`POST "${primary.url}/v1/sys/wrapping/unwrap": `)
    expect(await secondary.status()).toEqual({ mode: 'disabled' })
  })

  test('the certificate has to name the host', async () => {
    const { primary, secondary, token } = await clusterPair()
    const primary_api_addr = primary.url.replace('127.0.0.1', 'localhost')
    const reply = await enable(secondary, token, { primary_api_addr, ca_file: caFile })
    expect(statusAndBody(reply)).toEqual({
      status: 502,
      body: {
        errors: [expect.stringContaining("Hostname/IP does not match certificate's altnames")],
      },
    })
    expect((await primary.status()).known_secondaries).toEqual([])
  })

  test('plain HTTP to a listener with TLS, and the other way round', async () => {
    const { primary, secondary, token } = await clusterPair()
    const plain = primary.url.replace('https:', 'http:')
    const reply = await enable(secondary, token, { primary_api_addr: plain })
    expect(statusAndBody(reply)).toEqual({ status: 502, body: { errors: [expect.any(String)] } })
    const third = await servedCluster({ seed: 'third' })
    const wrong = third.url.replace('http:', 'https:')
    const other = await enable(secondary, token, { primary_api_addr: wrong, ca_file: caFile })
    expect(statusAndBody(other)).toEqual({ status: 502, body: { errors: [expect.any(String)] } })
    expect((await enable(secondary, token, { ca_file: caFile })).status).toBe(200)
  })
})
