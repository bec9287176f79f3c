import { isObject } from '../../../state/kernel/objects.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { globalManagementId } from '../../../state/mesh/acl/builtin-policies.ts'
import { aclTokens } from '../../../state/mesh/acl/tables.ts'
import type { Amendment } from '../../http/journal-hooks/api-explanations.ts'
import { fitToShape } from '../../http/journal-hooks/fitting-values.ts'
import { paramsOf } from '../../http/journal-hooks/path-params.ts'
import {
  type Corrector,
  correctionsByRule,
  labelsUpTo,
  managementCorrections,
  type RefusedRequest,
  withMember,
} from '../../http/journal-hooks/token-corrections.ts'
import { apiPrefix } from '../coverage.ts'
import type { MeshOperation } from '../operation.ts'

const labelFor = labelsUpTo(60)

const { managementHeaders, withManagementToken, withToken } = managementCorrections(
  ({ world, at }) =>
    [...world.table(aclTokens).rows()].find(
      ({ policies, expires_at }) =>
        policies.includes(globalManagementId) && (expires_at ?? Infinity) > at,
    )?.secret_id,
)

/**
 * Returns an amendment that replaces the request. Of the query parameters, only `ns` and `token`
 * are kept.
 */
function replacementRequest(
  { query }: RefusedRequest,
  request: Pick<Amendment, 'method' | 'path' | 'headers'>,
  body?: unknown,
): Amendment {
  const dropped = Object.keys(query).filter((name) => name !== 'ns' && name !== 'token')
  return {
    ...request,
    query: Object.fromEntries(dropped.map((name) => [name, undefined])),
    ...(body !== undefined && { body: () => body }),
  }
}

/**
 * Returns a request that creates the namespace in the path or in `?ns=`; undefined if the name of
 * the namespace is invalid.
 */
const createNamespace: Corrector = (request) => {
  const { name = String(request.refusal?.params['name'] ?? '') } = paramsOf(request, apiPrefix)
  if (!/^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(name)) return undefined
  const replacement = replacementRequest(
    request,
    { method: 'PUT', path: `${apiPrefix}/namespace` },
    { Name: name },
  )
  const query = { ...replacement.query, ns: undefined }
  return {
    change: `Create the namespace with PUT ${apiPrefix}/namespace`,
    request: { ...replacement, query, headers: { ...managementHeaders(request) } },
  }
}

/** Returns a request that writes the missing key. */
const writeKey: Corrector = (request) => ({
  request: replacementRequest(request, { method: 'PUT' }, 'value'),
})

/**
 * Returns a request that creates the policy or role that the path names. For other paths, returns a
 * request that lists the existing objects.
 */
const createObject: Corrector = (request) => {
  const headers = managementHeaders(request)
  const [, kind = '', isNamed] =
    /^\/acl\/(\w+)\/(name\/)?/.exec(request.operation?.path ?? '') ?? []
  const { name = '' } = paramsOf(request, apiPrefix)
  if (isNamed === undefined || (kind !== 'policy' && kind !== 'role')) return listObjects(request)
  const path = `${apiPrefix}/acl/${kind}`
  return {
    request: replacementRequest(
      request,
      { method: 'PUT', path, headers: { ...headers } },
      { Name: name },
    ),
  }
}

/**
 * Returns a request that lists the objects of the kind in the path. If no list of this kind exists,
 * returns a request that lists the tokens.
 */
const listObjects: Corrector = (request) => {
  const [, kind = ''] = /^\/acl\/([\w-]+)/.exec(request.operation?.path ?? '') ?? []
  const path = `${apiPrefix}/acl/${plurals[kind] ?? 'tokens'}`
  const headers = { ...managementHeaders(request) }
  return {
    change: `List the existing objects with GET ${path}`,
    request: replacementRequest(request, { method: 'GET', path, headers }),
  }
}

const plurals: Readonly<Record<string, string>> = {
  policy: 'policies',
  role: 'roles',
  'templated-policy': 'templated-policies',
  'auth-method': 'auth-methods',
  'binding-rule': 'binding-rules',
}

/** Returns a request that creates a session, which can then hold the key. */
const createSession: Corrector = (request) => {
  const path = `${apiPrefix}/session/create`
  return {
    change: `Create a session with PUT ${path}`,
    request: replacementRequest(
      request,
      { method: 'PUT', path, headers: { ...managementHeaders(request) } },
      {},
    ),
  }
}

/** Returns the request with a valid name in the last segment of the path and in the body. */
const renameInPath: Corrector = (request) => {
  const { path } = request
  const name = labelFor(path.split('/').at(-1))
  const to = `${path.slice(0, path.lastIndexOf('/'))}/${name}`
  return {
    change: `Write a namespace with another name: ${to}`,
    request: { path: to, body: (body) => ({ ...Object(body), Name: name }) },
  }
}

