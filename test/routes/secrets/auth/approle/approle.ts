import { expect } from 'vitest'
import {
  type RequestOptions,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../../replies.ts'

/** A server with the login method AppRole and its role `app`. */
export interface AppRoleServer extends TestSecrets {
  /** Returns a path below `auth/approle/role/app`. */
  at(rest?: string): string
  roleId(): Promise<string>
  /** Creates a secret id and returns the data of the reply. */
  secretId(body?: object): Promise<{ secret_id: string; secret_id_accessor: string }>
  login(body: object, options?: RequestOptions): ReturnType<TestSecrets['secrets']['post']>
  /** Logs in with the role id and a new secret id. */
  logIn(): Promise<{ client_token: string; [member: string]: unknown }>
}

/** Starts a server with the given role. */
export async function approleServer(
  role: object = {},
  settings: TestSettings = {},
): Promise<AppRoleServer> {
  const server = await servedSecrets(settings)
  const { secrets } = server
  const at = (rest = '') => `auth/approle/role/app${rest}`
  expect(statusAndBody(await secrets.post('sys/auth/approle', { type: 'approle' }))).toEqual(
    noContent,
  )
  expect(statusAndBody(await secrets.post(at(), role))).toEqual(noContent)
  const login: AppRoleServer['login'] = (body, options) =>
    secrets.post('auth/approle/login', body, { token: null, ...options })
  const roleId = async () => (await secrets.get(at('/role-id'))).body.data.role_id
  const secretId = async (body = {}) => (await secrets.post(at('/secret-id'), body)).body.data
  return {
    ...server,
    at,
    login,
    roleId,
    secretId,
    async logIn() {
      const { secret_id } = await secretId()
      const reply = await login({ role_id: await roleId(), secret_id })
      expect(reply.status).toBe(200)
      return reply.body.auth
    },
  }
}
