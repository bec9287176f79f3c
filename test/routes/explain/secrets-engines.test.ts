import { describe, expect, test } from 'vitest'
import { testMistakes } from './mistake-tests.ts'
import { expectFewWithoutRequest, type Mistake } from './mistakes.ts'

const pki = 'POST /v1/sys/mounts/pki {"type":"pki"}'
const authority = [
  pki,
  'POST /v1/pki/root/generate/internal {"common_name":"Root","issuer_name":"main","key_name":"mine","key_type":"ec","ttl":"48h"}',
]
const role = (rest: string) => `POST /v1/pki/roles/web {"key_type":"ec","ttl":"1h",${rest}}`
const web = [
  ...authority,
  role('"allowed_domains":"example.com","allow_subdomains":true,"allow_ip_sans":false'),
]

const url = '"connection_url":"postgresql://{{username}}:{{password}}@db:5432/app"'
const connection = `"plugin_name":"postgresql-database-plugin",${url},"username":"admin","password":"admin-password"`
const databases = { databases: { 'db:5432': { users: { app: 'app-password' } } } }
const database = [
  'POST /v1/sys/mounts/database {"type":"database"}',
  `POST /v1/database/config/main {${connection},"allowed_roles":"reader,app"}`,
  'POST /v1/database/roles/reader {"db_name":"main","creation_statements":"CREATE ROLE x"}',
]
const staticRole = 'POST /v1/database/static-roles/app'

const ssh = 'POST /v1/sys/mounts/ssh {"type":"ssh"}'
const signer = [
  ssh,
  'POST /v1/ssh/config/ca {"key_type":"ed25519"}',
  'POST /v1/ssh/roles/dev {"key_type":"ca","allow_user_certificates":true,"allowed_users":"ubuntu,ada","default_user":"ubuntu","max_ttl":"1h","allowed_extensions":"permit-pty"}',
]
const passwords = [
  ssh,
  'POST /v1/ssh/roles/once {"key_type":"otp","default_user":"ubuntu","cidr_list":"10.1.0.0/16"}',
]
const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1Z8yLdpXPtXwU9JMKpPMFqO2DZsm0ZaYWcKXZ3c2Xh ada'
const sign = (rest: string) => `POST /v1/ssh/sign/dev {"public_key":"${publicKey}"${rest}}`