/** Returns a request that reads the object that the refused request could not change. */
const readObject: Corrector = (request) => ({
  change: `Read the object with GET ${request.path}`,
  request: replacementRequest(request, { method: 'GET' }),
})

/**
 * Returns a request that reads the existing management token; undefined if there is no such token.
 */
const readToken: Corrector = (request) => {
  const headers = managementHeaders(request)
  if (headers === undefined) return undefined
  const path = `${apiPrefix}/acl/token/self`
  return {
    change: 'Use the existing management token',
    request: replacementRequest(request, { method: 'GET', path, headers: { ...headers } }),
  }
}

/**
 * Returns the request with a body that fits the shape of the operation. If the sent body is not an
 * object, the body is minimal. Returns undefined if the sent body is an object but the operation
 * has no shape.
 */
const correctBody: Corrector = ({ operation, body }) => {
  // The cast is safe: only this API sets the operation of its requests.
  const { body: shape } = { ...(operation as MeshOperation | undefined) }
  if (shape === undefined) {
    const isList = operation?.path === '/txn'
    return isObject(body) ? undefined : { request: { body: () => (isList ? [] : {}) } }
  }
  const known = Object.hasOwn(shape.fields, 'Name') ? { Name: 'example' } : {}
  if (!isObject(body)) return { request: { headers: jsonHeaders, body: () => known } }
  return { request: { body: (sent) => fitToShape(sent, shape) } }
}

const jsonHeaders = { 'content-type': 'application/json' }

/** Corrections by the rule that an explanation names. */
const corrections: Readonly<Record<string, Corrector>> = {
  'token-missing': withToken,
  'token-scheme-wrong': withToken,
  'token-is-accessor': withToken,
  'token-unknown': withToken,
  'token-expired': withToken,
  'token-revoked': withToken,
  'right-missing': withManagementToken,
  'right-missing-bare': withManagementToken,
  'event-token-unknown': withToken,
  'event-unnamed': ({ path }) => ({
    change: 'Add the name of the event to the path',
    request: { path: `${trimEndOf(path, '/')}/example` },
  }),
  'bootstrap-over': readToken,
  'acl-disabled': () => null,
  'namespace-absent': createNamespace,
  'namespace-absent-for-data': createNamespace,
  'namespace-reserved': withMember('Name', labelFor),
  'no-label': withMember('Name', labelFor),
  'namespace-name-unsaid': withMember('Name', () => 'my-namespace'),
  'namespace-builtin': readObject,
  'namespace-marked': renameInPath,
  'key-absent': writeKey,
  'key-missing': ({ path }) => ({
    change: 'Add the name of a key to the path',
    request: { path: `${trimEndOf(path, '/')}/example` },
  }),
  'object-absent': createObject,
  'policy-name-missing': withMember('Name', labelFor),
  'policy-name-odd': withMember('Name', labelFor),
  'policy-name-long': withMember('Name', labelFor),
  'policy-name-reserved': withMember('Name', labelFor),
  'policy-name-in-use': withMember('Name', labelFor),
  'role-name-missing': withMember('Name', labelFor),
  'role-name-odd': withMember('Name', labelFor),
  'role-name-in-use': withMember('Name', labelFor),
  'rules-unreadable': withMember('Rules', () => 'key_prefix "" { policy = "read" }'),
  'session-unknown': createSession,
  'session-absent': createSession,
  'session-ttl-out-of-range': withMember('TTL', () => '60s'),
  'session-ttl-unreadable': withMember('TTL', () => '60s'),
  'session-behavior-unknown': withMember('Behavior', () => 'release'),
  'body-unreadable': correctBody,
  'body-empty': correctBody,
  'wrong-type': correctBody,
  'unknown-field': correctBody,
  'session-body-unreadable': correctBody,
  'txn-body-unreadable': correctBody,
  'login-unreadable': correctBody,
  'lookup-id-no-uuid': listObjects,
  'policy-id-no-uuid': listObjects,
  'role-id-no-uuid': listObjects,
  'accessor-no-uuid': listObjects,
  'accessor-no-uuid-for-deletion': listObjects,
  'nothing-to-delete': listObjects,
  'policy-unknown': listObjects,
  'role-unknown': listObjects,
  'token-absent': listObjects,
  'token-absent-for-read': listObjects,
  'template-unknown': listObjects,
  'template-unknown-for-preview': listObjects,
}

/**
 * Returns the function that corrects refused requests to the mesh API.
 *
 * @param header name of the token header in the dialect
 */
export function correctionIn(header: string) {
  return correctionsByRule(header, corrections, withManagementToken)
}
