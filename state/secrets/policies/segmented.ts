interface RuleWithPattern {
  readonly pattern: {
    /** Segments of a path with `+`; null represents the segment `+`. Undefined for other paths. */
    readonly segments: readonly (string | null)[] | undefined
    readonly isPrefix: boolean
  }
}

/** Node of the tree of patterns. All patterns below a node begin with the node's segments. */
interface PatternNode<Rule> {
  /** Child nodes by literal segment. */
  readonly children: Map<string, PatternNode<Rule>>
  /** Child node for the segment `+`. */
  anySegment: PatternNode<Rule> | undefined
  /** Rule of the pattern that ends at this node. */
  rule: Rule | undefined
  /** Rules of patterns whose last segment ends with `*`, by the text before the `*`. */
  readonly prefixRules: Map<string, Rule>
  /** Rule of the pattern whose last segment is `+*`. */
  anyPrefixRule: Rule | undefined
}

const emptyNode = <Rule>(): PatternNode<Rule> => ({
  children: new Map(),
  anySegment: undefined,
  rule: undefined,
  prefixRules: new Map(),
  anyPrefixRule: undefined,
})

/**
 * The patterns with `+` of a policy, as a tree of segments. A path is therefore compared only with
 * patterns that begin with the same segments (behaviour/program#bounds).
 */
export class SegmentedRules<Rule extends RuleWithPattern> {
  readonly all: readonly Rule[]
  readonly #root = emptyNode<Rule>()

  /** @param rules rules of one policy; all their patterns differ */
  constructor(rules: readonly Rule[]) {
    this.all = rules
    for (const rule of rules) this.#add(rule)
  }

  /**
   * Calls `onMatch` with every rule that matches a path.
   * @param path segments of the path
   */
  forEachMatch(path: readonly string[], onMatch: (rule: Rule) => void): void {
    const pending: [node: PatternNode<Rule>, at: number][] = [[this.#root, 0]]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [node, at] = next
      const segment = path[at]
      if (segment === undefined) {
        if (node.rule !== undefined) onMatch(node.rule)
        continue
      }
      if (node.anyPrefixRule !== undefined) onMatch(node.anyPrefixRule)
      for (const [text, rule] of prefixRulesFor(node, segment))
        if (segment.startsWith(text)) onMatch(rule)
      const child = node.children.get(segment)
      if (child !== undefined) pending.push([child, at + 1])
      if (node.anySegment !== undefined) pending.push([node.anySegment, at + 1])
    }
  }

  #add(rule: Rule): void {
    const { segments = [], isPrefix } = rule.pattern
    const last = segments.at(-1)
    let node = this.#root
    for (const segment of isPrefix ? segments.slice(0, -1) : segments)
      node = childNode(node, segment)
    if (!isPrefix) node.rule = rule
    else if (last === null) node.anyPrefixRule = rule
    else node.prefixRules.set(last ?? '', rule)
  }
}

function childNode<Rule>(node: PatternNode<Rule>, segment: string | null): PatternNode<Rule> {
  if (segment === null) {
    node.anySegment ??= emptyNode()
    return node.anySegment
  }
  let child = node.children.get(segment)
  if (child === undefined) {
    child = emptyNode()
    node.children.set(segment, child)
  }
  return child
}

/**
 * Yields at least the prefix rules of a node that match a segment. If the node has few rules,
 * yields all its rules, so callers must compare the prefixes.
 */
function* prefixRulesFor<Rule>(
  { prefixRules: rulesByPrefix }: PatternNode<Rule>,
  segment: string,
): Generator<readonly [string, Rule]> {
  if (rulesByPrefix.size <= segment.length) {
    yield* rulesByPrefix
    return
  }
  for (let length = 0; length <= segment.length; length += 1) {
    const text = segment.slice(0, length)
    const rule = rulesByPrefix.get(text)
    if (rule !== undefined) yield [text, rule]
  }
}
