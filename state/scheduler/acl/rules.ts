import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { message, RulesError } from './messages.ts'
import {
  type LabelledKey,
  type RuleBlock,
  type RuleDocument,
  readRuleDocument,
  type UnlabelledKey,
} from './rule-document.ts'

export type Capability = (typeof usedCapabilities)[number]

/**
 * Capabilities that at least one operation of the product checks. The mock does not have the
 * operations that check `alloc-exec` and `alloc-node-exec`.
 */
const usedCapabilities = [
  'list-jobs',
  'read-job',
  'parse-job',
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-node-exec',
  'alloc-lifecycle',
  'policy-override',
  'csi-list-volume',
  'csi-read-volume',
  'csi-mount-volume',
  'csi-write-volume',
  'csi-register-plugin',
] as const

/**
 * Capabilities of the emulated release that no operation checks. Rules may contain them.
 * Capabilities of later releases, such as `register-job`, are refused.
 */
const unusedCapabilities = ['submit-recommendation'] as const

/**
 * Capabilities that have different names in the product and in the neutral dialect: neutral names
 * by the product's names. Rules may use either name (behaviour/scheduler#vendor-names).
 */
const neutralNames = new Map([['sentinel-override', 'policy-override']])

function neutralCapability(name: string): string {
  return neutralNames.get(name) ?? name
}

const namespaceCapabilities: ReadonlySet<string> = new Set([
  'deny',
  ...usedCapabilities,
  ...unusedCapabilities,
])

const readCapabilities = [
  'list-jobs',
  'read-job',
  'parse-job',
  'csi-list-volume',
  'csi-read-volume',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
] as const satisfies readonly Capability[]

const writeCapabilities = [
  ...readCapabilities,
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-lifecycle',
  'csi-mount-volume',
  'csi-write-volume',
  'submit-recommendation',
] as const

const scaleCapabilities = [
  'scale-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
] as const satisfies readonly Capability[]

/**
 * Capabilities that a namespace rule grants, by the rule's value of `policy`
 * (behaviour/scheduler#auth).
 */
const namespacePolicies: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ['deny', ['deny']],
  ['read', readCapabilities],
  ['write', writeCapabilities],
  ['scale', scaleCapabilities],
])

/** Capabilities that a node pool rule grants, by the rule's value of `policy`. */
const poolPolicies: ReadonlyMap<string, readonly string[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read']],
  ['write', ['delete', 'read', 'write']],
  ['scale', []],
])

/** Capabilities that a host volume rule grants, by the rule's value of `policy`. */
const hostVolumePolicies: ReadonlyMap<string, readonly string[]> = new Map([
  ['deny', ['deny']],
  ['read', ['mount-readonly']],
  ['write', ['mount-readonly', 'mount-readwrite']],
  ['scale', []],
])

const poolCapabilities: ReadonlySet<string> = new Set(['deny', 'read', 'write', 'delete'])

/** The rights that one policy grants. Each kind of object has its own list of grants. */
export interface Rules {
  readonly namespaces: readonly Grant[]
  readonly nodePools: readonly Grant[]
  readonly hostVolumes: readonly Grant[]
  /** Grants for variables. `variableGrantName` builds their names from namespace and path. */
  readonly variables: readonly Grant[]
  /** Access levels of unlabelled rules: `read`, `write`, `deny` and so on. */
  readonly unlabelled: ReadonlyMap<UnlabelledKey, string>
}

/** Capabilities for the objects whose name matches `name`. A `*` in `name` matches any text. */
export interface Grant {
  readonly name: string
  readonly capabilities: readonly string[]
}

export const emptyRules: Rules = {
  namespaces: [],
  nodePools: [],
  hostVolumes: [],
  variables: [],
  unlabelled: new Map(),
}

/**
 * Parses and validates the rules of a policy (behaviour/scheduler#auth). Unknown keys are ignored,
 * as in the reference. An empty text grants nothing.
 *
 * @throws RulesError with the reference's message
 */
export function readRules(text: string): Rules {
  if (text === '') return emptyRules
  const document = readRuleDocument(text)
  if (isEmpty(document)) throw new RulesError(message('rules-empty', { rules: text }))
  for (const [key, rules] of document.labelled) for (const rule of rules) checkLabelled(key, rule)
  for (const [key, policy] of document.unlabelled) checkUnlabelled(key, policy)
  const grants = (key: LabelledKey, shorthands: ReadonlyMap<string, readonly string[]>) =>
    (document.labelled.get(key) ?? []).map((rule) => grantOf(rule, shorthands))
  return {
    namespaces: grants('namespace', namespacePolicies),
    nodePools: grants('node_pool', poolPolicies),
    hostVolumes: grants('host_volume', hostVolumePolicies),
    variables: (document.labelled.get('namespace') ?? []).flatMap(variableGrants),
    unlabelled: document.unlabelled,
  }
}

/**
 * Returns the name of a grant for variables. The namespace is part of the name, because all
 * namespaces share one set of grants.
 */
export function variableGrantName(namespace: string, path: string): string {
  return `${namespace} ${path}`
}

/** Converts the variable rules of a namespace block to grants (behaviour/scheduler#variables). */
function variableGrants({ label, variables = new Map() }: RuleBlock): readonly Grant[] {
  return Array.from(variables, ([path, capabilities]) => ({
    name: variableGrantName(label, path),
    capabilities: pathCapabilitiesOf(capabilities),
  }))
}

