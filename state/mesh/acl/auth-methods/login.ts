import { MILLISECOND, SECOND } from '../../../go/duration.ts'
import { quoteGo } from '../../../go/text.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { compileMeshFilter } from '../../filter.ts'
import { defaultNamespace, namespaceKey, namespaceNamed } from '../../namespaces/namespaces.ts'
import { optionsOf } from '../../options.ts'
import { normalizeIdentities } from '../identities.ts'
import { refuse } from '../messages.ts'
import { type AclToken, aclPolicies, aclRoles, aclTokens, nameKey } from '../tables.ts'
import { addToken, dropToken } from '../tokens.ts'
import { authMethod } from './auth-methods.ts'
import {
  BindingError,
  bindingRulesIn,
  boundName,
  boundVariables,
  selectableOf,
} from './binding-rules.ts'
import { type JwtConfig, jwtConfigOf } from './config.ts'
import {
  type Claims,
  claimAt,
  isSignedBy,
  parseToken,
  publicKeyOf,
  publicKeysOfSet,
  validateClaims,
} from './jwt.ts'
import { type AuthMethod, methodKey } from './tables.ts'

/**
 * Identity that a verified credential proves, in the forms that selectors and binding rules need.
 */
interface VerifiedIdentity {
  readonly selectable: object
  /** Variables of binding rules by name, with values in lower case. */
  readonly variables: ReadonlyMap<string, string>
}

interface LoginInput {
  readonly method: string
  readonly bearer: string
  readonly meta: Readonly<Record<string, string>>
}

function keySetOf(world: World, config: JwtConfig) {
  const url = config.keySetUrl || config.discoveryUrl
  if (url === '') return config.keys.flatMap((key) => publicKeyOf(key) ?? [])
  return publicKeysOfSet(optionsOf(world).jwtKeys[url]?.keys ?? [])
}

/** Converts a claim to text; undefined if it is not a scalar. Numbers lose their fraction. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(Math.trunc(value))
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined
}

function jwtIdentity(config: JwtConfig, claims: Claims): VerifiedIdentity {
  const values: Record<string, string> = {}
  for (const [claim, name] of Object.entries(config.claims)) {
    const value = scalarText(claimAt(claims, claim))
    if (value !== undefined) values[name] = value
  }
  const lists: Record<string, readonly string[]> = {}
  for (const [claim, name] of Object.entries(config.listClaims)) {
    const value = claimAt(claims, claim)
    const items = Array.isArray(value) ? value : value === undefined ? [] : [value]
    lists[name] = items.flatMap((item) => scalarText(item) ?? [])
  }
  const names = Object.values(config.claims)
  const variables = names.map(
    (name) => [`value.${name}`, (values[name] ?? '').toLowerCase()] as const,
  )
  return { selectable: { value: values, list: lists }, variables: new Map(variables) }
}

function verifyJwt(world: World, method: AuthMethod, bearer: string): VerifiedIdentity {
  const config = jwtConfigOf(method.config)
  if (bearer === '') throw refuse('login-jwt-missing')
  const token = parseToken(bearer)
  if (typeof token === 'string') throw refuse('login-jwt-malformed', { problem: token })
  if (!keySetOf(world, config).some((key) => isSignedBy(token, key))) {
    throw refuse(config.keys.length > 0 ? 'login-signature' : 'login-key-set-signature')
  }
  const rules = {
    issuer: config.issuer,
    audiences: config.audiences,
    expirationLeeway: config.expirationLeeway / SECOND,
    notBeforeLeeway: config.notBeforeLeeway / SECOND,
    clockSkewLeeway: config.clockSkewLeeway / SECOND,
  }
  validateClaims(token.claims, rules, world.clock.now() / 1_000)
  return jwtIdentity(config, token.claims)
}

/**
 * Verifies the credential of a login. Throws a refusal if the credential is invalid or the method
 * has the type `aws-iam`.
 */
function verifyCredential(world: World, method: AuthMethod, bearer: string): VerifiedIdentity {
  if (method.type === 'jwt') return verifyJwt(world, method, bearer)
  if (method.type === 'aws-iam') throw refuse('login-aws')
  return verifyServiceAccount(world, bearer)
}

/**
 * Verifies a service account's JWT. The JWT is reviewed by the service of the world that stands in
 * for Kubernetes. Throws a refusal if the JWT is malformed or that service does not accept it.
 */
function verifyServiceAccount(world: World, bearer: string): VerifiedIdentity {
  const token = parseToken(bearer)
  if (typeof token === 'string') throw refuse('login-kubernetes-malformed', { problem: token })
  const reviewer = world.services.find((service) => service.reviewServiceAccount !== undefined)
  const account = reviewer?.reviewServiceAccount?.(world, bearer)
  if (account === undefined) throw refuse('login-kubernetes-unknown')
  const { namespace, name, uid } = account
  const serviceaccount = { namespace, name, uid }
  const variables = Object.entries(serviceaccount).map(
    ([member, value]) => [`serviceaccount.${member}`, value.toLowerCase()] as const,
  )
  return { selectable: { serviceaccount }, variables: new Map(variables) }
}

