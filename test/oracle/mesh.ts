import type { ComparedApi, KnownDifference } from '../../src/cli/compare/compared-api.ts'
import { rootRequest, type Target } from '../../src/cli/compare/request.ts'
import { meshSequences } from './mesh-requests.ts'

/**
 * Intended differences between the mock, in the vendor dialect and community edition, and the
 * product.
 */
const known: readonly KnownDifference[] = [
  {
    kind: /(?:TaggedAddresses|-network-segment|serf_protocol_\w+|Port)$/,
    reason: 'behaviour/mesh#catalog: which facts of the server are told',
  },
  {
    kind: /^(?:create|update|delete|clone)Acl\w+: /,
    answers: /No path to datacenter/,
    reason: 'behaviour/mesh#conventions: another datacenter is refused; here it is passed over',
  },
  {
    kind: /^\w+AclTemplatedPolic\w+: 200.*\.(?:Description|Schema)$/,
    reason: 'behaviour/mesh#templated-policies: descriptions and schemas are of our own writing',
  },
  {
    kind: /^\w+Acl\w+: status 403 → 404$/,
    answers: /ACL not found|Cannot find/,
    reason: 'behaviour/mesh#token: an unknown token is 403, also where it removes',
  },
  {
    kind: /: 400$/,
    answers: /json: cannot unmarshal .* Go (?:value|struct field)/,
    reason: 'behaviour/mesh#acl: the place within a body is called by types of 1.18',
  },
  {
    kind: /^(?:create|update)AclToken: 500$/,
    answers: /a valid UUID/,
    reason: 'behaviour/mesh#acl: the words are those of 1.18, later ones differ',
  },
  {
    kind: /^(?:putKey|deleteKey|runTransaction|\w+Session): (?:status \d+ → )?400$/,
    answers:
      /"status":(?:200|403|404|409|500)|Missing|Invalid (?:index|wait)|conflicting semantics/,
    reason: 'behaviour/mesh#reads: writes ignore the parameters of reads',
  },
  {
    kind: /^readOwnAclToken: 200\.(?:AgentACL|Expanded|NamespaceDefault|ResolvedByAgent)/,
    reason: 'behaviour/mesh#acl: the own token is expanded, too, as of 1.21',
  },
]

const managementToken = '11111111-2222-3333-4444-555555555555'

/** Id that no resource has. */
const unknownId = '01234567-89ab-cdef-0123-456789abcdef'

/** Members whose values differ between any two servers. */
const generatedMembers = new Set(['Hash', 'ExpirationTime'])

/**
 * Lists of resources that sequences create, with the request that removes one and the member that
 * identifies it.
 */
const created = [
  { list: 'session/list', remove: (id: string) => ['PUT', `session/destroy/${id}`], by: 'ID' },
  { list: 'acl/tokens', remove: (id: string) => ['DELETE', `acl/token/${id}`], by: 'AccessorID' },
  { list: 'acl/roles', remove: (id: string) => ['DELETE', `acl/role/${id}`], by: 'ID' },
  { list: 'acl/policies', remove: (id: string) => ['DELETE', `acl/policy/${id}`], by: 'ID' },
] as const

async function removeResources(target: Target): Promise<void> {
  const ask = (method = '', path = '') =>
    target.send({ ...rootRequest(method, path), token: target.token })
  for (const { list, remove, by } of created) {
    const { body } = await ask('GET', list)
    for (const row of Array.isArray(body) ? body : []) {
      // Built-in resources and the request's own token cannot be removed.
      await ask(...remove(String(row[by])))
    }
  }
  await ask('DELETE', 'kv/?recurse')
}

/** Settings by which the oracle compares the mesh API. */
export const comparedMesh: ComparedApi = {
  name: 'mesh',
  tokenHeader: 'x-consul-token',
  token: managementToken,
  setUp: {
    options: {
      mesh: {
        aclEnabled: true,
        edition: 'community',
        version: '1.20.0',
        initialManagementToken: managementToken,
      },
    },
  },
  variables: [
    {
      name: '$session',
      operationPattern: /^createSession$/,
      memberPath: ['ID'],
      initialValue: unknownId,
    },
    {
      name: '$policy',
      operationPattern: /AclPolicy$/,
      memberPath: ['ID'],
      initialValue: unknownId,
    },
    { name: '$role', operationPattern: /AclRole$/, memberPath: ['ID'], initialValue: unknownId },
    {
      name: '$accessor',
      operationPattern: /^(?:create|clone)AclToken$/,
      memberPath: ['AccessorID'],
      initialValue: unknownId,
    },
    { name: '$token', operationPattern: /^(?:create|clone)AclToken$/, memberPath: ['SecretID'] },
    {
      name: '$index',
      operationPattern: /^readKey$/,
      memberPath: ['0', 'ModifyIndex'],
      initialValue: 1,
    },
    {
      name: '$index',
      operationPattern: /^runTransaction$/,
      memberPath: ['Results', '0', 'KV', 'ModifyIndex'],
      initialValue: 1,
    },
  ],
  // Members that only the enterprise edition has.
  ignoredMembers: new Set(['Namespace', 'Partition']),
  placeholderFor(name, value) {
    if (generatedMembers.has(name) && value !== null) return `<${name}>`
    return /(?:Create|Modify)Index$/.test(name) && Number(value) > 0 ? '<index>' : undefined
  },
  replacements: [
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:\d\d/g, '<time>'],
    [/Requested (\w+) not found in namespace default/g, 'Requested $1 does not exist'],
    [/token not found in namespace default/g, 'token does not exist'],
    [/modify index \d+/g, 'modify index <index>'],
    [/\b1\.20\.\d+\b/g, '<version>'],
  ],
  sequences: (longest) => meshSequences(longest),
  before: [],
  after: [],
  cleanUp: removeResources,
  known,
}

/** Returns the comparison with a server whose ACLs deny or allow by default. */
export function comparedMeshWith(defaultPolicy: 'deny' | 'allow'): ComparedApi {
  const { mesh } = comparedMesh.setUp.options
  return { ...comparedMesh, setUp: { options: { mesh: { ...mesh, defaultPolicy } } } }
}

/** Returns the comparison with a server; the mock denies or allows by default as the server does. */
export async function comparedMeshLike(server: Target): Promise<ComparedApi> {
  const { headers } = await server.send(rootRequest('GET', 'status/leader'))
  return comparedMeshWith(headers?.['x-consul-default-acl-policy'] === 'deny' ? 'deny' : 'allow')
}
