import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type Mount, storagePrefix } from '../../../state/secrets/mounts/mounts.ts'
import { codeTable } from '../../../state/secrets/oidc/authorize.ts'
import { clientById, clientsOf, type OidcClient } from '../../../state/secrets/oidc/clients.ts'
import { oidcKeys } from '../../../state/secrets/oidc/keys.ts'
import { oidcProviders } from '../../../state/secrets/oidc/providers.ts'
import { oidcRoles, rolesOfKey } from '../../../state/secrets/oidc/roles.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Amendment, Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import {
  type ExplainInMount,
  type Explanations,
  explainInMount,
  explainUnknownName,
  joinNames,
  lastSegment,
  memberOf,
} from './names.ts'
import { targetOf } from './request-target.ts'
import { sendTo, withField } from './root-requests.ts'

/**
 * Returns a parameter of an authorization request from the query or the body; empty if it is
 * missing.
 */
function parameter({ query, body }: RefusedRequest, name: string): string {
  return String([query[name]].flat()[0] ?? memberOf({ body }, name) ?? '')
}

/**
 * Returns the change that sets a parameter. A GET or a request without a body has the parameter in
 * the query; any other request has it in the body.
 */
function withParameter({ method, body }: RefusedRequest, name: string, value: string): Amendment {
  return method === 'GET' || body === undefined
    ? { query: { [name]: value } }
    : { body: (sent) => ({ ...Object(sent), [name]: value }) }
}

/**
 * Returns the name and the data of the client that the request's `client_id` identifies; undefined
 * if there is no such client.
 */
function clientOf(request: RefusedRequest, mount: Mount): [string, OidcClient] | undefined {
  const client = clientById(request.world, mount, parameter(request, 'client_id'))
  return clientsOf(request.world, mount).find(([, each]) => each === client)
}

const explainUnknownClient: ExplainInMount = (request, mount) => {
  const id = parameter(request, 'client_id')
  const clients = clientsOf(request.world, mount)
  const named = clients.find(([name]) => name === id) ?? clients[0]
  const names = joinNames(clients.map(([name]) => name))
  if (named === undefined) {
    const body = { redirect_uris: 'http://localhost:8250/oidc/callback', assignments: 'allow_all' }
    return {
      because: `no client has the "client_id" ${id}; there are no clients`,
      ...sendTo(request, `${mount.path}oidc/client/app`, () => body, 'Create a client first'),
    }
  }
  const [name, { client_id }] = named
  const hint = name === id ? `, which is the name of a client, not its "client_id"` : ''
  return {
    because: `no client has the "client_id" ${id}${hint}; the clients are ${names}`,
    change: `Send the "client_id" of ${name}`,
    request: withParameter(request, 'client_id', client_id),
  }
}

const explainRedirect: ExplainInMount = (request, mount) => {
  const found = clientOf(request, mount)
  if (found === undefined) return undefined
  const [name, { redirect_uris }] = found
  const [first] = redirect_uris
  const because = `the client ${name} allows ${first === undefined ? 'no address' : joinNames(redirect_uris)} as "redirect_uri", but the request has ${parameter(request, 'redirect_uri')}`
  if (first !== undefined) {
    return {
      because,
      change: `Send "redirect_uri": "${first}"`,
      request: withParameter(request, 'redirect_uri', first),
    }
  }
  const body = { redirect_uris: [parameter(request, 'redirect_uri')] }
  const path = `${mount.path}oidc/client/${name}`
  return { because, ...sendTo(request, path, () => body, 'Add the address to the client') }
}

const explainUnknownProvider: ExplainInMount = (request, mount) => {
  const name = /\/provider\/([^/]+)/.exec(request.path)?.[1] ?? ''
  return explainUnknownName(request, mount, {
    kind: 'OIDC provider',
    name,
    names: oidcProviders.names(request.world, mount),
    create: () =>
      sendTo(
        request,
        `${mount.path}oidc/provider/${name}`,
        () => ({ allowed_client_ids: '*' }),
        'Create the provider first',
      ),
  })
}

