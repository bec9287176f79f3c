import { blocks, type DocumentBlock, findItem, readDocument } from '../../hcl/document/document.ts'
import type { Document } from '../../hcl/document/value.ts'
import { positionError } from '../../hcl/syntax/error.ts'

/** A block of a rules document whose fields are not validated yet. */
export interface RuleBlock {
  /** Keyword in the document, such as `key` or `key_prefix`. */
  readonly key: string
  /** Keyword without `_prefix`. */
  readonly kind: BlockKind
  readonly isPrefix: boolean
  readonly label: string
  readonly policy: string
  readonly intentions: string
  /** Nested rules; empty except in `namespace` and `partition` blocks. */
  readonly body: RuleBody
}

/** Rules on one level of the document. */
export interface RuleBody {
  /** Assigned rules without a label, such as `operator = "read"`. */
  readonly unlabeledRules: ReadonlyMap<UnlabeledRule, string>
  readonly blocks: readonly RuleBlock[]
}

/** Rules without a label, in the order in which they are validated. */
export type UnlabeledRule = 'acl' | 'keyring' | 'operator' | 'mesh' | 'peering'

/** Labeled blocks; each has a variant with `_prefix`. */
export type BlockKind =
  | 'agent'
  | 'key'
  | 'node'
  | 'service'
  | 'session'
  | 'event'
  | 'query'
  | 'namespace'
  | 'partition'

/** Rules and blocks that are allowed on one level of the document. */
interface Grammar {
  readonly unlabeledRules: readonly UnlabeledRule[]
  readonly blocks: readonly BlockKind[]
}

const topLevelGrammar: Grammar = {
  unlabeledRules: ['acl', 'keyring', 'operator', 'mesh', 'peering'],
  blocks: [
    'agent',
    'key',
    'node',
    'service',
    'session',
    'event',
    'query',
    'namespace',
    'partition',
  ],
}

const emptyGrammar: Grammar = { unlabeledRules: [], blocks: [] }

/** Grammars of the blocks that may contain others (behaviour/mesh#rule-language). */
const nestedGrammars: Readonly<Partial<Record<BlockKind, Grammar>>> = {
  namespace: { unlabeledRules: ['acl'], blocks: ['key', 'node', 'service', 'session'] },
  partition: { unlabeledRules: [], blocks: ['namespace'] },
}

/**
 * Parses a rules document, HCL or JSON, without validating its values. Unknown members are ignored,
 * as the reference server does.
 *
 * @throws HclError for syntax errors
 */
export function readRuleDocument(text: string): RuleBody {
  return readBody(readDocument(text), topLevelGrammar)
}

function readBody(document: Document, grammar: Grammar): RuleBody {
  const unlabeledRules = grammar.unlabeledRules.flatMap((key) => {
    const value = readText(document, key)
    return value === '' ? [] : [[key, value] as const]
  })
  return {
    unlabeledRules: new Map(unlabeledRules),
    blocks: grammar.blocks.flatMap((kind) => [
      ...readBlocks(document, kind, false),
      ...readBlocks(document, kind, true),
    ]),
  }
}

function readBlocks(document: Document, kind: BlockKind, isPrefix: boolean): RuleBlock[] {
  const key = isPrefix ? `${kind}_prefix` : kind
  return blocks(document, key, 1).map((block) => ({
    key,
    kind,
    isPrefix,
    label: labelOf(block, key),
    policy: readText(block.body, 'policy'),
    intentions: kind === 'service' ? readText(block.body, 'intentions') : '',
    body: readBody(block.body, nestedGrammars[kind] ?? emptyGrammar),
  }))
}

function labelOf({ labels, position }: DocumentBlock, key: string): string {
  const [label, ...more] = labels
  if (label !== undefined && more.length === 0) return label
  throw positionError(`'${key}' needs exactly one label`, position)
}

/** Returns a text member, empty if it is missing. Numbers are returned as their text. */
function readText(document: Document, key: string): string {
  const item = findItem(document, key)
  if (item === undefined) return ''
  if (typeof item.value === 'string') return item.value
  if (typeof item.value === 'number') return String(item.value)
  throw positionError(`'${key}' must be a string`, item.position)
}
