import { expect } from 'vitest'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'

/** A server with the login method userpass and users that logins create. */
export interface IdentityServer extends TestSecrets {
  /** Accessor of userpass as replies show it. */
  readonly accessor: string
  /** Creates an entity and returns its id. */
  entity(body?: object): Promise<string>
  /** Creates a group and returns its id. */
  group(body?: object): Promise<string>
  /** Creates an alias at userpass and returns its id. */
  alias(name: string, canonical_id?: string): Promise<string>
  /** Logs a user in, after creating it if needed, and returns the auth block. */
  login(user: string): Promise<{ client_token: string; [member: string]: unknown }>
}

/** Starts a server with the login method userpass. */
export async function identityServer(settings: TestSettings = {}): Promise<IdentityServer> {
  const server = await servedSecrets(settings)
  const { secrets } = server
  expect(statusAndBody(await secrets.post('sys/auth/userpass', { type: 'userpass' }))).toEqual(
    noContent,
  )
  const { accessor } = (await secrets.get('sys/auth')).body.data['userpass/']
  const idOf = async (path: string, body: object) => {
    const reply = await secrets.post(`identity/${path}`, body)
    expect(reply.status).toBe(200)
    return reply.body.data.id
  }
  return {
    ...server,
    accessor,
    entity: (body = {}) => idOf('entity', body),
    group: (body = {}) => idOf('group', body),
    alias: (name, canonical_id = '') =>
      idOf('entity-alias', { name, mount_accessor: accessor, canonical_id }),
    async login(user) {
      await secrets.post(`auth/userpass/users/${user}`, { password: 'pw' })
      const login = { password: 'pw' }
      return (await secrets.post(`auth/userpass/login/${user}`, login, { token: null })).body.auth
    },
  }
}