const explainClientOfProvider: ExplainInMount = (request, mount) => {
  const [name = '', client] = clientOf(request, mount) ?? []
  const provider = /\/provider\/([^/]+)/.exec(request.path)?.[1] ?? ''
  const { allowed_client_ids: ids = [] } = { ...oidcProviders.find(request.world, mount, provider) }
  const body = { allowed_client_ids: [...ids, client?.client_id] }
  const path = `${mount.path}oidc/provider/${provider}`
  return {
    because: `the provider ${provider} does not list the client ${name} in "allowed_client_ids"`,
    ...sendTo(request, path, () => body, 'Add the client to "allowed_client_ids"'),
  }
}

const explainAssignment: ExplainInMount = (request, mount) => {
  const [name = '', { assignments = [] } = { assignments: [] }] = clientOf(request, mount) ?? []
  const which =
    assignments.length === 0
      ? 'has no assignments'
      : `has only the assignments ${joinNames(assignments)}`
  const path = `${mount.path}oidc/client/${name}`
  return {
    because: `the client ${name} ${which}, so it does not allow the entity of the token`,
    ...sendTo(
      request,
      path,
      () => ({ assignments: 'allow_all' }),
      'Assign all entities to the client',
    ),
  }
}

/** Explains that a token has no entity. Only tokens that were issued by a login have an entity. */
function explainMissingEntity(request: RefusedRequest): Diagnosis {
  const { mount } = targetOf(request)
  const path = `${mount?.path ?? 'identity/'}entity`
  return {
    because: `the token has no entity: only tokens from logins have one, not root tokens or tokens from auth/token/create`,
    ...sendTo(
      request,
      path,
      () => ({ name: 'ada' }),
      'Log in, which creates an entity, and send the token of the login',
    ),
  }
}

/**
 * Explains why an authorization code is refused, based on what the journal shows about the code.
 */
const explainGrant: ExplainInMount = (request, mount) => {
  const key = storagePrefix(mount) + parameter(request, 'code')
  for (const { id, changes } of request.earlier()) {
    const change = changes.findLast((each) => each.table === codeTable.id && each.key === key)
    if (change === undefined) continue
    // The cast is safe: the rows of `codeTable` are codes.
    const row = (change.after ?? change.before) as { expire_time: number; redirect_uri: string }
    if (change.after === undefined) {
      return {
        because: `the code was already used by the request ${id}; each code can be used only once`,
      }
    }
    if (row.expire_time < request.at) {
      const end = formatTimestamp(row.expire_time)
      return { because: `the code was valid for five minutes, until ${end}` }
    }
    const because = `"redirect_uri" is ${parameter(request, 'redirect_uri')}, but the code was requested with ${row.redirect_uri}`
    return { because }
  }
  return { because: 'this provider did not issue the code' }
}

const explainUnknownTokenRole: ExplainInMount = (request, mount) => {
  const name = lastSegment(request)
  const path = `${mount.path}oidc/role/${name}`
  return explainUnknownName(request, mount, {
    kind: 'OIDC role',
    name,
    names: oidcRoles.names(request.world, mount),
    create: () =>
      sendTo(request, path, () => ({ key: 'default' }), `Create the role ${name} first`),
  })
}

/**
 * Explains that the key of a role does not list the client id of the role. Returns undefined if the
 * role is unknown.
 */
const explainKeyOfRole: ExplainInMount = (request, mount) => {
  const name = lastSegment(request)
  const role = oidcRoles.find(request.world, mount, name)
  if (role === undefined) return undefined
  const { key, client_id } = role
  const { allowed_client_ids: ids = [] } = { ...oidcKeys.find(request.world, mount, key) }
  const body = { allowed_client_ids: [...ids, client_id] }
  return {
    because: `the key ${key} lists ${ids.length === 0 ? 'no client ids' : joinNames(ids)} in "allowed_client_ids", but the client id of the role ${name} is ${client_id}`,
    ...sendTo(request, `${mount.path}oidc/key/${key}`, () => body, 'Add the client id to the key'),
  }
}

