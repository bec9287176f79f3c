import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { list, name } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { hashOf } from './ids.ts'
import { refuse } from './messages.ts'
import { parseRules } from './rule-language.ts'
import type { Rule } from './rulebook.ts'
import {
  isIdentityName,
  nodeRules,
  normalizeTemplated,
  policyTemplates,
  renderTemplate,
  serviceRules,
  type TemplatedPolicy,
  type TemplatedPolicyInput,
  templatedPolicyShape,
} from './templated-policies.ts'

const serviceIdentityShape = struct({
  service_name: name,
  /** Datacenters in which the identity is valid; left out for all datacenters. */
  datacenters: optional(list(name)),
})
const nodeIdentityShape = struct({ node_name: name, datacenter: name })

/**
 * Identities of services and nodes, and templated policies, in the form in which tokens and roles
 * store them. A member that would be an empty list is left out.
 */
export const identityFields = {
  service_identities: optional(list(serviceIdentityShape)),
  node_identities: optional(list(nodeIdentityShape)),
  templated_policies: optional(list(templatedPolicyShape)),
} as const

/** Identity with the rights of the service `service_name` (behaviour/mesh#acl-decision). */
interface ServiceIdentity extends StoredOf<typeof serviceIdentityShape> {}
/** Identity with the rights of the node `node_name`. */
interface NodeIdentity extends StoredOf<typeof nodeIdentityShape> {}

export interface Identities {
  readonly service_identities?: readonly ServiceIdentity[]
  readonly node_identities?: readonly NodeIdentity[]
  readonly templated_policies?: readonly TemplatedPolicy[]
}

/** Identities and templated policies in a request. Members that are left out count as empty. */
export interface IdentityInput {
  readonly services?:
    | readonly {
        readonly name?: string | undefined
        readonly datacenters?: readonly string[] | undefined
      }[]
    | undefined
  readonly nodes?:
    | readonly { readonly name?: string | undefined; readonly datacenter?: string | undefined }[]
    | undefined
  readonly templated?: readonly TemplatedPolicyInput[] | undefined
}

/**
 * Returns identities in stored form, without duplicates. Throws a refusal for an identity or
 * templated policy that is incomplete or invalid (behaviour/mesh#acl-endpoints).
 *
 * @param noun kind of object that has the identities
 * @param isLocal true for tokens of a single datacenter, whose service identities cannot name
 * datacenters
 */
export function normalizeIdentities(
  { services = [], nodes = [], templated = [] }: IdentityInput,
  noun: 'token' | 'role',
  isLocal = false,
): Identities {
  const service_identities = normalizeServices(services, noun, isLocal)
  const node_identities = normalizeNodes(nodes, noun)
  const templated_policies = normalizeTemplated(templated, noun)
  return {
    ...(service_identities.length > 0 && { service_identities }),
    ...(node_identities.length > 0 && { node_identities }),
    ...(templated_policies.length > 0 && { templated_policies }),
  }
}

function normalizeServices(
  sent: NonNullable<IdentityInput['services']>,
  noun: string,
  isLocal: boolean,
): readonly ServiceIdentity[] {
  const unique = new Map<string, ServiceIdentity>()
  for (const { name: service_name = '', datacenters = [] } of sent) {
    if (service_name === '') throw refuse('service-identity-nameless', { noun })
    const quoted = quoteGo(service_name)
    if (isLocal && datacenters.length > 0) throw refuse('service-identity-local', { quoted })
    if (!isIdentityName(service_name)) throw refuse('service-identity-odd', { quoted })
    // As in the reference, identities with the same service name are merged, and their datacenters
    // are combined. If none of them names a datacenter, the merged identity is valid everywhere.
    const before = unique.get(service_name)?.datacenters ?? []
    const all = [...new Set([...before, ...datacenters])].sort(compareBytewise)
    unique.set(service_name, { service_name, ...(all.length > 0 && { datacenters: all }) })
  }
  return [...unique.values()]
}

function normalizeNodes(sent: NonNullable<IdentityInput['nodes']>, noun: string) {
  const unique = new Map<string, NodeIdentity>()
  for (const { name: node_name = '', datacenter = '' } of sent) {
    if (node_name === '') throw refuse('node-identity-nameless', { noun })
    if (datacenter === '') throw refuse('node-identity-placeless', { noun })
    if (!isIdentityName(node_name)) throw refuse('node-identity-odd')
    unique.set(`${datacenter}/${node_name}`, { node_name, datacenter })
  }
  return [...unique.values()]
}

/** A policy that is generated from an identity or a templated policy, and not stored. */
export interface SyntheticPolicy {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Source text of the rules. */
  readonly text: string
  readonly rules: readonly Rule[]
  readonly hash: string
  /** Datacenters in which the policy is valid; empty for all datacenters. */
  readonly datacenters: readonly string[]
}

export function servicePolicy({
  service_name,
  datacenters = [],
}: ServiceIdentity): SyntheticPolicy {
  return createTemplatePolicy(serviceRules(service_name), 'builtin/service', datacenters)
}

export function nodePolicy({ node_name, datacenter }: NodeIdentity): SyntheticPolicy {
  return createTemplatePolicy(nodeRules(node_name), 'builtin/node', [datacenter])
}

/**
 * Returns the policy that a templated policy yields: the rules of the template, in which the
 * variable is replaced by its value. An unknown template yields a policy without rules.
 */
export function templatedPolicy({
  template_name,
  template_variables,
  datacenters = [],
}: TemplatedPolicy): SyntheticPolicy {
  const template = policyTemplates.get(template_name)
  const value = template_variables?.['name'] ?? ''
  const text = template === undefined ? '' : renderTemplate(template, value)
  return createTemplatePolicy(text, template_name, datacenters)
}

/** FNV-1a hash of the empty string, 128 bits in hexadecimal. */
const emptyHash = '6c62272e07bb014262b821756295c58d'

function createTemplatePolicy(text: string, template: string, datacenters: readonly string[]) {
  // The product appends the hash of the empty string to the rules instead of hashing them.
  const id = Buffer.from(text).toString('hex') + emptyHash
  const named = {
    id,
    name: `synthetic-policy-${id}`,
    description: `synthetic policy generated from templated policy: ${template}`,
  }
  // These policies are exempt from the limits that apply to policies outside the namespace
  // `default`.
  const rules = parseRules(text, defaultNamespace)
  return { ...named, text, rules, hash: hashOf({ ...named, text }), datacenters }
}
