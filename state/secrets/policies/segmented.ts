/** A rule by its pattern. */
interface Ruled {
  readonly pattern: {
    /** The segments of a pattern with `+`, which are null themselves; undefined for any other. */
    readonly segments: readonly (string | null)[] | undefined
    /** Whether a `*` stands behind the last one. */
    readonly isPrefix: boolean
  }
}

/** What patterns that begin alike say from one segment on. */
interface Node<Rule> {
  /** By literal segment. */
  readonly children: Map<string, Node<Rule>>
  /** Behind a `+`. */
  any: Node<Rule> | undefined
  /** The pattern that ends here. */
  rule: Rule | undefined
  /** Patterns with a `*` behind the text of their last segment, by that text. */
  readonly tails: Map<string, Rule>
  /** The pattern with a `*` behind a last `+`. */
  anyTail: Rule | undefined
}

const emptyNode = <Rule>(): Node<Rule> => ({
  children: new Map(),
  any: undefined,
  rule: undefined,
  tails: new Map(),
  anyTail: undefined,
})

/**
 * The patterns with `+` of a policy as a tree of their segments, so that a path meets those only that
 * begin as it does, however many there are (behaviour/program#bounds).
 */
export class SegmentedRules<Rule extends Ruled> {
  readonly all: readonly Rule[]
  readonly #root = emptyNode<Rule>()

  /** @param rules of one policy, each with a pattern of its own */
  constructor(rules: readonly Rule[]) {
    this.all = rules
    for (const rule of rules) this.#add(rule)
  }

  /** Hands every rule on whose pattern matches a path, given in segments. */
  matching(path: readonly string[], found: (rule: Rule) => void): void {
    const open: [node: Node<Rule>, at: number][] = [[this.#root, 0]]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [node, at] = next
      const segment = path[at]
      if (segment === undefined) {
        if (node.rule !== undefined) found(node.rule)
        continue
      }
      if (node.anyTail !== undefined) found(node.anyTail)
      for (const [text, rule] of tailsOf(node, segment)) if (segment.startsWith(text)) found(rule)
      const child = node.children.get(segment)
      if (child !== undefined) open.push([child, at + 1])
      if (node.any !== undefined) open.push([node.any, at + 1])
    }
  }

  #add(rule: Rule): void {
    const { segments = [], isPrefix } = rule.pattern
    const last = segments.at(-1)
    let node = this.#root
    for (const segment of isPrefix ? segments.slice(0, -1) : segments) node = below(node, segment)
    if (!isPrefix) node.rule = rule
    else if (last === null) node.anyTail = rule
    else node.tails.set(last ?? '', rule)
  }
}

function below<Rule>(node: Node<Rule>, segment: string | null): Node<Rule> {
  if (segment === null) {
    node.any ??= emptyNode()
    return node.any
  }
  let child = node.children.get(segment)
  if (child === undefined) {
    child = emptyNode()
    node.children.set(segment, child)
  }
  return child
}

/** The tails that may begin a segment: all where they are few, else those of its own beginnings. */
function* tailsOf<Rule>(
  { tails }: Node<Rule>,
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
