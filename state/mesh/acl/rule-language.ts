import { quoteGo } from '../../go/text.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { appendAll } from '../../kernel/lists.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import { refuse } from './messages.ts'
import {
  type BlockKind,
  type RuleBlock,
  type RuleBody,
  readRuleDocument,
  type UnlabeledRule,
} from './rule-document.ts'
import { everySegment, type Rule, type RuleAccess, type Segment } from './rulebook.ts'

/**
 * Parses the rules of a policy, HCL or JSON (behaviour/mesh#rule-language). Throws a refusal for
 * invalid rules.
 *
 * @param namespace namespace of the policy; some rules are allowed only in `default`
 */
export function parseRules(text: string, namespace: string): readonly Rule[] {
  const body = parseDocument(text)
  checkBody(body)
  if (namespaceKey(namespace) !== defaultNamespace) checkOutsideDefault(body, namespace)
  return rulesOf(body)
}

/**
 * Returns the rules of a stored policy. A document with errors, which only imported state can
 * contain, grants nothing.
 */
export function parseStoredRules({ rules, namespace }: PolicyRules): readonly Rule[] {
  try {
    return parseRules(rules, namespace)
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

interface PolicyRules {
  readonly rules: string
  readonly namespace: string
}

function parseDocument(text: string): RuleBody {
  try {
    return readRuleDocument(text)
  } catch (error) {
    if (error instanceof HclError) throw refuse('rules-unreadable', { problem: error.message })
    throw error
  }
}

/**
 * Names that the messages of the reference server use for each kind of rule: the Go type, and its
 * field for the label.
 */
const goRuleNames: Readonly<Record<BlockKind, readonly [type: string, label: string]>> = {
  agent: ['AgentRule', 'Node'],
  key: ['KeyRule', 'Prefix'],
  node: ['NodeRule', 'Name'],
  service: ['ServiceRule', 'Name'],
  session: ['SessionRule', 'Node'],
  event: ['EventRule', 'Event'],
  query: ['PreparedQueryRule', 'Prefix'],
  namespace: ['NamespaceRule', 'Name'],
  partition: ['PartitionRule', 'Name'],
}

const blocksWithOptionalAccess: ReadonlySet<BlockKind> = new Set(['namespace', 'partition'])
const rulesCheckedLast: ReadonlySet<UnlabeledRule> = new Set([
  'keyring',
  'operator',
  'mesh',
  'peering',
])

/**
 * Returns the access level that a string names, regardless of letter case; undefined for other
 * strings.
 */
function accessNamed(text: string): RuleAccess | undefined {
  const word = text.toLowerCase()
  return word === 'read' || word === 'write' || word === 'deny' || word === 'list'
    ? word
    : undefined
}

/**
 * Returns the access level that a string names. Throws a refusal for other strings. Only key rules
 * accept `list`.
 */
function requireRuleAccess(text: string, kind: BlockKind | undefined, refusal: () => Refusal) {
  const access = accessNamed(text)
  if (access !== undefined && (access !== 'list' || kind === 'key')) return access
  throw refusal()
}

/** Throws a refusal for the first invalid value, in the reference server's order of checks. */
function checkBody({ unlabeledRules, blocks }: RuleBody): void {
  const checkUnlabeled = (checksLast: boolean) => {
    for (const [ruleName, value] of unlabeledRules) {
      if (rulesCheckedLast.has(ruleName) === checksLast) checkUnlabeledRule(ruleName, value)
    }
  }
  const isContainer = ({ kind }: RuleBlock) => blocksWithOptionalAccess.has(kind)
  checkUnlabeled(false)
  for (const block of blocks) if (!isContainer(block)) checkBlock(block)
  checkUnlabeled(true)
  for (const block of blocks) if (isContainer(block)) checkBlock(block)
}

function checkUnlabeledRule(ruleName: UnlabeledRule, value: string): RuleAccess {
  return requireRuleAccess(value, undefined, () =>
    refuse('rule-value-unknown', { rule: ruleName, found: quoteGo(value) }),
  )
}

function checkBlock(block: RuleBlock): void {
  const { key, kind, policy, intentions, body } = block
  const refusal = (rule: string) => () =>
    refuse('rule-value-unknown', { rule, found: formatGoRule(block) })
  if (policy !== '' || !blocksWithOptionalAccess.has(kind))
    requireRuleAccess(policy, kind, refusal(key))
  if (intentions !== '') requireRuleAccess(intentions, kind, refusal(`${key} intentions`))
  checkBody(body)
}

/** Formats a rule as the messages of the reference server show it, in Go's `%#v` format. */
function formatGoRule({ kind, label, policy, intentions }: RuleBlock): string {
  const [type, labelField] = goRuleNames[kind]
  const fields = [`${labelField}:${quoteGo(label)}`, `Policy:${quoteGo(policy)}`]
  if (kind === 'service') fields.push(`Intentions:${quoteGo(intentions)}`)
  fields.push('EnterpriseRule:acl.EnterpriseRule{}')
  return `&acl.${type}{${fields.join(', ')}}`
}

const rulesOnlyInDefault: ReadonlySet<string> = new Set(['operator', 'keyring'])
const blocksOnlyInDefault: ReadonlySet<BlockKind> = new Set(['event', 'query', 'namespace'])

/** Throws a refusal for rules that only policies of the namespace `default` may contain. */
function checkOutsideDefault({ unlabeledRules, blocks }: RuleBody, namespace: string): void {
  const misplaced = (rule: string) => refuse('rule-out-of-place', { rule, namespace })
  for (const ruleName of unlabeledRules.keys())
    if (rulesOnlyInDefault.has(ruleName)) throw misplaced(ruleName)
  for (const { key, kind, policy, body } of blocks) {
    const isNodeWrite = kind === 'node' && accessNamed(policy) === 'write'
    if (blocksOnlyInDefault.has(kind) || isNodeWrite) throw misplaced(key)
    if (kind === 'partition') checkOutsideDefault(body, namespace)
  }
}

/** The `namespace` and `partition` blocks that enclose a rule. */
interface RuleContext {
  readonly inNamespace?: Segment
  /** Wraps the source text of a rule in the blocks that enclose the rule. */
  readonly wrap: (text: string) => string
}

const topLevelContext: RuleContext = { wrap: (text) => text }

function rulesOf({ unlabeledRules, blocks }: RuleBody, ruleContext: RuleContext = topLevelContext) {
  const { inNamespace, wrap } = ruleContext
  const context = inNamespace === undefined ? {} : { inNamespace }
  const rules: Rule[] = []
  for (const [ruleName, value] of unlabeledRules) {
    rules.push({
      resource: ruleName,
      segment: everySegment,
      access: checkUnlabeledRule(ruleName, value),
      ...context,
      source: wrap(`${ruleName} = ${quoteGo(value)}`),
    })
  }
  for (const block of blocks) {
    const { key, label, kind, isPrefix, policy, body } = block
    const isNamespace = kind === 'namespace'
    const segment = { name: isNamespace ? namespaceKey(label) : label, isPrefix }
    const wrapInBlock = (innerRules: string) => wrap(`${key} ${quoteGo(label)} { ${innerRules} }`)
    const access = accessNamed(policy)
    if (access !== undefined) {
      const text = wrapInBlock(`policy = ${quoteGo(policy)}`)
      rules.push({ resource: kind, segment, access, ...context, source: text })
    }
    const intentions = intentionsOf(block)
    if (intentions !== undefined) {
      const [access, source] = intentions
      rules.push({
        resource: 'intention',
        segment,
        access,
        ...context,
        source: wrapInBlock(source),
      })
    }
    // Rules in a partition block count only if the block covers the only partition, `default`.
    if (kind === 'partition' && !(isPrefix ? 'default'.startsWith(label) : label === 'default')) {
      continue
    }
    const innerContext = isNamespace ? { inNamespace: segment } : context
    appendAll(rules, rulesOf(body, { ...innerContext, wrap: wrapInBlock }))
  }
  return rules
}

/**
 * Returns the access to intentions that a service rule grants, and the source text of the member
 * that grants it; undefined for rules of other kinds. Without `intentions`, a `policy` other than
 * `deny` grants read access.
 */
function intentionsOf({ kind, policy, intentions }: RuleBlock): [RuleAccess, string] | undefined {
  if (kind !== 'service') return undefined
  const access = accessNamed(intentions)
  if (access !== undefined) return [access, `intentions = ${quoteGo(intentions)}`]
  return [accessNamed(policy) === 'deny' ? 'deny' : 'read', `policy = ${quoteGo(policy)}`]
}
