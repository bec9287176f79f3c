import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { type SecretsDialect, secretsDialect } from '../../../routes/secrets/dialect/dialect.ts'
import { vendorField } from '../../../routes/secrets/dialect/vendor-names.ts'
import { secretsEngines } from '../../../routes/secrets/engines.ts'
import { type FieldSchemas, fieldInfo } from '../../../routes/secrets/fields/fields.ts'
import type { Engine, SecretsOperation, Verb } from '../../../routes/secrets/operation.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { constant, objectOf, oneOf, type ValueGenerator, weighted } from './generators.ts'
import { type ComparedRequest, rootRequest, tokenGenerator } from './request.ts'
import { operationFinder, withScenarios } from './scenarios.ts'
import { secretsScenarios } from './secrets-scenarios.ts'

const policies = [
  'path "a" { capabilities = ["read"] }',
  'path "understudy-kv2/*" { capabilities = ["create", "list"] }',
  'path "a" { capabilities = ["fly"] }',
  'path "a" {',
  'length = 8\nrule "charset" { charset = "abc" }',
  '',
]

/**
 * Values to try for fields, by the field's vendor name. Fields without an entry get values for
 * their shape.
 */
const valuesByField: Readonly<Record<string, readonly unknown[]>> = {
  policy: policies,
  rules: policies,
  policies: [['default'], ['understudy-p'], 'understudy-p,default', [], 'root', ['nobody'], 3],
  type: ['service', 'batch', 'kv', 'kv-v2', 'generic', 'zz', '', 'sys'],
  token: ['$token', '$wrapped', 'nobody', ''],
  accessor: ['$accessor', 'nobody', ''],
  key: ['aa', 'aabb', 'ab'.repeat(33), '', 3],
  nonce: ['$nonce', '', 'x'],
  paths: [['understudy-kv2/data/a'], ['a', 'b'], 'a', [], ''],
  data: [{}, { a: 1 }, { a: { b: [1], c: null } }, { a: null }, 'x', null, 3],
  options: [{}, { cas: 0 }, { cas: 1 }, { cas: '1' }, { cas: 'x' }, { version: '2' }, 'x', null],
  versions: [[1], [1, 2], '1,2', [], 'x', [9], null],
  from: ['understudy-kv1', 'understudy-none', 'sys', '', 'understudy-m'],
  to: ['understudy-m', 'understudy-kv2', 'understudy-kv2/x', 'sys/x', 'auth/understudy-x', ''],
  kubernetes_host: ['https://orch.example', '', 3],
  allowed_kubernetes_namespaces: ['*', 'A,b,a', ['x'], [], ''],
  allowed_kubernetes_namespace_selector: ['', '{"matchLabels":{"a":"b"}}', '{'],
  service_account_name: ['x', ''],
  kubernetes_role_name: ['x', ''],
  kubernetes_role_type: ['Role', 'clusterrole', 'zz', ''],
  generated_role_rules: [
    '',
    '{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}',
    '{',
    'rules: 3',
  ],
  name_template: ['', '{{.RoleName}}', '{{', '{{zz}}', '{{unix_time}}-{{random 5}}'],
  extra_labels: [{}, { a: 'b' }, null, 'a=b', 3],
  extra_annotations: [{}, { a: 'b' }, null],
  lease_id: ['', 'nobody', 'auth/token/create/x'],
  custom_metadata: [{}, { a: '1' }, { a: 1 }, { a: null }, { a: {} }, 'a=b', null],
  secret_shares: [1, 3, 0, 300, '3'],
  secret_threshold: [1, 2, 0, 5],
  id: ['understudy-id', 'a.b', 's.abc', ''],
  listing_visibility: ['', 'hidden', 'unauth', 'x'],
}

/** Returns valid values of a shape, and some invalid ones. */
function valuesOfShape(shape: Shape): readonly unknown[] {
  switch (shape.kind) {
    case 'text':
      return ['x', '', '3', 3, true, null, [], {}]
    case 'int':
      return shape.format === undefined
        ? [0, 1, 2, -1, '2', 'x', 1.5, true, null, []]
        : ['1h', 3600, '60', 0, '', -5, '2d', 'abc', true, null, []]
    case 'bool':
      return [true, false, 'true', 'x', 1, null, []]
    case 'list':
      return [[], ['a'], 'a,b', [1], {}, null, [[]]]
    default:
      return [{}, { a: '1' }, { a: 1 }, 'a=b', [], null, 3]
  }
}

