import { expect } from 'vitest'
import type { SecretsClient, TestSecrets } from '../../../support/secrets/secrets.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { envelope } from '../replies.ts'

/** A token that a test made. */
interface CreatedTokenReply {
  readonly id: string
  readonly accessor: string
  /** A client that sends it. */
  readonly client: SecretsClient
}

/** A server on which tests make tokens. */
export interface TokenServer extends TestSecrets {
  /** Makes a token as the root token, by default one of the policy `default`. */
  createToken(body?: object): Promise<CreatedTokenReply>
  /** Makes a token with one policy of this document, in the default case beside `default`. */
  createTokenWith(policy: string, body?: object): Promise<CreatedTokenReply>
}

/** A fresh server on which tests make tokens. */
export async function tokenServer(): Promise<TokenServer> {
  const server = await servedSecrets()
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

/** The auth block of a plain token of the policy `default`, changed as told. */
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

/** 200 with an auth block. */
export const okAuth = (
  changes: Readonly<Record<string, unknown>> = {},
  warnings: readonly string[] | null = null,
) => ({ status: 200, body: envelope({ auth: auth(changes), warnings }) })
