import { execFileSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parsePrivateKey } from '../../../../state/secrets/ssh/wire.ts'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

async function serverWithSsh(settings: TestSettings = {}): Promise<TestSecrets> {
  const server = await servedSecrets(settings)
  await server.secrets.post('sys/mounts/ssh', { type: 'ssh' })
  return server
}

/** Reader of an encoding of SSH. */
class Reader {
  readonly #bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length
  }

  number(length: 4 | 8): number {
    this.at += length
    const start = this.at - length
    const { buffer, byteOffset } = this.#bytes
    const view = new DataView(buffer, byteOffset + start, length)
    return length === 4 ? view.getUint32(0) : Number(view.getBigUint64(0))
  }

  string(): Buffer {
    const length = this.number(4)
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }

  strings(): string[] {
    const inner = new Reader(this.string())
    const all: string[] = []
    while (!inner.isAtEnd) all.push(`${inner.string()}`)
    return all
  }

  before(): Buffer {
    return this.#bytes.subarray(0, this.at)
  }
}

/** Decodes an Ed25519 certificate, and says whether its signature is that of an Ed25519 CA. */
function decodeCertificate(line: string) {
  const [algorithm, encoded = ''] = line.trim().split(' ')
  const reader = new Reader(Buffer.from(encoded, 'base64'))
  expect(`${reader.string()}`).toBe(algorithm)
  const nonce = reader.string()
  reader.string()
  const fields = {
    algorithm,
    nonce: nonce.length,
    serial: reader.number(8),
    type: reader.number(4),
    keyId: `${reader.string()}`,
    principals: reader.strings(),
    after: reader.number(8),
    until: reader.number(8),
    options: reader.strings(),
    extensions: reader.strings(),
  }
  reader.string()
  const ca = new Reader(reader.string())
  const signed = reader.before()
  const signature = new Reader(reader.string())
  expect([`${ca.string()}`, `${signature.string()}`]).toEqual(['ssh-ed25519', 'ssh-ed25519'])
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: ca.string().toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  expect(verify(null, signed, key, signature.string())).toBe(true)
  return fields
}

const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJd0Z1WqQmwE1pMZJWqEZzl0rq3WgXEqB8mXg2v0nB1k ann@host'

const userRole = {
  key_type: 'ca',
  allow_user_certificates: true,
  allowed_users: 'ann,bob',
  default_user: 'ann',
  default_extensions: { 'permit-pty': '' },
  ttl: '1h',
  max_ttl: '2h',
}