/**
 * Returns a generator of bodies: mostly objects with up to three members, taken from the given
 * fields and one unknown field; sometimes an invalid body.
 *
 * @param spell returns the name of a field in the dialect
 */
function bodyGenerator(
  fields: FieldSchemas,
  spell: (name: string) => string,
): ValueGenerator<string | undefined> {
  const members = Object.entries(fields).map(([name, field]) => {
    const values = valuesByField[vendorField(name)] ?? valuesOfShape(fieldInfo(field).shape)
    return [spell(name), oneOf(...values)] as const
  })
  const objects = objectOf([...members, ['zed', constant(1)]], 0, 3)
  return weighted<string | undefined>(
    [12, (random) => JSON.stringify(objects(random))],
    [1, oneOf(undefined, '', ' ', '[]', '{', '{} x', 'null', '3')],
  )
}

/**
 * Returns a generator of queries for a read, list or delete: usually empty, otherwise one
 * parameter.
 */
function queryGenerator(fields: FieldSchemas): ValueGenerator<string> {
  const names = oneOf(...Object.keys(fields), 'zed')
  const values = oneOf('1', '2', '0', '-1', 'x', '')
  return weighted([4, constant('')], [1, (random) => `?${names(random)}=${values(random)}`])
}

/** Mount paths that sequences use, by engine. Engines without an entry are left out. */
const mountPaths: Readonly<Record<string, string>> = {
  'kv-v1': 'understudy-kv1/',
  'kv-v2': 'understudy-kv2/',
  cubbyhole: 'cubbyhole/',
  orch: 'understudy-orch/',
  system: 'sys/',
  token: 'auth/token/',
}

/**
 * Operations that sequences leave out, in most cases because their effects or replies reach beyond
 * the sequence.
 */
const excludedOperations: readonly RegExp[] = [
  // Operations that make the server unusable for later sequences or other users, change server-wide
  // settings, or start server-wide background work.
  /^(?:seal|stepDown|unseal|initialize|rotateKey|configureCors|deleteCors|tidyTokens|tidyLeases)$/,
  /^revokeOwnToken$/,
  // Operations on keys, audit devices, quotas, loggers and UI headers, which belong to the whole
  // server.
  /Rotation|^rotate|Rekey|RootToken|AuditDevice|^hashForAudit$/,
  /Quota|RateLimit|LeaseCount|Logger|UiHeader/,
  // Operations that return metrics, open requests, the configuration or log lines of the server.
  /^read(?:Metrics|InFlightRequests|SanitizedConfig)$|^monitorNode$/,
  // Operations that list data of the whole server, return the state, settings or documentation of
  // the server, or generate random values.
  /^(?:listMounts|listAuthMethods|listUiMounts|listPolicies|readPolicies|listAclPolicies|listTokenAccessors|listTokenRoles|listLeases|listLockedUsers|readResultantAcl|readAuditHeaders$|countTokens|countEntities|listPasswordPolicies)/,
  /^(?:readHaStatus|listVersions|readHostInfo|makeRandom\w*|generatePassword|readLeader|readKeyStatus|readServiceDocument|readCors|readHealth|readSealStatus)$/,
  /openapi/i,
  // Operations that would call an orchestrator, or check whether the server runs in one.
  /^orchC(?:reateCredentials|heckEnvironment)$/,
  // Operations that always fail in a sequence: no lease of a token is renewable, plug-ins need a
  // folder of the server, no lease is irrevocable, and no login needs a second factor.
  /^renew(?:Named)?Lease|^(?:register|delete)\w*Plugin$|IrrevocableLeases$|^reloadPlugins$|^validateMfa$/,
  // Operations that report usage counts, and operations that the product has removed.
  /^read(?:Activity|RequestCounters|UntypedPlugin)$/,
]

