import { expect } from 'vitest'
import {
  type RequestOptions,
  servedSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

/** Path of the user of these tests. */
export const ada = 'auth/userpass/users/ada'

/** The reply to bad credentials. */
export const wrong = error(400, 'invalid username or password')

/** Starts a server with the login method userpass and its user `ada`. */
export async function userServer(user: object = {}, settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  const { secrets } = server
  expect(statusAndBody(await secrets.post('sys/auth/userpass', { type: 'userpass' }))).toEqual(
    noContent,
  )
  expect(statusAndBody(await secrets.post(ada, { password: 'pw', ...user }))).toEqual(noContent)
  const login = (password: unknown = 'pw', name = 'ada', options: RequestOptions = {}) =>
    secrets.post(`auth/userpass/login/${name}`, { password }, { token: null, ...options })
  return { ...server, login }
}