describe('behaviour/secrets#ssh', () => {
  test.each([
    ['neutral', 'service'],
    ['vendor', 'vault'],
  ] as const)('a role signs certificates of users, %s', async (dialect, prefix) => {
    const { secrets, world } = await serverWithSsh({ dialect })
    const ca = await secrets.post('ssh/config/ca', { key_type: 'ed25519' })
    const { public_key } = ca.body.data
    expect(public_key).toMatch(/^ssh-ed25519 [A-Za-z0-9+/=]+\n$/)
    expect(statusAndBody(await secrets.get('ssh/config/ca'))).toEqual(ok({ data: { public_key } }))
    expect(statusAndBody(await secrets.post('ssh/config/ca', { key_type: 'ed25519' }))).toEqual(
      error(400, 'keys are already configured; delete them before reconfiguring'),
    )
    await secrets.post('ssh/roles/dev', userRole)
    const { data } = (await secrets.post('ssh/sign/dev', { public_key: publicKey })).body
    const now = Math.floor(world.clock.now() / 1000)
    const decoded = decodeCertificate(data.signed_key)
    expect(decoded).toEqual({
      algorithm: 'ssh-ed25519-cert-v01@openssh.com',
      nonce: 32,
      serial: expect.any(Number),
      type: 1,
      keyId: expect.stringMatching(new RegExp(`^${prefix}-root-[0-9a-f]{64}$`)),
      principals: ['ann'],
      after: now - 30,
      until: now + 3600,
      options: [],
      extensions: ['permit-pty', ''],
    })
    expect(data.serial_number).toMatch(/^[1-9a-f][0-9a-f]*$/)
    const body = {
      public_key: publicKey,
      valid_principals: 'bob,ann',
      ttl: '10m',
      critical_options: { 'force-command': '/bin/true' },
      extensions: { b: '1', a: '' },
    }
    const second = (await secrets.post('ssh/sign/dev', body)).body.data
    expect(decodeCertificate(second.signed_key)).toMatchObject({
      principals: ['ann', 'bob'],
      until: now + 600,
      options: ['force-command', '\0\0\0\t/bin/true'],
      extensions: ['a', '', 'b', '\0\0\0\x011'],
    })
    expect(statusAndBody(await secrets.delete('ssh/config/ca'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('ssh/config/ca'))).toEqual(
      error(400, "keys haven't been configured yet"),
    )
  })

  test('a role signs certificates of hosts, and issues key pairs of every type', async () => {
    const { secrets } = await serverWithSsh()
    await secrets.post('ssh/config/ca', { key_type: 'ed25519' })
    const host = {
      key_type: 'ca',
      allow_host_certificates: true,
      allow_subdomains: true,
      allowed_domains: 'example.com',
    }
    await secrets.post('ssh/roles/host', host)
    const body = { public_key: publicKey, cert_type: 'host', valid_principals: 'a.example.com' }
    const { data } = (await secrets.post('ssh/sign/host', body)).body
    expect(decodeCertificate(data.signed_key)).toMatchObject({
      type: 2,
      principals: ['a.example.com'],
    })
    const other = { ...body, valid_principals: 'example.com' }
    expect(statusAndBody(await secrets.post('ssh/sign/host', other))).toEqual(
      error(400, 'example.com is not a valid value for valid_principals'),
    )
    await secrets.post('ssh/roles/dev', userRole)
    for (const [key_type, key_bits, name] of [
      ['ed25519', 0, 'ssh-ed25519'],
      ['ec', 384, 'ecdsa-sha2-nistp384'],
      ['rsa', 2048, 'ssh-rsa'],
    ] as const) {
      const issued = (await secrets.post('ssh/issue/dev', { key_type, key_bits })).body.data
      expect(issued.private_key_type).toBe(key_type)
      expect(issued.private_key).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/)
      expect(issued.signed_key.startsWith(`${name}-cert-v01@openssh.com `)).toBe(true)
      const algorithm = key_type
      expect(parsePrivateKey(issued.private_key).asymmetricKeyType).toBe(algorithm)
    }
    expect(statusAndBody(await secrets.post('ssh/issue/dev', { key_type: 'zz' }))).toEqual(
      multierrorReply(400, 'unknown ssh key pair algorithm: zz'),
    )
    expect(
      statusAndBody(await secrets.post('ssh/issue/dev', { key_type: 'rsa', key_bits: 1 })),
    ).toEqual(multierrorReply(400, 'refusing to generate weak rsa key: 1 bits < 2048 bits'))
  })

  test('given keys are taken, in PEM or in the form of OpenSSH', async () => {
    const { secrets } = await serverWithSsh()
    await secrets.post('ssh/roles/dev', userRole)
    await secrets.post('ssh/config/ca', { key_type: 'ed25519' })
    const { private_key } = (await secrets.post('ssh/issue/dev', { key_type: 'ed25519' })).body.data
    await secrets.delete('ssh/config/ca')
    const pem = parsePrivateKey(private_key).export({ type: 'pkcs8', format: 'pem' })
    for (const given of [private_key, pem]) {
      const keys = { private_key: given, public_key: publicKey }
      expect(statusAndBody(await secrets.post('ssh/config/ca', keys))).toEqual(noContent)
      const { signed_key } = (await secrets.post('ssh/sign/dev', { public_key: publicKey })).body
        .data
      expect(decodeCertificate(signed_key).principals).toEqual(['ann'])
      await secrets.delete('ssh/config/ca')
    }
    for (const [body, text] of [
      [{ generate_signing_key: false, private_key: 'x' }, 'missing public_key'],
      [
        { private_key: 'x', public_key: publicKey },
        'Unable to parse private_key as an SSH private key: ssh: no key found',
      ],
      [
        { private_key: 'x' },
        'only one of public_key and private_key set; both must be set to use, or both must be blank to auto-generate',
      ],
    ] as const) {
      expect(statusAndBody(await secrets.post('ssh/config/ca', body))).toEqual(error(400, text))
    }
    expect(statusAndBody(await secrets.post('ssh/config/ca', { key_type: 'zz' }))).toEqual(
      multierrorReply(400, 'unknown ssh key pair algorithm: zz'),
    )
    expect(statusAndBody(await secrets.get('ssh/public_key', { token: null }))).toEqual(error(404))
  })

  test('roles are read whole, and bad roles and requests are refused', async () => {
    const { secrets, as } = await serverWithSsh()
    await secrets.post('ssh/config/ca', { key_type: 'ed25519' })
    const limits = { allowed_user_key_lengths: { rsa: 2048 }, allowed_extensions: 'a' }
    expect(statusAndBody(await secrets.post('ssh/roles/dev', { ...userRole, ...limits }))).toEqual(
      noContent,
    )
    expect((await secrets.get('ssh/roles/dev')).body.data).toEqual({
      algorithm_signer: 'default',
      allow_bare_domains: false,
      allow_host_certificates: false,
      allow_subdomains: false,
      allow_user_certificates: true,
      allow_user_key_ids: false,
      allowed_critical_options: '',
      allowed_domains: '',
      allowed_domains_template: false,
      allowed_extensions: 'a',
      allowed_user_key_lengths: { rsa: [2048] },
      allowed_users: 'ann,bob',
      allowed_users_template: false,
      default_critical_options: {},
      default_extensions: { 'permit-pty': '' },
      default_extensions_template: false,
      default_user: 'ann',
      default_user_template: false,
      key_id_format: '',
      key_type: 'ca',
      max_ttl: 7200,
      not_before_duration: 30,
      ttl: 3600,
    })
    expect((await secrets.list('ssh/roles')).body.data).toEqual({
      keys: ['dev'],
      key_info: { dev: { key_type: 'ca' } },
    })
    for (const [role, text] of [
      [{}, 'missing key type'],
      [{ key_type: 'zz' }, 'invalid key type'],
      [{ key_type: 'dynamic' }, 'dynamic key type roles are no longer supported'],
      [
        { key_type: 'ca' },
        "Either 'allow_user_certificates' or 'allow_host_certificates' must be set to 'true'",
      ],
      [
        { ...userRole, ttl: '3h' },
        '"ttl" value must be less than "max_ttl" when both are specified',
      ],
      [{ key_type: 'otp' }, 'missing default user'],
    ] as const) {
      expect(statusAndBody(await secrets.post('ssh/roles/bad', role))).toEqual(error(400, text))
    }
    for (const [role, text] of [
      [{ ...userRole, algorithm_signer: 'zz' }, 'unknown algorithm signer "zz"'],
      [
        { key_type: 'otp', default_user: 'a', cidr_list: 'zz' },
        'failed to validate cidr_list: invalid CIDR address: zz',
      ],
    ] as const) {
      expect(statusAndBody(await secrets.post('ssh/roles/bad', role))).toEqual(
        multierrorReply(400, text),
      )
    }
    const refused = async (role: string, body: object) =>
      (await secrets.post(`ssh/sign/${role}`, { public_key: publicKey, ...body })).body.errors[0]
    expect(await refused('none', {})).toBe('Unknown role: none')
    expect(await refused('dev', { public_key: '' })).toBe('missing public_key')
    expect(await refused('dev', { public_key: '!' })).toBe(
      'failed to parse public_key as SSH key: illegal base64 data at input byte 0',
    )
    expect(await refused('dev', {})).toBe(
      'public_key failed to meet the key requirements: key of type ed25519 is not allowed',
    )
    await secrets.post('ssh/roles/dev', {
      ...userRole,
      allowed_critical_options: 'a',
      allowed_extensions: 'a',
    })
    for (const [body, text] of [
      [{ key_id: 'x' }, 'setting key_id is not allowed by role'],
      [{ cert_type: 'zz' }, "cert_type must be either 'user' or 'host'"],
      [{ cert_type: 'host' }, "cert_type 'host' is not allowed by role"],
      [{ valid_principals: 'eve' }, 'eve is not a valid value for valid_principals'],
      [{ ttl: '3h' }, 'ttl is larger than maximum allowed 7200'],
      [{ critical_options: { zz: '' } }, 'critical options not on allowed list: [zz]'],
      [{ extensions: { zz: '' } }, 'extensions [zz] are not on allowed list'],
    ] as const) {
      expect(await refused('dev', body)).toBe(text)
    }
    const policy = 'path "ssh/roles/*" { capabilities = ["create"] }'
    await secrets.post('sys/policies/acl/makes', { policy })
    const { auth } = (await secrets.post('auth/token/create', { policies: ['makes'] })).body
    const client = as(auth.client_token)
    expect(statusAndBody(await client.post('ssh/roles/new', userRole))).toEqual(noContent)
    expect((await client.post('ssh/roles/new', userRole)).status).toBe(403)
  })

  test.skipIf(!hasSshKeygen())('ssh-keygen agrees with every field', async () => {
    const { secrets } = await serverWithSsh()
    await secrets.post('ssh/config/ca', { key_type: 'ec', key_bits: 521 })
    await secrets.post('ssh/roles/dev', { ...userRole, allow_user_key_ids: true })
    const body = { key_type: 'ec', key_bits: 256, key_id: 'me', extensions: { 'permit-pty': '' } }
    const { data } = (await secrets.post('ssh/issue/dev', body)).body
    const folder = mkdtempSync(join(tmpdir(), 'ssh-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'key-cert.pub')
    writeFileSync(file, data.signed_key)
    const shown = `${execFileSync('ssh-keygen', ['-L', '-f', file])}`
    expect(shown).toContain('ecdsa-sha2-nistp256-cert-v01@openssh.com user certificate')
    expect(shown).toContain('Key ID: "me"')
    expect(shown).toMatch(/Signing CA: ECDSA SHA256:\S+ \(using ecdsa-sha2-nistp521\)/)
    expect(shown).toMatch(
      /Principals:\s+ann\s+Critical Options: \(none\)\s+Extensions:\s+permit-pty/,
    )
    writeFileSync(join(folder, 'key'), data.private_key, { mode: 0o600 })
    const line = `${execFileSync('ssh-keygen', ['-y', '-f', join(folder, 'key')])}`
    expect(line).toMatch(/^ecdsa-sha2-nistp256 /)
  })
})

function hasSshKeygen(): boolean {
  try {
    execFileSync('ssh-keygen', ['-Q', '-f', '/dev/null', '/dev/null'], { stdio: 'ignore' })
    return true
  } catch (failure) {
    return (failure as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

describe('behaviour/secrets#ssh-passwords', () => {
  test('a password counts once, ends with its lease, and is bound to addresses', async () => {
    const { secrets } = await serverWithSsh()
    const role = {
      key_type: 'otp',
      default_user: 'ann',
      allowed_users: 'bob',
      cidr_list: '10.0.0.0/8',
      exclude_cidr_list: '10.1.0.0/16',
    }
    await secrets.post('ssh/roles/otp', role)
    expect((await secrets.get('ssh/roles/otp')).body.data).toEqual({ ...role, port: 22 })
    const create = (body: object) => secrets.post('ssh/creds/otp', body)
    const { data, ...envelope } = (await create({ ip: '10.0.0.1' })).body
    expect(envelope).toMatchObject({
      lease_id: expect.stringMatching(/^ssh\/creds\/otp\//),
      renewable: false,
      lease_duration: 2_764_800,
    })
    const user = { ip: '10.0.0.1', username: 'ann' }
    const key = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(data).toEqual({ ...user, key, key_type: 'otp', port: 22 })
    const verify = (otp: string) => secrets.post('ssh/verify', { otp }, { token: null })
    expect((await verify(data.key)).body.data).toEqual({ ...user, role_name: 'otp' })
    expect(statusAndBody(await verify(data.key))).toEqual(error(400, 'OTP not found'))
    expect((await verify('verify-echo-request')).body.data).toEqual({
      message: 'verify-echo-response',
    })
    const second = (await create({ ip: '10.0.0.2', username: 'bob' })).body
    await secrets.post('sys/leases/revoke', { lease_id: second.lease_id })
    expect(statusAndBody(await verify(second.data.key))).toEqual(error(400, 'OTP not found'))
    for (const [body, text] of [
      [{}, 'Missing ip'],
      [{ ip: 'zz' }, 'Invalid IP "zz"'],
      [{ ip: '10.1.0.1' }, 'Error validating IP: IP does not belong to role'],
      [{ ip: '10.0.0.1', username: 'eve' }, 'Username is not present is allowed users list'],
    ] as const) {
      expect(statusAndBody(await create(body))).toEqual(error(400, text))
    }
    expect(statusAndBody(await secrets.post('ssh/creds/none', { ip: '10.0.0.1' }))).toEqual(
      error(400, 'Role "none" not found'),
    )
    expect(statusAndBody(await secrets.post('ssh/lookup', { ip: 'zz' }))).toEqual(
      error(400, 'Invalid IP "<nil>"'),
    )
    const lookUp = async (ip: string) => (await secrets.post('ssh/lookup', { ip })).body.data.roles
    expect([await lookUp('10.0.0.1'), await lookUp('10.1.0.1')]).toEqual([['otp'], null])
    expect(statusAndBody(await secrets.get('ssh/config/zeroaddress'))).toEqual(error(404))
    await secrets.post('ssh/config/zeroaddress', { roles: 'otp' })
    expect((await secrets.get('ssh/config/zeroaddress')).body.data).toEqual({ roles: ['otp'] })
    expect(await lookUp('10.1.0.1')).toEqual(['otp'])
    expect((await create({ ip: '10.1.0.1' })).status).toBe(200)
    expect(statusAndBody(await secrets.post('ssh/config/zeroaddress', { roles: 'zz' }))).toEqual(
      error(400, 'Role "zz" does not exist'),
    )
    await secrets.delete('ssh/roles/otp')
    expect((await secrets.get('ssh/config/zeroaddress')).body.data).toEqual({ roles: [] })
  })
})
