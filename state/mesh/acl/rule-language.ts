import { quoteGo } from '../../go/text.ts'
import { HclError } from '../../hcl/syntax/error.ts'
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
import { everything, type Rule, type RuleAccess, type Segment } from './rules.ts'

/**
 * Reads the rules of a policy, HCL or JSON (behaviour/mesh#rule-language). Refuses
 * those that cannot be taken.
 *
 * @param namespace where the policy is: not everything may be said outside `default`
 */
export function parseRules(text: string, namespace: string): readonly Rule[] {
  const body = parseDocument(text)
  checkBody(body)
  if (namespaceKey(namespace) !== defaultNamespace) checkOutsideDefault(body, namespace)
  return rulesOf(body)
}

/**
 * The rules of a policy that is stored. A document that does not parse, which only imported state
 * can hold, grants nothing.
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

/** Names of a rule, and of the field that holds its label, in the reference server's messages. */
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

function isAccess(text: string): text is RuleAccess {
  return text === 'read' || text === 'write' || text === 'deny' || text === 'list'
}

/** The access that a text names; refuses what is none here. Only keys take `list`. */
function requireRuleAccess(
  text: string,
  kind: BlockKind | undefined,
  refusal: () => Refusal,
): RuleAccess {
  if (isAccess(text) && (text !== 'list' || kind === 'key')) return text
  throw refusal()
}

/** Refuses the first value that is none, in the reference server's order. */
function checkBody({ unlabeledRules, blocks }: RuleBody): void {
  const check = (last: boolean) => {
    for (const [ruleName, value] of unlabeledRules) {
      if (rulesCheckedLast.has(ruleName) === last) checkUnlabeledRule(ruleName, value)
    }
  }
  const isContainer = ({ kind }: RuleBlock) => blocksWithOptionalAccess.has(kind)
  check(false)
  for (const block of blocks) if (!isContainer(block)) checkBlock(block)
  check(true)
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

/** A rule as the reference server's messages print it. */
function formatGoRule({ kind, label, policy, intentions }: RuleBlock): string {
  const [type, labelField] = goRuleNames[kind]
  const fields = [`${labelField}:${quoteGo(label)}`, `Policy:${quoteGo(policy)}`]
  if (kind === 'service') fields.push(`Intentions:${quoteGo(intentions)}`)
  fields.push('EnterpriseRule:acl.EnterpriseRule{}')
  return `&acl.${type}{${fields.join(', ')}}`
}

const onlyInDefault: ReadonlySet<string> = new Set(['operator', 'keyring'])
const blocksOnlyInDefault: ReadonlySet<BlockKind> = new Set(['event', 'query', 'namespace'])

/** Refuses what policies outside the namespace `default` may not hold. */
function checkOutsideDefault({ unlabeledRules, blocks }: RuleBody, namespace: string): void {
  const misplaced = (rule: string) => refuse('rule-out-of-place', { rule, namespace })
  for (const ruleName of unlabeledRules.keys())
    if (onlyInDefault.has(ruleName)) throw misplaced(ruleName)
  for (const { key, kind, policy, body } of blocks) {
    const isNodeWrite = kind === 'node' && policy === 'write'
    if (blocksOnlyInDefault.has(kind) || isNodeWrite) throw misplaced(key)
    if (kind === 'partition') checkOutsideDefault(body, namespace)
  }
}

/** Where rules stand: what is around them. */
interface RuleContext {
  readonly inNamespace?: Segment
  /** Puts the text of what is around about a rule's text. */
  readonly wrap: (text: string) => string
}

const topLevelContext: RuleContext = { wrap: (text) => text }

function rulesOf(
  { unlabeledRules, blocks }: RuleBody,
  ruleContext: RuleContext = topLevelContext,
): readonly Rule[] {
  const { inNamespace, wrap } = ruleContext
  const context = inNamespace === undefined ? {} : { inNamespace }
  const rules: Rule[] = []
  for (const [ruleName, value] of unlabeledRules) {
    rules.push({
      resource: ruleName,
      segment: everything,
      access: checkUnlabeledRule(ruleName, value),
      ...context,
      source: wrap(`${ruleName} = ${quoteGo(value)}`),
    })
  }
  for (const block of blocks) {
    const { key, label, kind, isPrefix, policy, body } = block
    const isNamespace = kind === 'namespace'
    const segment = { name: isNamespace ? namespaceKey(label) : label, isPrefix }
    const wrapInBlock = (inner: string) => wrap(`${key} ${quoteGo(label)} { ${inner} }`)
    if (isAccess(policy)) {
      const text = wrapInBlock(`policy = ${quoteGo(policy)}`)
      rules.push({ resource: kind, segment, access: policy, ...context, source: text })
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
    // The only partition there is, is `default`.
    if (kind === 'partition' && !(isPrefix ? 'default'.startsWith(label) : label === 'default')) {
      continue
    }
    const inner = isNamespace ? { inNamespace: segment } : context
    rules.push(...rulesOf(body, { ...inner, wrap: wrapInBlock }))
  }
  return rules
}

/**
 * Returns what a service rule says of intentions, by itself or through its `policy`, and which part
 * does.
 */
function intentionsOf({ kind, policy, intentions }: RuleBlock): [RuleAccess, string] | undefined {
  if (kind !== 'service') return undefined
  if (isAccess(intentions)) return [intentions, `intentions = ${quoteGo(intentions)}`]
  return [policy === 'deny' ? 'deny' : 'read', `policy = ${quoteGo(policy)}`]
}
