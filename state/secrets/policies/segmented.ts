interface RuleWithPattern {
  readonly pattern: {
    /** Segments of a pattern with `+`, with null for each `+`; undefined for other patterns. */
    readonly segments: readonly (string | null)[] | undefined
    /** Whether the pattern ends in `*`. */
    readonly isPrefix: boolean
  }
}

/** A node of the tree. The node stands for the patterns that begin with the same segments. */
interface PatternNode<Rule> {
  /** Child nodes by literal segment. */
  readonly children: Map<string, PatternNode<Rule>>
  /** The child node for `+`. */
  anySegment: PatternNode<Rule> | undefined
  /** The rule of the pattern that ends at this node. */
  rule: Rule | undefined
  /**
   * Rules of the patterns that end in a segment with a trailing `*`, by the text before the `*`.
   */
  readonly prefixRules: Map<string, Rule>
  /** The rule of the pattern that ends in `+*`. */
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
 * An index of those patterns of a policy that contain `+`: a tree of segments. A path is therefore
 * compared only with patterns that share its beginning (behaviour/program#bounds).
 */
export class SegmentedRules<Rule extends RuleWithPattern> {
  readonly all: readonly Rule[]
  readonly #root = emptyNode<Rule>()

  /**
   * @param rules the rules of one policy, with distinct patterns
   */
  constructor(rules: readonly Rule[]) {
    this.all = rules
    for (const rule of rules) this.#add(rule)
  }

  /** Calls `onMatch` with every rule whose pattern matches a path, given as segments. */
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
 * Yields the prefixes to compare with a segment. If there are few prefixes, yields all of them;
 * otherwise yields only those that the segment begins with.
 */
function* prefixRulesFor<Rule>(
  { prefixRules: tails }: PatternNode<Rule>,
  segment: string,
): Generator<readonly [string, Rule]> {
  if (tails.size <= segment.length) {
    yield* tails
    return
  }
  for (let length = 0; length <= segment.length; length += 1) {
    const text = segment.slice(0, length)
    const rule = tails.get(text)
    if (rule !== undefined) yield [text, rule]
  }
}
