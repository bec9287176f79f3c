import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withPki } from './pki.ts'

const malformed = Buffer.from('30030a0101', 'hex')
const unauthorized = Buffer.from('30030a0106', 'hex')

describe('behaviour/secrets#pki-ocsp', () => {
  test('openssl reads the status of certificates and accepts the signature', async () => {
    const pki = await withPki()
    const folder = mkdtempSync(join(tmpdir(), 'ocsp-'))
    const openssl = (...words: string[]) =>
      execFileSync('openssl', ['ocsp', ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    const makeRequest = (issuer: string, ...options: string[]) => {
      const files = ['-issuer', issuer, '-cert', 'leaf.pem', '-reqout', 'request.der']
      openssl(...options, ...files)
      return readFileSync(join(folder, 'request.der'))
    }
    try {
      const not_after = '2045-01-01T00:00:00Z'
      const root = (
        await pki.write('root/generate/internal', { common_name: 'r', key_type: 'ec', not_after })
      ).data
      await pki.write('roles/web', { key_type: 'ec', allow_any_name: true })
      const leaf = (await pki.write('issue/web', { common_name: 'a.b' })).data
      writeFileSync(join(folder, 'root.pem'), root.certificate)
      writeFileSync(join(folder, 'leaf.pem'), leaf.certificate)
      // The other issuer is a certificate with another key.
      writeFileSync(join(folder, 'other.pem'), leaf.certificate)
      const read = (reply: Buffer, ...options: string[]) => {
        writeFileSync(join(folder, 'reply.der'), reply)
        const files = ['-no_nonce', '-respin', 'reply.der', '-CAfile', 'root.pem']
        // The times are those of the world's clock.
        const certificates = ['-issuer', 'root.pem', '-cert', 'leaf.pem']
        return openssl(
          ...options,
          ...files,
          ...certificates,
          '-text',
          '-validity_period',
          '999999999',
        )
      }
      const request = makeRequest('root.pem')
      const good = await pki.raw('ocsp', 'POST', request)
      expect([good.status, good.type]).toEqual([200, 'application/ocsp-response'])
      const text = read(good.body)
      expect(text).toContain('leaf.pem: good')
      expect(text).toContain('OCSP Nonce')
      expect(text).toContain('Next Update')
      await pki.write('revoke', { serial_number: leaf.serial_number })
      await pki.write('config/crl', { ocsp_expiry: '0s' })
      const path = encodeURIComponent(
        makeRequest('root.pem', '-no_nonce', '-sha256').toString('base64'),
      )
      const revoked = await pki.raw(`ocsp/${path}`)
      const answer = read(revoked.body, '-sha256')
      expect(answer).toContain('leaf.pem: revoked')
      expect(answer).not.toMatch(/OCSP Nonce|Next Update/)
      const unknown = await pki.raw('ocsp', 'POST', makeRequest('other.pem'))
      expect(unknown.body.includes(Buffer.from([0x82, 0x00]))).toBe(true)
      await pki.secrets.patch('pki/issuer/default', { usage: 'issuing-certificates' })
      for (const issuer of ['root.pem', 'other.pem']) {
        const refused = await pki.raw('ocsp', 'POST', makeRequest(issuer))
        expect([refused.status, refused.body]).toEqual([401, unauthorized])
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a body that is not a request is 400, and 401 if OCSP is turned off', async () => {
    const pki = await withPki()
    for (const body of [Buffer.alloc(0), Buffer.from('zz'), Buffer.alloc(3000, 0x30)]) {
      const reply = await pki.raw('ocsp', 'POST', body)
      expect([reply.status, reply.type, reply.body]).toEqual([
        400,
        'application/ocsp-response',
        malformed,
      ])
    }
    expect((await pki.raw('ocsp/zz')).body).toEqual(malformed)
    expect((await pki.raw('ocsp')).status).toBe(405)
    await pki.write('config/crl', { ocsp_disable: true })
    expect((await pki.raw('ocsp/zz')).body).toEqual(unauthorized)
  })
})
