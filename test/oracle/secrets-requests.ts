import fc from 'fast-check'
import { vendorField } from '../../routes/secrets/dialect/vendor-names.ts'
import { secretsEngines } from '../../routes/secrets/engines.ts'
import type { FieldSchemas } from '../../routes/secrets/fields/fields.ts'
import type { Engine, SecretsOperation, Verb } from '../../routes/secrets/operation.ts'
import { asRoot, type OracleRequest } from './request.ts'
import { bodiesOf, queriesOf } from './secrets-values.ts'

/** Where sequences have their mounts of an engine; others are not asked. */
const mountedAt: Readonly<Record<string, string>> = {
  'kv-v1': 'oracle-kv1/',
  'kv-v2': 'oracle-kv2/',
  cubbyhole: 'cubbyhole/',
  orch: 'oracle-orch/',
  system: 'sys/',
  token: 'auth/token/',
}

/** Operations that sequences leave out, by what they would do, or tell, beyond the sequence. */
const leftOut: readonly RegExp[] = [
  // They end the server's use for what comes after.
  /^(?:seal|stepDown|unseal|initialize|rotateKey|configureCors|deleteCors)$/,
  /^revokeOwnToken$/,
  // What they set lasts beyond the sequence.
  /^(?:read|write)RotationConfig$/,
  // They tell of everything that the server holds.
  /^(?:listMounts|listAuthMethods|listUiMounts|listPolicies|readPolicies|listAclPolicies|listTokenAccessors|listLeases|readAuditHeaders$|countTokens|listPasswordPolicies)/,
  /^(?:readHaStatus|listVersions|readHostInfo|makeRandom\w*|generatePassword|readLeader|readKeyStatus|readServiceDocument|readCors|readHealth|readSealStatus)$/,
  /openapi/i,
  // They would ask an orchestrator.
  /^orchCreateCredentials$/,
]

/** Operations that the open fork has not, with the reason; sequences leave them out. */
const notInFork: readonly { readonly id: RegExp; readonly reason: string }[] = [
  { id: /namespace/i, reason: 'Namespaces are of the enterprise edition; the fork 2.0 has none' },
  {
    id: /replication|Dr|OperationToken|secondary|primary/i,
    reason: 'DR replication is of the enterprise edition; its paths are unknown to the fork',
  },
  { id: /^readLicenseStatus$/, reason: 'The fork needs no license' },
  { id: /^cloud/, reason: 'The fork has dropped the cloud-identity login method' },
  {
    id: /RootToken/,
    reason: 'One attempt is shared with the other sequences; test/routes has the whole of it',
  },
]

const methodOf: Readonly<Record<Verb, readonly string[]>> = {
  read: ['GET'],
  list: ['LIST'],
  write: ['POST', 'PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
}

/** Names for the parameters of paths; what a sequence makes, its end removes by these. */
const systemNames: Readonly<Record<string, readonly string[]>> = {
  'policies/acl': ['oracle-p', 'Oracle-Q', 'default', 'root', 'oracle-none/'],
  policy: ['oracle-p', 'oracle-q', 'default', 'oracle-none'],
  'policies/password': ['oracle-p', 'oracle/q', 'oracle-none', 'oracle-p/'],
  mounts: ['oracle-m', 'oracle-kv1', 'oracle-kv2', 'oracle-none', 'oracle-kv2/below', 'sys'],
  auth: ['oracle-x', 'oracle-none'],
}
const keyNames = ['a', 'a', 'b', 'a/b', 'a/', 'x y', '']
const otherNames = ['oracle-r', 'oracle-none', '$migration', '$token', '-a']

function namesFor(engine: string, path: string): readonly string[] {
  if (engine !== 'system') {
    return engine === 'token' || engine === 'orch' ? otherNames : keyNames
  }
  const prefix = path.slice(0, path.search(/\/[:*]/))
  return systemNames[prefix] ?? otherNames
}

function pathsOf(engine: Engine, { path }: SecretsOperation): fc.Arbitrary<string> {
  const base = mountedAt[engine.type] ?? ''
  const names = namesFor(engine.type, path)
  const segments = path
    .split('/')
    .map((segment) => (/^[:*]/.test(segment) ? fc.constantFrom(...names) : fc.constant(segment)))
  return fc
    .tuple(...segments)
    .map((parts) => base + parts.join('/').split('/').map(encoded).join('/'))
}

/** Names of what was told stay as they are until they are filled in. */
function encoded(segment: string): string {
  return segment.startsWith('$') ? segment : encodeURIComponent(segment)
}

/** Fields under the names that the server knows them by. */
function vendorNamed(fields: FieldSchemas): FieldSchemas {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [vendorField(name), field]),
  )
}

