import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { issueCertificate } from '../../../../src/server/certificates.ts'
import type { TlsMaterial } from '../../../../src/server/tls.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

/** Starts a server with a CA of its own, which issues certificates of clients. */
async function certServer(settings: { readonly tls?: TlsMaterial } = {}) {
  const header = 'X-Client-Cert'
  const secretsOptions = { clientCertificateHeader: header }
  const server = await servedSecrets({ ...settings, secrets: secretsOptions })
  const { secrets } = server
  await secrets.post('sys/mounts/pki', { type: 'pki' })
  const root = { common_name: 'CA', key_type: 'ec', ttl: '87600h' }
  const ca = (await secrets.post('pki/root/generate/internal', root)).body.data.certificate
  const role = { allow_any_name: true, key_type: 'ec', ou: 'Dev', allow_ip_sans: true }
  await secrets.post('pki/roles/any', role)
  await secrets.post('sys/auth/cert', { type: 'cert' })
  const issue = async (common_name: string, changes: object = {}) =>
    (await secrets.post('pki/issue/any', { common_name, ...changes })).body.data
  const login = (certificate: string | undefined, body: object = {}) =>
    secrets.post('auth/cert/login', body, {
      token: null,
      headers:
        certificate === undefined
          ? {}
          : { [header.toLowerCase()]: encodeURIComponent(certificate) },
    })
  return { ...server, ca, issue, login }
}

