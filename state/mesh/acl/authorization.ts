import type { World } from '../../kernel/worlds/world.ts'
import { namespaceKey, namespaceNamed } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { globalManagementId } from './builtin-policies.ts'
import {
  type Identities,
  nodePolicy,
  type SyntheticPolicy,
  servicePolicy,
  templatedPolicy,
} from './identities.ts'
import { parseStoredRules } from './rule-language.ts'
import type { AccessLevel, Resource } from './rulebook.ts'
import { allows, type Origin, Rulebook, type RuleSource, type Ruling } from './rulebook.ts'
import { type AclToken, aclPolicies, aclRoles } from './tables.ts'

/** Access that a request requires: to one object, or to several objects of one resource. */
export interface AccessNeed {
  readonly resource: Resource
  readonly access: AccessLevel
  /** Name of the key, namespace, service and so on; left out for resources without names. */
  readonly name?: string
  /** Namespace of the object; by default the token's own. */
  readonly namespace?: string
  /**
   * True to require access to every object whose name begins with `name`
   * (behaviour/mesh#recursive-delete).
   */
  readonly isPrefix?: boolean
  /**
   * True if access to at least one object of the resource is enough (behaviour/mesh#intentions).
   */
  readonly isAny?: boolean
}

/** Origin of the rule that decided an access check. */
type DecisionSource =
  /** A policy or identity of the token or of one of its roles. */
  | 'token'
  /**
   * A default policy of the token's namespace, or a policy or identity of one of its default roles.
   */
  | 'namespace-defaults'
  /** The world option `defaultPolicy`, because no rule matched. The option never grants `acl`. */
  | 'default-policy'
  /** ACLs are disabled. */
  | 'acl-disabled'

/** Result of an access check, with the rule that led to this result. */
export interface Decision {
  readonly allowed: boolean
  /**
   * The deciding rule in the syntax of policies; `global-management` if the policy with this name
   * decided. Null if no rule matched or ACLs are disabled.
   */
  readonly rule: string | null
  readonly source: DecisionSource
  /**
   * The policy that contains the rule, and the role through which the token has the policy, if
   * there is one. Null if no rule matched or ACLs are disabled.
   */
  readonly origin: Origin | null
}

/**
 * Rules of equal rank. The first layer contains the rules of the token, and the second layer the
 * defaults of its namespace.
 */
interface RuleLayer {
  readonly source: 'token' | 'namespace-defaults'
  readonly rulebook: Rulebook
  /**
   * The builtin policy that grants everything, if the token or the defaults have it; otherwise
   * undefined.
   */
  readonly unrestrictedOrigin: Origin | undefined
}

/**
 * Sources of the rules of a token or of a namespace's defaults: IDs of policies, IDs of roles, and
 * identities.
 */
interface PolicyLinks extends Identities {
  readonly policies: readonly string[]
  readonly roles: readonly string[]
}

/**
 * The rights of a token (behaviour/mesh#acl-decision). The token's own rules come first, then the
 * defaults of its namespace, then the default policy. Policies are looked up once per instance, so
 * each request needs a new instance.
 */
export class Authorization {
  readonly #world: World
  readonly #token: AclToken
  #tokenLayer: RuleLayer | undefined
  #defaultsLayer: RuleLayer | undefined

  constructor(world: World, token: AclToken) {
    this.#world = world
    this.#token = token
  }

  decide({
    resource,
    access,
    name = '',
    namespace = this.#token.namespace,
    isPrefix = false,
    isAny = false,
  }: AccessNeed): Decision {
    // No rule on namespaces grants write access to a namespace; only `operator:write` does
    // (behaviour/mesh#differences).
    if (resource === 'namespace') {
      return access === 'write'
        ? this.#decide('operator', 'write', '', namespace)
        : this.#readNamespace(name)
    }
    return this.#decide(resource, access, name, namespace, isPrefix, isAny)
  }

