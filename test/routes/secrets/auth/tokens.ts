import { expect } from 'vitest'
import type { SecretsClient, TestSecrets, TestSettings } from '../../../support/secrets/secrets.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { envelope } from '../replies.ts'

/** A token that a test created. */
interface CreatedTokenReply {
  readonly id: string
  readonly accessor: string
  /** A client that sends the token. */
  readonly client: SecretsClient
}

/** A server on which tests create tokens. */
export interface TokenServer extends TestSecrets {
  /** Creates a token with the root token. By default, the new token has the policy `default`. */
  createToken(body?: object): Promise<CreatedTokenReply>
  /** Creates a token of `default` and of one policy with this document. */
  createTokenWith(policy: string, body?: object): Promise<CreatedTokenReply>
}

/** Starts a server on which tests create tokens. */
export async function tokenServer(settings: TestSettings = {}): Promise<TokenServer> {
  const server = await servedSecrets(settings)
  let policies = 0
  const createToken = async (body: object = {}): Promise<CreatedTokenReply> => {
    const input = { policies: ['default'], ...body }
    const { body: reply } = await server.secrets.post('auth/token/create', input)
    const { client_token: id, accessor } = reply.auth
    return { id, accessor, client: server.as(id) }
  }
  const createTokenWith = async (policy: string, body: object = {}) => {
    const name = `made${policies++}`
    await server.secrets.post(`sys/policies/acl/${name}`, { policy })
    return createToken({ policies: [name], ...body })
  }
  return { ...server, createToken, createTokenWith }
}

/** Returns the auth block of a plain token of the policy `default`, with changes. */
function auth(changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    client_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
    accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
    policies: ['default'],
    token_policies: ['default'],
    metadata: null,
    lease_duration: 2_764_800,
    renewable: true,
    entity_id: '',
    token_type: 'service',
    orphan: false,
    mfa_requirement: null,
    num_uses: 0,
    ...changes,
  }
}

/** Returns a 200 reply with an auth block. */
export const okAuth = (
  changes: Readonly<Record<string, unknown>> = {},
  warnings: readonly string[] | null = null,
) => ({ status: 200, body: envelope({ auth: auth(changes), warnings }) })
