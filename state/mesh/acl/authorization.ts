import type { World } from '../../kernel/world.ts'
import { namespaceKey, namespaceNamed } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { globalManagementId } from './builtin-policies.ts'
import { type Identified, nodePolicy, type SyntheticPolicy, servicePolicy } from './identities.ts'
import { storedRules } from './rule-language.ts'
import { allows, type Origin, Rulebook, type RuleSource, type Ruling } from './rulebook.ts'
import type { Access, Resource } from './rules.ts'
import { type AclToken, aclPolicies, aclRoles } from './tables.ts'

/** The access that one needs to something. */
export interface Need {
  readonly resource: Resource
  readonly access: Access
  /** Of the key, namespace, service, …; left out for what has no name. */
  readonly name?: string
  /** Where; default: the token's own. */
  readonly namespace?: string
  /** Asks for everything whose name begins like `name` (behaviour/mesh#recursive-delete). */
  readonly below?: boolean
}

/** Where the rule that decided comes from. */
export type DecisionSource =
  /** The token's policies or those of its roles. */
  | 'token'
  /** The defaults of the token's namespace. */
  | 'namespace-defaults'
  /** No rule: the world option `defaultPolicy`, which never grants `acl`. */
  | 'default-policy'
  /** ACLs are off. */
  | 'acl-disabled'

/** A decision: allowed or not, and what decided it. */
export interface Decision {
  readonly allowed: boolean
  /**
   * The rule that decided, as one would write it; `global-management` when that policy did, null when
   * none did.
   */
  readonly rule: string | null
  readonly source: DecisionSource
  /** The policy that holds the rule, and the role that brought it. */
  readonly origin: Origin | null
}

/** Rules that are looked up together. */
interface Layer {
  readonly source: 'token' | 'namespace-defaults'
  readonly book: Rulebook
  /** The builtin policy that grants everything, where it is among them. */
  readonly all: Origin | undefined
}

/** IDs of policies and roles, and identities, as tokens and namespaces have them. */
interface Links extends Identified {
  readonly policies: readonly string[]
  readonly roles: readonly string[]
}

/**
 * The rights of a token (behaviour/mesh#acl-decision): its own rules first, then those
 * of the defaults of its namespace, then the default policy. Looks things up once; make a new one
 * for each request.
 */
export class Authorization {
  readonly #world: World
  readonly #token: AclToken
  #own: Layer | undefined
  #defaults: Layer | undefined

  constructor(world: World, token: AclToken) {
    this.#world = world
    this.#token = token
  }

  decide({
    resource,
    access,
    name = '',
    namespace = this.#token.namespace,
    below = false,
  }: Need): Decision {
    // Rules on namespaces grant reading only (behaviour/mesh#differences).
    if (resource === 'namespace') {
      return access === 'write'
        ? this.#decide('operator', 'write', '', namespace)
        : this.#readNamespace(name)
    }
    return this.#decide(resource, access, name, namespace, below)
  }