/** Operations that the open fork, OpenBao, lacks, with the reason; sequences leave them out. */
const absentInOpenBao: readonly { readonly id: RegExp; readonly reason: string }[] = [
  {
    id: /namespace/i,
    reason: 'Namespaces belong to the enterprise edition; the fork 2.0 has no namespaces',
  },
  {
    id: /[rR]eplication|(?:^dr|Dr)(?=[A-Z]|$)|OperationToken|[sS]econdary|[pP]rimary/,
    reason: 'DR replication belongs to the enterprise edition; the fork does not know its paths',
  },
  { id: /^readLicenseStatus$/, reason: 'The fork needs no license' },
  { id: /^cloud/, reason: 'The fork has dropped the cloud-identity login method' },
]

const methodsByVerb: Readonly<Record<Verb, readonly string[]>> = {
  read: ['GET'],
  list: ['LIST'],
  write: ['POST', 'PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
}

/**
 * Values of path parameters below `sys/`, by the path before the parameter. The requests at the end
 * of a sequence remove the objects with these names that the sequence created.
 */
const systemNames: Readonly<Record<string, readonly string[]>> = {
  'policies/acl': ['understudy-p', 'Understudy-Q', 'default', 'root', 'understudy-none/'],
  policy: ['understudy-p', 'understudy-q', 'default', 'understudy-none'],
  'policies/password': ['understudy-p', 'understudy/q', 'understudy-none', 'understudy-p/'],
  mounts: [
    ...['understudy-m', 'understudy-kv1', 'understudy-kv2', 'understudy-none'],
    ...['understudy-kv2/below', 'sys'],
  ],
  auth: ['understudy-x', 'understudy-none'],
}
const keyNames = ['a', 'a', 'b', 'a/b', 'a/', 'x y', '']
const otherNames = ['understudy-r', 'understudy-none', '$migration', '$token', '-a']

function pathNames(engine: string, { path, verb }: SecretsOperation): readonly string[] {
  if (engine !== 'system' && engine !== 'token' && engine !== 'orch') return keyNames
  const prefix = path.slice(0, path.search(/\/[:*]/))
  const names = (engine === 'system' ? systemNames[prefix] : undefined) ?? otherNames
  // Sequences write only the objects of the comparison, but may read other objects.
  return verb === 'read' || verb === 'list'
    ? names
    : names.filter((name) => /^understudy/i.test(name))
}

function pathGenerator(engine: Engine, operation: SecretsOperation): ValueGenerator<string> {
  const base = mountPaths[engine.type] ?? ''
  const names = oneOf(...pathNames(engine.type, operation))
  const segments = operation.path
    .split('/')
    .map((segment) => (/^[:*]/.test(segment) ? names : constant(segment)))
  return (random) => {
    const parts = segments.map((segment) => segment(random))
    return base + parts.join('/').split('/').map(encodeSegment).join('/')
  }
}

/** Encodes a segment of a path, except for variables, which are filled in later. */
function encodeSegment(segment: string): string {
  return segment.startsWith('$') ? segment : encodeURIComponent(segment)
}

/** Content type that the key-value engine requires for a patch. */
const patchType = 'application/merge-patch+json'

function requestGenerator(
  engine: Engine,
  operation: SecretsOperation,
  dialect: SecretsDialect,
): ValueGenerator<ComparedRequest> {
  const { verb, fields } = operation
  const hasBody = verb === 'write' || verb === 'patch'
  const extraField = operation.acceptsUnknownFields === true ? { a: { kind: 'text' } as const } : {}
  // Apart from the operation's own methods, only reads are tried: a write could have effects beyond
  // the sequence.
  const methods = weighted([30, oneOf(...methodsByVerb[verb])], [1, oneOf('GET', 'LIST')])
  const paths = pathGenerator(engine, operation)
  const queries = hasBody ? constant('') : queryGenerator(fields)
  const bodies = hasBody
    ? bodyGenerator({ ...extraField, ...fields }, dialect.fieldName)
    : constant(undefined)
  const tokens = tokenGenerator(['$token'])
  /**
   * Returns the operation that a method selects at the path. If there is none, returns the
   * operation of the request. The id of the operation is part of the kind of a difference.
   */
  const operationFor = (method: string) =>
    engine.operations.find(
      ({ path, verb: other }) => path === operation.path && methodsByVerb[other].includes(method),
    ) ?? operation
  const isExcluded = (id: string) => excludedOperations.some((pattern) => pattern.test(id))
  return (random) => {
    const drawnMethod = methods(random)
    const method = isExcluded(operationFor(drawnMethod).id)
      ? (methodsByVerb[verb][0] ?? drawnMethod)
      : drawnMethod
    const path = paths(random) + queries(random)
    const body = bodies(random)
    return {
      operation: operationFor(method).id,
      method,
      path,
      token: tokens(random),
      ...(body === undefined || ['GET', 'LIST'].includes(method) ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: patchType } : {}),
    }
  }
}

