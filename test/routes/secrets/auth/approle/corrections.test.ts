import { describe, expect, test } from 'vitest'
import { error, noContent, ok, statusAndBody } from '../../replies.ts'
import { approleServer } from './approle.ts'

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#approle-secret-ids and behaviour/secrets#approle-properties, %s',
  (dialect) => {
    test('the maximum of the mount caps the life of a secret id', async () => {
      const { secrets, at } = await approleServer({ secret_id_ttl: '2h' }, { dialect })
      await secrets.post('sys/auth/approle/tune', { max_lease_ttl: '1h' })
      const { secret_id_ttl } = (await secrets.post(at('/secret-id'), {})).body.data
      expect(secret_id_ttl).toBe(3600)
    })

    test('an unknown role is refused before the value of a property', async () => {
      const { secrets, at } = await approleServer({}, { dialect })
      for (const property of ['token-ttl', 'policies', 'role-id', 'token-bound-cidrs']) {
        const absent = await secrets.post(`auth/approle/role/none/${property}`, {})
        expect(absent.status).toBe(404)
      }
      expect(statusAndBody(await secrets.post(at('/token-ttl'), {}))).toEqual(
        error(400, 'missing token_ttl'),
      )
    })

    test('the accessor of another role is 204 to look up and 403 to destroy', async () => {
      const { secrets, secretId } = await approleServer({}, { dialect })
      await secrets.post('auth/approle/role/other', {})
      const { secret_id_accessor, secret_id } = await secretId()
      const other = 'auth/approle/role/other/secret-id-accessor'
      const body = { secret_id_accessor }
      expect(statusAndBody(await secrets.post(`${other}/lookup`, body))).toEqual(noContent)
      const refused = error(403, 'invalid secret id accessor')
      expect(statusAndBody(await secrets.post(`${other}/destroy`, body))).toEqual(refused)
      const found = await secrets.post('auth/approle/role/app/secret-id/lookup', { secret_id })
      expect(found.status).toBe(200)
    })

    test('token-num-uses may be negative, the field of a role may not', async () => {
      const { secrets, at } = await approleServer({}, { dialect })
      const path = at('/token-num-uses')
      expect(statusAndBody(await secrets.post(path, { token_num_uses: -1 }))).toEqual(noContent)
      expect((await secrets.get(path)).body.data).toEqual({ token_num_uses: -1 })
      expect((await secrets.post(at(), { token_num_uses: -1 })).status).toBe(400)
    })

    test('texts name token networks, and roles as they were sent', async () => {
      const { secrets, at } = await approleServer({}, { dialect })
      const bad = await secrets.post(at('/secret-id'), { token_bound_cidrs: ['x'] })
      expect(bad.body.errors[0]).toContain(
        'failed to validate token CIDR blocks: invalid CIDR address: x',
      )
      expect(statusAndBody(await secrets.post('auth/approle/role/NoNe/secret-id', {}))).toEqual(
        error(404, 'role "NoNe" does not exist'),
      )
    })

    test('the old path of networks returns null for none', async () => {
      const { secrets, at } = await approleServer({}, { dialect })
      await secrets.post(at('/secret-id-bound-cidrs'), { secret_id_bound_cidrs: ['10.0.0.0/8'] })
      expect(statusAndBody(await secrets.get(at('/bound-cidr-list')))).toEqual(
        ok({
          data: { bound_cidr_list: null },
          warnings: [expect.stringContaining('deprecated')],
        }),
      )
    })

    test('behaviour/secrets#login-token: names of tokens begin with the namespace', async () => {
      const { secrets } = await approleServer({}, { dialect })
      await secrets.post('sys/namespaces/ns1', {})
      await secrets.post('ns1/sys/auth/nu', { type: 'userpass' })
      await secrets.post('ns1/auth/nu/users/u1', { password: 'pw' })
      const login = await secrets.post('ns1/auth/nu/login/u1', { password: 'pw' }, { token: null })
      const token = login.body.auth.client_token
      const found = await secrets.get('auth/token/lookup-self', { token })
      expect(found.body.data.display_name).toBe('ns1-auth-nu-u1')
    })
  },
)