function requestsOf(engine: Engine, operation: SecretsOperation): fc.Arbitrary<OracleRequest> {
  const { verb, id, fields } = operation
  const hasBody = verb === 'write' || verb === 'patch'
  const anyPairs = operation.anyFields === true ? { a: { kind: 'text' } as const } : {}
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom(...methodOf[verb]) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE', 'LIST') },
      ),
      path: pathsOf(engine, operation),
      query: hasBody ? fc.constant('') : queriesOf(fields),
      body: hasBody ? bodiesOf(vendorNamed({ ...anyPairs, ...fields })) : fc.constant(undefined),
      token: fc.oneof(
        { weight: 12, arbitrary: fc.constant('root') },
        { weight: 2, arbitrary: fc.constant('$token') },
        { weight: 1, arbitrary: fc.constantFrom('none', 'nobody') },
      ),
    })
    .map(({ method, path, query, body, token }) => ({
      operation: id,
      method,
      path: path + query,
      token,
      ...(body === undefined || ['GET', 'LIST', 'DELETE'].includes(method) ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    }))
}

/**
 * Sequences of requests to the secrets API, made from what its operations declare.
 *
 * @param longest requests at most
 * @param types of the engines that are asked
 */
export function secretsSequences(
  longest: number,
  types: readonly string[] = Object.keys(mountedAt),
): fc.Arbitrary<readonly OracleRequest[]> {
  const each = secretsEngines
    .filter(({ type }) => types.includes(type))
    .flatMap((engine) =>
      engine.operations
        .filter(({ id }) => !leftOut.some((pattern) => pattern.test(id)))
        .filter(({ id }) => !notInFork.some((absent) => absent.id.test(id)))
        .map((operation) => requestsOf(engine, operation)),
    )
  return fc.array(fc.oneof(...each), { minLength: 1, maxLength: longest })
}

/** What stands before and after each sequence: its mounts, and the end of all that it can make. */
export const aroundSecrets = {
  before: [
    asRoot('POST', 'sys/mounts/oracle-kv1', { type: 'kv' }),
    asRoot('POST', 'sys/mounts/oracle-orch', { type: 'kubernetes' }),
    asRoot('POST', 'sys/mounts/oracle-kv2', { type: 'kv', options: { version: '2' } }),
    // The first may meet an engine that is not ready yet.
    asRoot('GET', 'oracle-kv2/config'),
  ],
  after: [
    ...['kv1', 'kv2', 'orch', 'm', 'none'].map((name) =>
      asRoot('DELETE', `sys/mounts/oracle-${name}`),
    ),
    asRoot('DELETE', 'sys/auth/oracle-x'),
    ...['oracle-p', 'oracle-q'].map((name) => asRoot('DELETE', `sys/policies/acl/${name}`)),
    ...['oracle-p', 'oracle-none'].map((name) => asRoot('DELETE', `sys/policies/password/${name}`)),
    asRoot('DELETE', 'sys/policies/password/oracle/q'),
    ...['oracle-r', 'oracle-none', '-a', '$token', 'nothing-told'].map((name) =>
      asRoot('DELETE', `sys/config/auditing/request-headers/${name}`),
    ),
    asRoot('DELETE', 'auth/token/roles/oracle-r'),
    ...['a', 'b', 'a/b', 'x%20y'].map((name) => asRoot('DELETE', `cubbyhole/${name}`)),
    asRoot('POST', 'auth/token/revoke', { token: 'oracle-id' }),
    asRoot('DELETE', 'sys/rekey/init'),
    asRoot('DELETE', 'sys/generate-root/attempt'),
  ],
} as const
