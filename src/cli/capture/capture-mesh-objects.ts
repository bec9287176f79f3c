import { isObject } from '../../../state/kernel/objects.ts'
import { type CaptureContext, placeholder } from './capture-context.ts'
import {
  entriesOf,
  itemsOf,
  memberOf,
  omitEmpty,
  type RealServer,
  RealServerError,
  textAt,
} from './real-server.ts'

/** Settings of a capture, its server, and the query that selects the data of all namespaces. */
interface MeshCapture extends CaptureContext {
  readonly server: RealServer
  /** `?ns=*`, or empty in the community edition. */
  readonly namespaceQuery: string
}

/**
 * Returns a value without the following members at any depth: empty ones, those named in
 * `excluded`, partitions, and the default namespace.
 */
function prune(value: unknown, excluded: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => prune(each, excluded))
  if (!isObject(value)) return value
  const kept = entriesOf(value)
    .filter(([name, member]) => !excluded.has(name) && !isDefaultScope(name, member))
    .map(([name, member]) => [name, prune(member, excluded)] as const)
  return omitEmpty(Object.fromEntries(kept))
}

function isDefaultScope(name: string, member: unknown): boolean {
  return name === 'Partition' || (name === 'Namespace' && member === 'default')
}

const serverMembers = ['CreateIndex', 'ModifyIndex', 'Hash', 'CreateTime']
const excludedServerMembers = new Set(serverMembers)
const withoutIds = new Set([...serverMembers, 'ID'])

/**
 * Reads a list. If the server rejects the request, returns an empty list, and adds a note unless
 * the status is 401 or 404. Throws if the server does not answer.
 */
async function listOrNote({ server, notes }: MeshCapture, name: string, path: string) {
  try {
    return itemsOf(await server.get(path))
  } catch (error) {
    if (!(error instanceof RealServerError) || error.status === undefined) throw error
    // 401: the server does not enforce ACLs, so there are no ACL objects.
    if (error.status !== 401) notes.push(`${name}: answered ${error.status}`)
    return []
  }
}

/**
 * Kinds of configuration entries that entries of other kinds refer to. Entries of these kinds come
 * first in the fixtures, in this order.
 */
const referencedKinds = [
  'proxy-defaults',
  'service-defaults',
  'service-resolver',
  'service-splitter',
]

const rankOf = (entry: unknown) => {
  const at = referencedKinds.indexOf(textAt(entry, 'Kind'))
  return at < 0 ? referencedKinds.length : at
}

const isLegacy = (entry: unknown) =>
  itemsOf(memberOf(entry, 'Sources')).some((source) => textAt(source, 'LegacyID') !== '')

const excludedEntryMembers = new Set([...serverMembers, 'Precedence', 'Status'])
const excludedLegacyMembers = new Set([
  ...[...serverMembers, 'ID', 'CreatedAt', 'UpdatedAt', 'Meta', 'Precedence'],
  ...['SourcePartition', 'DestinationPartition'],
])

/**
 * Captures configuration entries and intentions. Entries whose intentions have IDs are captured as
 * intentions instead, and bound API gateways are left out. If secret values are not captured,
 * entries with private keys are left out with a note.
 */
export async function captureConfig(capture: MeshCapture): Promise<Record<string, unknown>> {
  const { namespaceQuery, notes, includesValues } = capture
  const entries = await listOrNote(capture, 'configuration entries', `config/${namespaceQuery}`)
  const isSecret = (entry: unknown) => !includesValues && textAt(entry, 'PrivateKey') !== ''
  for (const entry of entries.filter(isSecret)) {
    notes.push(`${textAt(entry, 'Kind')} ${textAt(entry, 'Name')}: the entry has a private key`)
  }
  const config = entries
    .filter((entry) => !isSecret(entry) && !isLegacy(entry))
    .filter((entry) => textAt(entry, 'Kind') !== 'bound-api-gateway')
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map((entry) => prune(entry, excludedEntryMembers))
  const legacyList = entries.some(isLegacy)
    ? await listOrNote(capture, 'intentions', `connect/intentions${namespaceQuery}`)
    : []
  const intentions = legacyList
    .filter((each) => textAt(each, 'ID') !== '')
    .map((each) => prune(each, excludedLegacyMembers))
  return { config, intentions }
}

/**
 * Captures the prepared queries that do not belong to a session, and adds a note for each query of
 * a session. Tokens of queries are only captured together with other secret values.
 */
