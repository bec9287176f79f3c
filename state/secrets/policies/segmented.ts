/** A rule by its pattern. */
interface RuleWithPattern {
  readonly pattern: {
    /** The segments of a pattern with `+`, which are null themselves; undefined for any other. */
    readonly segments: readonly (string | null)[] | undefined
    /** Whether a `*` stands behind the last one. */
    readonly isPrefix: boolean
  }
}

/** What patterns that begin alike say from one segment on. */
interface PatternNode<Rule> {
  /** By literal segment. */
  readonly children: Map<string, PatternNode<Rule>>
  /** Behind a `+`. */
  anySegment: PatternNode<Rule> | undefined
  /** The pattern that ends here. */
  rule: Rule | undefined
  /** Patterns with a `*` behind the text of their last segment, by that text. */
  readonly prefixRules: Map<string, Rule>
  /** The pattern with a `*` behind a last `+`. */
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
 * The patterns with `+` of a policy as a tree of their segments, so that a path meets those only that
 * begin as it does, however many there are (behaviour/program#bounds).
 */
export class SegmentedRules<Rule extends RuleWithPattern> {
  readonly all: readonly Rule[]
  readonly #root = emptyNode<Rule>()

  /** @param rules of one policy, each with a pattern of its own */
  constructor(rules: readonly Rule[]) {
    this.all = rules
    for (const rule of rules) this.#add(rule)
  }

  /** Hands every rule on whose pattern matches a path, given in segments. */
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

/** The tails that may begin a segment: all where they are few, else those of its own beginnings. */
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
