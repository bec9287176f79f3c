import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

/** Starts a server with a CA of its own, which issues certificates of clients. */
async function certServer() {
  const header = 'X-Client-Cert'
  const server = await servedSecrets({ secrets: { clientCertificateHeader: header } })
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

  test('bad entries, settings and connections are refused', async () => {
    const { secrets, login } = await certServer()
    for (const [path, body, text] of [
      ['certs/x', { certificate: 'x' }, 'failed to parse certificate'],
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