export async function captureQueries(capture: MeshCapture): Promise<Record<string, unknown>> {
  const { notes, includesValues } = capture
  const listed = await listOrNote(capture, 'prepared queries', 'query')
  const isBound = (query: unknown) => textAt(query, 'Session') !== ''
  for (const query of listed.filter(isBound)) {
    notes.push(
      `query ${textAt(query, 'Name') || textAt(query, 'ID')}: the query is deleted with a session`,
    )
  }
  const queries = listed
    .filter((query) => !isBound(query))
    .map((query) => {
      const isShown = includesValues && textAt(query, 'Token') !== '<hidden>'
      return prune(query, isShown ? withoutIds : new Set([...withoutIds, 'Token']))
    })
  return { queries }
}

/** Policies that every server has. */
const builtinPolicies: ReadonlySet<string> = new Set([
  'global-management',
  'builtin/global-read-only',
])

/** Descriptions of the tokens that every server has. */
const builtinTokens = /^(?:Anonymous|Initial Management|Bootstrap) Token/

const namesOf = (links: unknown) => itemsOf(links).map((link) => ({ Name: textAt(link, 'Name') }))

function linkHolderFixture(holder: unknown, excluded: readonly string[]): Record<string, unknown> {
  const excludedMembers = new Set([
    ...serverMembers,
    ...excluded,
    'TemplateID',
    'Policies',
    'Roles',
  ])
  const links = {
    Policies: namesOf(memberOf(holder, 'Policies')),
    Roles: namesOf(memberOf(holder, 'Roles')),
  }
  return { ...(prune(holder, excludedMembers) as object), ...omitEmpty(links) }
}

function inNamespace(object: unknown): string {
  const namespace = textAt(object, 'Namespace')
  return namespace === '' ? '' : `?${new URLSearchParams({ ns: namespace })}`
}

/** Placeholder in the form of a JWT, for the credential of an auth method. */
const placeholderJwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.${placeholder}`

function authMethodFixture(
  method: unknown,
  { includesValues }: CaptureContext,
): Record<string, unknown> {
  const config = memberOf(method, 'Config')
  const isHidden = textAt(config, 'ServiceAccountJWT') !== '' && !includesValues
  return {
    ...(prune(method, excludedServerMembers) as object),
    ...(isHidden && { Config: { ...(config as object), ServiceAccountJWT: placeholderJwt } }),
  }
}

/**
 * Captures policies, roles, tokens, auth methods and binding rules, without the policies and tokens
 * that every server has. Tokens that logins created are left out. Secrets are only captured if
 * `includesValues` is set.
 */
export async function captureAcls(capture: MeshCapture): Promise<Record<string, unknown>> {
  const { namespaceQuery, server, includesValues } = capture
  const list = (name: string, path: string) =>
    listOrNote(capture, name, `acl/${path}${namespaceQuery}`)
  const policies: unknown[] = []
  for (const stub of await list('policies', 'policies')) {
    if (builtinPolicies.has(textAt(stub, 'Name'))) continue
    const policy = await server.get(`acl/policy/${textAt(stub, 'ID')}${inNamespace(stub)}`)
    policies.push(prune(policy, withoutIds))
  }
  const roles = (await list('roles', 'roles')).map((role) => linkHolderFixture(role, ['ID']))
  const tokens = (await list('tokens', 'tokens'))
    .filter((token) => !builtinTokens.test(textAt(token, 'Description')))
    .filter((token) => textAt(token, 'AuthMethod') === '')
    .map((token) => {
      const isShown = includesValues && textAt(token, 'SecretID') !== '<hidden>'
      return linkHolderFixture(token, isShown ? ['Legacy'] : ['Legacy', 'SecretID'])
    })
  const authMethods: unknown[] = []
  for (const stub of await list('auth methods', 'auth-methods')) {
    const path = `acl/auth-method/${textAt(stub, 'Name')}${inNamespace(stub)}`
    authMethods.push(authMethodFixture(await server.get(path), capture))
  }
  const rules = await list('binding rules', 'binding-rules')
  const bindingRules = rules.map((rule) => prune(rule, withoutIds))
  return { authMethods, bindingRules, policies, roles, tokens }
}

/**
 * Returns the ACL options for a mock of the server; an empty object if the server does not enforce
 * ACLs, or rejects the request for its settings.
 */
export async function captureAclOptions(server: RealServer): Promise<Record<string, unknown>> {
  let self: unknown
  try {
    self = await server.get('agent/self')
  } catch (error) {
    if (!(error instanceof RealServerError) || error.status === undefined) throw error
  }
  const isEnabled = memberOf(self, 'DebugConfig', 'ACLsEnabled') === true
  const policy = textAt(self, 'DebugConfig', 'ACLResolverSettings', 'ACLDefaultPolicy')
  return isEnabled
    ? { options: { mesh: { aclEnabled: true, ...omitEmpty({ defaultPolicy: policy }) } } }
    : {}
}
