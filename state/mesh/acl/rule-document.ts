import { blocks, type DocumentBlock, findItem, readDocument } from '../../hcl/document/document.ts'
import type { Document } from '../../hcl/document/value.ts'
import { positionError } from '../../hcl/syntax/error.ts'

/** A block of a rules document, its fields not checked yet. */
export interface RuleBlock {
  /** As written: `key`, `key_prefix`. */
  readonly key: string
  /** Without `_prefix`. */
  readonly kind: BlockKind
  readonly isPrefix: boolean
  readonly label: string
  readonly policy: string
  readonly intentions: string
  /** The rules nested in it; nothing but in `namespace` and `partition` blocks. */
  readonly body: RuleBody
}

/** The rules that stand side by side. */
export interface RuleBody {
  /** Rules without a label that are set: `operator = "read"`. */
  readonly unlabeledRules: ReadonlyMap<UnlabeledRule, string>
  readonly blocks: readonly RuleBlock[]
}

/** Rules without a label, in the order in which they are checked. */
export type UnlabeledRule = 'acl' | 'keyring' | 'operator' | 'mesh' | 'peering'

/** Blocks with a label; each exists with `_prefix` too. */
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

/** The grammar of a place of the document. */
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

/** The grammars of blocks that may hold others (behaviour/mesh#rule-language). */
const nestedGrammars: Readonly<Partial<Record<BlockKind, Grammar>>> = {
  namespace: { unlabeledRules: ['acl'], blocks: ['key', 'node', 'service', 'session'] },
  partition: { unlabeledRules: [], blocks: ['namespace'] },
}

/**
 * Reads a rules document, HCL or JSON, without judging its values. What the rule language does not
 * know is passed over, as the reference server does.
 *
 * @throws HclError for what cannot be read
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

/** A text value, empty where there is none; a number is taken by its text. */
function readText(document: Document, key: string): string {
  const item = findItem(document, key)
  if (item === undefined) return ''
  if (typeof item.value === 'string') return item.value
  if (typeof item.value === 'number') return String(item.value)
  throw positionError(`'${key}' must be a string`, item.position)
}