/**
 * Returns the capabilities that the rule for a path grants. Read access includes list access.
 * `deny` removes all other capabilities of the rule, but not those that other blocks grant.
 */
function pathCapabilitiesOf(capabilities: readonly string[]): readonly string[] {
  if (capabilities.includes('deny')) return ['deny']
  return capabilities.includes('read') ? [...capabilities, 'list'] : capabilities
}

function isEmpty({ labelled, unlabelled }: RuleDocument): boolean {
  return unlabelled.size === 0 && Array.from(labelled.values()).every((rules) => rules.length === 0)
}

function grantOf(
  { label, policy, capabilities }: RuleBlock,
  policies: ReadonlyMap<string, readonly string[]>,
): Grant {
  return {
    name: label,
    capabilities: [...capabilities.map(neutralCapability), ...(policies.get(policy) ?? [])],
  }
}

/** Accepted values for one type of block, and the messages for other values. */
interface RuleChecks {
  readonly name: RegExp
  readonly policies: ReadonlySet<string>
  readonly capabilities: ReadonlySet<string>
  readonly messages: {
    readonly name: (rule: RuleBlock) => Message
    readonly policy: (rule: RuleBlock) => Message
    readonly capability: (capability: string, rule: RuleBlock) => Message
  }
}

/** Builds messages that quote the whole block in Go syntax. */
function messagesWithRule(kind: string, type: string): RuleChecks['messages'] {
  return {
    name: (rule) => message('rule-name', { kind, rule: formatGoRule(type, rule) }),
    policy: (rule) => message('rule-policy', { kind, rule: formatGoRule(type, rule) }),
    capability: (capability, rule) =>
      message('rule-capability', { kind, capability, rule: formatGoRule(type, rule) }),
  }
}

const policies = new Set(['deny', 'read', 'write', 'scale'])

const ruleChecks: Readonly<Record<LabelledKey, RuleChecks>> = {
  namespace: {
    name: /^[a-zA-Z0-9\-*]{1,128}$/,
    policies: new Set(namespacePolicies.keys()),
    capabilities: namespaceCapabilities,
    messages: messagesWithRule('namespace', 'NamespacePolicy'),
  },
  node_pool: {
    name: /^[a-zA-Z0-9\-_*]{1,128}$/,
    policies,
    capabilities: poolCapabilities,
    messages: {
      name: ({ label: name }) => message('pool-name', { name }),
      policy: ({ label: name, policy }) => message('pool-policy', { policy, name }),
      capability: (capability, { label: name }) => message('pool-capability', { capability, name }),
    },
  },
  host_volume: {
    name: /^[a-zA-Z0-9\-*]{1,128}$/,
    policies,
    capabilities: new Set(['deny', 'mount-readonly', 'mount-readwrite']),
    messages: messagesWithRule('host volume', 'HostVolumePolicy'),
  },
}

function checkLabelled(key: LabelledKey, rule: RuleBlock): void {
  const { name, policies: allowed, capabilities, messages } = ruleChecks[key]
  if (!name.test(rule.label)) throw new RulesError(messages.name(rule))
  if (rule.policy !== '' && !allowed.has(rule.policy)) throw new RulesError(messages.policy(rule))
  const invalidCapability = rule.capabilities.find(
    (each) => !capabilities.has(neutralCapability(each)),
  )
  if (invalidCapability !== undefined)
    throw new RulesError(messages.capability(invalidCapability, rule))
  if (rule.variables !== undefined) checkVariables(rule.label, rule.variables)
}

const pathCapabilities = new Set(['list', 'read', 'write', 'destroy', 'deny'])

function checkVariables(namespace: string, paths: ReadonlyMap<string, readonly string[]>): void {
  if (paths.size === 0) throw new RulesError(message('variables-empty', { namespace }))
  for (const [path, capabilities] of paths) {
    if (path === '') throw new RulesError(message('variables-path-missing', { namespace }))
    if (path.startsWith('/')) {
      throw new RulesError(message('variables-path-rooted', { path: quoteGo(path), namespace }))
    }
    const capability = capabilities.find((each) => !pathCapabilities.has(each))
    if (capability !== undefined) {
      throw new RulesError(message('variables-capability', { capability, namespace }))
    }
  }
}

const pluginPolicies = new Set(['deny', 'read', 'list', 'write'])

function checkUnlabelled(key: UnlabelledKey, policy: string): void {
  const allowed = key === 'plugin' ? pluginPolicies : policies
  if (allowed.has(policy)) return
  const type = `${key.charAt(0).toUpperCase()}${key.slice(1)}Policy`
  const rule = `&acl.${type}{Policy:${quoteGo(policy)}}`
  throw new RulesError(message('rule-policy', { kind: key, rule }))
}

/** Formats a block as Go's `%#v` does. */
function formatGoRule(type: string, { label, policy, capabilities }: RuleBlock): string {
  const variables = type === 'NamespacePolicy' ? ', Variables:(*acl.VariablesPolicy)(nil)' : ''
  const identity = `Name:${quoteGo(label)}, Policy:${quoteGo(policy)}`
  return `&acl.${type}{${identity}, Capabilities:${formatGoStrings(capabilities)}${variables}}`
}

function formatGoStrings(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quoteGo).join(', ')}}`
}
