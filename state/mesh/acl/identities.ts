import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { list, name } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defaultNamespace } from '../namespaces/namespaces.ts'
import { hashOf } from './ids.ts'
import { refuse } from './messages.ts'
import { parseRules } from './rule-language.ts'
import type { Rule } from './rules.ts'

const serviceIdentityShape = struct({
  service_name: name,
  /** Where it holds; left out for everywhere. */
  datacenters: optional(list(name)),
})
const nodeIdentityShape = struct({ node_name: name, datacenter: name })

/** Identities of services and nodes as tokens and roles keep them; left out when there are none. */
export const identityFields = {
  service_identities: optional(list(serviceIdentityShape)),
  node_identities: optional(list(nodeIdentityShape)),
} as const

/** The rights of a service under its name (behaviour/mesh#acl-decision). */
interface ServiceIdentity extends StoredOf<typeof serviceIdentityShape> {}
/** The rights of a node under its name. */
interface NodeIdentity extends StoredOf<typeof nodeIdentityShape> {}

/** The identities of tokens and roles. */
export interface Identities {
  readonly service_identities?: readonly ServiceIdentity[]
  readonly node_identities?: readonly NodeIdentity[]
}

/** A caller's wishes for identities; what is left out is empty. */
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
}

const namePattern = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/
const isValidName = (text: string) => text.length <= 256 && namePattern.test(text)

/**
 * Identities as they are kept: each once. Refuses those without or with odd names (behaviour/mesh#acl-endpoints).
 *
 * @param noun what has them
 * @param isLocal tokens of one datacenter alone cannot name others
 */
export function normalizeIdentities(
  { services = [], nodes = [] }: IdentityInput,
  noun: 'token' | 'role',
  isLocal = false,
): Identities {
  const service_identities = normalizeServices(services, noun, isLocal)
  const node_identities = normalizeNodes(nodes, noun)
  return {
    ...(service_identities.length > 0 && { service_identities }),
    ...(node_identities.length > 0 && { node_identities }),
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
    if (!isValidName(service_name)) throw refuse('service-identity-odd', { quoted })
    // One without any takes those of the other, as in the reference: it held everywhere by itself.
    const before = unique.get(service_name)?.datacenters ?? []
    const all = [...new Set([...before, ...datacenters])].sort(compareBytewise)
    unique.set(service_name, { service_name, ...(all.length > 0 && { datacenters: all }) })
  }
  return [...unique.values()]
}

function normalizeNodes(
  sent: NonNullable<IdentityInput['nodes']>,
  noun: string,
): readonly NodeIdentity[] {
  const unique = new Map<string, NodeIdentity>()
  for (const { name: node_name = '', datacenter = '' } of sent) {
    if (node_name === '') throw refuse('node-identity-nameless', { noun })
    if (datacenter === '') throw refuse('node-identity-placeless', { noun })
    if (!isValidName(node_name)) throw refuse('node-identity-odd')
    unique.set(`${datacenter}/${node_name}`, { node_name, datacenter })
  }
  return [...unique.values()]
}

/** A policy that an identity stands for. */
export interface SyntheticPolicy {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The rules' source text. */
  readonly text: string
  readonly rules: readonly Rule[]
  readonly hash: string
  /** Where it holds; empty means everywhere. */
  readonly datacenters: readonly string[]
}

const formatRule = (kind: string, label: string, access: string) =>
  `\n${kind} "${label}" {\n\tpolicy = "${access}"\n}`

/** The policy that a service's identity stands for. */
export function servicePolicy({
  service_name,
  datacenters = [],
}: ServiceIdentity): SyntheticPolicy {
  const text = [
    formatRule('service', service_name, 'write'),
    formatRule('service', `${service_name}-sidecar-proxy`, 'write'),
    formatRule('service_prefix', '', 'read'),
    formatRule('node_prefix', '', 'read'),
  ].join('')
  return createSynthetic(text, 'service', datacenters)
}

/** The policy that a node's identity stands for. */
export function nodePolicy({ node_name, datacenter }: NodeIdentity): SyntheticPolicy {
  const text = formatRule('node', node_name, 'write') + formatRule('service_prefix', '', 'read')
  return createSynthetic(text, 'node', [datacenter])
}

function createSynthetic(
  text: string,
  kind: 'service' | 'node',
  datacenters: readonly string[],
): SyntheticPolicy {
  const id = createHash('md5').update(text).digest('hex')
  const named = {
    id,
    name: `synthetic-policy-${id}`,
    description: `synthetic policy generated from templated policy: builtin/${kind}`,
  }
  // What holds of policies of a user's namespace does not hold of these.
  const rules = parseRules(text, defaultNamespace)
  return { ...named, text, rules, hash: hashOf({ ...named, text }), datacenters }
}
