import {
  blocks,
  type DocumentBlock,
  findItem,
  isList,
  readDocument,
} from '../../hcl/document/document.ts'
import type { Document } from '../../hcl/document/value.ts'
import { HclError, positionError } from '../../hcl/syntax/error.ts'
import { message, RulesError } from './messages.ts'

/** A block of a rules document. The values are not validated yet. */
export interface RuleBlock {
  /** Empty if the block has no label. */
  readonly label: string
  readonly policy: string
  readonly capabilities: readonly string[]
  /**
   * Capabilities for variables, by the path of the variables. Undefined for a namespace block
   * without a `variables` block, and for blocks of other types.
   */
  readonly variables: ReadonlyMap<string, readonly string[]> | undefined
}

/** Types of blocks that need a label. */
const labelledKeys = ['namespace', 'node_pool', 'host_volume'] as const
/**
 * Types of blocks that have no label. Of several blocks of a type, only the last one takes effect.
 */
const unlabelledKeys = ['agent', 'node', 'operator', 'quota', 'plugin'] as const

export type LabelledKey = (typeof labelledKeys)[number]
export type UnlabelledKey = (typeof unlabelledKeys)[number]

export interface RuleDocument {
  readonly labelled: ReadonlyMap<LabelledKey, readonly RuleBlock[]>
  /** Policies of the unlabelled blocks. A type without a block is missing. */
  readonly unlabelled: ReadonlyMap<UnlabelledKey, string>
}

/**
 * Parses a rules document, HCL or JSON, without validating its values.
 *
 * @throws RulesError for invalid syntax, for values of the wrong type, and for a block with several
 *   labels
 */
export function readRuleDocument(text: string): RuleDocument {
  try {
    const document = readDocument(text)
    return {
      labelled: new Map(
        labelledKeys.map((key) => [
          key,
          blocks(document, key, 1).map((block) => toRule(block, key)),
        ]),
      ),
      unlabelled: new Map(
        unlabelledKeys.flatMap((key) => {
          const found = blocks(document, key, 0)
          return found.length === 0 ? [] : [[key, policyOf(found)] as const]
        }),
      ),
    }
  } catch (error) {
    if (!(error instanceof HclError)) throw error
    throw new RulesError(message('rules-unreadable', { why: error.message }))
  }
}

/**
 * Returns the policy of the last block without a label. Returns an empty string if that block has
 * no policy, or if every block has a label. Blocks with labels are ignored, because the content of
 * such a block is nested in a member with the label as its name. Throws an `HclError` if a policy
 * is not a string.
 */
function policyOf(found: readonly DocumentBlock[]): string {
  const policies = found
    .filter(({ labels }) => labels.length === 0)
    .map(({ body }) => readString(body, 'policy'))
  return policies.at(-1) ?? ''
}

function toRule({ labels, body, position }: DocumentBlock, key: string): RuleBlock {
  if (labels.length > 1) throw positionError(`'${key}' has more than one label`, position)
  const [variables] = key === 'namespace' ? blocks(body, 'variables', 0) : []
  return {
    label: labels[0] ?? '',
    policy: readString(body, 'policy'),
    capabilities: readStrings(body, 'capabilities'),
    variables:
      variables &&
      new Map(
        blocks(variables.body, 'path', 1).map((path) => [
          path.labels[0] ?? '',
          readStrings(path.body, 'capabilities'),
        ]),
      ),
  }
}

/**
 * Returns a string member, or an empty string if the member is missing. Throws an `HclError` for
 * other values.
 */
function readString(body: Document, key: string): string {
  const item = findItem(body, key)
  if (item === undefined) return ''
  if (typeof item.value === 'string') return item.value
  throw positionError(`'${key}' must be a string`, item.position)
}

/**
 * Returns a member that is a list of strings, or an empty list if the member is missing. A single
 * string is returned as a list with one string. Throws an `HclError` for other values.
 */
function readStrings(body: Document, key: string): readonly string[] {
  const item = findItem(body, key)
  if (item === undefined) return []
  const values = isList(item.value) ? item.value : [item.value]
  return values.map((value) => {
    if (typeof value === 'string') return value
    throw positionError(`'${key}' must be a list of strings`, item.position)
  })
}
