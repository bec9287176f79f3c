import { expect } from 'vitest'
import {
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'

/** A server with the method userpass, whose users are as many as are asked for. */
export interface IdentityServer extends TestSecrets {
  /** The accessor of userpass as it is told. */
  readonly accessor: string
  /** Makes an entity; tells its id. */
  entity(body?: object): Promise<string>
  /** Makes a group; tells its id. */
  group(body?: object): Promise<string>
  /** Makes an alias at userpass; tells its id. */
  alias(name: string, canonical_id?: string): Promise<string>
  /** Makes a user if need be and logs in: what the auth block says. */
  login(user: string): Promise<{ client_token: string; [member: string]: unknown }>
}

/** Starts one. */
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
