import { isObject } from '../../../state/kernel/objects.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { isVersioned } from '../../../state/secrets/mounts/mounts.ts'
import {
  currentUnsealProgress,
  isInitialized,
  isSealed,
  unsealKeys,
} from '../../../state/secrets/seal/seal.ts'
import type {
  Amendment,
  Correction,
  ExplainedRequest,
} from '../../http/journal-hooks/api-explanations.ts'
import { fitToShape, sampleOf } from '../../http/journal-hooks/fitting-values.ts'
import type { Corrector, RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { fieldInfo } from '../fields/fields.ts'
import type { SecretsOperation } from '../operation.ts'
import {
  exampleSecret,
  nameVersions,
  readOtherVersion,
  undelete,
  writeSecret,
} from './kv-corrections.ts'
import { loginCorrections } from './login-corrections.ts'
import { pathTo, targetOf } from './request-target.ts'
import { readInstead, rootHeaders, sendTo, withField, withRootToken } from './root-requests.ts'

/** A public key for examples. Nobody has its private key. */
const examplePublicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWCO3bkmWo7OhIE6tqDkrGAGn3eTT
z6fMncisM+wiqHj5hrcJ+6pul0XqzecTNQvPMjqDj9pdvlkG7lWm2ZJF6w==
-----END PUBLIC KEY-----`

/** Returns the name of the token header in a dialect, in lower case. */
export function tokenHeaderOf({ headerPrefix }: SecretsDialect): string {
  return `${headerPrefix}Token`.toLowerCase()
}

/**
 * Returns a function that corrects refused requests. The function returns null if only the caller
 * can correct the request, and undefined if no correction is known.
 */
export function correctionIn(dialect: SecretsDialect) {
  const tokenHeader = tokenHeaderOf(dialect)
  return (request: ExplainedRequest, rule: string): Correction | null | undefined => {
    const correct = corrections[rule]
    if (correct !== undefined) return correct({ ...request, tokenHeader })
    const { access } = { ...(request.operation as SecretsOperation | undefined) }
    const refused = { ...request, tokenHeader }
    // A login needs no token, so another token does not help.
    if (request.refusal?.kind === 'denied') {
      return access === 'anyone' ? undefined : withRootToken(refused)
    }
    const isIncomplete = /missing|empty|required/.test(rule)
    return (isIncomplete ? fillFields(refused) : undefined) ?? askForHelp(refused)
  }
}

/**
 * Suggests initializing the service, or submitting the next key share if the service is
 * initialized. If neither is possible, suggests reading the state of the node.
 */
const unsealOrInitialize: Corrector = ({ world }) => {
  const headers = { 'content-type': 'application/json' }
  if (!isInitialized(world)) {
    const body = () => ({ secret_shares: 1, secret_threshold: 1 })
    return { request: { method: 'PUT', path: '/v1/sys/init', headers, query: {}, body } }
  }
  const { shares } = currentUnsealProgress(world)
  const key = unsealKeys(world).keys.find((each) => !shares.includes(each))
  if (!isSealed(world) || key === undefined) {
    const request = { method: 'GET', path: '/v1/sys/seal-status' }
    return { change: 'Read the state of the node with GET /v1/sys/seal-status', request }
  }
  const body: NonNullable<Amendment['body']> = (_sent, fingerprintOf) => ({
    key: fingerprintOf(key),
  })
  return { request: { method: 'PUT', path: '/v1/sys/unseal', headers, body } }
}

/**
 * Suggests mounting an engine or a login method at the path of the request. Returns undefined if
 * the path names no mount.
 */
const mountAtPath: Corrector = (request) => {
  const parts = targetOf(request).path.split('/')
  const [first = '', second = ''] = parts
  const isAuth = first === 'auth'
  const at = isAuth ? second : first
  if (at === '') return undefined
  const type = isAuth ? (loginTypes.has(at) ? at : 'userpass') : at === 'transit' ? at : 'kv'
  return sendTo(request, `sys/${isAuth ? 'auth' : 'mounts'}/${at}`, () => ({ type }))
}

const loginTypes: ReadonlySet<string> = new Set(['userpass', 'approle', 'jwt'])

/**
 * Returns a correction that appends `ending` to the path. Used if the path ends with a name that is
 * protected or already taken, such as the name of an existing mount.
 */
function withSuffix(ending: string): Corrector {
  return ({ path }) => {
    const to = `${trimEndOf(path, '/')}${ending}`
    return { request: { path: to }, change: `Send the request to ${to}` }
  }
}

/** Suggests another mount path, which is built from the last segment of the reserved path. */
const mountElsewhere: Corrector = ({ path }) => {
  const name = path.split('/').findLast((part) => part !== '') ?? ''
  const to = `/v1/sys/mounts/my-${name}`
  return { request: { path: to }, change: `Send the request to ${to}` }
}

/**
 * Suggests a JSON object as the body: an example secret if the request writes a secret in a
 * versioned mount, otherwise an empty object.
 */
const sendObject: Corrector = (request) => {
  const { mount, path } = targetOf(request)
  const isSecret =
    mount !== undefined && isVersioned(mount)
      ? /^data(\/|$)/.test(path.slice(mount.path.length))
      : false
  return {
    request: {
      headers: { 'content-type': 'application/json' },
      body: () => (isSecret ? { data: exampleSecret } : {}),
    },
  }
}

/**
 * Suggests a valid value for the field of the body that cannot be converted. If the invalid field
 * is in the query, suggests leaving it out. Returns undefined if no operation serves the request.
 */
const fitFields: Corrector = ({ operation, query, refusal }) => {
  const { fields } = { ...(operation as SecretsOperation | undefined) }
  if (fields === undefined) return undefined
  const name = String(refusal?.details['field'])
  if (name in query) {
    return { change: `Omit ?${name}`, request: { query: { [name]: undefined } } }
  }
  return {
    request: {
      body: (body) =>
        Object.fromEntries(
          Object.entries(Object(body)).map(([name, value]) => {
            const field = Object.hasOwn(fields, name) ? fields[name] : undefined
            return [name, field === undefined ? value : fitToShape(value, fieldInfo(field).shape)]
          }),
        ),
    },
  }
}

/**
 * Suggests values for the missing required fields. Returns undefined in each of these cases: no
 * field is missing; the method is GET; the kind of the refusal is not `invalid`.
 */
const fillFields: Corrector = ({ operation, method, body, query, refusal }) => {
  const { fields = {} } = { ...(operation as SecretsOperation | undefined) }
  const missingFields = Object.entries(fields).filter(
    ([name, field]) => fieldInfo(field).required && !(name in Object(body)) && !(name in query),
  )
  if (refusal?.kind !== 'invalid' || method === 'GET' || missingFields.length === 0)
    return undefined
  const filled = missingFields.map(([name, field]) => [name, filledSample(fieldInfo(field).shape)])
  return {
    change: `Send ${missingFields.map(([name]) => `"${name}"`).join(', ')}`,
    request: {
      headers: { 'content-type': 'application/json' },
      body: (sent) => ({ ...(isObject(sent) ? sent : {}), ...Object.fromEntries(filled) }),
    },
  }
}

/** Returns an example value. A list has one item, because required lists must not be empty. */
function filledSample(shape: Shape): unknown {
  return shape.kind === 'list' ? [sampleOf(shape.of)] : sampleOf(shape)
}

/**
 * Suggests reading the help text of the path, or of its mount if no operation serves the path.
 * Returns undefined for a path without a mount.
 */
const askForHelp: Corrector = (request) => {
  const { query, operation } = request
  const { mount, namespace, headerNamespace } = targetOf(request)
  if (mount === undefined) return undefined
  const path =
    operation === undefined ? pathTo(namespace, headerNamespace, mount.path) : request.path
  const withoutQuery = Object.fromEntries(Object.keys(query).map((name) => [name, undefined]))
  return {
    change: `Read the help for the path with GET ${path}?help=1`,
    request: {
      method: 'GET',
      path,
      query: { ...withoutQuery, help: '1' },
      headers: { ...rootHeaders(request) },
    },
  }
}

/**
 * Suggests sending a root token. The correction has no `change`, because the diagnosis already
 * describes the change.
 */
const withToken: Corrector = (request) => {
  const correction = withRootToken(request)
  return correction && { request: correction.request }
}

/**
 * Suggests sending the public keys themselves, instead of the URLs from which the service would
 * fetch them.
 */
const sendPublicKey: Corrector = () => ({
  change: 'Send the public keys in "jwt_validation_pubkeys"',
  request: {
    body: (sent) => ({
      ...Object.fromEntries(
        Object.entries(Object(sent)).filter(
          ([name]) => !/^(?:jwks|oidc_discovery)_/.test(name) && name !== 'jwks_pairs',
        ),
      ),
      jwt_validation_pubkeys: [examplePublicKey],
    }),
  },
})

const noCorrection: Corrector = () => null

/** Corrections by the rule that the explanation of the refusal names. */
const corrections: Readonly<Record<string, Corrector>> = {
  ...loginCorrections,
  'token-missing': withToken,
  'token-scheme-wrong': withToken,
  'token-unknown': withToken,
  'token-expired': withToken,
  'token-revoked': withToken,
  'token-used-up': withToken,
  'token-bound': withToken,
  'token-of-other-namespace': withRootToken,
  'acl-denied': withRootToken,
  'parameters-denied': withRootToken,
  sealed: unsealOrInitialize,
  'secret-unknown': writeSecret(false),
  'folder-empty': writeSecret(true),
  'version-unknown': writeSecret(false),
  'version-deleted': undelete,
  'version-destroyed': readOtherVersion,
  'no-versions': nameVersions,
  'no-versions-to-destroy': nameVersions,
  'no-data': withField('data', exampleSecret),
  'mount-unknown': mountAtPath,
  'mount-protected': mountElsewhere,
  'unmount-protected': readInstead(() => '/v1/sys/mounts'),
  'mount-in-use': withSuffix('-2'),
  'type-unknown': withField('type', 'kv'),
  'policy-fixed': withSuffix('-2'),
  'policy-not-deletable': readInstead((path) => path),
  'policy-unreadable': withField('policy', 'path "secret/*" { capabilities = ["read"] }'),
  'namespace-name-invalid': renameNamespace,
  'namespace-not-found': makeNamespace,
  'token-role-unknown': makeTokenRole,
  'body-unreadable': sendObject,
  'bare-body-unreadable': sendObject,
  // The next three rules refuse requests that lack a valid signature. Only an issuer can make such
  // a signature.
  'orch-login-unverified': noCorrection,
  'orch-login-not-reviewed': noCorrection,
  'jwt-unverified': noCorrection,
  'jwt-key-set-failed': sendPublicKey,
  'jwt-discovery-failed': sendPublicKey,
  'disabled-on-secondary': readInstead(() => '/v1/sys/seal-status'),
  'unsupported-path': askForHelp,
  'route-unknown': askForHelp,
  'field-unconvertible': fitFields,
  'field-validation-failed': fitFields,
}

/**
 * Suggests a valid name for the namespace. Valid names consist of letters, digits, hyphens and
 * underscores.
 */
function renameNamespace({ path }: RefusedRequest): Correction {
  const parts = path.split('/').filter((part) => part !== '')
  const name = decodeURIComponent(parts.at(-1) ?? '').replaceAll(/[^\w-]+/g, '-')
  const to = `/${[...parts.slice(0, -1), `my-${name}`].join('/')}`
  return { request: { path: to }, change: `Send the request to ${to}` }
}

/**
 * Suggests creating the namespace in the header. Returns undefined if the header is missing or
 * names a nested namespace.
 */
function makeNamespace(request: RefusedRequest): Correction | undefined {
  const name = targetOf(request).headerNamespace.replace(/\/$/, '')
  const header = Object.keys(request.headers).find((each) => each.endsWith('-namespace'))
  // A namespace is created by a request to its parent. The correction sends its request to the root
  // namespace, so it can create only top-level namespaces.
  if (name === '' || name.includes('/') || header === undefined) return undefined
  return {
    request: {
      method: 'POST',
      path: `/v1/sys/namespaces/${name}`,
      headers: { ...rootHeaders(request), [header]: undefined, 'content-type': 'application/json' },
      body: () => ({}),
    },
  }
}

/** Suggests creating the token role in the path. */
function makeTokenRole(request: RefusedRequest): Correction {
  const role = targetOf(request).path.split('/').at(-1) ?? ''
  return sendTo(request, `auth/token/roles/${role}`, () => ({}), `Create the role ${role} first`)
}