  #decide(
    resource: Resource,
    access: Access,
    name: string,
    namespace: string,
    below = false,
  ): Decision {
    for (const layer of this.#layers()) {
      if (layer.all !== undefined) return everything(layer.source, layer.all)
      const ruling = below
        ? layer.book.findBelow(resource, name, namespace)
        : layer.book.find(resource, name, namespace)
      if (ruling !== undefined) return byRule(layer, ruling, allows(ruling, resource, access))
    }
    return this.#byDefaultPolicy(resource)
  }

  /** Reading a namespace, for which each of several rules is enough (behaviour/mesh#checks). */
  #readNamespace(name: string): Decision {
    for (const layer of this.#layers()) {
      const { book, all, source } = layer
      if (all !== undefined) return everything(source, all)
      const onNamespace = book.find('namespace', name, '')
      const granted =
        granting(book.find('operator', '', ''), 'operator') ??
        granting(onNamespace, 'namespace') ??
        book.grantedInside(name) ??
        this.#livingIn(name, book)
      if (granted !== undefined) return byRule(layer, granted, true)
      if (onNamespace !== undefined) return byRule(layer, onNamespace, false)
    }
    return this.#byDefaultPolicy('namespace')
  }

  /** A rule that grants anything, for the namespace that the token lives in. */
  #livingIn(name: string, book: Rulebook): Ruling | undefined {
    return namespaceKey(name) === namespaceKey(this.#token.namespace) ? book.granted : undefined
  }

  #byDefaultPolicy(resource: Resource): Decision {
    const allowed = resource !== 'acl' && optionsOf(this.#world).defaultPolicy === 'allow'
    return { allowed, rule: null, source: 'default-policy', origin: null }
  }

  *#layers(): Generator<Layer, void, undefined> {
    this.#own ??= this.#layer('token', this.#token)
    yield this.#own
    this.#defaults ??= this.#layer('namespace-defaults', this.#namespaceDefaults())
    yield this.#defaults
  }

  #namespaceDefaults(): Links {
    const acls = namespaceNamed(this.#world, this.#token.namespace)?.acls
    return { policies: acls?.policy_defaults ?? [], roles: acls?.role_defaults ?? [] }
  }

  #layer(source: Layer['source'], links: Links): Layer {
    const sources = sourcesOf(this.#world, links, this.#token.namespace)
    return {
      source,
      book: new Rulebook(sources, this.#token.namespace),
      all: sources.find(({ origin }) => origin.policy.id === globalManagementId)?.origin,
    }
  }
}

function granting(ruling: Ruling | undefined, resource: Resource): Ruling | undefined {
  return ruling !== undefined && allows(ruling, resource, 'read') ? ruling : undefined
}

function everything(source: DecisionSource, origin: Origin): Decision {
  return { allowed: true, rule: 'global-management', source, origin }
}

function byRule({ source }: Layer, { rule, origin }: Ruling, allowed: boolean): Decision {
  return { allowed, rule, source, origin }
}

/**
 * The policies behind links and identities, directly and through roles; links to what is deleted give
 * nothing.
 */
function sourcesOf(world: World, links: Links, namespace: string): RuleSource[] {
  const { datacenter } = optionsOf(world)
  const sources: RuleSource[] = []
  const add = (id: string, role?: Origin['role']) => {
    const policy = world.table(aclPolicies).get(id)
    if (policy === undefined || !isValidIn(policy, datacenter)) return
    const { name, namespace } = policy
    sources.push({
      origin: { policy: { id, name, namespace }, ...(role === undefined ? {} : { role }) },
      rules: world.derived(policy, storedRules),
    })
  }
  const addIdentities = (identified: Identified, role?: Origin['role']) => {
    for (const policy of policiesBehind(world, identified)) {
      if (!isValidIn(policy, datacenter)) continue
      const { id, name, rules } = policy
      const origin = { policy: { id, name, namespace }, ...(role === undefined ? {} : { role }) }
      sources.push({ origin, rules })
    }
  }
  for (const id of links.policies) add(id)
  addIdentities(links)
  for (const id of links.roles) {
    const role = world.table(aclRoles).get(id)
    if (role === undefined) continue
    const { name, namespace } = role
    for (const policy of role.policies) add(policy, { id, name, namespace })
    addIdentities(role, { id, name, namespace })
  }
  return sources
}

/** The policies that identities stand for. */
export function policiesBehind(world: World, identified: Identified): readonly SyntheticPolicy[] {
  const { service_identities = [], node_identities = [] } = identified
  return [
    ...service_identities.map((identity) => world.derived(identity, servicePolicy)),
    ...node_identities.map((identity) => world.derived(identity, nodePolicy)),
  ]
}

function isValidIn(
  { datacenters }: { readonly datacenters: readonly string[] },
  datacenter: string,
): boolean {
  return datacenters.length === 0 || datacenters.includes(datacenter)
}