/**
 * Returns a generator of request sequences to the secrets API, based on the declarations of its
 * operations.
 *
 * @param maxRequests maximum number of random requests in a sequence
 * @param types types of the engines to include
 */
export function secretsSequences(
  maxRequests: number,
  dialect: DialectName,
  types: readonly string[] = Object.keys(mountPaths),
): ValueGenerator<readonly ComparedRequest[]> {
  const spelling = secretsDialect(dialect)
  const engines = secretsEngines.filter(({ type }) => types.includes(type))
  const generators = engines.flatMap((engine) =>
    engine.operations
      .filter(({ id }) => !excludedOperations.some((pattern) => pattern.test(id)))
      .filter(({ id }) => !absentInOpenBao.some((absent) => absent.id.test(id)))
      .map((operation) => [1, requestGenerator(engine, operation, spelling)] as const),
  )
  const find = operationFinder(
    engines.flatMap(({ type, operations }) =>
      operations.map(({ id, verb, path }) => ({
        ...{ id, methods: methodsByVerb[verb], path: (mountPaths[type] ?? '') + path },
      })),
    ),
  )
  return withScenarios(
    secretsScenarios.filter(({ engine }) => types.includes(engine)),
    {
      find,
      spell: spelling.fieldName,
      contentType: (method) => (method === 'PATCH' ? patchType : undefined),
    },
    weighted(...generators),
    maxRequests,
  )
}

/**
 * Returns the requests that surround each sequence: `before` mounts engines, and `after` removes
 * everything that a sequence can create.
 */
export function secretsSetUpAndCleanUp(dialect: DialectName): {
  readonly before: readonly ComparedRequest[]
  readonly after: readonly ComparedRequest[]
} {
  const deletions = (folder: string, names: readonly string[]) =>
    names.map((name) => rootRequest('DELETE', `${folder}/${name}`))
  const orch = secretsDialect(dialect).mountType('orch')
  return {
    before: [
      rootRequest('POST', 'sys/mounts/understudy-kv1', { type: 'kv' }),
      rootRequest('POST', 'sys/mounts/understudy-orch', { type: orch }),
      rootRequest('POST', 'sys/mounts/understudy-kv2', { type: 'kv', options: { version: '2' } }),
      // A new versioned engine may not be ready yet when its first request arrives, so this request
      // precedes those of the sequence.
      rootRequest('GET', 'understudy-kv2/config'),
    ],
    after: [
      ...deletions(
        'sys/mounts',
        ['kv1', 'kv2/below', 'kv2/x', 'kv2', 'orch', 'm', 'none'].map(
          (name) => `understudy-${name}`,
        ),
      ),
      ...deletions('sys/auth', ['understudy-x', 'understudy-none']),
      ...deletions('sys/policies/acl', ['understudy-p', 'understudy-q', 'understudy-none']),
      ...deletions('sys/policies/password', ['understudy-p', 'understudy-none', 'understudy/q']),
      ...deletions('sys/config/auditing/request-headers', ['understudy-r', 'understudy-none']),
      ...deletions('auth/token/roles', ['understudy-r', 'understudy-none']),
      ...deletions('cubbyhole', ['a', 'b', 'a/b', 'x%20y']),
    ],
  }
}
