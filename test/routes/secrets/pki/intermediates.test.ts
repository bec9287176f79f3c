import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { parse, type TestPki, withPki } from './pki.ts'

/** Starts a server with a root at `pki/` and an empty mount at `int/`. */
async function withTwoMounts(): Promise<TestPki & { readonly root: string }> {
  const pki = await withPki()
  await pki.secrets.post('sys/mounts/int', { type: 'pki' })
  const { data } = await pki.write('root/generate/internal', {
    common_name: 'root',
    key_type: 'ec',
    not_after: '2045-01-01T00:00:00Z',
  })
  return { ...pki, root: data.certificate }
}

const title = 'behaviour/secrets#pki-roots'

describe(`${title}: an intermediate`, () => {
  test('is requested, signed and set, and then issues certificates that openssl accepts', async () => {
    const pki = await withTwoMounts()
    const { secrets } = pki
    const made = await secrets.post('int/intermediate/generate/internal', {
      common_name: 'middle',
      alt_names: 'm.example.com',
      organization: 'Acme',
      key_type: 'ed25519',
      add_basic_constraints: true,
    })
    const { csr, key_id, ...others } = made.body.data
    expect(others).toEqual({})
    expect(made.body.warnings).toEqual([expect.stringMatching(/regenerate this certificate/)])
    const request = new x509.Pkcs10CertificateRequest(csr)
    expect(request.subject).toBe('O=Acme, CN=middle')
    expect(request.getExtension('2.5.29.19')).toMatchObject({ ca: true })
    const fields = { csr, use_csr_values: true, not_after: '2044-01-01T00:00:00Z' }
    const signed = await pki.write('root/sign-intermediate', { ...fields, max_path_length: 0 })
    const { certificate, ca_chain, serial_number, issuing_ca } = signed.data
    expect(issuing_ca).toBe(pki.root)
    expect(ca_chain).toEqual([certificate, pki.root])
    const node = parse(certificate)
    expect(node.subject).toBe('O=Acme\nCN=middle')
    expect(node.ca).toBe(true)
    expect(node.checkIssued(parse(pki.root))).toBe(true)
    expect((await secrets.list('pki/certs')).body.data.keys).toContain(serial_number)
    const set = await secrets.post('int/intermediate/set-signed', {
      certificate: ca_chain.join('\n'),
    })
    const { mapping, ...imported } = set.body.data
    const [middle = '', root = ''] = imported.imported_issuers
    expect(imported).toEqual({
      imported_issuers: [middle, root],
      imported_keys: null,
      existing_issuers: null,
      existing_keys: null,
    })
    expect(mapping).toEqual({ [middle]: key_id, [root]: '' })
    await secrets.post('int/roles/r', { key_type: 'ec', allow_any_name: true })
    const leaf = await secrets.post('int/issue/r', {
      common_name: 'leaf.example.com',
      not_after: '2043-01-01T00:00:00Z',
    })
    expect(leaf.body.data.ca_chain).toEqual([certificate, pki.root])
    const folder = mkdtempSync(join(tmpdir(), 'pki-'))
    try {
      writeFileSync(join(folder, 'root.pem'), pki.root)
      writeFileSync(join(folder, 'middle.pem'), certificate)
      writeFileSync(join(folder, 'leaf.pem'), leaf.body.data.certificate)
      writeFileSync(join(folder, 'request.pem'), csr)
      const run = (...words: string[]) =>
        execFileSync('openssl', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
      const chain = ['-CAfile', 'root.pem', '-untrusted', 'middle.pem']
      expect(run('verify', '-x509_strict', ...chain, 'leaf.pem').trim()).toBe('leaf.pem: OK')
      expect(run('req', '-in', 'request.pem', '-noout', '-verify', '-subject')).toContain('Acme')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('has the names of the request, and may outlive its issuer with a warning', async () => {
    const pki = await withTwoMounts()
    const { csr } = (
      await pki.secrets.post('int/intermediate/generate/exported', { key_type: 'ec' })
    ).body.data
    const { data, warnings } = await pki.write('issuer/default/sign-intermediate', {
      csr,
      common_name: 'other.example.com',
      permitted_dns_domains: 'example.com',
      not_after: '2046-01-01T00:00:00Z',
    })
    expect(warnings).toContain(
      "The expiration time for the signed certificate is after the CA's expiration time. If the new certificate is not treated as a root, validation paths with the certificate past the issuing CA's expiration time will fail.",
    )
    const node = parse(data.certificate)
    expect(node.subject).toBe('CN=other.example.com')
    expect(node.raw.includes(Buffer.from('551d1e0101ff', 'hex'))).toBe(true)
    expect(data.expiration).toBe(Date.parse('2046-01-01T00:00:00Z') / 1000)
  })

  test('wrong requests are refused', async () => {
    const pki = await withTwoMounts()
    const refused = async (path: string, fields: object, text: string) =>
      expect(statusAndBody(await pki.secrets.post(`pki/${path}`, fields))).toEqual(error(400, text))
    await refused('root/sign-intermediate', {}, '"csr" is empty')
    await refused('root/sign-intermediate', { csr: 'zz' }, 'csr contains no data')
    await refused(
      'intermediate/generate/internal',
      { format: 'zz' },
      'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    )
    const missing = "'pem_bundle' and 'certificate' parameters were empty"
    await refused('intermediate/set-signed', {}, missing)
    await refused('config/ca', {}, missing)
    const short =
      'provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file'
    await refused('issuers/import/cert', { pem_bundle: 'zz' }, short)
    const text = 'x'.repeat(200)
    await refused('config/ca', { pem_bundle: text }, 'provided PEM block contained no data')
    await refused(
      'issuers/import/bundle',
      { pem_bundle: text, certificate: text },
      "'pem_bundle' and 'certificate' parameters were both provided",
    )
    await pki.write('roles/leaf', { allow_any_name: true, key_type: 'ec' })
    const leaf = await pki.write('issue/leaf', { common_name: 'a.org', ttl: '1h' })
    const { certificate } = leaf.data
    await refused(
      'issuers/import/bundle',
      { certificate },
      `Error parsing issuer 0: Refusing to import non-CA certificate\n${certificate}\n`,
    )
    await refused(
      'issue/leaf',
      { common_name: 'a.org', ttl: '1h', not_after: '2027-01-01T00:00:00Z' },
      'Either ttl or not_after should be provided. Both should not be provided in the same request.',
    )
    await refused(
      'config/crl',
      { ocsp_expiry: '-1h' },
      'ocsp_expiry must be greater than or equal to 0 got: -1h0m0s',
    )
    await refused(
      'config/crl',
      { unified_crl: true },
      'unified_crl=true requires auto_rebuild=true, as unified CRLs cannot be rebuilt on every revocation.',
    )
    await refused(
      'config/crl',
      { unified_crl_on_existing_paths: true },
      'unified_crl_on_existing_paths cannot be enabled if unified_crl is disabled',
    )
    expect(
      statusAndBody(await pki.secrets.post('pki/issuer/zz/sign-intermediate', { csr: 'zz' })),
    ).toEqual(
      multierrorReply(
        404,
        'could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: zz',
      ),
    )
  })
})

describe(`${title}: an import`, () => {
  test('finds keys and certificates in any order, and again as existing ones', async () => {
    const pki = await withTwoMounts()
    const { private_key, certificate } = (
      await pki.write('root/generate/exported', { common_name: 'r2', key_type: 'ec' })
    ).data
    const bundle = `${certificate}\n${private_key}`
    expect(
      statusAndBody(await pki.secrets.post('int/issuers/import/cert', { pem_bundle: bundle })),
    ).toEqual(
      error(
        400,
        'private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle',
      ),
    )
    const first = await pki.secrets.post('int/config/ca', { pem_bundle: bundle })
    const { imported_issuers: issuers, imported_keys: keys } = first.body.data
    expect(first.body.data).toEqual({
      imported_issuers: [expect.any(String)],
      imported_keys: [expect.any(String)],
      existing_issuers: null,
      existing_keys: null,
      mapping: { [issuers[0]]: keys[0] },
    })
    const again = await pki.secrets.post('int/issuers/import/bundle', { pem_bundle: bundle })
    expect(again.body.data).toEqual({
      imported_issuers: null,
      imported_keys: null,
      existing_issuers: issuers,
      existing_keys: keys,
      mapping: { [issuers[0]]: keys[0] },
    })
    const { body } = await pki.secrets.get('int/cert/ca')
    expect(body.data.certificate).toBe(certificate)
  })
})

describe('behaviour/secrets#pki-urls', () => {
  test('certificates name the addresses of the mount', async () => {
    const pki = await withPki()
    const none = {
      crl_distribution_points: [],
      enable_templating: false,
      issuing_certificates: [],
      ocsp_servers: [],
    }
    expect(await pki.read('config/urls')).toEqual(none)
    const urls = {
      issuing_certificates: 'http://ca.example.com/ca',
      crl_distribution_points: 'http://ca.example.com/crl',
      ocsp_servers: 'http://ca.example.com/ocsp',
    }
    const reply = await pki.write('config/urls', urls)
    expect(reply.data.ocsp_servers).toEqual([urls.ocsp_servers])
    expect(
      statusAndBody(await pki.secrets.post('pki/config/urls', { ocsp_servers: 'zz' })),
    ).toEqual(
      error(
        400,
        'invalid URL found in Authority Information Access (AIA) parameter ocsp_servers: zz',
      ),
    )
    const root = await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec' })
    expect(root.warnings).toBeNull()
    await pki.write('roles/r', { key_type: 'ec', allow_any_name: true })
    const { data } = await pki.write('issue/r', { common_name: 'a.org' })
    expect(parse(data.certificate).infoAccess?.trim()).toBe(
      `OCSP - URI:${urls.ocsp_servers}\nCA Issuers - URI:${urls.issuing_certificates}`,
    )
    const parsed = new x509.X509Certificate(data.certificate)
    const points = parsed.getExtension(x509.CRLDistributionPointsExtension)?.distributionPoints
    const name = points?.[0]?.distributionPoint?.fullName?.[0]
    expect(name?.uniformResourceIdentifier).toBe(urls.crl_distribution_points)
    expect(data.expiration).toBe(testTime / 1000 + 768 * 3600)
  })
})
