import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import {
  namespaceCapabilities,
  namespacePolicies,
  neutralCapability,
  poolCapabilities,
  poolPolicies,
} from './capabilities.ts'
import { message, RulesError } from './messages.ts'
import {
  type LabelledKey,
  type RuleBlock,
  type RuleDocument,
  readRuleDocument,
  type UnlabelledKey,
} from './rule-document.ts'

/** The rights that one policy grants. */
export interface Rules {
  readonly namespaces: readonly Grant[]
  readonly nodePools: readonly Grant[]
  /** Variable rights under names built by `variableGrantName`. */
  readonly variables: readonly Grant[]
  /** Access by unlabelled rule: `read`, `write`, `deny` and so on. */
  readonly coarse: ReadonlyMap<UnlabelledKey, string>
}

/** Capabilities for a name or a pattern with `*`. */
export interface Grant {
  readonly name: string
  readonly capabilities: readonly string[]
}

/** Rules that grant nothing. */
export const emptyRules: Rules = { namespaces: [], nodePools: [], variables: [], coarse: new Map() }

/**
 * Parses and validates the rules of a policy (behaviour/scheduler#auth).
 *
 * @param strict true to refuse unknown keys, which stored policies may contain
 * @throws RulesError with the reference's message
 */
export function readRules(text: string, strict: boolean): Rules {
  if (text === '') return emptyRules
  const document = readRuleDocument(text)
  if (isEmpty(document)) throw new RulesError(message('rules-empty', { rules: text }))
  for (const [key, rules] of document.labelled) for (const rule of rules) checkLabelled(key, rule)
  if (strict && document.unexpectedKeys.length > 0) {
    throw new RulesError(message('rules-keys', { keys: document.unexpectedKeys.join(', ') }))
  }
  for (const [key, rule] of document.unlabelled) checkUnlabelled(key, rule)
  const grants = (key: LabelledKey, shorthands: ReadonlyMap<string, readonly string[]>) =>
    (document.labelled.get(key) ?? []).map((rule) => grantOf(rule, shorthands))
  return {
    namespaces: grants('namespace', namespacePolicies),
    nodePools: grants('node_pool', poolPolicies),
    variables: (document.labelled.get('namespace') ?? []).flatMap(variableGrants),
    coarse: new Map(Array.from(document.unlabelled, ([key, { policy }]) => [key, policy])),
  }
}

/** Returns the name under which a variable's rights are stored. */
export function variableGrantName(namespace: string, path: string): string {
  return `${namespace} ${path}`
}

/**
 * Returns the variable rights of a namespace block; read access includes list access
 * (behaviour/scheduler#variables).
 */
function variableGrants({ label, variables = new Map() }: RuleBlock): readonly Grant[] {
  return Array.from(variables, ([path, capabilities]) => ({
    name: variableGrantName(label, path),
    capabilities: capabilities.includes('read') ? [...capabilities, 'list'] : capabilities,
  }))
}

function isEmpty({ labelled, unlabelled: single }: RuleDocument): boolean {
  return single.size === 0 && Array.from(labelled.values()).every((rules) => rules.length === 0)
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

/** Checks and messages for one type of block. */
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

/** Builds the messages that include the whole block. */
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
  const { name, policies: allowed, capabilities, messages: texts } = ruleChecks[key]
  if (!name.test(rule.label)) throw new RulesError(texts.name(rule))
  if (rule.policy !== '' && !allowed.has(rule.policy)) throw new RulesError(texts.policy(rule))
  const invalidCapability = rule.capabilities.find(
    (each) => !capabilities.has(neutralCapability(each)),
  )
  if (invalidCapability !== undefined)
    throw new RulesError(texts.capability(invalidCapability, rule))
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

function checkUnlabelled(key: UnlabelledKey, { policy }: RuleBlock): void {
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

function formatGoStrings(messages: readonly string[]): string {
  return messages.length === 0 ? '[]string(nil)' : `[]string{${messages.map(quoteGo).join(', ')}}`
}
