import { expect } from 'vitest'
import {
  type MeshClient,
  type MeshRequest,
  type MeshSettings,
  mesh,
  type TestMesh,
} from './mesh.ts'

/**
 * Server with ACLs, and functions that create test objects. The functions throw if the server
 * refuses a request.
 */
interface MeshWithAcls extends TestMesh {
  /** Creates a policy with these rules. Returns its id. */
  policy(name: string, rules: string, options?: MeshRequest): Promise<string>
  /** Creates a role with the policies of these ids. Returns its id. */
  role(name: string, policies: readonly string[], options?: MeshRequest): Promise<string>
  /** Creates a namespace with these ACLs. */
  namespace(name: string, acls?: object): Promise<void>
  /**
   * Creates a policy with these rules, and a token with this policy. Returns a client with the
   * token.
   */
  clientWithRules(rules: string, namespace?: string): Promise<MeshClient>
  /** Creates a token. Returns the body of the reply. */
  token(body?: object, options?: MeshRequest): Promise<{ AccessorID: string; SecretID: string }>
}

/** Starts a server with ACLs. The default policy is `deny` unless the options say otherwise. */
export async function meshWithAcls(settings: MeshSettings = {}): Promise<MeshWithAcls> {
  const options = { aclEnabled: true, defaultPolicy: 'deny', ...settings.options } as const
  const started = await mesh({ ...settings, options })
  const { manager } = started
  let count = 0
  const create = async (path: string, body: object, options?: MeshRequest) => {
    const reply = await manager.put(path, body, options)
    expect([reply.status, reply.text]).toEqual([200, reply.text])
    return reply.body
  }
  const policy = async (Name: string, Rules: string, more?: MeshRequest): Promise<string> =>
    (await create('acl/policy', { Name, Rules }, more)).ID
  const token = (body: object = {}, more?: MeshRequest) => create('acl/token', body, more)
  return {
    ...started,
    policy,
    token,
    role: async (Name, policies, more) =>
      (await create('acl/role', { Name, Policies: policies.map((ID) => ({ ID })) }, more)).ID,
    namespace: async (Name, ACLs) => {
      await create('namespace', ACLs === undefined ? { Name } : { Name, ACLs })
    },
    clientWithRules: async (rules, namespace = 'default') => {
      count += 1
      const place = { query: { ns: namespace } }
      const ID = await policy(`p-${count}`, rules, place)
      return started.as((await token({ Policies: [{ ID }] }, place)).SecretID)
    },
  }
}

/**
 * Returns the error message for a request that has no token and lacks a permission. `permission`
 * includes the closing quote, because a resource may follow it.
 */
export const permissionDenied = (permission: string) =>
  `Permission denied: anonymous token lacks permission '${permission}. The anonymous token is used implicitly when a request does not specify a token.`
