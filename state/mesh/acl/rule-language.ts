import { quoteGo } from '../../go/text.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import {
  type BlockKind,
  type RuleBlock,
  type RuleBody,
  readRuleDocument,
  type Single,
} from './rule-document.ts'
import { everything, type Rule, type RuleAccess, type Segment } from './rules.ts'
import { refuse } from './texts.ts'

/**
 * Reads the rules of a policy, HCL or JSON (behaviour/mesh#rule-language). Refuses
 * those that cannot be taken.
 *
 * @param namespace where the policy is: not everything may be said outside `default`
 */
export function parseRules(text: string, namespace: string): readonly Rule[] {
  const body = read(text)
  checkBody(body)
  if (namespaceKey(namespace) !== defaultNamespace) checkPlace(body, namespace)
  return rulesOf(body)
}

/**
 * The rules of a policy that is stored. A document that does not parse, which only imported state
 * can hold, grants nothing.
 */
export function storedRules({ rules, namespace }: StoredRules): readonly Rule[] {
  try {
    return parseRules(rules, namespace)
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}

interface StoredRules {
  readonly rules: string
  readonly namespace: string
}

function read(text: string): RuleBody {
  try {
    return readRuleDocument(text)
  } catch (error) {
    if (error instanceof HclError) throw refuse('rules-unreadable', { problem: error.message })
    throw error
  }
}

/** Names of a rule, and of the field that holds its label, in the reference server's messages. */
const printed: Readonly<Record<BlockKind, readonly [type: string, label: string]>> = {
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

const blocksWithOptionalPolicy: ReadonlySet<BlockKind> = new Set(['namespace', 'partition'])
const checkedLast: ReadonlySet<Single> = new Set(['keyring', 'operator', 'mesh', 'peering'])

function isAccess(text: string): text is RuleAccess {
  return text === 'read' || text === 'write' || text === 'deny' || text === 'list'
}

/** The access that a text names; refuses what is none here. Only keys take `list`. */
function accessOf(text: string, kind: BlockKind | undefined, fault: () => Refusal): RuleAccess {
  if (isAccess(text) && (text !== 'list' || kind === 'key')) return text
  throw fault()
}

/** Refuses the first value that is none, in the reference server's order. */
function checkBody({ singles, blocks }: RuleBody): void {
  const check = (last: boolean) => {
    for (const [single, value] of singles) {
      if (checkedLast.has(single) === last) checkSingle(single, value)
    }
  }
  const isOuter = ({ kind }: RuleBlock) => blocksWithOptionalPolicy.has(kind)
  check(false)
  for (const block of blocks) if (!isOuter(block)) checkBlock(block)
  check(true)
  for (const block of blocks) if (isOuter(block)) checkBlock(block)
}

function checkSingle(single: Single, value: string): RuleAccess {
  return accessOf(value, undefined, () =>
    refuse('rule-value-unknown', { rule: single, found: quoteGo(value) }),
  )
}

function checkBlock(block: RuleBlock): void {
  const { key, kind, policy, intentions, body } = block
  const fault = (rule: string) => () => refuse('rule-value-unknown', { rule, found: print(block) })
  if (policy !== '' || !blocksWithOptionalPolicy.has(kind)) accessOf(policy, kind, fault(key))
  if (intentions !== '') accessOf(intentions, kind, fault(`${key} intentions`))
  checkBody(body)
}

/** A rule as the reference server's messages print it. */
function print({ kind, label, policy, intentions }: RuleBlock): string {
  const [type, labelField] = printed[kind]
  const fields = [`${labelField}:${quoteGo(label)}`, `Policy:${quoteGo(policy)}`]
  if (kind === 'service') fields.push(`Intentions:${quoteGo(intentions)}`)
  fields.push('EnterpriseRule:acl.EnterpriseRule{}')
  return `&acl.${type}{${fields.join(', ')}}`
}

const onlyInDefault: ReadonlySet<string> = new Set(['operator', 'keyring'])
const blocksOnlyInDefault: ReadonlySet<BlockKind> = new Set(['event', 'query', 'namespace'])

/** Refuses what policies outside the namespace `default` may not hold. */
function checkPlace({ singles, blocks }: RuleBody, namespace: string): void {
  const misplaced = (rule: string) => refuse('rule-out-of-place', { rule, namespace })
  for (const single of singles.keys()) if (onlyInDefault.has(single)) throw misplaced(single)
  for (const { key, kind, policy, body } of blocks) {
    const isNodeWrite = kind === 'node' && policy === 'write'
    if (blocksOnlyInDefault.has(kind) || isNodeWrite) throw misplaced(key)
    if (kind === 'partition') checkPlace(body, namespace)
  }
}

/** Where rules stand: what is around them. */
interface Place {
  readonly within?: Segment
  /** Puts the text of what is around about a rule's text. */
  readonly wrap: (text: string) => string
}

const outermost: Place = { wrap: (text) => text }

function rulesOf({ singles, blocks }: RuleBody, place: Place = outermost): readonly Rule[] {
  const { within, wrap } = place
  const context = within === undefined ? {} : { within }
  const rules: Rule[] = []
  for (const [single, value] of singles) {
    rules.push({
      resource: single,
      segment: everything,
      access: checkSingle(single, value),
      ...context,
      text: wrap(`${single} = ${quoteGo(value)}`),
    })
  }
  for (const block of blocks) {
    const { key, label, kind, isPrefix, policy, body } = block
    const isNamespace = kind === 'namespace'
    const segment = { name: isNamespace ? namespaceKey(label) : label, isPrefix }
    const around = (inner: string) => wrap(`${key} ${quoteGo(label)} { ${inner} }`)
    if (isAccess(policy)) {
      const text = around(`policy = ${quoteGo(policy)}`)
      rules.push({ resource: kind, segment, access: policy, ...context, text })
    }
    const intentions = intentionsOf(block)
    if (intentions !== undefined) {
      const [access, source] = intentions
      rules.push({ resource: 'intention', segment, access, ...context, text: around(source) })
    }
    // The only partition there is, is `default`.
    if (kind === 'partition' && !(isPrefix ? 'default'.startsWith(label) : label === 'default')) {
      continue
    }
    const inner = isNamespace ? { within: segment } : context
    rules.push(...rulesOf(body, { ...inner, wrap: around }))
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
