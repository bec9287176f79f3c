import { quoteGo } from '../../go/text.ts'
import {
  namespaceCapabilities,
  namespacePolicies,
  neutralCapability,
  poolCapabilities,
  poolPolicies,
} from './capabilities.ts'
import {
  type LabelledKey,
  type RuleBlock,
  type RuleDocument,
  readRuleDocument,
  type SingleKey,
} from './rule-document.ts'
import { RulesError } from './rules-error.ts'

/** What a policy grants. */
export interface Rules {
  readonly namespaces: readonly Grant[]
  readonly nodePools: readonly Grant[]
  /** `read`, `write`, `deny` and the like. */
  readonly coarse: ReadonlyMap<SingleKey, string>
}

/** Capabilities in what a name, or a pattern with `*`, stands for. */
export interface Grant {
  readonly name: string
  readonly capabilities: readonly string[]
}

/** The rules of a policy that says nothing. */
export const noRules: Rules = { namespaces: [], nodePools: [], coarse: new Map() }

/**
 * Reads and checks the rules of a policy (3b-scheduler-decisions.md section 1, Auth).
 *
 * @param strict unknown keys are refused; a policy that is stored already may have them
 * @throws RulesError in the reference's words
 */
export function readRules(text: string, strict: boolean): Rules {
  if (text === '') return noRules
  const document = readRuleDocument(text)
  if (isEmpty(document)) throw new RulesError(`Invalid policy: ${text}`)
  for (const [key, rules] of document.labelled) for (const rule of rules) checkLabelled(key, rule)
  if (strict && document.extraKeys.length > 0) {
    throw new RulesError(`Invalid or duplicate policy keys: ${document.extraKeys.join(', ')}`)
  }
  for (const [key, rule] of document.single) checkSingle(key, rule)
  const grants = (key: LabelledKey, meanings: ReadonlyMap<string, readonly string[]>) =>
    (document.labelled.get(key) ?? []).map((rule) => grantOf(rule, meanings))
  return {
    namespaces: grants('namespace', namespacePolicies),
    nodePools: grants('node_pool', poolPolicies),
    coarse: new Map(Array.from(document.single, ([key, { policy }]) => [key, policy])),
  }
}

function isEmpty({ labelled, single }: RuleDocument): boolean {
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

/** How the blocks of a key are checked, and what is said of those that are wrong. */
interface Checks {
  readonly name: RegExp
  readonly policies: ReadonlySet<string>
  readonly capabilities: ReadonlySet<string>
  readonly texts: {
    readonly name: (rule: RuleBlock) => string
    readonly policy: (rule: RuleBlock) => string
    readonly capability: (capability: string, rule: RuleBlock) => string
  }
}

const policies = new Set(['deny', 'read', 'write', 'scale'])

const checks: Readonly<Record<LabelledKey, Checks>> = {
  namespace: {
    name: /^[a-zA-Z0-9\-*]{1,128}$/,
    policies: new Set(namespacePolicies.keys()),
    capabilities: namespaceCapabilities,
    texts: {
      name: (rule) => `Invalid namespace name: ${printed('NamespacePolicy', rule)}`,
      policy: (rule) => `Invalid namespace policy: ${printed('NamespacePolicy', rule)}`,
      capability: (capability, rule) =>
        `Invalid namespace capability '${capability}': ${printed('NamespacePolicy', rule)}`,
    },
  },
  node_pool: {
    name: /^[a-zA-Z0-9\-_*]{1,128}$/,
    policies,
    capabilities: poolCapabilities,
    texts: {
      name: ({ label }) => `Invalid node pool name '${label}'`,
      policy: ({ label, policy }) => `Invalid node pool policy '${policy}' for '${label}'`,
      capability: (capability, { label }) =>
        `Invalid node pool capability '${capability}' for '${label}'`,
    },
  },
  host_volume: {
    name: /^[a-zA-Z0-9\-*]{1,128}$/,
    policies,
    capabilities: new Set(['deny', 'mount-readonly', 'mount-readwrite']),
    texts: {
      name: (rule) => `Invalid host volume name: ${printed('HostVolumePolicy', rule)}`,
      policy: (rule) => `Invalid host volume policy: ${printed('HostVolumePolicy', rule)}`,
      capability: (capability, rule) =>
        `Invalid host volume capability '${capability}': ${printed('HostVolumePolicy', rule)}`,
    },
  },
}

function checkLabelled(key: LabelledKey, rule: RuleBlock): void {
  const { name, policies: allowed, capabilities, texts } = checks[key]
  if (!name.test(rule.label)) throw new RulesError(texts.name(rule))
  if (rule.policy !== '' && !allowed.has(rule.policy)) throw new RulesError(texts.policy(rule))
  const wrong = rule.capabilities.find((each) => !capabilities.has(neutralCapability(each)))
  if (wrong !== undefined) throw new RulesError(texts.capability(wrong, rule))
  if (rule.variables !== undefined) checkVariables(rule.label, rule.variables)
}

const pathCapabilities = new Set(['list', 'read', 'write', 'destroy', 'deny'])

function checkVariables(name: string, paths: ReadonlyMap<string, readonly string[]>): void {
  if (paths.size === 0) {
    throw new RulesError(`Invalid variable policy: no variable paths in namespace ${name}`)
  }
  for (const [path, capabilities] of paths) {
    if (path === '') throw new RulesError(`Invalid missing variable path in namespace ${name}`)
    if (path.startsWith('/')) {
      const where = `Invalid variable path ${quoteGo(path)} in namespace ${name}`
      throw new RulesError(`${where}: cannot start with a leading '/'\``)
    }
    const wrong = capabilities.find((each) => !pathCapabilities.has(each))
    if (wrong !== undefined) {
      throw new RulesError(`Invalid variable capability '${wrong}' in namespace ${name}`)
    }
  }
}

const operatorCapabilities = new Set(['deny', 'snapshot-save', 'license-read'])
const pluginPolicies = new Set(['deny', 'read', 'list', 'write'])

function checkSingle(key: SingleKey, { policy, capabilities }: RuleBlock): void {
  const isOperator = key === 'operator'
  const allowed = key === 'plugin' ? pluginPolicies : policies
  if (!allowed.has(policy) && !(isOperator && policy === '')) {
    throw new RulesError(`Invalid ${key} policy: ${printedSingle(key, policy, capabilities)}`)
  }
  const wrong = isOperator
    ? capabilities.find((each) => !operatorCapabilities.has(each))
    : undefined
  if (wrong !== undefined) throw new RulesError(`Invalid operator capability '${wrong}'`)
}

/** A block as Go's `%#v` prints it. */
function printed(type: string, { label, policy, capabilities }: RuleBlock): string {
  const variables = type === 'NamespacePolicy' ? ', Variables:(*acl.VariablesPolicy)(nil)' : ''
  const what = `Name:${quoteGo(label)}, Policy:${quoteGo(policy)}`
  return `&acl.${type}{${what}, Capabilities:${printedTexts(capabilities)}${variables}}`
}

function printedSingle(key: SingleKey, policy: string, capabilities: readonly string[]): string {
  const type = `${key.charAt(0).toUpperCase()}${key.slice(1)}Policy`
  const more = key === 'operator' ? `, Capabilities:${printedTexts(capabilities)}` : ''
  return `&acl.${type}{Policy:${quoteGo(policy)}${more}}`
}

function printedTexts(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quoteGo).join(', ')}}`
}
