import { createPublicKey, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'
import { onlyDatabase, serverWithDatabase } from './database.ts'

const invalid = (why: string) => error(400, `credential_config validation failed: ${why}`)

describe('behaviour/secrets#database-creds: types of credentials', () => {
  // choice/secrets#database-credential-types
  test('a key pair: the caller gets the private key, the database the public one', async () => {
    const created = await servedSecrets()
    const { secrets } = created
    await secrets.post('sys/mounts/database', { type: 'database' })
    await secrets.post('database/config/sf', {
      plugin_name: 'snowflake-database-plugin',
      connection_url: '{{username}}:{{password}}@acme.snowflakecomputing.com/db',
      username: 'admin',
      password: 'adminpw',
      allowed_roles: '*',
    })
    const { connection_details } = (await secrets.get('database/config/sf')).body.data
    expect(connection_details.supported_credential_types).toEqual(['password', 'rsa_private_key'])
    await secrets.post('database/roles/app', {
      db_name: 'sf',
      credential_type: 'rsa_private_key',
      creation_statements: `CREATE USER {{name}} RSA_PUBLIC_KEY='{{public_key}}'`,
    })
    const { username, rsa_private_key, ...others } = (await secrets.get('database/creds/app')).body
      .data
    expect(others).toEqual({})
    expect(username).toMatch(/^v_root_app_[0-9A-Za-z]{20}_1767225600$/)
    const publicKey = createPublicKey(rsa_private_key).export({ type: 'spki', format: 'der' })
    const [statement] = onlyDatabase(created).statements
    expect(statement?.text.replaceAll('\n', '')).toBe(
      `CREATE USER ${username} RSA_PUBLIC_KEY='${publicKey.toString('base64')}'`,
    )
    await secrets.post('database/roles/bad', { db_name: 'sf' })
    const change = { credential_type: 'rsa_private_key', credential_config: { key_bits: 1 } }
    expect(statusAndBody(await secrets.post('database/roles/bad', change))).toEqual(
      invalid('invalid key_bits: 1'),
    )
    const format = { ...change, credential_config: 'format=der' }
    expect(statusAndBody(await secrets.post('database/roles/bad', format))).toEqual(
      invalid('invalid format: der'),
    )
    const fixed = { username: 'v', db_name: 'sf', rotation_period: '1h', ...change }
    const wanted = { ...fixed, credential_type: 'client_certificate' }
    expect(statusAndBody(await secrets.post('database/static-roles/st', wanted))).toEqual(
      invalid('invalid key_type'),
    )
  })

  test('a client certificate: its subject is the name of the user', async () => {
    const created = await servedSecrets()
    const { secrets } = created
    await secrets.post('sys/mounts/pki', { type: 'pki' })
    const root = { common_name: 'CA', key_type: 'ec', ttl: '100h' }
    const ca = (await secrets.post('pki/root/generate/exported', root)).body.data
    await secrets.post('sys/mounts/database', { type: 'database' })
    const config = { plugin_name: 'mongodbatlas-database-plugin', allowed_roles: '*' }
    expect(statusAndBody(await secrets.post('database/config/atlas', config))).toEqual(
      error(400, 'error creating database object: failed to initialize: public Key is not set'),
    )
    const keys = { public_key: 'pub', private_key: 'priv', project_id: 'p1' }
    const configured = await secrets.post('database/config/atlas', { ...config, ...keys })
    expect(statusAndBody(configured)).toEqual(noContent)
    const { connection_details } = (await secrets.get('database/config/atlas')).body.data
    expect(connection_details).toMatchObject({ public_key: 'pub', project_id: 'p1' })
    expect(connection_details).not.toHaveProperty('private_key')

    const role = { db_name: 'atlas', credential_type: 'client_certificate', default_ttl: '1h' }
    const settings: Record<string, string> = {}
    const steps: [object, string][] = [
      [{}, 'invalid key_type'],
      [{ key_type: 'ec', key_bits: '1' }, 'invalid key_bits'],
      [{ key_bits: '256', signature_bits: '1' }, 'invalid signature_bits'],
      [{ signature_bits: '256' }, 'missing required common_name_template'],
      [{ common_name_template: 'cn-{{.RoleName}}' }, 'missing required ca_cert'],
      [{ ca_cert: ca.certificate }, 'missing required ca_private_key'],
      [{ ca_private_key: 'x' }, 'no data found in PEM block'],
    ]
    for (const [more, why] of steps) {
      const credential_config = Object.assign(settings, more)
      const reply = await secrets.post('database/roles/app', { ...role, credential_config })
      expect(statusAndBody(reply)).toEqual(invalid(why))
    }
    const credential_config = { ...settings, ca_private_key: ca.private_key }
    const creation_statements = '{"database_name": "$external", "roles": []}'
    const whole = { ...role, creation_statements, credential_config }
    expect(statusAndBody(await secrets.post('database/roles/app', whole))).toEqual(noContent)
    const { client_certificate, private_key, private_key_type, username } = (
      await secrets.get('database/creds/app')
    ).body.data
    expect([username, private_key_type]).toEqual(['CN=cn-app', 'ec'])
    const certificate = new X509Certificate(client_certificate)
    expect(certificate.subject).toBe('CN=cn-app')
    expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true)
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(certificate.validTo).toBe('Jan  1 01:00:05 2026 GMT')
    expect(private_key).toMatch(/^-----BEGIN EC PRIVATE KEY-----/)
  })

  test('a plug-in that knows passwords alone refuses other types', async () => {
    const { secrets } = await serverWithDatabase({
      document: { options: { secrets: { databases: { 'db:5432': { users: { st: 'x' } } } } } },
    })
    const rsa = { db_name: 'pg', credential_type: 'rsa_private_key' }
    const fixed = { ...rsa, username: 'st', rotation_period: '1h' }
    expect(statusAndBody(await secrets.post('database/static-roles/st', fixed))).toEqual(
      multierrorReply(400, 'unsupported credential_type: "rsa_private_key"'),
    )
  })

  test('roles and static roles have different names', async () => {
    const { secrets } = await serverWithDatabase({
      document: { options: { secrets: { databases: { 'db:5432': { users: { st: 'x' } } } } } },
    })
    const taken = error(400, 'Role and Static Role names must be unique')
    const fixed = { db_name: 'pg', username: 'st', rotation_period: '1h' }
    expect(statusAndBody(await secrets.post('database/static-roles/app', fixed))).toEqual(taken)
    await secrets.post('database/static-roles/st', fixed)
    expect(statusAndBody(await secrets.post('database/roles/st', { db_name: 'pg' }))).toEqual(taken)
    const nameless = { rotation_period: '2h' }
    expect(statusAndBody(await secrets.post('database/static-roles/st', nameless))).toEqual(
      error(400, 'cannot update static account username'),
    )
    await secrets.post('database/config/pg', { allowed_roles: 'app' })
    expect(statusAndBody(await secrets.get('database/static-creds/st'))).toEqual(
      multierrorReply(400, '"st" is not an allowed role'),
    )
  })

  test('the end of a lease uses the statements that the role has by then', async () => {
    const created = await serverWithDatabase()
    const { secrets } = created
    const { lease_id, data } = (await secrets.get('database/creds/app')).body
    await secrets.post('database/roles/app', { revocation_statements: 'DROP USER "{{name}}"' })
    await secrets.post('sys/leases/revoke', { lease_id })
    expect(onlyDatabase(created).statements.at(-1)?.text).toBe(`DROP USER "${data.username}"`)
    const other = (await secrets.get('database/creds/app')).body.lease_id
    await secrets.delete('database/roles/app')
    const renewal = await secrets.post('sys/leases/renew', { lease_id: other })
    expect(statusAndBody(renewal)).toEqual(
      error(
        400,
        'failed to renew entry: resp: (*logical.Response)(nil) err: error during renew: could not find role with name "app"',
      ),
    )
  })
})