/**
 * Returns the namespace in which a login gets its token. This is the namespace of the method,
 * unless the method is in `default` and one of its namespace rules matches. The first matching rule
 * then names the namespace. Throws a refusal if the rule's namespace does not exist, and a
 * `BindingError` if its name cannot be rendered.
 */
function namespaceOfLogin(world: World, method: AuthMethod, identity: VerifiedIdentity): string {
  const isDefault = namespaceKey(method.namespace) === defaultNamespace
  const rule = method.namespace_rules?.find(({ Selector }) =>
    matchesSelector(Selector, method, identity),
  )
  if (rule === undefined || !isDefault) return method.namespace
  const name = boundName(
    { bind_type: 'namespace', bind_name: rule.BindNamespace },
    identity.variables,
  )
  const namespace = namespaceNamed(world, name)
  if (namespace === undefined) throw refuse('right-missing-bare')
  return namespace.name
}

function matchesSelector(
  selector: string,
  method: AuthMethod,
  { selectable }: VerifiedIdentity,
): boolean {
  if (selector === '') return true
  const filter = compileMeshFilter(selector, selectableOf(method))
  return 'matches' in filter && filter.matches(selectable)
}

/**
 * Returns the links and identities that the matching binding rules grant. Links to missing policies
 * and roles are left out. Throws a `BindingError` for a name or variable that is invalid.
 */
function bindingsOf(
  world: World,
  method: AuthMethod,
  identity: VerifiedIdentity,
  namespace: string,
) {
  const rules = bindingRulesIn(world, method.namespace, method.name).filter(({ selector }) =>
    matchesSelector(selector, method, identity),
  )
  const { variables } = identity
  const boundNames = (type: string) =>
    rules.filter((rule) => rule.bind_type === type).map((rule) => boundName(rule, variables))
  const policies = boundNames('policy').flatMap(
    (name) => world.table(aclPolicies).index('byName').keyOf(nameKey(namespace, name)) ?? [],
  )
  const roles = boundNames('role').flatMap(
    (name) => world.table(aclRoles).index('byName').keyOf(nameKey(namespace, name)) ?? [],
  )
  const { datacenter } = optionsOf(world)
  const identities = normalizeIdentities(
    {
      services: boundNames('service').map((name) => ({ name })),
      nodes: boundNames('node').map((name) => ({ name, datacenter })),
      templated: rules
        .filter(({ bind_type }) => bind_type === 'templated-policy')
        .map((rule) => ({
          template: rule.bind_name,
          variables: boundVariables(rule, variables),
        })),
    },
    'token',
  )
  return { policies: [...new Set(policies)], roles: [...new Set(roles)], ...identities }
}

/**
 * Exchanges a credential for a new token (behaviour/mesh#login). Throws a refusal in each of these
 * cases: the method is unknown; the credential is invalid; the token's namespace does not exist; a
 * binding rule cannot be applied; no binding rule grants anything.
 */
export function logIn(world: World, namespace: string, input: LoginInput): AclToken {
  const method = authMethod(world, namespace, input.method)
  if (method === undefined) {
    throw refuse('auth-method-unknown', { quoted: quoteGo(input.method) })
  }
  const identity = verifyCredential(world, method, input.bearer)
  try {
    const scope = namespaceOfLogin(world, method, identity)
    const bindings = bindingsOf(world, method, identity, scope)
    const { policies, roles, ...identities } = bindings
    const hasNoBindings =
      policies.length + roles.length === 0 && Object.keys(identities).length === 0
    if (hasNoBindings) throw refuse('right-missing-bare')
    const meta = Object.entries(input.meta).sort(([a], [b]) => (a < b ? -1 : 1))
    const suffix = meta.length === 0 ? '' : `: ${JSON.stringify(Object.fromEntries(meta))}`
    const ttl = Math.ceil(method.max_token_ttl / MILLISECOND)
    return world.write(() =>
      addToken(world, {
        namespace: scope,
        description: `token created via login${suffix}`,
        ...bindings,
        local: method.token_locality !== 'global',
        auth_method: methodKey(method.namespace, method.name),
        expires_at: ttl === 0 ? null : world.clock.now() + ttl,
      }),
    )
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    throw refuse('login-binding-failed', { problem: error.message })
  }
}

/**
 * Deletes a token that a login created. Throws a refusal for an unknown secret and for other
 * tokens.
 */
export function logOut(world: World, secret: string): void {
  const token = world.table(aclTokens).index('bySecret').get(secret)
  if (token === undefined) throw refuse('token-unknown')
  if (token.auth_method === undefined) throw refuse('logout-without-login')
  world.write(() => dropToken(world, token))
}
