import { expect, test } from 'vitest'
import { oidcKeyTable } from '../../../../state/secrets/oidc/keys.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { serverWithDatabase } from '../engines/database.ts'

test('behaviour/secrets#engine-transitions: certificates, users, roles and keys move by hand', async () => {
  const { secrets, world } = await serverWithDatabase()
  const kindOf = (name: string) => {
    const found = secretsService.transitions.find(({ kind }) => kind === `secrets.${name}`)
    if (found === undefined) throw new Error(`there is no kind ${name}`)
    return found
  }
  const itemOf = (kind: string) => kindOf(kind).items(world)[0] ?? { id: '', state: '', to: [] }
  const force = (kind: string, id: string, to: string) => kindOf(kind).force(world, id, to, {})
  const read = async (path: string) => (await secrets.get(path)).body.data

  await secrets.post('sys/mounts/pki', { type: 'pki' })
  expect(itemOf('certificate').id + itemOf('crl').id).toBe('')
  const root = { common_name: 'r', key_type: 'ec', not_after: '2045-01-01T00:00:00Z' }
  const { issuer_id } = (await secrets.post('pki/root/generate/internal', root)).body.data
  await secrets.post('pki/roles/web', { key_type: 'ec', allow_any_name: true })
  const issue = async () =>
    (await secrets.post('pki/issue/web', { common_name: 'a.test' })).body.data.serial_number
  const [first, second] = [await issue(), await issue()]
  force('certificate', `pki/${first}`, 'revoked')
  expect((await read(`pki/cert/${first}`)).revocation_time).toBeGreaterThan(0)
  force('certificate', `pki/${second}`, 'expired')
  const revoked = await secrets.post('pki/revoke', { serial_number: second })
  expect(revoked.body.warnings[0]).toContain('already expired')
  expect(() => force('certificate', `pki/${first}`, 'expired')).toThrow('is revoked and cannot')
  expect(() => force('certificate', 'pki/00', 'revoked')).toThrow('there is no secrets.certificate')
  const crl = async () => (await read('pki/cert/crl')).certificate
  const before = await crl()
  expect(itemOf('crl')).toEqual({ id: `pki/${issuer_id}`, state: 'current', to: ['rebuilt'] })
  force('crl', `pki/${issuer_id}`, 'rebuilt')
  expect(await crl()).not.toBe(before)

  const { username } = await read('database/creds/app')
  const { lease_id } = (await secrets.get('database/creds/app')).body
  expect(itemOf('lease')).toMatchObject({ state: 'active', to: ['revoked', 'expired'] })
  force('lease', lease_id, 'revoked')
  expect((await secrets.put('sys/leases/lookup', { lease_id })).status).toBe(400)
  const user = { id: `db:5432/${username}`, state: 'active', to: ['dropped'] }
  expect(itemOf('databaseUser')).toEqual(user)
  force('databaseUser', user.id, 'dropped')
  expect(itemOf('databaseUser').id).toBe('')
  const creation_statements = 'CREATE ROLE "st" LOGIN'
  await secrets.post('database/roles/maker', { db_name: 'pg', creation_statements })
  await read('database/creds/maker')
  const role = { db_name: 'pg', username: 'st', rotation_period: '1h' }
  await secrets.post('database/static-roles/st', role)
  const password = async () => (await read('database/static-creds/st')).password
  const old = await password()
  expect(itemOf('staticRole')).toMatchObject({ id: 'database/st', to: ['rotated'] })
  force('staticRole', 'database/st', 'rotated')
  expect(await password()).not.toBe(old)

  await secrets.post('identity/oidc/key/k', { algorithm: 'EdDSA' })
  const signing = () => [...world.table(oidcKeyTable).rows('')].map((key) => key.signing)
  const [signedWith] = signing()
  force('oidcKey', 'k', 'rotated')
  expect(signing()).not.toContain(signedWith)
})