const totp = [
  'POST /v1/sys/mounts/totp {"type":"totp"}',
  'POST /v1/totp/keys/phone {"key":"JBSWY3DPEHPK3PXP","account_name":"ada"}',
]

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a PKI mount without a CA',
    after: [pki, role('"allow_any_name":true')],
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com"}',
    rule: 'pki-no-ca',
    says: ['pki/ has no CA', 'no root was generated'],
    passes: true,
  },
  {
    mistake: 'a name of a role with a slip',
    after: web,
    sent: 'POST /v1/pki/issue/wbe {"common_name":"a.example.com"}',
    rule: 'pki-role-unknown',
    says: ['pki/ has no role wbe', 'it has web'],
    passes: true,
  },
  {
    mistake: 'a role that nobody made',
    after: authority,
    sent: 'POST /v1/pki/issue/server {"common_name":"a.example.com"}',
    rule: 'pki-role-unknown',
    says: ['no role server', 'it has none'],
    passes: true,
  },
  {
    mistake: 'a common name of another domain',
    after: web,
    sent: 'POST /v1/pki/issue/web {"common_name":"shop.test"}',
    rule: 'pki-cn-refused',
    says: ['role web', 'of example.com names below them', 'the common name is shop.test'],
    passes: true,
  },
  {
    mistake: 'a role with domains, but neither they nor names below are allowed',
    after: [...authority, role('"allowed_domains":"example.com"')],
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com"}',
    rule: 'pki-cn-refused',
    says: ['neither example.com (allow_bare_domains is false)', 'allow_subdomains is false'],
    passes: true,
  },
  {
    mistake: 'an alternative name of another domain',
    after: web,
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com","alt_names":"b.example.com,shop.test"}',
    rule: 'pki-name-refused',
    says: ['the alternative name is shop.test'],
    passes: true,
  },
  {
    mistake: 'an address for a role without addresses',
    after: web,
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com","ip_sans":"10.0.0.1"}',
    rule: 'pki-ip-refused',
    says: ['allow_ip_sans false', '10.0.0.1'],
    passes: true,
  },
  {
    mistake: 'a URI for a role without URIs',
    after: web,
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com","uri_sans":"spiffe://web"}',
    rule: 'pki-uri-not-allowed',
    says: ['no allowed_uri_sans', 'spiffe://web'],
    passes: true,
  },
  {
    mistake: 'no common name',
    after: web,
    sent: 'POST /v1/pki/issue/web {}',
    rule: 'pki-cn-missing',
    says: ['requires a common name', 'require_cn'],
    passes: true,
  },
  {
    mistake: 'a certificate that would outlive the CA',
    after: web,
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com","ttl":"72h"}',
    rule: 'pki-beyond-issuer',
    says: ['would end at 2026-01-04T00:00:00Z', 'CA main', 'ends at 2026-01-03T00:00:00Z'],
    passes: true,
  },
  {
    mistake: 'a CA that has expired',
    after: web,
    given: (world) => void world.clock.advance('72h'),
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com","ttl":"1h"}',
    rule: 'pki-beyond-issuer',
    says: ['CA main of pki/ ended at 2026-01-03T00:00:00Z', 'clock is at 2026-01-04T00:00:00Z'],
    passes: true,
  },
  {
    mistake: 'an issuer that is not for issuing',
    after: [...web, 'POST /v1/pki/issuer/main {"usage":"read-only,crl-signing"}'],
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com"}',
    rule: 'pki-usage-missing',
    says: ['may be used for', 'crl-signing', 'not for issuing-certificates'],
    passes: true,
  },
  {
    mistake: 'a name of an issuer with a slip',
    after: web,
    sent: 'GET /v1/pki/issuer/mian',
    rule: 'pki-issuer-unknown',
    says: ['pki/ has no issuer mian', 'main'],
    passes: true,
  },
  {
    mistake: 'a role with an issuer that does not exist',
    after: [...web, role('"allow_any_name":true,"issuer_ref":"other"')],
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com"}',
    rule: 'pki-ca-unknown',
    says: ['no issuer other', 'default'],
    passes: true,
  },
  {
    mistake: 'a serial number that was never issued',
    after: web,
    sent: 'POST /v1/pki/revoke {"serial_number":"17:67"}',
    rule: 'pki-revoke-unknown',
    says: ['no certificate with the serial number 17:67', 'no_store'],
    passes: true,
  },
  {
    mistake: 'revoking the CA as a certificate',
    after: [
      pki,
      'data.serial_number<-POST /v1/pki/root/generate/internal {"common_name":"Root","key_type":"ec"}',
    ],
    sent: 'POST /v1/pki/revoke {"serial_number":"$serial_number"}',
    rule: 'pki-revoke-issuer',
    says: ['of the issuer', 'own CRL'],
    passes: true,
  },
  {
    mistake: 'a name of an issuer that is taken',
    after: authority,
    sent: 'POST /v1/pki/root/generate/internal {"common_name":"Root","issuer_name":"main","key_type":"ec"}',
    rule: 'pki-issuer-name-taken',
    says: ['"issuer_name" is main'],
    passes: true,
  },
  {
    mistake: 'a key that an issuer uses',
    after: authority,
    sent: 'DELETE /v1/pki/key/mine',
    rule: 'pki-key-in-use',
    says: ['the issuer main signs with the key mine'],
    passes: true,
  },
  {
    mistake: 'a role for any key that should make one',
    after: [...authority, 'POST /v1/pki/roles/web {"allow_any_name":true,"key_type":"any"}'],
    sent: 'POST /v1/pki/issue/web {"common_name":"a.example.com"}',
    rule: 'pki-any-key',
    says: ['role web', 'signing requests'],
    passes: true,
  },
  {
    mistake: 'a short RSA key',
    after: [pki],
    sent: 'POST /v1/pki/roles/web {"key_type":"rsa","key_bits":1024}',
    rule: 'pki-rsa-short',
    says: ['"key_bits" is 1024', '2048'],
    passes: true,
  },
  {
    mistake: 'a dynamic role that nobody made',
    after: database,
    sent: 'GET /v1/database/creds/raeder',
    rule: 'database-role-unknown',
    says: ['database/ has no role raeder', 'it has reader'],
    passes: true,
  },
  {
    mistake: 'the credentials of a static role at the path of dynamic ones',
    options: databases,
    after: [
      ...database,
      `${staticRole} {"db_name":"main","username":"app","rotation_period":"24h"}`,
    ],
    sent: 'GET /v1/database/creds/app',
    rule: 'database-role-unknown',
    says: ['app is a static role', 'database/static-creds/app'],
    passes: true,
  },
  {
    mistake: 'a role whose connection does not exist',
    after: [
      ...database,
      'POST /v1/database/roles/reader {"db_name":"mian","creation_statements":"CREATE ROLE x"}',
    ],
    sent: 'GET /v1/database/creds/reader',
    rule: 'database-connection-absent',
    says: ['no connection mian', 'it has main'],
    passes: true,
  },
  {
    mistake: 'a role that the connection does not allow',
    after: [
      ...database,
      'POST /v1/database/roles/writer {"db_name":"main","creation_statements":"CREATE ROLE x"}',
    ],
    sent: 'GET /v1/database/creds/writer',
    rule: 'database-role-not-allowed',
    says: ['connection main allows the roles reader, app', 'not writer'],
    passes: true,
  },
  {
    mistake: 'a role without statements',
    after: [...database, 'POST /v1/database/roles/app {"db_name":"main"}'],
    sent: 'GET /v1/database/creds/app',
    rule: 'creation-statements-empty',
    says: ['role app has no creation_statements'],
    passes: true,
  },
  {
    mistake: 'a database that is down',
    after: database,
    given: (world) => world.changeOptions({ secrets: { databaseFault: 'unreachable' } }),
    sent: 'GET /v1/database/creds/reader',
    rule: 'database-unreachable',
    says: ['db:5432', 'connection main', 'databaseFault', 'unreachable'],
    passes: true,
  },
  {
    mistake: 'a plug-in with a slip',
    after: database,
    sent: `POST /v1/database/config/other {${connection.replace('postgresql-', 'postgres-')}}`,
    rule: 'database-object-failed',
    says: ['no database plug-in postgres-database-plugin', 'postgresql-database-plugin'],
    passes: true,
  },
  {
    mistake: 'a connection with a wrong password',
    after: database,
    sent: `POST /v1/database/config/other {${connection.replace('admin-password', 'wrong-password')}}`,
    rule: 'database-object-failed',
    says: ['connection other was tried', 'db:5432 does not accept'],
    passes: true,
  },
  {
    mistake: 'a connection without an address',
    after: database,
    sent: 'POST /v1/database/config/other {"plugin_name":"mysql-database-plugin"}',
    rule: 'database-object-failed',
    says: ['other has no "connection_url"'],
    passes: true,
  },
  {
    mistake: 'a static role for a user who does not exist',
    options: databases,
    after: database,
    sent: `${staticRole} {"db_name":"main","username":"ap","rotation_period":"24h"}`,
    rule: 'static-role-not-set',
    says: ['db:5432 has no user ap', 'it has app'],
    passes: true,
  },
  {
    mistake: 'a static role that rotates too often',
    options: databases,
    after: database,
    sent: `${staticRole} {"db_name":"main","username":"app","rotation_period":"2s"}`,
    rule: 'static-role-period-short',
    says: ['"rotation_period" is 2s', '5 seconds'],
    passes: true,
  },
  {
    mistake: 'an SSH mount without keys',
    after: [
      ssh,
      'POST /v1/ssh/roles/dev {"key_type":"ca","allow_user_certificates":true,"allowed_users":"*"}',
    ],
    sent: sign(''),
    rule: 'ssh-ca-missing',
    says: ['ssh/ has no signing keys'],
    passes: true,
  },
  {
    mistake: 'a principal that the role does not allow',
    after: signer,
    sent: sign(',"valid_principals":"root"'),
    rule: 'ssh-principal-not-allowed',
    says: ['role dev allows the users ubuntu, ada', 'not root'],
    passes: true,
  },
  {
    mistake: 'a certificate of a host by a role for users',
    after: signer,
    sent: sign(',"cert_type":"host"'),
    rule: 'ssh-cert-type-not-allowed',
    says: ['certificates of type user only', 'host'],
    passes: true,
  },
  {
    mistake: 'a certificate for too long',
    after: signer,
    sent: sign(',"ttl":"2h"'),
    rule: 'ssh-ttl-long',
    says: ['"ttl" is 2h', '3600 seconds'],
    passes: true,
  },
  {
    mistake: 'an extension that the role does not allow',
    after: signer,
    sent: sign(',"extensions":{"permit-X11-forwarding":""}'),
    rule: 'ssh-extensions-not-allowed',
    says: ['extensions permit-pty', 'not permit-X11-forwarding'],
    passes: true,
  },
  {
    mistake: 'a public key in another form',
    after: signer,
    sent: 'POST /v1/ssh/sign/dev {"public_key":"-----BEGIN PUBLIC KEY-----"}',
    rule: 'ssh-public-key-unreadable',
    says: ['not a line of an OpenSSH public key'],
    passes: true,
  },
  {
    mistake: 'a one-time password for an address outside the network',
    after: passwords,
    sent: 'POST /v1/ssh/creds/once {"ip":"192.168.1.1"}',
    rule: 'ssh-ip-of-no-role',
    says: ['role once is for addresses in 10.1.0.0/16', '192.168.1.1'],
    passes: true,
  },
  {
    mistake: 'a one-time password for another user',
    after: passwords,
    sent: 'POST /v1/ssh/creds/once {"ip":"10.1.0.1","username":"ada"}',
    rule: 'ssh-user-not-default',
    says: ['default user ubuntu', '"username" is ada'],
    passes: true,
  },
  {
    mistake: 'a one-time password by a role for certificates',
    after: [...signer, 'POST /v1/ssh/config/zeroaddress {"roles":"dev"}'],
    sent: 'POST /v1/ssh/creds/dev {"ip":"10.1.0.1"}',
    rule: 'ssh-creds-of-ca',
    says: ['role dev', 'makes certificates', 'issue/'],
    passes: true,
  },
  {
    mistake: 'a one-time password that is used twice',
    after: [
      ...passwords,
      'data.key<-POST /v1/ssh/creds/once {"ip":"10.1.0.1"}',
      'POST /v1/ssh/verify {"otp":"$key"}',
    ],
    sent: 'POST /v1/ssh/verify {"otp":"$key"}',
    rule: 'ssh-otp-unknown',
    says: ['used up', 'by the request r4'],
  },
  {
    mistake: 'a TOTP key with a slip',
    after: totp,
    sent: 'GET /v1/totp/code/phnoe',
    rule: 'totp-key-unknown',
    says: ['totp/ has no key phnoe', 'it has phone'],
    passes: true,
  },
  {
    mistake: 'a TOTP code that is used twice',
    after: [
      ...totp,
      'data.code<-GET /v1/totp/code/phone',
      'POST /v1/totp/code/phone {"code":"$code"}',
    ],
    sent: 'POST /v1/totp/code/phone {"code":"$code"}',
    rule: 'totp-code-used',
    says: ['was used before', 'begins at 2026-01-01T00:00:30Z'],
    passes: true,
  },
  {
    mistake: 'a TOTP key that is not base32',
    after: totp,
    sent: 'POST /v1/totp/keys/other {"key":"JBSW1018","account_name":"ada"}',
    rule: 'totp-key-invalid',
    says: ['not base32', 'position 4'],
    passes: true,
  },
]

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#explanations: mistakes in requests to the engines are named first (%s)',
  (dialect) => testMistakes('secrets', dialect, mistakes),
)

test('at least 9 of 10 kinds of refusals of engines have a request that would pass', () => {
  expect(mistakes.length).toBeGreaterThan(40)
  expectFewWithoutRequest(mistakes)
})