  #decide(
    resource: Resource,
    access: AccessLevel,
    name: string,
    namespace: string,
    isPrefix = false,
    isAny = false,
  ): Decision {
    for (const layer of this.#layers()) {
      if (layer.unrestrictedOrigin !== undefined)
        return fullGrant(layer.source, layer.unrestrictedOrigin)
      const { rulebook } = layer
      const found = isAny
        ? rulebook.findAny(resource, namespace, access)
        : isPrefix
          ? rulebook.findForPrefix(resource, name, namespace)
          : rulebook.find(resource, name, namespace)
      const ruling =
        found ?? (operatorResources.has(resource) ? rulebook.find('operator', '', '') : undefined)
      if (ruling !== undefined) return ruleDecision(layer, ruling, allows(ruling, resource, access))
    }
    return this.#byDefaultPolicy(resource)
  }

  /**
   * Decides whether a namespace can be read. Several kinds of rules can grant read access
   * (behaviour/mesh#checks).
   */
  #readNamespace(name: string): Decision {
    for (const layer of this.#layers()) {
      const { rulebook, unrestrictedOrigin, source } = layer
      if (unrestrictedOrigin !== undefined) return fullGrant(source, unrestrictedOrigin)
      const namespaceRuling = rulebook.find('namespace', name, '')
      const grantingRuling =
        ifGranting(rulebook.find('operator', '', ''), 'operator') ??
        ifGranting(namespaceRuling, 'namespace') ??
        rulebook.grantInNamespace(name) ??
        this.#homeNamespaceRule(name, rulebook)
      if (grantingRuling !== undefined) return ruleDecision(layer, grantingRuling, true)
      if (namespaceRuling !== undefined) return ruleDecision(layer, namespaceRuling, false)
    }
    return this.#byDefaultPolicy('namespace')
  }

  /**
   * Returns undefined if `name` is not the token's own namespace. Otherwise, returns the first rule
   * that grants any access to any resource, if there is one.
   */
  #homeNamespaceRule(name: string, rulebook: Rulebook): Ruling | undefined {
    return namespaceKey(name) === namespaceKey(this.#token.namespace)
      ? rulebook.anyGrant
      : undefined
  }

  #byDefaultPolicy(resource: Resource): Decision {
    const allowed = resource !== 'acl' && optionsOf(this.#world).defaultPolicy === 'allow'
    return { allowed, rule: null, source: 'default-policy', origin: null }
  }

  *#layers(): Generator<RuleLayer, void, undefined> {
    this.#tokenLayer ??= this.#createLayer('token', this.#token)
    yield this.#tokenLayer
    this.#defaultsLayer ??= this.#createLayer('namespace-defaults', this.#namespaceDefaults())
    yield this.#defaultsLayer
  }

  #namespaceDefaults(): PolicyLinks {
    const acls = namespaceNamed(this.#world, this.#token.namespace)?.acls
    return { policies: acls?.policy_defaults ?? [], roles: acls?.role_defaults ?? [] }
  }

  #createLayer(source: RuleLayer['source'], links: PolicyLinks): RuleLayer {
    const sources = sourcesOf(this.#world, links, this.#token.namespace)
    return {
      source,
      rulebook: new Rulebook(sources, this.#token.namespace),
      unrestrictedOrigin: sources.find(({ origin }) => origin.policy.id === globalManagementId)
        ?.origin,
    }
  }
}

/** Resources to which the rule on `operator` applies if no rule names the resource. */
const operatorResources: ReadonlySet<Resource> = new Set(['mesh', 'peering'])

function ifGranting(ruling: Ruling | undefined, resource: Resource): Ruling | undefined {
  return ruling !== undefined && allows(ruling, resource, 'read') ? ruling : undefined
}

function fullGrant(source: DecisionSource, origin: Origin): Decision {
  return { allowed: true, rule: 'global-management', source, origin }
}

function ruleDecision({ source }: RuleLayer, { rule, origin }: Ruling, allowed: boolean): Decision {
  return { allowed, rule, source, origin }
}

/**
 * Returns the policies that links and identities grant, directly or through roles. Ignores links to
 * deleted objects, and ignores policies that are not valid in the world's datacenter.
 */
function sourcesOf(world: World, links: PolicyLinks, namespace: string): RuleSource[] {
  const { datacenter } = optionsOf(world)
  const sources: RuleSource[] = []
  const addPolicy = (id: string, role?: Origin['role']) => {
    const policy = world.table(aclPolicies).get(id)
    if (policy === undefined || !isValidIn(policy, datacenter)) return
    const { name, namespace } = policy
    sources.push({
      origin: { policy: { id, name, namespace }, ...(role === undefined ? {} : { role }) },
      rules: world.derived(policy, parseStoredRules),
    })
  }
  const addIdentityPolicies = (identities: Identities, role?: Origin['role']) => {
    for (const policy of policiesOfIdentities(world, identities)) {
      if (!isValidIn(policy, datacenter)) continue
      const { id, name, rules } = policy
      const origin = { policy: { id, name, namespace }, ...(role === undefined ? {} : { role }) }
      sources.push({ origin, rules })
    }
  }
  for (const id of links.policies) addPolicy(id)
  addIdentityPolicies(links)
  for (const id of links.roles) {
    const role = world.table(aclRoles).get(id)
    if (role === undefined) continue
    const { name, namespace } = role
    for (const policy of role.policies) addPolicy(policy, { id, name, namespace })
    addIdentityPolicies(role, { id, name, namespace })
  }
  return sources
}

/** Returns the generated policies of service identities, node identities and templated policies. */
export function policiesOfIdentities(
  world: World,
  identities: Identities,
): readonly SyntheticPolicy[] {
  const { service_identities = [], node_identities = [], templated_policies = [] } = identities
  return [
    ...service_identities.map((identity) => world.derived(identity, servicePolicy)),
    ...node_identities.map((identity) => world.derived(identity, nodePolicy)),
    ...templated_policies.map((policy) => world.derived(policy, templatedPolicy)),
  ]
}

function isValidIn(
  { datacenters }: { readonly datacenters: readonly string[] },
  datacenter: string,
): boolean {
  return datacenters.length === 0 || datacenters.includes(datacenter)
}
