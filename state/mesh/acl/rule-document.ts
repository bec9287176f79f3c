import {
  blocks,
  type DocumentBlock,
  findItem,
  isDocument,
  readDocument,
} from '../../hcl/document/document.ts'
import type { Document } from '../../hcl/document/value.ts'
import { positionError } from '../../hcl/syntax/error.ts'

/** A block of a rules document whose fields are not validated yet. */
export interface RuleBlock {
  /** Keyword in the document, such as `key` or `key_prefix`. */
  readonly key: string
  /** The keyword without `_prefix`. */
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

/** Name of a rule without a label. */
export type UnlabeledRule = 'acl' | 'keyring' | 'operator' | 'mesh' | 'peering'

/** Keywords of labeled blocks. Each keyword has a variant with `_prefix`. */
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
  /** Names of rules, in the order in which the rules are validated. */
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

/** Grammars of the blocks that may contain other blocks (behaviour/mesh#rule-language). */
const nestedGrammars: Readonly<Partial<Record<BlockKind, Grammar>>> = {
  namespace: { unlabeledRules: ['acl'], blocks: ['key', 'node', 'service', 'session'] },
  partition: { unlabeledRules: [], blocks: ['namespace'] },
}

/**
 * Parses a rules document, HCL or JSON, without validating its values. Unknown members are ignored,
 * as in the reference server.
 *
 * @throws HclError for syntax errors, and for values that must be strings and are not
 */
export function readRuleDocument(text: string): RuleBody {
  return readBody(readUnclosedDocument(text), topLevelGrammar)
}

/**
 * Parses a document. As with the reference's JSON parser, closing braces at the end of the JSON
 * form may be missing. Throws an `HclError` for any other syntax error.
 */
function readUnclosedDocument(text: string): Document {
  try {
    return readDocument(text)
  } catch (error) {
    const missing = /^\s*\{/.test(text) ? unclosedBraces(text) : 0
    if (missing === 0) throw error
    try {
      return readDocument(text + '}'.repeat(missing))
    } catch {
      throw error
    }
  }
}

/**
 * Counts the braces of a JSON text that are not closed. Braces in strings do not count. Returns 0
 * if the text ends inside a string.
 */
function unclosedBraces(text: string): number {
  let open = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isInString && character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (!isInString && character === '{') open++
    else if (!isInString && character === '}') open--
  }
  return isInString ? 0 : Math.max(0, open)
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
  return blocks(document, key, 1)
    .flatMap(labeledBlocks)
    .map(({ label, body }) => ({
      key,
      kind,
      isPrefix,
      label,
      policy: readText(body, 'policy'),
      intentions: kind === 'service' ? readText(body, 'intentions') : '',
      body: readBody(body, nestedGrammars[kind] ?? emptyGrammar),
    }))
}

interface LabeledBlock {
  readonly label: string
  readonly body: Document
}

/**
 * Returns a block with its first label and ignores its other labels, as the reference does.
 *
 * For a block without a label, returns one block per member, like the reference's decoder. The
 * label of such a block is the name of the member, and the body is the value of the member. If the
 * value is not an object, the body is an object that contains only this member.
 */
function labeledBlocks({ labels, body }: DocumentBlock): LabeledBlock[] {
  const [label] = labels
  if (label !== undefined) return [{ label, body }]
  return body.items.map((item) => ({
    label: item.key,
    body: isDocument(item.value) ? item.value : { items: [item] },
  }))
}

/**
 * Returns a string member; empty if it is missing. A number is returned as a string. Throws an
 * `HclError` for other values.
 */
function readText(document: Document, key: string): string {
  const item = findItem(document, key)
  if (item === undefined) return ''
  if (typeof item.value === 'string') return item.value
  if (typeof item.value === 'number') return String(item.value)
  throw positionError(`'${key}' must be a string`, item.position)
}
