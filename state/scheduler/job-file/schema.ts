import type { Scope } from '../../hcl/language/scope.ts'
import type { Block } from '../../hcl/syntax/ast.ts'
import type { Diagnostic } from '../../hcl/syntax/error.ts'
import type { Range } from '../../hcl/syntax/source.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { StructShape } from '../../kernel/shape/kinds.ts'

/**
 * Type of an argument's value. Each integer type has the width of the reference's field, because
 * messages mention the width. A `duration` is a Go duration or a number of nanoseconds.
 */
export type ArgumentType =
  | 'string'
  | 'bool'
  | 'int'
  | 'int8'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'duration'
  | 'list of string'
  | 'list of uint16'
  | 'map of string'

/** Rule for an argument, `name = value`. */
export interface ArgumentRule {
  readonly type: ArgumentType
  /** Member of the job that gets the value. Undefined if the value is checked and dropped. */
  readonly member: string | undefined
  /**
   * True to refuse null, because the reference's field is not a pointer. Otherwise an argument with
   * the value null is treated as missing.
   */
  readonly refusesNull?: boolean
  readonly required?: true
  /**
   * True for a short form of a constraint, such as `distinct_hosts`: the member gets the value, and
   * `Operand` gets the name of the argument.
   */
  readonly isShortForm?: true
  /** Name in the vendor dialect, which is accepted as well (behaviour/scheduler#vendor-names). */
  readonly vendorName?: string
}

export type Contents = FixedContents | FreeContents

/** Table of the arguments and blocks that a block with fixed names may contain. */
export interface FixedContents {
  /** Shape of the resulting object. Undefined if the job stores the contents as written. */
  readonly shape?: StructShape
  readonly arguments: Readonly<Record<string, ArgumentRule>>
  readonly blocks: Readonly<Record<string, BlockRule>>
  /** Defaults by member (behaviour/scheduler#job-files). */
  readonly defaults?: JsonObject
  /**
   * Block types of later product releases. Unlike other unknown types, these types are refused
   * without a suggestion.
   */
  readonly laterBlockTypes?: readonly string[]
  /**
   * Set for constraints and affinities, which the reference reads with separate code and separate
   * messages.
   */
  readonly wording?: 'specification'
  /** Checks and completes the object after the contents are read. */
  readonly postprocess?: (object: JsonObject, context: PostprocessContext) => void
}

/** Contents whose names the user chooses. `values` is the type of every value. */
export interface FreeContents {
  readonly values: 'string' | 'list of string' | 'any'
}

export interface PostprocessContext {
  /** Empty if the block has no label. */
  readonly label: string
  /** Position of the block's header in the file. */
  readonly range: Range
  /** Builds the problem of a missing required argument. */
  missing(argument: string): Diagnostic
  /**
   * Returns the position of an argument's value in the file, or undefined if the file has no such
   * argument.
   */
  valueRange(argument: string): Range | undefined
  report(problem: Diagnostic): void
}

/** Rule for a block, `type "label" { ... }`. */
export interface BlockRule {
  /** Member of the job that gets the block. Undefined if the block is checked and dropped. */
  readonly member: string | undefined
  /** Form of the member: one object, a list of objects, or a map of objects by label. */
  readonly form: 'object' | 'list' | 'map'
  readonly label?: LabelRule
  readonly contents: Contents
  /** True if the file may write the block as an assignment, `type = { ... }`. */
  readonly isAssignable?: true
  /** Name in the vendor dialect, which is accepted as well. */
  readonly vendorName?: string
  /**
   * True if the reference checks blocks of this type before all other blocks, and reports
   * duplicates with a separate message.
   */
  readonly isCheckedFirst?: true
  /** True if the reference drops the problems inside the block. */
  readonly ignoresProblems?: true
  /** Returns the blocks to read, and reports a problem for each other block. */
  readonly select?: (
    blocks: readonly ScopedBlock[],
    report: PostprocessContext['report'],
  ) => readonly ScopedBlock[]
}

export interface ScopedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** Rule for the label of a block that has one label. */
interface LabelRule {
  /** Name of the label in messages. The reference leaves some of these names empty. */
  readonly name: string
  readonly member: string
  /** True if the reference looks for the block twice, and so reports a missing label twice. */
  readonly isReportedTwice?: true
}

type Rules = Readonly<Record<string, ArgumentRule>>

/**
 * Builds rules for several arguments of one type from a list of names, such as `max_parallel
 * cpu->CPU`. The member of the job follows the arrow. By default, the member is the name in the
 * API's spelling (`MaxParallel`).
 */
export function argumentRules(
  type: ArgumentType,
  names: string,
  more: Partial<ArgumentRule> = {},
): Rules {
  return Object.fromEntries(
    names.split(' ').map((entry) => {
      const [name = '', member = toPascalCase(name)] = entry.split('->')
      return [name, { type, member, ...more }]
    }),
  )
}

function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** Builds a rule for a block that may occur at most once. */
export function singleBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, form: 'object', contents, ...more }
}

/**
 * Builds a rule for a block that may occur any number of times. The list keeps the order of the
 * file.
 */
export function repeatedBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, form: 'list', contents, ...more }
}

/** Builds the label of a block rule. The value of the label is stored in `member`. */
export function withLabel(name: string, member: string): { readonly label: LabelRule } {
  return { label: { name, member } }
}

export const stringValues: FreeContents = { values: 'string' }
export const stringListValues: FreeContents = { values: 'list of string' }
export const anyValues: FreeContents = { values: 'any' }
