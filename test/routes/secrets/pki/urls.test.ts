import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { error, multierrorReply, statusAndBody } from '../replies.ts'
import { withPki } from './pki.ts'

const mayFail = (field: string) =>
  `issuance may fail: unable to template AIA URLs as we lack local cluster address information (${field})\n\nConsider setting the cluster-local address if it is not already set.`

const addressOf = (pem: string) =>
  new x509.X509Certificate(pem).getExtension(x509.AuthorityInfoAccessExtension)?.caIssuers[0]?.value

describe('behaviour/secrets#pki-urls', () => {
  test('templates of addresses have the issuer and the addresses of the cluster', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const pki = await withPki({ dialect })
      const { secrets } = pki
      const raised = (text: string) => multierrorReply(dialect === 'vendor' ? 500 : 400, text)
      const refused = async (path: string, fields: object, reply: object) =>
        expect(statusAndBody(await secrets.post(`pki/${path}`, fields))).toEqual(reply)
      expect(await pki.read('config/cluster')).toEqual({ path: '', aia_path: '' })
      const issuing_certificates = '{{cluster_aia_path}}/issuer/{{issuer_id}}/der'
      const text = `invalid URL found in Authority Information Access (AIA) parameter issuing_certificates: ${issuing_certificates}`
      await refused('config/urls', { issuing_certificates }, error(400, text))
      const root = { common_name: 'r', key_type: 'ec' }
      const { issuer_id } = (await pki.write('root/generate/internal', root)).data
      await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
      const urls = { issuing_certificates, enable_templating: true }
      expect((await pki.write('config/urls', urls)).warnings).toEqual([mayFail('aia_path')])
      const why =
        'unable to template AIA URLs as we lack local cluster address information (aia_path)'
      const common_name = 'a.b'
      await refused(
        'issue/web',
        { common_name },
        raised(`error fetching CA certificate: unable to fetch AIA URL information: ${why}`),
      )
      await refused(
        'root/generate/internal',
        root,
        raised(
          `unable to parse AIA URL information: ${why}\nUsing templated AIA URL's {{issuer_id}} field when generating root certificates is not supported.`,
        ),
      )
      await refused(
        'config/cluster',
        { path: 'zz' },
        raised('invalid, non-URL path given to cluster: zz'),
      )
      await refused(
        'config/cluster',
        { aia_path: 'zz' },
        raised('invalid, non-URL aia_path given to cluster: zz'),
      )
      const cluster = { path: 'https://a.example.com/v1/pki', aia_path: 'http://b.example.com/pki' }
      expect((await pki.write('config/cluster', cluster)).data).toEqual(cluster)
      expect((await pki.write('config/urls', urls)).warnings).toBeNull()
      const leaf = (await pki.write('issue/web', { common_name })).data.certificate
      expect(addressOf(leaf)).toBe(`http://b.example.com/pki/issuer/${issuer_id}/der`)
      const next = await pki.write('root/generate/internal', root)
      expect(addressOf(next.data.certificate)).toBeUndefined()
      expect(next.warnings).toContain(
        'When generating root CA, found global AIA configuration with issuer_id template unsuitable for root generation. This AIA configuration has been ignored. To include AIA on this root CA, set the global AIA configuration to not include issuer_id and instead to refer to a static issuer name.',
      )
      const ofIssuer = { ocsp_servers: '{{cluster_path}}/ocsp', enable_aia_url_templating: true }
      expect((await secrets.patch('pki/issuer/default', ofIssuer)).body).toMatchObject({
        data: { ocsp_servers: ['{{cluster_path}}/ocsp'], enable_aia_url_templating: true },
        warnings: null,
      })
    }
  })
})