describe('behaviour/secrets#cert', () => {
  test('a certificate that a CA signed logs in, until its serial number is in a CRL', async () => {
    const { secrets, world, ca, issue, login } = await certServer()
    const entry = { certificate: ca, allowed_common_names: '*.test', token_policies: 'web' }
    expect(statusAndBody(await secrets.post('auth/cert/certs/web', entry))).toEqual(noContent)
    const shown = (await secrets.get('auth/cert/certs/web')).body.data
    expect(shown).toMatchObject({
      allowed_common_names: ['*.test'],
      allowed_names: null,
      certificate: ca,
      display_name: 'web',
      ocsp_enabled: false,
      token_policies: ['web'],
    })
    const { certificate, serial_number: serial } = await issue('a.test')
    const { auth } = (await login(certificate)).body
    const leaf = new X509Certificate(certificate)
    expect(auth).toMatchObject({
      token_policies: ['default', 'web'],
      metadata: {
        cert_name: 'web',
        common_name: 'a.test',
        serial_number: BigInt(`0x${leaf.serialNumber}`).toString(),
        subject_key_id: expect.stringMatching(/^([0-9a-f]{2}:){19}[0-9a-f]{2}$/),
        authority_key_id: expect.stringMatching(/^([0-9a-f]{2}:){19}[0-9a-f]{2}$/),
      },
    })
    const token = auth.client_token
    const { data } = (await secrets.get('auth/token/lookup-self', { token })).body
    expect(data.display_name).toBe('cert-web')
    expect((await secrets.post('auth/token/renew-self', {}, { token })).status).toBe(200)
    await secrets.post('pki/revoke', { serial_number: serial })
    const crl = (await secrets.get('pki/cert/crl')).body.data.certificate
    expect(statusAndBody(await secrets.post('auth/cert/crls/all', { crl }))).toEqual(noContent)
    const { serials } = (await secrets.get('auth/cert/crls/all')).body.data
    expect(Object.keys(serials)).toEqual([auth.metadata.serial_number])
    const unmatched = error(
      400,
      'no chain matching all constraints could be found for this login certificate',
    )
    expect(statusAndBody(await login(certificate))).toEqual(unmatched)
    await secrets.delete('auth/cert/crls/all')
    expect((await login(certificate)).status).toBe(200)
    expect(statusAndBody(await login((await issue('a.other')).certificate))).toEqual(unmatched)
    await secrets.delete('auth/cert/certs/web')
    expect(statusAndBody(await secrets.post('auth/token/renew-self', {}, { token }))).toEqual(
      multierrorReply(400, 'failed to renew entry: role "web" does not exist during renewal'),
    )
    // A certificate that is itself in an entry needs no CA.
    await secrets.post('auth/cert/certs/self', { certificate })
    expect((await login(certificate, { name: 'self' })).status).toBe(200)
    world.advance(40 * 24 * 3_600_000)
    expect(statusAndBody(await login(certificate))).toEqual(
      error(400, 'invalid certificate or no client certificate supplied'),
    )
  })

  test.each([
    [{ allowed_names: 'b.test' }, true],
    [{ allowed_names: 'c.test' }, false],
    [{ allowed_dns_sans: 'b.*' }, true],
    [{ allowed_email_sans: '*@x.test' }, false],
    [{ allowed_organizational_units: 'Dev' }, true],
    [{ allowed_organizational_units: 'Ops' }, false],
    [{ required_extensions: '1.2.3.4:x' }, false],
  ])('the patterns %j of an entry count: %s', async (patterns, isAllowed) => {
    const { secrets, ca, issue, login } = await certServer()
    await secrets.post('auth/cert/certs/web', { certificate: ca, ...patterns })
    const { certificate } = await issue('a.test', { alt_names: 'b.test' })
    expect((await login(certificate)).status).toBe(isAllowed ? 200 : 400)
  })

  test('choice/secrets#client-certificates: a TLS listener asks for a certificate and verifies nothing', async () => {
    const tls = { ...(await issueCertificate(['127.0.0.1'])), caFile: '' }
    const { app, secrets, ca, issue } = await certServer({ tls })
    await secrets.post('auth/cert/certs/web', { certificate: ca, token_policies: 'web' })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const login = async (cert?: string, key?: string) => {
      const to = { host: '127.0.0.1', port, path: '/v1/auth/cert/login', method: 'POST' }
      const sent = request({ ...to, ca: tls.ca, cert, key, agent: false }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode, body: await json(response) }
    }
    const { certificate, private_key } = await issue('a.test')
    expect(await login(certificate, private_key)).toMatchObject({
      status: 200,
      body: { auth: { metadata: { common_name: 'a.test' }, token_policies: ['default', 'web'] } },
    })
    // A LIST on the same connection does not hide the certificate.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const kept = { host: '127.0.0.1', port, ca: tls.ca, cert: certificate, key: private_key, agent }
    for (const [method, path, status] of [
      ['LIST', 'sys/mounts', 403],
      ['POST', 'auth/cert/login', 200],
    ] as const) {
      const sent = request({ ...kept, path: `/v1/${path}`, method }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      await json(response)
      expect(response.statusCode).toBe(status)
    }
    agent.destroy()
    expect(await login()).toEqual(error(400, 'client certificate must be supplied'))
    // The listener accepts a certificate of an unknown CA, and the login method refuses it.
    expect(await login(tls.cert, tls.key)).toEqual(
      error(400, 'invalid certificate or no client certificate supplied'),
    )
  })

  test('old names of token fields work, and `lease` is the oldest name of the TTL', async () => {
    const { secrets, ca } = await certServer()
    const write = (body: object) => secrets.post('auth/cert/certs/old', body)
    const read = async () => (await secrets.get('auth/cert/certs/old')).body.data
    const old = { policies: 'B,a', ttl: 5, max_ttl: '1m', period: 7, bound_cidrs: '10.0.0.0/8' }
    expect(statusAndBody(await write({ certificate: ca, ...old, lease: 9 }))).toEqual(noContent)
    expect(await read()).toMatchObject({
      policies: ['a', 'b'],
      token_policies: ['a', 'b'],
      ttl: 5,
      token_ttl: 5,
      max_ttl: 60,
      token_period: 7,
      bound_cidrs: ['10.0.0.0/8'],
    })
    expect(statusAndBody(await write({ lease: 9 }))).toEqual(noContent)
    expect(await read()).toMatchObject({ ttl: 9, token_ttl: 9 })
    expect(statusAndBody(await write({ ttl: 61 }))).toEqual(
      error(400, 'ttl should be shorter than max_ttl'),
    )
  })

  test('bad entries, settings and connections are refused', async () => {
    const { secrets, issue, login } = await certServer()
    await secrets.post('pki/roles/any', { allow_any_name: true, client_flag: false })
    const { certificate } = await issue('server.test')
    const forServers =
      'nonCA certificates should have TLS client authentication set as an extended key usage'
    for (const [path, body, text] of [
      ['certs/x', { certificate: 'x' }, 'failed to parse certificate'],
      ['certs/x', { certificate }, forServers],
      ['crls/x', { crl: 'x' }, 'failed to parse CRL: x509: malformed crl'],
      ['config', { ocsp_cache_size: 1 }, 'invalid cache size, must be >= 2 and <= 100000'],
    ] as const) {
      expect(statusAndBody(await secrets.post(`auth/cert/${path}`, body))).toEqual(error(400, text))
    }
    expect(statusAndBody(await secrets.get('auth/cert/crls/x'))).toEqual(
      error(400, 'no such CRL x'),
    )
    expect((await secrets.get('auth/cert/config')).body.data).toEqual({
      disable_binding: false,
      enable_identity_alias_metadata: false,
      ocsp_cache_size: 100,
    })
    expect(statusAndBody(await login(undefined))).toEqual(error(400, 'tls connection required'))
    expect(statusAndBody(await login('x'))).toEqual(
      error(400, 'client certificate must be supplied'),
    )
  })
})