const explainUnknownKey: ExplainInMount = (request, mount) => {
  const { world } = request
  const keyNameInRole = oidcRoles.find(world, mount, lastSegment(request))?.key
  const name = String(memberOf(request, 'key') ?? keyNameInRole ?? lastSegment(request))
  const names = oidcKeys.names(world, mount)
  const closest = closestName(name, names) ?? 'default'
  const because = `there is no key ${name}; the closest name is ${closest}`
  if (memberOf(request, 'key') !== undefined) {
    return { because, ...withField('key', closest)(request) }
  }
  const body = { allowed_client_ids: '*' }
  return {
    because,
    ...sendTo(request, `${mount.path}oidc/key/${name}`, () => body, `Create the key ${name} first`),
  }
}

/** Explains that tokens of a role would be valid for longer than the role's key can verify them. */
const explainLongRole: ExplainInMount = (request, mount) => {
  const { world } = request
  const role = oidcRoles.find(world, mount, lastSegment(request))
  const key = String(memberOf(request, 'key') ?? role?.key ?? '')
  const { verification_ttl = 0 } = { ...oidcKeys.find(world, mount, key) }
  const ttl = String(memberOf(request, 'ttl') ?? role?.ttl ?? '24h, the default')
  return {
    because: `"ttl" is ${ttl}, longer than the "verification_ttl" of the key ${key}, ${verification_ttl} seconds`,
    ...withField('ttl', verification_ttl)(request),
  }
}

const explainUsedKey: ExplainInMount = (request, mount) => {
  const name = lastSegment(request)
  const [first, ...others] = rolesOfKey(request.world, mount, name)
  const roles = joinNames([first, ...others].flatMap((each) => each?.[0] ?? []))
  const { request: sent } = sendTo(request, `${mount.path}oidc/role/${first?.[0]}`, () => ({}))
  return {
    because: `the roles ${roles} sign with the key ${name}`,
    change: 'Delete the roles first, or give them another key',
    request: { ...sent, method: 'DELETE' },
  }
}

/** Explanations of refusals by OIDC providers, and of refusals about identity tokens, by rule. */
export const oidcExplanations: Explanations = {
  'oidc-entity-absent': explainMissingEntity,
  'oidc-entity-missing': explainMissingEntity,
  ...explainInMount({
    'oidc-client-unknown': explainUnknownClient,
    'oidc-redirect-not-allowed': explainRedirect,
    'oidc-provider-unknown': explainUnknownProvider,
    'oidc-token-provider-unknown': explainUnknownProvider,
    'oidc-client-not-allowed': explainClientOfProvider,
    'oidc-client-not-of-provider': explainClientOfProvider,
    'oidc-entity-not-assigned': explainAssignment,
    'oidc-token-not-assigned': explainAssignment,
    'oidc-grant-invalid': explainGrant,
    'oidc-role-unknown': explainUnknownTokenRole,
    'oidc-role-not-allowed': explainKeyOfRole,
    'oidc-key-unknown': explainUnknownKey,
    'oidc-role-key-unknown': explainUnknownKey,
    'oidc-role-ttl-long': explainLongRole,
    'oidc-key-of-roles': explainUsedKey,
    'oidc-scope-without-openid': (request) => ({
      because: `"scope" is "${parameter(request, 'scope')}", but an OIDC request must have the scope openid`,
      change: 'Add openid to "scope"',
      request: withParameter(request, 'scope', `openid ${parameter(request, 'scope')}`.trim()),
    }),
    'oidc-response-type-unknown': (request) => ({
      because: `"response_type" is ${parameter(request, 'response_type')}; it must be code`,
      change: 'Send "response_type": "code"',
      request: withParameter(request, 'response_type', 'code'),
    }),
    'oidc-pkce-missing': (request, mount) => ({
      because: `the client ${clientOf(request, mount)?.[0] ?? ''} is public, so its requests must have a "code_challenge" (PKCE)`,
      change: 'Send a "code_challenge"',
      request: withParameter(request, 'code_challenge', 'a'.repeat(43)),
    }),
  }),
}
